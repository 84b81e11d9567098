"""`tickertape findings`: find deadlocks, missed deadlines, inversions and the like in a tape."""

from __future__ import annotations

import json
import shlex
from typing import TYPE_CHECKING

from rich.text import Text

from tickertape.answers.findings import LIMIT_NS, find
from tickertape.cli.console import PlainConsole
from tickertape.cli.filters import time_ns
from tickertape.cli.options import add_boot, add_quiet, add_tape
from tickertape.cli.reading import reading_all
from tickertape.report.numbers import counted

if TYPE_CHECKING:
    import argparse
    from collections.abc import Sequence

    from tickertape.answers.findings import Detection, Finding

FOUND = 1
_SHOWN = 3


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the options."""
    add_tape(parser)
    add_boot(parser)
    parser.add_argument("--stream", type=int, metavar="N", help="only this stream")
    parser.add_argument(
        "--limit",
        type=time_ns,
        default=LIMIT_NS,
        metavar="TIME",
        help="a task may be ready without a CPU, and a CPU without idle time, for TIME "
        "(default: 1s)",
    )
    parser.add_argument("--json", action="store_true", help="one JSON object, for programs")
    add_quiet(parser)


def run(arguments: argparse.Namespace) -> int:
    """Search, and print the findings."""
    tape, stream = str(arguments.tape), arguments.stream
    with reading_all(arguments, arguments.boot) as (reader, say):
        found = find(reader, stream=stream, limit_ns=arguments.limit, on_progress=say)
    if arguments.json:
        print(json.dumps({"detectors": [_json(one, tape, stream) for one in found]}, indent=2))
    elif not arguments.quiet:
        _show(found, tape, stream)
    return FOUND if any(one.faults for one in found) else 0


def _show(found: Sequence[Detection], tape: str, stream: int | None) -> None:
    console = PlainConsole()
    for detection in sorted(found, key=lambda one: not one.faults):
        for one in detection.findings[:_SHOWN]:
            boot = f"boot {one.epoch}, " if one.epoch else ""
            line = Text("remark " if one.is_remark else "", style="yellow")
            line.append(detection.detector, style="yellow" if one.is_remark else "bold red")
            where = f"{one.shown.where}{boot}"
            line.append(f" {where}at {one.end} s: {one.what}", style="default")
            console.print(line, soft_wrap=True)
            for words in one.commands(tape, stream=stream):
                console.print(Text(f"    tickertape {shlex.join(words)}"), soft_wrap=True)
        if detection.count > _SHOWN:
            console.print(f"and {detection.count - _SHOWN} more of {detection.detector}")
    for detection in found:
        doubts = detection.doubts
        if doubts:
            more = f"; and {counted(len(doubts) - 1, 'more reason')}" if len(doubts) > 1 else ""
            line = Text("unknown", style="yellow")
            line.append(f" {detection.detector}: {doubts[0]}{more}", style="default")
            console.print(line, soft_wrap=True)
    faults, remarks = sum(one.faults for one in found), sum(one.remarks for one in found)
    unknown = sum(bool(one.doubts) for one in found)
    of_each = f"{counted(faults, 'fault')}, {counted(remarks, 'remark')}"
    console.print(f"{of_each}, {counted(unknown, 'detector')} unknown")


def _json(detection: Detection, tape: str, stream: int | None) -> dict[str, object]:
    return {
        "detector": detection.detector,
        "count": detection.count,
        "remarks": detection.remarks,
        "findings": [_finding(one, tape, stream) for one in detection.findings],
        "doubts": list(detection.doubts),
    }


def _finding(one: Finding, tape: str, stream: int | None) -> dict[str, object]:
    return {
        "epoch": one.epoch,
        "begin_ticks": one.begin_ticks,
        "begin_ns": one.clock.known_ns(one.begin_ticks),
        "ticks": one.ticks,
        "ns": one.clock.known_ns(one.ticks),
        "what": one.what,
        "task": one.task or None,
        "severity": one.severity,
        "commands": [
            shlex.join(["tickertape", *words]) for words in one.commands(tape, stream=stream)
        ],
    }
