"""`tickertape udpdump`: read packets of records from the S.Ha.R.K. tracers."""

from __future__ import annotations

import io
import time
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.options import add_quiet, seconds
from tickertape.cli.output import warn
from tickertape.collector.signals import stopping_on_signals
from tickertape.errors import ForeignFile
from tickertape.files import replacing, write_failure
from tickertape.formats.shark.layout import LAYOUTS
from tickertape.formats.shark.packet_file import saved_packets
from tickertape.formats.shark.packets import FTRACE_PORT, PacketReader
from tickertape.link.datagrams import Datagrams, is_datagrams
from tickertape.report.numbers import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterator

    from tickertape.formats.shark.packets import PacketReport

_LOOK_S = 0.2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "source",
        metavar="SOURCE",
        nargs="?",
        default=f"udp://0.0.0.0:{FTRACE_PORT}",
        help="udp://host:port of this machine, a file of consecutive packets, or a "
        f"capture of the network in pcap format (default: udp://0.0.0.0:{FTRACE_PORT})",
    )
    parser.add_argument(
        "-o",
        "--output",
        type=Path,
        metavar="FILE",
        help="write the records there, for `tickertape import shark` or `import ftrace`",
    )
    parser.add_argument(
        "--layout",
        choices=LAYOUTS,
        default="original",
        help="layout of the first tracer's records (default: original)",
    )
    parser.add_argument(
        "--port", type=int, metavar="N", help="for pcap files: only packets to this port"
    )
    parser.add_argument(
        "--duration", type=seconds, metavar="S", help="stop after S seconds (default: Ctrl-C)"
    )
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Read, write the records, and report anomalies."""
    is_live = is_datagrams(arguments.source)
    with _output(arguments.output, is_live=is_live) as place:
        report = _read(arguments, place)
        if not report.packets and not is_live:
            raise ForeignFile(
                f"{arguments.source} contains no packets",
                "check layout and port; a file of records is for tickertape import",
            )
    for remark in report.remarks():
        warn(f"{arguments.source}: {remark}")
    if not arguments.quiet:
        print(
            f"{counted(report.packets, 'packet')}, {counted(report.records, 'record')}", flush=True
        )
    return 0


@contextmanager
def _output(path: Path | None, *, is_live: bool) -> Iterator[Path | None]:
    """Yield the path for records; of saved packets a temporary one, renamed when all are read."""
    if path is None or is_live:
        yield path
        return
    with replacing(path) as place:
        yield place


def _read(arguments: argparse.Namespace, place: Path | None) -> PacketReport:
    reader = PacketReader(arguments.layout)
    with nullcontext() if place is None else _open(place) as out:
        for packet, is_packet in _packets(arguments):
            before = reader.report.packets, reader.report.records
            records = reader.take(packet) if is_packet else reader.skip(packet)
            if out is not None:
                _write(out, records, arguments.output)
            if not arguments.quiet:
                _tell(reader.report, len(packet), before)
    return reader.report


def _packets(arguments: argparse.Namespace) -> Iterator[tuple[bytes, bool]]:
    if is_datagrams(arguments.source):
        return _live(arguments.source, arguments.duration, quiet=arguments.quiet)
    return saved_packets(Path(arguments.source), arguments.layout, arguments.port)


def _live(url: str, duration_s: float | None, *, quiet: bool) -> Iterator[tuple[bytes, bool]]:
    """Yield packets as they arrive, until the time is over or a signal stops it."""
    stopped: list[bool] = []
    end = None if duration_s is None else time.monotonic() + duration_s
    with stopping_on_signals(lambda: stopped.append(True)), Datagrams(url) as datagrams:
        if not quiet:
            print(f"waiting for packets at {url}; Ctrl-C ends it", flush=True)
        while not stopped and (end is None or time.monotonic() < end):
            packet = datagrams.receive(_LOOK_S)
            if packet is not None:
                yield packet, True


def _tell(report: PacketReport, size: int, before: tuple[int, int]) -> None:
    packets, records = before
    if report.packets == packets:
        print(f"no packet: {size} bytes", flush=True)
    else:
        got = report.records - records
        print(f"packet {report.packets}: {size} bytes, {got} records", flush=True)


def _open(path: Path) -> io.FileIO:
    """Open a file without a buffer, so that it contains records as soon as they arrive."""
    try:
        return io.FileIO(path, "w")
    except OSError as error:
        raise write_failure(path, error) from error


def _write(out: io.FileIO, records: bytes, path: Path) -> None:
    rest = memoryview(records)
    try:
        while rest:
            rest = rest[out.write(rest) :]
    except OSError as error:
        raise write_failure(path, error, "; what came before is kept") from error
