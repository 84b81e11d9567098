"""Compare the decisions of an example on two targets: events without times and addresses."""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass
from fnmatch import fnmatchcase
from itertools import groupby
from typing import TYPE_CHECKING

from tickertape.api.tape import Tape

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tickertape.api.event import TapeEvent

TURNS = "turns"  # instead of event names: the order in which the example's threads get the CPU
OURS = ("idle", "idle1", "tracer", "supervisor", None)  # threads of every example
Row = tuple[str, ...]


@dataclass(frozen=True)
class Same:
    """Events whose sequence is the same on every target.

    Attributes:
        names: names of the events, with wildcards.
        fields: fields to compare beside the name; others contain addresses.
        least: least number of events.
        cpus: highest number of CPUs; with more, threads run in parallel and the order differs.
        own: compare the sequence of each thread up to the end of the shorter one, because the
            order between threads depends on microseconds.
        newest: as `own`, from the end, because the example keeps the newest events.
        share: part of the longer sequence that `own` and `newest` must reach, less one event.
        first: with `own`, number of events to compare per thread; None: all. The example loses
            later events, and which ones depends on microseconds.
    """

    names: str
    fields: tuple[str, ...] = ()
    least: int = 1
    cpus: int = 2
    own: bool = False
    newest: bool = False
    share: float = 0.9
    first: int | None = None


class Events:
    """The events of a tape."""

    def __init__(self, path: Path) -> None:
        """Read all events of a tape."""
        with Tape(path) as tape:
            self._events = list(tape.events())

    def sequences(self, same: Same) -> Mapping[str | None, list[Row]]:
        """Return the sequences by thread, or one sequence of all threads under the key None."""
        if same.names == TURNS:
            return {None: [(thread,) for thread in self._turns()]}
        found: dict[str | None, list[Row]] = defaultdict(list)
        for event in self._events:
            if any(fnmatchcase(event.name, name) for name in same.names.split()):
                whose = _thread(event) if same.own or same.newest else None
                found[whose].append((event.name, *_values(event, same.fields)))
        return found

    def _turns(self) -> list[str]:
        switches = (one for one in self._events if one.name == "SCHED.CONTEXT_SWITCH")
        threads = [one["next_tid"].name for one in switches]
        return [str(thread) for thread, _ in groupby(one for one in threads if one not in OURS)]


def _thread(event: TapeEvent) -> str | None:
    """Return the thread in the event's field `tid`, else the running thread."""
    return event["tid"].name if "tid" in event else event.task


def _values(event: TapeEvent, fields: tuple[str, ...]) -> list[str]:
    return [event[one].name or str(event[one]) for one in fields if one in event]


def difference(same: Same, here: Events, there: Events) -> str | None:
    """Return the first difference of two tapes; None when they are equal."""
    mine, other = here.sequences(same), there.sequences(same)
    if sum(map(len, mine.values())) < same.least:
        return f"{sum(map(len, mine.values()))} events, not {same.least}"
    if mine.keys() != other.keys():
        return f"threads {sorted(map(str, mine))} and {sorted(map(str, other))}"
    for thread, rows in mine.items():
        left, right = rows, other[thread]
        both = min(len(left), len(right))
        if same.own or same.newest:
            if both < same.share * max(len(left), len(right)) - 1:
                return f"{thread}: {len(left)} and {len(right)} events"
            part = slice(-both, None) if same.newest else slice(min(both, same.first or both))
            left, right = left[part], right[part]
        for at, (one, two) in enumerate(zip(left, right, strict=False)):
            if one != two:
                return f"{thread}: event {at}: {one} and {two}"
        if len(left) != len(right):
            return f"{thread}: {len(left)} and {len(right)} events"
    return None
