"""The command `tickertape`: picks the subcommand and turns errors into one line.

A subcommand is a module of this package with two functions: `add_arguments(parser)` and
`run(arguments) -> int`. Only the requested one is imported, so that `--help` is fast.
"""

from __future__ import annotations

import argparse
import errno
import os
import sys
from importlib import import_module
from keyword import iskeyword
from typing import TYPE_CHECKING, NoReturn

from tickertape.cli.common import add_common, piped, verbosely
from tickertape.cli.examples import epilog_of
from tickertape.cli.output import complain, make_stdout_lossy, warn
from tickertape.cli.outputs import check_outputs, older_tapes_reported
from tickertape.errors import (
    TapeError,
    TapeMissing,
    TapeWriteFailed,
    TickertapeError,
    UsageError,
    nearest,
)
from tickertape.interrupt import INTERRUPTED, end_loading

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Sequence

    from _typeshed import SupportsWrite

# Errors of a full disk. An error without a file name is one of standard output.
_NO_ROOM = {errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO}

COMMANDS = {
    "demo": "build the example, run it, capture its trace and print it",
    "build": "build an example firmware",
    "run": "run an example firmware and capture its trace",
    "flash": "write a firmware to the chip of a board",
    "hil": "record and check firmware images on the boards of a lab",
    "targets": "list where an example can run, and which programs are missing",
    "capture": "capture a trace from a device or a connection",
    "doctor": "diagnose a link by the bytes that it delivers",
    "serve": "share a target among several programs on this machine",
    "udpdump": "read packets of the S.Ha.R.K. tracers",
    "control": "start, stop and filter a target, and read its status",
    "print": "print the events of a tape",
    "symbols": "write the symbol map of a firmware",
    "info": "show contents and losses of a tape",
    "why": "split the response time of a task into its causes",
    "view": "show a tape as a timeline in the browser",
    "top": "show live which task has each CPU of a target",
    "plot": "draw a tape for a report",
    "check": "check a tape against timing requirements",
    "diff": "compare two tapes: figures, events, and where the runs diverge",
    "bisect": "find the commit that broke a timing requirement",
    "plan": "find the link and memory that carry a trace without a loss",
    "findings": "find deadlocks, missed deadlines, priority inversions and overload",
    "spec": "create and explain timing specifications",
    "stats": "show response times, loads and waits, with limits where records are missing",
    "profile": "show in which functions and lines the processor spent its time",
    "recover": "recover the trace from an image of a target's memory",
    "repair": "copy the readable part of a damaged tape to a valid one",
    "merge": "merge tapes of several boards with a common time",
    "cut": "copy a range of time to a new tape",
    "note": "add a remark to a tape",
    "import": "convert another tool's trace file to a tape",
    "btf": "check a system trace in the Best Trace Format",
    "export": "convert a tape to another tool's trace file",
    "ktrace": "write kernel activity as a display file of Kiwi and as text",
    "fleet": "export or summarise all tapes in a folder",
}


class _Parser(argparse.ArgumentParser):
    """Reports a wrong command line like every other error."""

    def error(self, message: str) -> NoReturn:
        """Refuse the command line.

        Raises:
            UsageError: always.
        """
        raise UsageError(message, f"see {self.prog} --help")

    def _check_value(self, action: argparse.Action, value: object) -> None:
        """Refuse a word that is not one of the choices, and name the nearest.

        Raises:
            UsageError: the word is not a choice.
        """
        if action.choices is None or value in action.choices:
            return
        choices = [str(one) for one in action.choices]
        advice = nearest(str(value), choices)
        if action.dest == "command" and not advice.startswith("did"):  # all of them is a long list
            advice = f"{self.prog} --help lists the commands"
        name = next(reversed(action.option_strings), action.metavar or action.dest)
        raise UsageError(f"argument {name}: unknown value {value}", advice)

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """Write a help text; the original ignores write errors."""
        (file or sys.stdout).write(message)


class _Version(argparse.Action):
    """Prints versions; imports on demand, because other commands do not need these modules."""

    def __call__(self, *_arguments: object, **_words: object) -> NoReturn:
        """Print and end.

        Raises:
            SystemExit: always.
        """
        from tickertape.cli.build_details import details  # noqa: PLC0415 - loads numpy

        print(details())
        raise SystemExit(0)


def _parsed(words: Sequence[str]) -> argparse.Namespace:
    """Parse a command line; `--help` and `--version` exit here, after their output is flushed."""
    try:
        parser = _parser(words)
        arguments, unknown = parser.parse_known_args(words)
        if unknown:
            raise _unknown(parser, arguments.command, unknown)
        return arguments
    finally:
        sys.stdout.flush()


def _unknown(parser: argparse.ArgumentParser, command: str, words: Sequence[str]) -> UsageError:
    """Return the error for words that no argument of a command takes."""
    known = [one for one in _options(parser) if one.startswith("--")]
    option = words[0].partition("=")[0]
    advice = nearest(option, known) if option.startswith("--") else ""
    if not advice.startswith("did"):
        advice = f"see {parser.prog} {command} --help"
    return UsageError(f"unrecognized arguments: {' '.join(words)}", advice)


def _options(parser: argparse.ArgumentParser) -> Iterator[str]:
    for action in parser._actions:  # noqa: SLF001 - argparse offers no public list
        yield from action.option_strings
        if isinstance(action, argparse._SubParsersAction):  # noqa: SLF001 - as above
            for one in action.choices.values():
                yield from _options(one)


def _parser(words: Sequence[str]) -> argparse.ArgumentParser:
    chosen = next((word for word in words if word in COMMANDS), None)
    return parser_of([] if chosen is None else [chosen])


def parser_of(loaded: Collection[str]) -> argparse.ArgumentParser:
    """Return the parser of the command line.

    Args:
        loaded: subcommands whose arguments to declare; of the others only the names are known.
    """
    parser = _Parser(
        prog="tickertape",
        description="Kernel event tracer for Cortex-M: every event, or an exact receipt of what "
        "was lost.",
    )
    parser.add_argument(
        "--version", action=_Version, nargs=0, help="show versions of program and formats"
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name, help_ in COMMANDS.items():
        subparser = commands.add_parser(
            name,
            help=help_,
            description=help_[0].upper() + help_[1:] + ".",
            epilog=epilog_of(name),
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        if name in loaded:
            # A keyword of Python cannot name a module: `import` is in import_.py.
            module = import_module(f"tickertape.cli.{name}{'_' * iskeyword(name)}")
            module.add_arguments(subparser)
            add_common(subparser)
            subparser.set_defaults(run=module.run)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line.

    Args:
        argv: words after the program's name; None for those of this process.

    Returns:
        The exit code; docs/cli.md lists them.
    """
    # OpenBLAS of numpy, which we do not need, starts a thread that spins at first.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    words = sys.argv[1:] if argv is None else argv
    make_stdout_lossy()
    try:
        arguments = _parsed(words)
        end_loading()
        with verbosely(arguments), piped(arguments):
            check_outputs(arguments)
            with older_tapes_reported(arguments, warn):
                code: int = arguments.run(arguments)
        sys.stdout.flush()
    except TickertapeError as error:
        complain(error)
        return error.exit_code
    except KeyboardInterrupt:
        # A running capture handles the signal itself; this one came before or after it.
        print(
            "tickertape: interrupted (a tape written so far is valid); start again",
            file=sys.stderr,
        )
        return INTERRUPTED
    except BrokenPipeError:
        # The reader of our output closed the pipe (`| head`).
        _flush_into_nothing()
        return 0
    except OSError as error:
        failed = _failed(error)
        complain(failed)
        return failed.exit_code
    return code


def _failed(error: OSError) -> TapeError:
    """Convert an error of the operating system to a TickertapeError; raise others again."""
    if error.filename is None and error.errno in _NO_ROOM:
        _flush_into_nothing()
        return TapeWriteFailed(
            f"the output cannot be written ({error.strerror})", "make room there and try again"
        )
    if error.filename is None or error.strerror is None:
        raise error
    return TapeMissing(
        f"{os.fsdecode(error.filename)} cannot be used ({error.strerror})", "check the name"
    )


def _flush_into_nothing() -> None:
    """Redirect standard output to the null device: Python flushes at exit and would fail again."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
