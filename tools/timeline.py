"""Draws who ran when, from a tape: `python -m tools.timeline T.tape --from S --to S -o out.svg`.

One lane a thread, the most urgent at the top. A full bar: it runs. A thin line: it is ready and
waits for the CPU. A hatched bar: it waits for a mutex. A triangle: it inherits a priority.
The picture in the README comes from here.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Final
from xml.sax.saxutils import escape

from tickertape.model.names import Names
from tickertape.protocol.events import EventClass, SchedEvent, SyncEvent, ThreadEvent
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tickertape.decode.events import Event

_WIDTH: Final = 820
_LEFT: Final = 90
_LANE: Final = 26
_TOP: Final = 12
_IDLE_TID: Final = 0
_COLOURS: Final = ("#2f6f9f", "#c8553d", "#588157", "#8f5db7", "#c08a1e", "#3a8f8a", "#7a6a58")
_STATES: Final = {int(ThreadEvent.READY): "ready", int(ThreadEvent.MUTEX): "mutex"}


@dataclass
class _Lane:
    """One thread: bars of (kind, begin, end) in ticks, and moments of inheritance."""

    name: str | None = None
    priority: int = 0
    bars: list[tuple[str, int, int]] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    state: str = ""
    since: int = 0

    def enter(self, state: str, time: int) -> None:
        """End one state and begin another."""
        if self.state and time > self.since:
            self.bars.append((self.state, self.since, time))
        self.state, self.since = state, time


def collect(events: Iterable[Event], end: int) -> dict[int, _Lane]:
    """Follow the states of all threads up to a time."""
    lanes: dict[int, _Lane] = {}
    for event in events:
        if event.time_ticks > end:
            break
        _follow(lanes, event)
    for lane in lanes.values():
        lane.enter("", end)
    return lanes


def _follow(lanes: dict[int, _Lane], event: Event) -> None:
    def lane(tid: int) -> _Lane:
        return lanes.setdefault(tid, _Lane())

    first, second = (*event.words, 0, 0)[:2]
    time = event.time_ticks
    match event.cls, event.event:
        case EventClass.SCHED, SchedEvent.CONTEXT_SWITCH:
            if lane(first).state == "run":
                lane(first).enter("ready", time)
            lane(second).enter("run", time)
        case EventClass.SCHED, SchedEvent.PRIORITY:
            lane(first).priority = second
        case EventClass.SYNC, SyncEvent.MUTEX_INHERIT:
            lane(first).marks.append(time)
        case EventClass.THREAD, ThreadEvent.NAME:
            lane(second).name = event.text
        case EventClass.THREAD, state if state <= ThreadEvent.NET_REPLY:
            lane(second).enter(_STATES.get(state, ""), time)


def draw(lanes: dict[int, _Lane], names: Names, begin: int, end: int, tick_hz: int) -> str:
    """Draw the lanes between two times as SVG."""
    order = sorted(
        (tid for tid, lane in lanes.items() if tid != _IDLE_TID and _visible(lane, begin)),
        key=lambda tid: -lanes[tid].priority,
    )
    height = _TOP + _LANE * len(order) + 34

    def x(time: int) -> float:
        return _LEFT + (max(time, begin) - begin) * (_WIDTH - _LEFT - 12) / (end - begin)

    parts = [_HEAD.format(width=_WIDTH, height=height)]
    for row, tid in enumerate(order):
        y = _TOP + row * _LANE
        name = escape(lanes[tid].name or names.thread(tid) or f"thread {tid}")
        parts.append(f'<text x="{_LEFT - 8}" y="{y + 14}" text-anchor="end">{name}</text>')
        colour = _COLOURS[row % len(_COLOURS)]
        for kind, start, stop in lanes[tid].bars:
            if stop > begin:
                parts.append(_bar(kind, x(start), x(stop), y, colour))
        parts += [
            f'<path d="M{x(mark):.1f} {y + 1}l4 -7h-8z" fill="#c8553d"/>'
            for mark in lanes[tid].marks
            if mark >= begin
        ]
    parts.append(_axis(begin, end, tick_hz, x, height))
    return "\n".join([*parts, "</svg>"]) + "\n"


def _visible(lane: _Lane, begin: int) -> bool:
    return any(kind == "run" and stop > begin for kind, _, stop in lane.bars)


def _bar(kind: str, left: float, right: float, y: int, colour: str) -> str:
    width = max(right - left, 0.6)
    if kind == "ready":
        return f'<rect x="{left:.1f}" y="{y + 9}" width="{width:.1f}" height="2" fill="{colour}"/>'
    fill = colour if kind == "run" else "url(#wait)"
    return f'<rect x="{left:.1f}" y="{y + 3}" width="{width:.1f}" height="14" fill="{fill}"/>'


def _axis(begin: int, end: int, tick_hz: int, x: Callable[[int], float], height: int) -> str:
    step = tick_hz // 1000
    while (end - begin) // step > 12:  # noqa: PLR2004 - about so many labels have room
        step *= 2 if str(step)[0] in "15" else 5
    return "\n".join(
        f'<path d="M{x(time):.1f} {_TOP - 4}V{height - 26}" stroke="#8884" fill="none"/>'
        f'<text x="{x(time):.1f}" y="{height - 10}" text-anchor="middle">'
        f"{time * 1000 / tick_hz:g} ms</text>"
        for time in range(begin - begin % -step, end + 1, step)
    )


_HEAD: Final = """\
<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" \
height="{height}" font-family="sans-serif" font-size="12" fill="#333">
<defs><pattern id="wait" width="5" height="5" patternUnits="userSpaceOnUse" \
patternTransform="rotate(45)"><rect width="5" height="5" fill="#f3d9d2"/>\
<rect width="2" height="5" fill="#c8553d"/></pattern></defs>
<rect width="100%" height="100%" fill="#fff"/>"""


def main() -> int:
    """Draw one stretch of a tape."""
    parser = argparse.ArgumentParser(prog="python -m tools.timeline", description=__doc__)
    parser.add_argument("tape", type=Path)
    parser.add_argument("--from", dest="begin", type=float, required=True, help="in seconds")
    parser.add_argument("--to", dest="end", type=float, required=True, help="in seconds")
    parser.add_argument("-o", "--output", type=Path, required=True)
    arguments = parser.parse_args()
    with TapeReader(arguments.tape) as reader:
        if reader.hello is None:
            parser.error("the tape has no HELLO: its clock rate is not known")
        tick_hz = reader.hello.tick_hz
        begin, end = round(arguments.begin * tick_hz), round(arguments.end * tick_hz)
        events = (event for columns in iter_events(reader) for event in columns.events())
        lanes = collect(events, end)
        names = Names(reader.names())
    arguments.output.write_text(draw(lanes, names, begin, end, tick_hz), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
