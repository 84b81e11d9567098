"""`west tape`: the commands of tickertape in a workspace of Zephyr (docs/zephyr.md).

west imports this file without the package `tickertape`, which may be in another environment.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from west.commands import WestCommand

if TYPE_CHECKING:
    from collections.abc import Sequence

_DESCRIPTION = """\
Runs `tickertape COMMAND`, which finds the build in this folder. One command is west's own:

  west tape flash -o T.tape [OPTIONS of capture] [-- OPTIONS of west flash]

flashes the build, then captures its trace.

  west tape capture /dev/ttyUSB0 -o T.tape
  west tape print T.tape -n 40
  west tape help                            all commands
"""


class Tape(WestCommand):
    """The command `west tape`: passes its words to `tickertape`."""

    def __init__(self) -> None:
        """Set name, help and description; west calls this without arguments."""
        super().__init__(
            "tape",
            "record, read and control traces of tickertape",
            _DESCRIPTION,
            accepts_unknown_args=True,
        )

    def do_add_parser(self, parser_adder: argparse._SubParsersAction) -> argparse.ArgumentParser:
        """Add the parser of the command, which accepts all words unchanged."""
        parser = parser_adder.add_parser(
            self.name,
            help=self.help,
            description=self.description,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        parser.add_argument("words", nargs=argparse.REMAINDER, metavar="COMMAND ...")
        return parser

    def do_run(self, args: argparse.Namespace, unknown: Sequence[str]) -> None:
        """Run the command; west exits with its exit code."""
        words = [*unknown, *args.words]
        if words[:1] == ["flash"]:
            end = words.index("--") if "--" in words else len(words)
            self._end_unless_done([sys.executable, "-m", "west", "flash", *words[end + 1 :]])
            words = ["capture", *words[1:end]]
        elif words[:1] in ([], ["help"]):
            words = ["--help"]
        self._end_unless_done([self._program(), *words])

    def _program(self) -> str:
        """Return the path of `tickertape` next to this Python, otherwise of the one on PATH."""
        beside = shutil.which("tickertape", path=str(Path(sys.executable).parent))
        found = beside or shutil.which("tickertape")
        if found is None:
            self.die("there is no command tickertape: install it with pip beside west")
        return found

    @staticmethod
    def _end_unless_done(command: Sequence[str]) -> None:
        """Run a command; exit with its exit code if that is not 0."""
        with subprocess.Popen(command) as process:
            while process.poll() is None:
                try:
                    process.wait()
                except KeyboardInterrupt:
                    continue  # the command also receives it, and closes its tape
        if process.returncode:
            sys.exit(process.returncode)
