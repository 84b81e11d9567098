"""`tickertape doctor`: diagnose a link by the bytes that it delivers."""

from __future__ import annotations

import json
import time
from contextlib import closing
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tickertape.cli.options import add_wait, seconds
from tickertape.cli.output import ProgressLine, warn
from tickertape.cli.verdicts import FAILED, UNDECIDED
from tickertape.collector.signals import stopping_on_signals
from tickertape.doctor import Report, examine
from tickertape.link import open_link
from tickertape.link.address import Kind, parse_address
from tickertape.report.numbers import count
from tickertape.symbols.elf import read_symbols

if TYPE_CHECKING:
    import argparse

    from tickertape.link import Link

_MOST_BYTES: Final = 8 << 20
_READ_BYTES: Final = 1 << 16
_READ_TIMEOUT_S: Final = 0.1


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    parser.add_argument(
        "link",
        metavar="LINK|RAW",
        help="the link as for capture, or a file of its bytes; swo:LINK for a SWO pin",
    )
    parser.add_argument(
        "--elf", type=Path, metavar="FILE", help="the firmware that should run on the target"
    )
    parser.add_argument(
        "--baud",
        type=int,
        metavar="N",
        help="rate of the serial device, or the one at which the file was received",
    )
    parser.add_argument(
        "--duration",
        type=seconds,
        metavar="S",
        default=5.0,
        help="how long to listen to a device, in seconds of this machine's time (default: 5)",
    )
    add_wait(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")


def run(arguments: argparse.Namespace) -> int:
    """Listen, examine, and report."""
    symbols = None if arguments.elf is None else read_symbols(arguments.elf)
    address = parse_address(arguments.link)
    port = address.channel if address.kind is Kind.SWO else None
    pin = address.path if port is not None else arguments.link
    baud = parse_address(pin).baud or arguments.baud
    with (
        ProgressLine(quiet=False, first="listening") as line,
        closing(open_link(pin, baud=baud, wait_s=arguments.wait)) as link,
    ):
        data = _listen(link, arguments.duration)
        line.say("examining")
        report = examine(data, port=port, baud=baud or _baud_of(link), symbols=symbols)
    if len(data) >= _MOST_BYTES:
        warn(f"only the first {count(_MOST_BYTES)} bytes were examined")
    print(json.dumps(_as_json(report), indent=2) if arguments.json else _as_text(report))
    if report.healthy:
        return 0
    return UNDECIDED if report.unknown else FAILED


def _baud_of(link: Link) -> int | None:
    return round(link.byte_rate * 10) or None


def _listen(link: Link, duration_s: float) -> bytes:
    """Read a device for `duration_s`, a file to its end; at most `_MOST_BYTES` bytes."""
    data = bytearray()
    stopped = []
    end_s = time.monotonic() + duration_s
    with stopping_on_signals(lambda: stopped.append(True)):
        while not stopped and not link.at_end and len(data) < _MOST_BYTES:
            left_s = end_s - time.monotonic()
            if link.live and left_s <= 0:
                break
            data += link.read(_READ_BYTES, min(_READ_TIMEOUT_S, max(left_s, 0.0)))
    return bytes(data[:_MOST_BYTES])


def _as_text(report: Report) -> str:
    """Format the verdict, then each diagnosis with its remedy."""
    counters, balance = report.counters, report.balance
    lines = []
    if report.healthy:
        lines.append("healthy")
    elif report.unknown:
        lines.append("unknown: the bytes contain no frame, and no fault explains them")
        lines.append("  compare rate, format and link with those of the firmware; docs/doctor.md")
    for one in report.diagnoses:
        lines += [f"{one.kind.value} ({one.sure.name.lower()}): {one.what}", f"  {one.mend}"]
    lines.append(
        f"{count(report.bytes)} bytes, {count(counters.frames)} frames, "
        f"{count(counters.bad_frames)} bad, {count(counters.missed_frames)} missing"
    )
    if counters.frames:
        lines.append(
            f"{count(balance.offered)} records offered = {count(balance.delivered)} delivered + "
            f"{count(balance.overwritten)} overwritten + {count(balance.dropped)} dropped + "
            f"{count(balance.damaged)} damaged"
        )
    return "\n".join(lines)


def _as_json(report: Report) -> dict[str, object]:
    verdict = "healthy" if report.healthy else "unknown" if report.unknown else "fault"
    return {
        "verdict": verdict,
        "diagnoses": [
            {**asdict(one), "kind": one.kind.name.lower(), "sure": one.sure.name.lower()}
            for one in report.diagnoses
        ],
        "bytes": report.bytes,
        "counters": asdict(report.counters),
        "balance": asdict(report.balance),
        "target": None if report.hello is None else report.hello.target,
    }
