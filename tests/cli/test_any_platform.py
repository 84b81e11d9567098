"""Commands that read tapes do not import links and targets, so they run on any platform."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.patience import HANG_S

if TYPE_CHECKING:
    from pathlib import Path

# Modules that Windows lacks, and our modules that need them.
ABSENT = """
import os, sys
for name in ("fcntl", "pwd", "grp", "termios", "resource", "tickertape.targets", "tickertape.link",
             "tickertape.control", "tickertape.broker", "tickertape.collector"):
    sys.modules[name] = None
for name in ("pwrite", "pread", "getuid", "geteuid", "fork", "mkfifo"):
    delattr(os, name)
from tickertape.cli.main import main
sys.exit(main(sys.argv[1:]))
"""


def run_there(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    """Run the command without the modules that only POSIX systems have."""
    return subprocess.run(
        [sys.executable, "-c", ABSENT, *words],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_S,
    )


@pytest.mark.parametrize(
    "words",
    [
        ("print", "some.tape"),
        ("print", "some.tape", "--style", "qnx"),
        ("info", "some.tape"),
        ("info", "some.tape", "--json"),
        ("export", "btf", "some.tape", "-o", "out"),
        ("export", "chrome", "some.tape", "-o", "out"),
        ("export", "ctf", "some.tape", "-o", "out"),
        ("export", "kev", "some.tape", "-o", "out"),
        ("export", "parquet", "some.tape", "-o", "out"),
        ("export", "perfetto", "some.tape", "-o", "out"),
        ("ktrace", "some.tape", "-o", "out"),
        ("cut", "some.tape", "-o", "out.tape", "--to", "1ms"),
        ("repair", "some.tape", "-o", "out.tape"),
        ("note", "some.tape", "a remark"),
    ],
)
def test_reading_needs_nothing_of_posix(tape: Path, words: tuple[str, ...]) -> None:
    done = run_there(tape.parent, *words)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


def test_what_was_exported_can_be_imported(tape: Path) -> None:
    assert run_there(tape.parent, "export", "btf", "some.tape", "-o", "out.btf").returncode == 0
    done = run_there(tape.parent, "import", "btf", "out.btf", "-o", "back.tape")
    assert done.returncode == 0, done.stderr
    printed = run_there(tape.parent, "print", "back.tape", "--event", "CONTEXT_SWITCH")
    assert len(printed.stdout.splitlines()) >= 40
