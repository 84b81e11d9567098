"""`tickertape import zephyr-ctf`: make a tape of a CTF stream of Zephyr's own tracing."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.importing import units_of, warn_of, with_progress
from tickertape.cli.options import add_output, add_quiet
from tickertape.cli.output import count
from tickertape.errors import UsageError
from tickertape.formats.zephyr_ctf.read import import_zephyr_ctf

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from tickertape.formats.zephyr_ctf.read import ZephyrReport

_METADATA = "metadata"


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "source",
        type=Path,
        metavar="PATH",
        help="the stream (channel0_0), or a folder with it and its metadata",
    )
    parser.add_argument(
        "--metadata",
        type=Path,
        metavar="FILE",
        help="metadata of the Zephyr that wrote it (default: beside the stream)",
    )
    add_output(parser)
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Import, and say what could not be read."""
    source = _stream_of(arguments.source)
    metadata = arguments.metadata or source.with_name(_METADATA)
    import_ = partial(import_zephyr_ctf, source, metadata, arguments.output)
    report = with_progress(arguments, "bytes", units_of(source, 1), import_)
    warn_of(source, _remarks(report))
    if not arguments.quiet:
        kept = f", {count(report.kept)} of them kept as they are" if report.kept else ""
        print(f"{arguments.output}: {count(report.events)} events{kept}")
    return 0


def _stream_of(path: Path) -> Path:
    """Give the stream of a folder.

    Raises:
        UsageError: there is none in it, or more than one.
    """
    if not path.is_dir():
        return path
    found = sorted(one for one in path.iterdir() if one.is_file() and one.name != _METADATA)
    if len(found) != 1:
        what = "no stream" if not found else f"{len(found)} files that could be streams"
        raise UsageError(f"{path} holds {what}", "give the stream itself, e.g. channel0_0")
    return found[0]


def _remarks(report: ZephyrReport) -> Iterator[str]:
    if report.unknown_id is not None:
        yield (
            f"at byte {report.bytes_read} stands an event of number {report.unknown_id:#x}, which "
            f"the metadata does not describe; {count(report.unread_bytes)} bytes from there on are "
            "not read, and count as unknown; give the metadata of the Zephyr that wrote it"
        )
    elif report.unread_bytes:
        yield (
            f"ends within an event, its last {report.unread_bytes} bytes are left out; copy it "
            "again if it was longer"
        )
    if report.turns:
        yield (
            f"the time steps back {count(report.turns)} times; events keep their order, and times "
            "around there are what the target said"
        )
