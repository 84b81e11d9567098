"""Write a first specification from an observed run: the observed values plus a stated margin."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import yaml

from tickertape.answers.reading import parts_of
from tickertape.decode.ticks import NS_PER_S
from tickertape.errors import UsageError
from tickertape.model.entities import Kind

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tickertape.tape.reader import TapeReader

MARGIN_PERCENT: Final = 20
_FEWEST: Final = 3
_DIGITS: Final = 1000


@dataclass(slots=True)
class _Seen:
    """Observed times of a task, in ns."""

    count: int = 0
    response: int = 0
    last: int | None = None
    shortest: int | None = None
    longest: int | None = None

    def add(self, activation: int, end: int) -> None:
        self.count += 1
        self.response = max(self.response, end - activation)
        if self.last is not None:
            distance = activation - self.last
            self.shortest = min(distance, self.shortest or distance)
            self.longest = max(distance, self.longest or distance)
        self.last = activation


def first_spec(reader: TapeReader, *, stream: int | None = None) -> str:
    """Return a specification that the tape passes, as YAML.

    Raises:
        UsageError: the tape has no task with instances to measure.
    """
    tasks: defaultdict[tuple[int, int], _Seen] = defaultdict(_Seen)
    names: dict[int, str] = {}
    has_mutex = False
    for part in parts_of(reader, stream=stream):
        clock = reader.clock(part.epoch)
        for one in part.instances:
            if one.kind is Kind.TASK and one.whole and one.activation is not None:
                begin, end = clock.ns(one.activation), -(-one.end * NS_PER_S // clock.hz)
                tasks[part.epoch, one.entity].add(begin, end)
        has_mutex = has_mutex or any(one.kind is Kind.MUTEX for one in part.entities)
        names |= {one.index: one.name for one in part.entities if one.kind is Kind.TASK}
    merged: dict[str, list[_Seen]] = {}
    for (_, entity), seen in tasks.items():
        if seen.count >= _FEWEST:
            merged.setdefault(names[entity], []).append(seen)
    if not merged:
        raise UsageError(
            f"{reader.path} has no task with {_FEWEST} whole instances",
            "record a longer run, with the classes SCHED and THREAD",
        )
    head = [
        "# Timing requirements, from an observed run. Check them with",
        "#     tickertape check T.tape --spec THIS",
        f"# Limits are what was seen plus {MARGIN_PERCENT} %: replace them with what you need.",
        "version: 1",
        "requirements:",
    ]
    body = [line for name in sorted(merged) for line in _of_task(name, merged[name])]
    tail = ["  - no_deadlock: true"] if has_mutex else []
    return "\n".join([*head, *body, *tail, "  - no_losses: true", ""])


def _of_task(name: str, seen: list[_Seen]) -> Iterator[str]:
    count = sum(one.count for one in seen)
    response = max(one.response for one in seen)
    task = yaml.safe_dump(name, default_flow_style=True, allow_unicode=True).split("\n")[0]
    yield f"  # {count} instances; longest response {_time(response)}"
    yield f"  - response: {task}"
    yield f"    max: {_time(_with_margin(response))}"
    shortest = min((one.shortest for one in seen if one.shortest is not None), default=None)
    longest = max((one.longest for one in seen if one.longest is not None), default=None)
    if shortest and longest:
        yield f"  # activations {_time(shortest)} to {_time(longest)} apart"
        yield f"  - period: {task}"
        yield f"    min: {_time(shortest * (100 - MARGIN_PERCENT) // 100)}"
        yield f"    max: {_time(_with_margin(longest))}"


def _with_margin(ns: int) -> int:
    """Add the margin and round up to three digits."""
    wanted = -(-ns * (100 + MARGIN_PERCENT) // 100)
    unit = 1
    while wanted > _DIGITS * unit:
        unit *= 10
    return -(-wanted // unit) * unit


def _time(ns: int) -> str:
    for limit, unit in ((NS_PER_S, "s"), (10**6, "ms"), (10**3, "us")):
        if ns >= limit:
            whole, rest = divmod(ns, limit)
            digits = f"{rest:0{len(str(limit)) - 1}}".rstrip("0")
            return f"{whole}.{digits} {unit}" if digits else f"{whole} {unit}"
    return f"{ns} ns"
