"""Options and behaviour shared by all commands: --quiet, --verbose, and `-` for pipes."""

from __future__ import annotations

import argparse
import shutil
import sys
import time
import traceback
from contextlib import ExitStack, contextmanager, redirect_stdout
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from tickertape.cli.options import add_quiet
from tickertape.cli.output import warn
from tickertape.cli.outputs import OUTPUTS
from tickertape.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator

PIPE: Final = "-"
_READ: Final = ("tape", "file", "image", "elf", "spec")
_WRITTEN: Final = ("output", "html", "junit", "svg")
_PICTURE: Final = "plot"  # this command takes the format from the suffix of the output
_KIB: Final = 1024


def leaves(parser: argparse.ArgumentParser) -> Iterator[argparse.ArgumentParser]:
    """Yield the parsers of a command that have no subcommands."""
    below = [
        action
        for action in parser._actions  # noqa: SLF001 - argparse offers no public list
        if isinstance(action, argparse._SubParsersAction)  # noqa: SLF001 - as above
    ]
    if not below:
        yield parser
    for action in below:
        for one in action.choices.values():
            yield from leaves(one)


def add_common(parser: argparse.ArgumentParser) -> None:
    """Add the common options to a command and its subcommands."""
    for leaf in leaves(parser):
        if "--quiet" not in leaf._option_string_actions:  # noqa: SLF001 - as above
            add_quiet(leaf)
        if any(action.dest in OUTPUTS and action.type is Path for action in leaf._actions):  # noqa: SLF001 - as above
            _add_force(leaf)
        leaf.add_argument(
            "-v",
            "--verbose",
            action="store_true",
            help="also report what was used: versions, time, memory, the origin of an error",
        )


def _add_force(leaf: argparse.ArgumentParser) -> None:
    """Add --force, unless the command has it already: it then covers both meanings."""
    if "--force" not in leaf._option_string_actions:  # noqa: SLF001 - as above
        leaf.add_argument(
            "--force",
            action="store_true",
            help="also replace an existing file of another kind, or one that people edit",
        )


@contextmanager
def verbosely(arguments: argparse.Namespace) -> Iterator[None]:
    """Report time, memory and the origin of an error, if --verbose is given."""
    if not arguments.verbose:
        yield
        return
    from tickertape.cli.build_details import details  # noqa: PLC0415 - loads numpy

    started = time.monotonic()
    for line in details().splitlines():
        warn(line)
    try:
        yield
    except Exception:
        traceback.print_exc()
        raise
    finally:
        warn(f"took {time.monotonic() - started:.2f} s{_memory()}")


def _memory() -> str:
    """Return the peak memory of this process as text; empty if the system does not count it."""
    try:
        import resource  # noqa: PLC0415 - POSIX systems only
    except ImportError:
        return ""
    mebibytes = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // _KIB
    return f" and at most {mebibytes} MiB of memory"


@contextmanager
def piped(arguments: argparse.Namespace) -> Iterator[None]:
    """Replace `-` by temporary files: read standard input before, write standard output after.

    An output `-` sets --quiet and sends other output of the command to standard error.

    Raises:
        UsageError: two inputs or two outputs are `-`, standard input is a terminal, or standard
            output cannot take the result.
    """
    words = vars(arguments)
    written = [name for name in _WRITTEN if words.get(name) == Path(PIPE)]
    read = [name for name in _READ if _is_pipe(words.get(name)) and not words.get("follow")]
    if len(written) > 1 or len(read) > 1:
        raise UsageError("only one file can be -", "give the other one a name")
    with ExitStack() as stack:
        if written or read:
            folder = Path(stack.enter_context(TemporaryDirectory(prefix="tickertape-")))
        for name in read:
            path = folder / "standard-input"
            _spool(path)
            words[name] = type(words[name])(path)
        if not written:
            yield
            return
        path = folder / ("out.svg" if arguments.command == _PICTURE else "standard-output")
        words[written[0]], arguments.quiet = path, True
        with redirect_stdout(sys.stderr):
            yield
        _write_out(path)


def _is_pipe(value: object) -> bool:
    return value in {PIPE, Path(PIPE)} if isinstance(value, (str, Path)) else False


def _spool(path: Path) -> None:
    """Copy standard input to a file.

    Raises:
        UsageError: standard input is a terminal.
    """
    if sys.stdin is None or sys.stdin.isatty():
        raise UsageError("standard input is a terminal", "give a file, or pipe one into -")
    with path.open("wb") as file:
        shutil.copyfileobj(sys.stdin.buffer, file)


def _write_out(path: Path) -> None:
    """Copy a file to standard output.

    Raises:
        UsageError: the path is a folder, or the file is binary and standard output a terminal.
    """
    if path.is_dir():
        raise UsageError("a folder cannot be written to standard output", "name it with -o")
    if not path.exists():
        return
    with path.open("rb") as file:
        if sys.stdout.isatty() and b"\0" in file.read(1 << 16):
            raise UsageError(
                "the output is binary, and standard output is a terminal",
                "redirect it or name a file with -o",
            )
        file.seek(0)
        sys.stdout.flush()
        shutil.copyfileobj(file, sys.stdout.buffer)
        sys.stdout.buffer.flush()
