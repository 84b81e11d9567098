"""`tickertape fleet`: many tapes at once, `fleet export` and `fleet stats`."""

from __future__ import annotations

import json
import sys
import time
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.cli.formats import add_option
from tickertape.cli.options import add_file, add_quiet
from tickertape.cli.output import ProgressLine
from tickertape.cli.pace import pace
from tickertape.decode.ticks import NS_PER_S
from tickertape.errors import TapeError
from tickertape.files import new_folder
from tickertape.formats.arrow import DATASET, PARTITION
from tickertape.formats.arrow.fleet import export_fleet, fleet_facts, tapes_in
from tickertape.report.numbers import count

if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Sequence

    from tickertape.formats.arrow.fleet import Outcome, TapeFacts, Value


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare both commands."""
    commands = parser.add_subparsers(dest="what", metavar="WHAT", required=True)
    export = commands.add_parser("export", help="write all tapes into one dataset of Parquet")
    stats = commands.add_parser(
        "stats", help="print contents and losses of each tape, and their sum"
    )
    for one, run_ in ((export, _run_export), (stats, _run_stats)):
        one.add_argument("folder", type=Path, metavar="DIR", help="folder with tapes, at any depth")
        one.add_argument(
            "--scheduler",
            metavar="ADDRESS",
            help="use the workers of this Dask scheduler (default: threads of this process)",
        )
        add_quiet(one)
        one.set_defaults(run_fleet=run_)
    add_file(export, *DATASET)
    add_option(export, PARTITION)
    stats.add_argument("--json", action="store_true", help="one JSON object, for programs")


def run(arguments: argparse.Namespace) -> int:
    """Run `fleet export` or `fleet stats`."""
    code: int = arguments.run_fleet(arguments)
    return code


def _run_export(arguments: argparse.Namespace) -> int:
    tapes = tapes_in(arguments.folder)
    with new_folder(arguments.output) as dataset:
        outcomes = _gathered(
            export_fleet(
                tapes,
                dataset,
                partitioned=arguments.partition,
                scheduler=arguments.scheduler,
            ),
            len(tapes),
            arguments,
        )
    events = sum(one.value for one in outcomes if one.value is not None)
    if not arguments.quiet:
        good = sum(not one.problem for one in outcomes)
        print(f"{arguments.output}: {count(events)} events of {count(good)} tapes")
    return _complain(outcomes)


def _run_stats(arguments: argparse.Namespace) -> int:
    tapes = tapes_in(arguments.folder)
    outcomes = _gathered(fleet_facts(tapes, scheduler=arguments.scheduler), len(tapes), arguments)
    known = {one.name: one.value for one in outcomes if one.value is not None}
    totals = {
        name: sum(getattr(facts, name) for facts in known.values())
        for name in ("events", "duration_ns", "offered", "lost", "unknown_losses", "complete")
    }
    if arguments.json:
        values = {name: asdict(facts) for name, facts in known.items()}
        broken = {one.name: one.problem for one in outcomes if one.problem}
        print(json.dumps({"tapes": values, "total": totals, "broken": broken}, indent=2))
    else:
        _show(known, totals)
    return _complain(outcomes)


def _gathered(
    outcomes: Iterable[Outcome[Value]], total: int, arguments: argparse.Namespace
) -> Sequence[Outcome[Value]]:
    started = time.monotonic()
    found: list[Outcome[Value]] = []
    with ProgressLine(quiet=arguments.quiet) as line:
        line.say(pace("tapes", 0, total, started))
        for one in outcomes:
            found.append(one)
            line.say(pace("tapes", len(found), total, started))
    return sorted(found, key=lambda one: one.name)


def _show(known: dict[str, TapeFacts], totals: dict[str, int]) -> None:
    width = max([5, *map(len, known)])
    print(f"{'tape':<{width}} {'events':>13} {'time/s':>12} {'lost':>11}  all  longest thread")
    for name, facts in known.items():
        print(
            f"{name:<{width}} {count(facts.events):>13} {_seconds(facts.duration_ns):>12} "
            f"{_lost(facts.lost, facts.unknown_losses):>11}  {'yes' if facts.complete else 'no':<3}"
            + (f"  {facts.longest} {_seconds(facts.longest_ns)} s" if facts.longest else "")
        )
    print(
        f"{'total':<{width}} {count(totals['events']):>13} {_seconds(totals['duration_ns']):>12} "
        f"{_lost(totals['lost'], totals['unknown_losses']):>11}  "
        f"{totals['complete']} of {len(known)} complete"
    )


def _lost(lost: int, unknown: int) -> str:
    return f"{count(lost)}+?" if unknown else count(lost)


def _seconds(time_ns: int) -> str:
    return f"{time_ns / NS_PER_S:.6f}"


def _complain(outcomes: Sequence[Outcome[Value]]) -> int:
    """Report tapes that could not be read; return the exit code."""
    broken = [one for one in outcomes if one.problem]
    for one in broken:
        print(f"tickertape: {one.name}: {one.problem}", file=sys.stderr)
    return TapeError.exit_code if broken else 0
