"""`tickertape plan`: find the link and memory that carry the load of a tape without a loss."""

from __future__ import annotations

import argparse
import json
from typing import TYPE_CHECKING

from tickertape.analysis.plan import MOST_BUFFERS, PlanOptions, Verdict, link_of, plan_of
from tickertape.cli.options import add_boot, add_tape, seconds
from tickertape.cli.reading import reading
from tickertape.cli.verdicts import FAILED, UNDECIDED
from tickertape.report.numbers import count

if TYPE_CHECKING:
    from tickertape.analysis.plan import Plan

_CODES = {Verdict.FITS: 0, Verdict.TOO_SMALL: FAILED, Verdict.UNKNOWN: UNDECIDED}
_MOST_RECORDS = 4000
_FEW_CLASSES = 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    parser.add_argument(
        "--link",
        required=True,
        metavar="LINK",
        help="uart:BAUD, swo:BAUD, rtt, rtt:BYTES_PER_SECOND or rate:BYTES_PER_SECOND",
    )
    parser.add_argument(
        "--no-loss",
        action="store_true",
        help="exit with 0 if the plan loses nothing, with 1 if it is too small, with 10 if unknown",
    )
    parser.add_argument(
        "--buffers", type=_number(2, MOST_BUFFERS), metavar="N", help="buffers in each ring"
    )
    parser.add_argument(
        "--records", type=_number(1, _MOST_RECORDS), metavar="N", help="records in a buffer"
    )
    parser.add_argument(
        "--raw", action="store_true", help="plan for raw buffers, which the drain does not pack"
    )
    parser.add_argument(
        "--latency",
        type=seconds,
        metavar="S",
        default=0.0,
        help="how long threads and interrupts may keep the drain from running, in seconds "
        "(default: 0)",
    )
    parser.add_argument(
        "--stored",
        type=_number(0, 1 << 30),
        metavar="BYTES",
        default=PlanOptions.stored_bytes,
        help="bytes that the link stores itself, its FIFO (default: 1024)",
    )
    add_boot(parser)
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")


def _number(least: int, most: int) -> type[int]:
    """Return a parser of numbers in a range, for argparse."""

    def read(text: str) -> int:
        value = int(text) if text.isascii() and text.isdecimal() else -1
        if not least <= value <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is not a number from {least} to {most}")
        return value

    return read  # type: ignore[return-value] # argparse only calls it


def run(arguments: argparse.Namespace) -> int:
    """Print the plan; with --no-loss return its verdict as exit code."""
    options = PlanOptions(
        buffers=arguments.buffers,
        buffer_records=arguments.records,
        packed=not arguments.raw,
        latency_s=arguments.latency,
        stored_bytes=arguments.stored,
    )
    link = link_of(arguments.link)
    with reading(arguments.tape, arguments.boot) as reader:
        plan = plan_of(reader, link, options)
    if arguments.json:
        print(json.dumps(plan.to_json(), indent=2))
    else:
        for line in _lines(plan, arguments.link):
            print(line)
    return _CODES[plan.verdict] if arguments.no_loss else 0


def _lines(plan: Plan, link: str) -> list[str]:
    """Return the lines that describe a plan."""
    form = "packed" if plan.packed else "raw"
    buffers = f"{plan.buffers} buffers of {plan.buffer_records} records"
    shares = list(plan.by_class.items())[:_FEW_CLASSES]
    lines = [
        f"{link} with {buffers}, {form}: {plan.verdict.value}",
        *(f"  {reason}" for reason in plan.reasons),
        *_ring_lines(plan),
        f"lowest rate with these buffers: {_lowest(plan)}",
        "most in a window:",
        *(
            f"  {window.seconds:>10g} s {count(window.records):>12} records "
            f"{count(window.bytes):>14} bytes {count(int(window.bytes_per_s)):>14} bytes/s"
            for window in plan.windows
        ),
        "bytes by class: " + ", ".join(f"{name} {share:.0%}" for name, share in shares),
    ]
    if plan.switch_off is not None:
        lines.append(f"fits without: {', '.join(plan.switch_off)}")
    return lines


def _ring_lines(plan: Plan) -> list[str]:
    lines = []
    for ring in plan.rings:
        name = f"stream {ring.stream}, CPU {ring.cpu}"
        if ring.buffers is None:
            least = ring.least_buffers
            more = "" if least is None else f", at least {least}"
            lines.append(f"{name}: the buffers that lose nothing are unknown{more}")
        else:
            lines.append(
                f"{name}: {ring.buffers} buffers lose nothing, fewer than {ring.least_buffers} "
                f"lose records; most records wait at {ring.at_s:.6f} s"
            )
    if plan.needed_bytes is not None:
        lines.append(f"memory of the rings: {count(plan.needed_bytes)} bytes")
    return lines


def _lowest(plan: Plan) -> str:
    if plan.lowest_bytes_per_s is None:
        return "none does, or it is unknown"
    rate = f"{count(int(plan.lowest_bytes_per_s) + 1)} bytes/s"
    if plan.lowest_baud is None:
        return rate
    return f"{rate}, {plan.link.kind}:{plan.lowest_baud}"
