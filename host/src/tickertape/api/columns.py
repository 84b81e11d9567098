"""Event columns with data of the tape: time in nanoseconds, names, running threads."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
from numpy.typing import NDArray

from tickertape.decode.events import EventColumns
from tickertape.decode.ticks import Clock
from tickertape.model.codes import THREAD_NAME, nameless
from tickertape.model.compiled_running import running_threads
from tickertape.model.running import UNKNOWN
from tickertape.model.selection import learn_name
from tickertape.protocol.lookup import event_label, event_type
from tickertape.protocol.wire import CLASS_SHIFT, EVENT_MASK

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tickertape.decode.records import I64
    from tickertape.model.boot import Boot
    from tickertape.model.names import Names
    from tickertape.model.selection import Mask

_NO_CLOCK: Final = Clock(None)

Texts: TypeAlias = NDArray[Any]
"""Objects: str, or None."""


@dataclass(frozen=True, eq=False)
class TapeColumns(EventColumns):
    """`EventColumns` with times in ns, names and threads, as a tape or a selection yields them.

        for columns in tape.columns(classes="USER"):
            print(columns.time_ns.min(), set(columns.task), set(columns.name))

    Each row has the values of the `TapeEvent` of the same event. They are computed on first use and
    kept.

    Attributes:
        clock: clock of the boot.
        namings: names of threads by number, before and after each change.
        naming: i64, index in `namings` for each row; None if all rows use the first.
    """

    clock: Clock = _NO_CLOCK
    namings: tuple[Mapping[int, str], ...] = ({},)
    naming: I64 | None = None

    @cached_property
    def time_ns(self) -> I64:
        """I64, nanoseconds since the target's clock began, rounded down."""
        return self.clock.ns_column(self.time)

    @cached_property
    def name(self) -> Texts:
        """Names of the events, `CLASS.EVENT`, as objects of type str."""
        codes, rows = np.unique(self.code, return_inverse=True)
        labels = [event_label(event_type(one >> CLASS_SHIFT, one & EVENT_MASK)) for one in codes]
        return _texts(labels)[rows]

    @cached_property
    def tid(self) -> I64:
        """I64, number of the thread that had the CPU; -1 if unknown, for instance after a loss."""
        return np.full(len(self), UNKNOWN) if self.running is None else self.running

    @cached_property
    def task(self) -> Texts:
        """Names of the threads in `tid` at that time, `thread 7` without one; None if unknown."""
        found: Texts = np.empty(len(self), object)
        for place, names in enumerate(self.namings):
            rows = slice(None) if self.naming is None else np.flatnonzero(self.naming == place)
            tids, which = np.unique(self.tid[rows], return_inverse=True)
            texts = [_name(int(tid), names) for tid in tids]
            found[rows] = _texts(texts)[which]
            if self.naming is None:
                break
        return found


def known_columns(
    parts: Iterator[tuple[EventColumns, Mask | None]], boots: Callable[[int], Boot]
) -> Iterator[tuple[TapeColumns, Mask | None]]:
    """Add clock, names and running threads, which selected events alone do not determine.

    Args:
        parts: all events of the tape in order of time, each with its mask.
        boots: returns a `Boot` for an epoch.
    """
    running = running_threads()
    epoch, boot = -1, None
    for part, mask in parts:
        if boot is None or part.epoch != epoch:
            epoch, boot = part.epoch, boots(part.epoch)
        namings, naming = _namings(part, boot.names)
        given = {one.name: getattr(part, one.name) for one in fields(EventColumns)}
        known = TapeColumns(**given, clock=boot.clock, namings=namings, naming=naming)
        yield replace(known, running=running.column(part)), mask


def _namings(part: EventColumns, names: Names) -> tuple[tuple[Mapping[int, str], ...], I64 | None]:
    """Return the names before and after each change, and for each row the index of its names."""
    known = [names.threads()]
    rows = np.flatnonzero(part.code == THREAD_NAME).tolist()
    for row in rows:
        learn_name(names, part, row)
        known.append(names.threads())
    if not rows:
        return tuple(known), None
    return tuple(known), np.searchsorted(rows, np.arange(len(part)), side="right")


def _name(tid: int, names: Mapping[int, str]) -> str | None:
    return None if tid == UNKNOWN else names.get(tid) or nameless(tid)


def _texts(texts: list[str | None] | list[str]) -> Texts:
    made: Texts = np.empty(len(texts), object)
    made[:] = texts
    return made
