"""Measure the cost of a trace point: `python -m tools.trace_cost T.tape`, of example trace_cost.

The method is that of the xmtrace paper: the difference of the times of two consecutive trace points
is the cost of one. In the emulator the clock has 40 instructions per tick; on a board times are
nanoseconds. `make bench` counts the instructions.
"""

from __future__ import annotations

import argparse
import statistics
import sys
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tickertape.errors import TickertapeError
from tickertape.protocol.events import EventClass
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from tickertape.decode.events import Event

_POINT: Final = 19  # XM_TRACE_USER
_NS_PER_S: Final = 1_000_000_000


def costs_ns(events: Iterable[Event], tick_hz: int) -> Mapping[int, Sequence[float]]:
    """Return the differences within pairs, in nanoseconds, by domain.

    A pair is an event with an even word and one with the next word, consecutive on a CPU, by the
    same domain.
    """
    found: dict[int, list[float]] = defaultdict(list)
    last: dict[tuple[int, int], Event] = {}
    for event in events:
        ring = (event.stream, event.cpu)
        before = last.get(ring)
        if before is not None and _is_pair(before, event):
            ticks = event.time_ticks - before.time_ticks
            found[event.domain].append(ticks * _NS_PER_S / tick_hz)
        last[ring] = event
    return found


def _is_pair(first: Event, second: Event) -> bool:
    points = [(event.cls, event.event, event.domain) for event in (first, second)]
    return (
        points[0] == points[1]
        and points[0][:2] == (EventClass.USER, _POINT)
        and first.words[0] % 2 == 0
        and second.words[0] == first.words[0] + 1
        and second.ordinal == first.ordinal + 1
    )


def table(costs: Mapping[int, Sequence[float]]) -> list[str]:
    """Return the table with a line per domain, the core first."""
    lines = [f"{'trace point from':<18}{'pairs':>8}{'min ns':>10}{'median ns':>12}{'max ns':>10}"]
    for domain in sorted(costs):
        values = costs[domain]
        where = f"domain {domain}" if domain else "core"
        lines.append(
            f"{where:<18}{len(values):>8}{min(values):>10.0f}"
            f"{statistics.median(values):>12.0f}{max(values):>10.0f}"
        )
    return lines


def main(argv: Sequence[str] | None = None) -> int:
    """Print the table; return 1 if the tape has no pairs."""
    parser = argparse.ArgumentParser(prog="tools.trace_cost", description=__doc__)
    parser.add_argument("tape", type=Path)
    arguments = parser.parse_args(argv)
    try:
        with TapeReader(arguments.tape) as reader:
            tick_hz = reader.hello.tick_hz if reader.hello else 0
            events = (event for columns in iter_events(reader) for event in columns.events())
            costs = costs_ns(events, tick_hz or _NS_PER_S)
    except TickertapeError as error:
        print(f"tools.trace_cost: {error}", file=sys.stderr)
        return error.exit_code
    if not costs:
        print("tools.trace_cost: no pairs; record the example trace_cost", file=sys.stderr)
        return 1
    print("\n".join(table(costs)))
    return 0


if __name__ == "__main__":
    sys.exit(main())
