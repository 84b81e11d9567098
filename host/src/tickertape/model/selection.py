"""Select events by class, number, thread, CPU, domain, address and time, as a mask over columns.

    selector = Selector(Selection(cpus=frozenset({1})), boots)
    for columns in iter_events(reader):
        chosen = selector.mask(columns)  # None: all of them

Exporters apply the mask before they format anything. Values of one criterion are ORed; criteria are
ANDed. Gaps are always reported: a matching event may have been lost in one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from difflib import get_close_matches
from functools import cache
from itertools import pairwise
from typing import TYPE_CHECKING, Final, TypeVar

import numpy as np

from tickertape.model.codes import THREAD_NAME, kind_of, nameless, thread_id
from tickertape.model.running import UNKNOWN, RunningThreads
from tickertape.protocol.event_type import CODE_COUNT
from tickertape.protocol.lookup import event_type
from tickertape.protocol.wire import CLASS_SHIFT, EVENT_MASK, ByteOrder

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns
    from tickertape.model.boot import BootOf
    from tickertape.model.names import Names
    from tickertape.protocol.event_type import EventType

    Mask = NDArray[np.bool_]

Columns = TypeVar("Columns", bound="EventColumns")
UNKNOWN_TASK: Final = "?"
_WORD_BYTES: Final = 4
_FIRST_WORDS: Final = 2  # those that are columns of their own
_ADDRESS_TYPES: Final = frozenset({"address", "object"})


@dataclass(frozen=True)
class Selection:
    """Criteria of a selection; an empty criterion or None selects everything.

    Attributes:
        classes: class numbers.
        events: class << 10 | event.
        tasks: names or numbers of threads; selects events recorded while one of them had the CPU.
            `?` is an unknown thread.
        cpus: numbers of CPUs.
        domains: numbers of domains, 0 for the kernel core.
        addresses: ranges (first, last); selects events with a field of type object or address in
            one of them.
        begin_ns: earliest time since the target's clock began, as printed.
        end_ns: latest time, as `begin_ns`.
    """

    classes: frozenset[int] = frozenset()
    events: frozenset[int] = frozenset()
    tasks: frozenset[str] = frozenset()
    cpus: frozenset[int] = frozenset()
    domains: frozenset[int] = frozenset()
    addresses: tuple[tuple[int, int], ...] = ()
    begin_ns: int | None = None
    end_ns: int | None = None

    @property
    def everything(self) -> bool:
        """True if all events are selected."""
        return self == Selection()


class Selector:
    """Applies a selection to columns, chunk after chunk in order of time."""

    def __init__(
        self,
        selection: Selection,
        boots: BootOf,
    ) -> None:
        """Prepare to select.

        Args:
            selection: the criteria.
            boots: returns a `Boot` for an epoch.
        """
        self._selection = selection
        self._boots = boots
        self._tasks = _Tasks(selection.tasks, boots) if selection.tasks else None
        self._codes = _code_table(selection)

    def mask(self, columns: EventColumns) -> Mask | None:
        """Return which rows are selected.

        Returns:
            One bool per row; None if all rows are selected.
        """
        # Follow the threads through every chunk, selected or not.
        masks = [] if self._tasks is None else [self._tasks.mask(columns)]
        wanted = self._selection
        if self._codes is not None:
            masks.append(self._codes[columns.code])
        if wanted.cpus:
            masks.append(_among(columns.cpu, wanted.cpus))
        if wanted.domains:
            masks.append(_among(columns.domain, wanted.domains))
        if wanted.begin_ns is not None or wanted.end_ns is not None:
            masks.append(self._in_time(columns))
        if wanted.addresses:
            masks.append(_touches(columns, wanted.addresses))
        return np.logical_and.reduce(masks) if masks else None

    @property
    def unmatched_tasks(self) -> list[str]:
        """Selected threads that have not run so far, each with the most similar name that has.

        Empty if the selection has no threads.
        """
        if self._tasks is None:
            return []
        return self._tasks.unmatched()

    def without_gaps_elsewhere(self, columns: EventColumns) -> EventColumns:
        """Remove the gaps that lie wholly before or after the selected time."""
        wanted = self._selection
        if not columns.gaps or (wanted.begin_ns is None and wanted.end_ns is None):
            return columns
        span = self._span(columns.epoch)
        is_reversed = None not in {wanted.begin_ns, wanted.end_ns} and (
            (wanted.begin_ns or 0) > (wanted.end_ns or 0)
        )
        if span is None or is_reversed:
            return replace(columns, gaps=())
        first, last = span
        gaps = (gap for gap in columns.gaps if gap.end_ticks >= first)
        return replace(columns, gaps=tuple(gap for gap in gaps if (gap.begin_ticks or 0) <= last))

    def _span(self, epoch: int) -> tuple[int, int] | None:
        """Return the first and last selected tick of a boot; None if it has none.

        Printed times are rounded down: a limit includes every tick that is printed as that time.
        """
        clock = self._boots(epoch).clock
        return clock.ticks_between(self._selection.begin_ns, self._selection.end_ns)

    def _in_time(self, columns: EventColumns) -> Mask:
        span = self._span(columns.epoch)
        if span is None:
            return np.zeros(len(columns), bool)
        return (columns.time >= np.uint64(span[0])) & (columns.time <= np.uint64(span[1]))


class _Tasks:
    """Selects the events of the wanted threads, by the thread that ran."""

    def __init__(self, wanted: frozenset[str], boots: BootOf) -> None:
        self._wanted = wanted
        self._boots = boots
        self._epoch = -1
        self._names: Names | None = None
        self._running = RunningThreads()
        self._seen: set[str] = set()

    def unmatched(self) -> list[str]:
        seen = sorted(self._seen)
        return [
            f'"{name}"'
            + "".join(f' (nearest: "{near}")' for near in get_close_matches(name, seen, 1))
            for name in sorted(self._wanted - self._seen)
        ]

    def mask(self, columns: EventColumns) -> Mask:
        if columns.epoch != self._epoch or self._names is None:
            self._epoch, self._names = columns.epoch, self._boots(columns.epoch).names
        running = self._running.column(columns)
        mask = np.zeros(len(columns), bool)
        # A name is valid from its event on.
        said = np.flatnonzero(columns.code == THREAD_NAME).tolist()
        self._choose(mask, running, slice(0, said[0] if said else len(columns)), self._names)
        for begin, end in pairwise([*said, len(columns)]):
            learn_name(self._names, columns, begin)
            self._choose(mask, running, slice(begin, end), self._names)
        return mask

    def _choose(self, mask: Mask, running: NDArray[np.int64], rows: slice, names: Names) -> None:
        here = running[rows]
        threads = [tid for tid in np.unique(here).tolist() if self._is_wanted(tid, names)]
        mask[rows] = np.isin(here, threads)

    def _is_wanted(self, tid: int, names: Names) -> bool:
        if tid == UNKNOWN:
            called = {UNKNOWN_TASK}
        else:
            called = {str(tid), thread_id(tid), names.thread(tid) or nameless(tid)}
        self._seen |= called
        return not self._wanted.isdisjoint(called)


def narrow(columns: Columns, chosen: Mask) -> Columns:
    """Return the chosen rows and all gaps, which keep their places between the rows."""
    rows = np.flatnonzero(chosen)
    places = np.searchsorted(rows, [gap.row for gap in columns.gaps]).tolist()
    gaps = tuple(replace(gap, row=place) for gap, place in zip(columns.gaps, places, strict=True))
    return replace(columns.take(rows), gaps=gaps)


def learn_name(names: Names, columns: EventColumns, row: int) -> None:
    """Store the thread name from the THREAD NAME event in `row`."""
    event = columns.event_at(row)
    if event.text and len(event.words) > 1:
        names.learn_thread(event.words[1], event.text)


def _code_table(selection: Selection) -> Mask | None:
    if not selection.classes and not selection.events:
        return None
    table = np.ones(CODE_COUNT, bool)
    if selection.classes:
        table &= _among(np.arange(CODE_COUNT) >> CLASS_SHIFT, selection.classes)
    if selection.events:
        table &= _among(np.arange(CODE_COUNT), selection.events)
    return table


def _among(values: NDArray[np.integer], wanted: Iterable[int]) -> Mask:
    return np.isin(values, np.array(sorted(wanted), np.int64))


def _touches(columns: EventColumns, ranges: tuple[tuple[int, int], ...]) -> Mask:
    """Return which rows have an address field with a value in one of the ranges."""
    mask = np.zeros(len(columns), bool)
    is_simple = columns.payload_offset < 0
    # Payloads that may be the wide form of an event, see `Event.fields`.
    is_words = columns.payload_bytes > _FIRST_WORDS * _WORD_BYTES
    is_words &= columns.payload_bytes % _WORD_BYTES == 0
    for code in np.unique(columns.code).tolist():
        what = event_type(code >> CLASS_SHIFT, code & EVENT_MASK)
        rows = np.flatnonzero(columns.code == code)
        if not what.payload:
            known = is_simple | is_words if what.wide_fields else is_simple
            rows = rows[known[rows]]
        for index in _address_words(what):
            suited, words = _words(columns, rows, index)
            mask[suited] |= _in_ranges(words, ranges)
    return mask


@cache
def _address_words(what: EventType) -> tuple[int, ...]:
    """Return the indices of the words that are addresses in events of a type."""
    words = [*enumerate(what.fields), *enumerate(what.wide_fields, _FIRST_WORDS)]
    return tuple(index for index, known in words if kind_of(known) in _ADDRESS_TYPES)


def _words(
    columns: EventColumns, rows: NDArray[np.intp], index: int
) -> tuple[NDArray[np.intp], NDArray[np.uint32]]:
    """Return the rows that have a word `index`, and the word of each."""
    is_long = columns.payload_bytes[rows] >= (index + 1) * _WORD_BYTES
    if index < _FIRST_WORDS:
        rows = rows[is_long | (columns.payload_offset[rows] < 0)]
        return rows, (columns.data1 if index else columns.data0)[rows]
    rows = rows[is_long]
    places = columns.payload_offset[rows, None] + (index * _WORD_BYTES + np.arange(_WORD_BYTES))
    raw = np.ascontiguousarray(columns.payload[places])
    mark = "<u4" if columns.byte_order is ByteOrder.LITTLE else ">u4"
    return rows, raw.view(mark)[:, 0].astype(np.uint32)


def _in_ranges(words: NDArray[np.uint32], ranges: tuple[tuple[int, int], ...]) -> Mask:
    wide = words.astype(np.int64)
    mask = np.zeros(len(words), bool)
    for first, last in ranges:
        mask |= (wide >= first) & (wide <= last)
    return mask
