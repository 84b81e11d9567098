"""Masks over columns, compared with a loop over events."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.boots import boots
from tests.support.columns import Row, columns, gap, name, switch
from tickertape.model.selection import Selection, Selector, narrow

if TYPE_CHECKING:
    from tickertape.decode.events import EventColumns

HZ = 3_000_000  # a tick is not a whole number of nanoseconds
NS = 10**9


def selector(selection: Selection) -> Selector:
    return Selector(selection, boots(hz=HZ))


def chosen(selection: Selection, part: EventColumns) -> list[int]:
    mask = selector(selection).mask(part)
    return list(range(len(part))) if mask is None else np.flatnonzero(mask).tolist()


WORD = st.sampled_from([0, 1, 2, 0x2000_0000, 0x2000_0010, 0xFFFF_FFFF])


def consistent(row: Row) -> Row:
    """Return the row with the first two words of its payload as data, as in decoded columns."""
    if row.payload is None or len(row.payload) < 8:
        return row
    return replace(row, data=struct.unpack("<2I", row.payload[:8]))


WORDS = st.lists(WORD, max_size=6).map(lambda some: struct.pack(f"<{len(some)}I", *some))
ROW = st.builds(
    Row,
    time=st.integers(0, 40),
    kind=st.sampled_from([(9, 0), (6, 3), (8, 3), (3, 1), (5, 8), (20, 7), (2, 80), (4, 24)]),
    data=st.tuples(WORD, WORD),
    cpu=st.integers(0, 2),
    flags=st.integers(0, 3),
    payload=st.none() | st.binary(max_size=12) | WORDS,
).map(consistent)
SELECTION = st.builds(
    Selection,
    classes=st.frozensets(st.sampled_from([9, 6, 8, 5]), max_size=2),
    events=st.frozensets(st.sampled_from([9 << 10, 6 << 10 | 3, 5 << 10 | 8]), max_size=2),
    cpus=st.frozensets(st.integers(0, 3), max_size=2),
    domains=st.frozensets(st.integers(0, 3), max_size=2),
    addresses=st.lists(
        st.sampled_from([(0, 0), (0x2000_0000, 0x2000_000F), (0xFFFF_0000, 0xFFFF_FFFF)]),
        max_size=2,
    ).map(tuple),
    begin_ns=st.none() | st.integers(0, 14_000),
    end_ns=st.none() | st.integers(0, 14_000),
)


def wanted(selection: Selection, part: EventColumns, row: int) -> bool:
    event = part.event_at(row)
    time_ns = event.time_ticks * NS // HZ
    words = [word for field, word in event.fields if field.type in {"address", "object"}]
    return all(
        [
            not selection.classes or event.cls in selection.classes,
            not selection.events or event.cls << 10 | event.event in selection.events,
            not selection.cpus or event.cpu in selection.cpus,
            not selection.domains or event.domain in selection.domains,
            selection.begin_ns is None or time_ns >= selection.begin_ns,
            selection.end_ns is None or time_ns <= selection.end_ns,
            not selection.addresses
            or any(low <= word <= high for word in words for low, high in selection.addresses),
        ]
    )


@given(st.lists(ROW, max_size=30), SELECTION)
def test_a_mask_is_what_a_loop_finds(rows: list[Row], selection: Selection) -> None:
    part = columns(sorted(rows, key=lambda row: row.time))
    expected = [row for row in range(len(part)) if wanted(selection, part, row)]
    assert chosen(selection, part) == expected


def test_nothing_asked_for_needs_no_mask() -> None:
    assert selector(Selection()).mask(columns([Row(0)])) is None
    assert Selection().everything
    assert not Selection(begin_ns=0).everything


@pytest.mark.parametrize(
    ("tasks", "rows"),
    [
        ({"one"}, [2, 3]),
        ({"1"}, [2, 3, 4, 5]),
        ({"uno"}, [4, 5]),
        ({"idle"}, [0, 1]),
        ({"thread 2", "uno"}, [4, 5, 6, 7]),
        ({"0x20000200"}, [8]),
        ({str(0x2000_0200)}, [8]),
        ({"thread 0x20000200"}, [8]),
        ({"nobody"}, []),
    ],
)
def test_tasks_go_by_the_name_of_the_moment(tasks: set[str], rows: list[int]) -> None:
    part = columns(
        [
            name(0, 1, "one"),
            switch(1, 0, 1),
            Row(2),
            Row(3),
            name(4, 1, "uno"),
            switch(5, 1, 2),
            Row(6),
            switch(7, 2, 0x2000_0200),
            Row(8),
        ]
    )
    assert chosen(Selection(tasks=frozenset(tasks)), part) == rows


def test_tasks_are_followed_through_chunks_boots_and_gaps() -> None:
    one = selector(Selection(tasks=frozenset({"1", "?"})))
    first, second, third = (
        one.mask(part)
        for part in (
            columns([switch(0, 0, 1)]),
            columns([Row(1), Row(2), switch(3, 2, 0)], [gap(1)]),
            columns([Row(0)], epoch=1),
        )
    )
    assert [mask.tolist() for mask in (first, second, third) if mask is not None] == [
        [False],
        [True, False, False],
        [True],
    ]


@pytest.mark.parametrize("limit", [(1 << 64) * NS, 10**24])
def test_times_beyond_any_clock(limit: int) -> None:
    part = columns([Row(0), Row((1 << 64) - 1)])
    assert chosen(Selection(begin_ns=limit), part) == []
    assert chosen(Selection(end_ns=limit), part) == [0, 1]


TIMES = st.none() | st.integers(0, 50)


@given(st.lists(st.tuples(st.integers(0, 20), st.integers(0, 20)), max_size=8), TIMES, TIMES)
def test_only_gaps_of_the_selected_time_are_kept(
    spans: list[tuple[int, int]], begin: int | None, end: int | None
) -> None:
    gaps = [
        replace(gap(0, since=first * HZ), end_ticks=(first + length) * HZ, first_ordinal=number)
        for number, (first, length) in enumerate(spans)
    ]
    wanted = Selection(
        begin_ns=None if begin is None else begin * NS, end_ns=None if end is None else end * NS
    )
    kept = selector(wanted).without_gaps_elsewhere(columns([], gaps)).gaps
    moments = set(range(begin or 0, (99 if end is None else end) + 1))
    assert [one.first_ordinal for one in kept] == [
        number
        for number, (first, length) in enumerate(spans)
        if moments & set(range(first, first + length + 1))
    ]


@given(st.lists(st.booleans(), max_size=12), st.data())
def test_narrowing_leaves_gaps_between_the_same_neighbours(
    keep: list[bool], data: st.DataObject
) -> None:
    places = data.draw(st.lists(st.integers(0, len(keep)), max_size=4))
    part = columns([Row(time) for time in range(len(keep))], [gap(place) for place in places])
    small = narrow(part, np.array(keep, bool))
    assert small.time.tolist() == [time for time, kept in enumerate(keep) if kept]
    for before, after in zip(part.gaps, small.gaps, strict=True):
        assert after.row == sum(keep[: before.row])
