"""Options that several subcommands share."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tickertape.cli.output import warn
from tickertape.errors import UsageError

if TYPE_CHECKING:
    from tickertape.tape.reader import TapeReader


_MOST_SECONDS: Final = 1e9  # 31 years; fits 64 bits of nanoseconds


def seconds(text: str) -> float:
    """Parse a number of seconds above 0.

    Raises:
        argparse.ArgumentTypeError: the text is not such a number.
    """
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0.0 < value <= _MOST_SECONDS:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0")
    return value


def add_quiet(parser: argparse.ArgumentParser) -> None:
    """Add --quiet."""
    parser.add_argument("-q", "--quiet", action="store_true", help="print errors only")


def add_wait(parser: argparse.ArgumentParser) -> None:
    """Add --wait for links."""
    parser.add_argument(
        "--wait",
        type=seconds,
        metavar="S",
        default=5.0,
        help="how long to wait for the peer of a socket, in seconds (default: 5)",
    )


def add_output(parser: argparse.ArgumentParser, *, default: str | None = None) -> None:
    """Add -o for the tape; required when there is no default."""
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="T.tape",
        default=None if default is None else Path(default),
        required=default is None,
        help="the tape to write" + (f" (default: {default})" if default else ""),
    )


def add_raw(parser: argparse.ArgumentParser) -> None:
    """Add --raw, which keeps the bytes of a link."""
    parser.add_argument(
        "--raw",
        type=Path,
        metavar="FILE",
        help="also store the bytes of the link as they come; capture and doctor read them again",
    )


def add_file(
    parser: argparse.ArgumentParser, metavar: str = "FILE", what: str = "the file to write"
) -> None:
    """Add -o for another tool's file."""
    parser.add_argument("-o", "--output", type=Path, metavar=metavar, required=True, help=what)


def add_tape(parser: argparse.ArgumentParser) -> None:
    """Add the tape to read."""
    parser.add_argument("tape", type=Path, metavar="T.tape", help="the tape to read")


def add_boot(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add --boot."""
    parser.add_argument(
        "--boot", type=int, metavar="N", help="only this boot of the target; 0 is the first"
    )


def known_boot(reader: TapeReader, boot: int | None) -> int | None:
    """Return the boot of --boot; None for all.

    Raises:
        UsageError: the tape has no such boot.
    """
    if boot is None:
        return None
    from tickertape.tape.one_boot import known_boot as known  # noqa: PLC0415 - numpy is slow

    return known(reader, boot)


def stream_of(reader: TapeReader, stream: int | None) -> int | None:
    """Return the stream of --stream; None for the default one.

    Raises:
        UsageError: the tape has no such stream.
    """
    streams = sorted({ring.stream for ring in reader.rings})
    if stream is not None and stream not in streams:
        known = ", ".join(map(str, streams)) or "none"
        raise UsageError(f"the tape has no stream {stream}", f"it has {known}")
    return stream


class Renamed(argparse.Action):
    """Accepts an option by its former name, and warns with the new name.

    Attributes:
        new: the current name of the option.
    """

    def __init__(self, *arguments: Any, new: str, **options: Any) -> None:  # noqa: ANN401 - argparse's
        """Declare the former name; `arguments` and `options` are those of argparse."""
        self.new = new
        super().__init__(*arguments, **options)

    def __call__(
        self,
        _parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: object,
        option: str | None = None,
    ) -> None:
        """Store the value."""
        warn(f"{option} is now {self.new}; the next release does not know {option}")
        setattr(namespace, self.dest, values)
