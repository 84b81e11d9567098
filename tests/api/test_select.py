"""A selection returns the same events in every form, equal to a filter in plain Python."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any, Final, cast

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import tickertape
from tests.api.tapes import KINDS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    import pandas as pd

    from tests.api.tapes import Tapes
    from tickertape import Selected, Tape, TapeEvent

    Criteria = Mapping[str, Any]
    Key = tuple[int, int, int, int]

RECORDED: Final = tuple(kind for kind in KINDS if kind not in {"empty", "no records"})


def key(event: TapeEvent) -> Key:
    """Return the identity of an event on its tape."""
    return event.epoch, event.stream, event.cpu, event.ordinal


def keys(*columns: Iterable[Any]) -> list[Key]:
    return [cast("Key", tuple(map(int, row))) for row in zip(*columns, strict=True)]


def of_table(table: pa.Table | pa.RecordBatch) -> list[Key]:
    return keys(*(table[name].to_pylist() for name in ("epoch", "stream", "cpu", "ordinal")))


def of_frame(frame: pl.DataFrame | pd.DataFrame) -> list[Key]:
    return keys(*(frame[name] for name in ("epoch", "stream", "cpu", "ordinal")))


def of_duckdb(chosen: Selected) -> list[Key]:
    with duckdb.connect() as database:
        database.register("chosen", chosen)
        found = database.execute("select epoch, stream, cpu, ordinal from chosen")
        return [cast("Key", row) for row in found.fetchall()]


FORMS: Final[Mapping[str, Callable[[Selected], list[Key]]]] = {
    "objects": lambda chosen: [key(event) for event in chosen],
    "columns": lambda chosen: [
        one
        for part in chosen.columns()
        for one in keys([part.epoch] * len(part), part.stream, part.cpu, part.ordinal)
    ],
    "arrays": lambda chosen: [
        one
        for part in chosen.arrays()
        for one in keys(part["epoch"], part["stream"], part["cpu"], part["ordinal"])
    ],
    "to_arrow": lambda chosen: of_table(chosen.to_arrow()),
    "iter_batches": lambda chosen: [
        one for part in chosen.iter_batches() for one in of_table(part)
    ],
    "pyarrow": lambda chosen: of_table(pa.table(chosen)),
    "to_polars": lambda chosen: of_frame(chosen.to_polars()),
    "polars": lambda chosen: of_frame(pl.DataFrame(chosen)),
    "to_pandas": lambda chosen: of_frame(chosen.to_pandas()),
    "duckdb": of_duckdb,
}


def names_of(event: TapeEvent) -> set[str | int]:
    """Return the values of `tasks=` that select the thread which had the CPU."""
    if event.tid is None:
        return {"?"}
    return {event.tid, str(event.tid), cast("str", event.task)}


FILTERS: Final[Mapping[str, Callable[[TapeEvent, Sequence[Any]], bool]]] = {
    "classes": lambda event, some: event.name.partition(".")[0] in some,
    "events": lambda event, some: event.name in some,
    "tasks": lambda event, some: not names_of(event).isdisjoint(some),
    "cpus": lambda event, some: event.cpu in some,
    "domains": lambda event, some: event.domain in some,
    "boot": lambda event, some: event.epoch in some,
    "stream": lambda event, some: event.stream in some,
    "begin_ns": lambda event, some: event.time_ns >= some[0],
    "end_ns": lambda event, some: event.time_ns <= some[0],
}


def filtered(every: Iterable[TapeEvent], criteria: Criteria) -> list[Key]:
    """Return the keys of the selected events, by the description in docs/python.md."""

    def is_chosen(event: TapeEvent) -> bool:
        return all(
            FILTERS[name](event, value if isinstance(value, list) else [value])
            for name, value in criteria.items()
        )

    return [key(event) for event in every if is_chosen(event)]


def values_of(every: Sequence[TapeEvent]) -> dict[str, list[Any]]:
    """Return the values on a tape for each criterion."""
    tasks = {name for event in every for name in names_of(event)}
    return {
        "classes": sorted({event.name.partition(".")[0] for event in every}),
        "events": sorted({event.name for event in every}),
        "tasks": sorted(tasks, key=str),
        "cpus": sorted({event.cpu for event in every}),
        "domains": sorted({event.domain for event in every}),
        "boot": sorted({event.epoch for event in every}),
        "stream": sorted({event.stream for event in every}),
        "begin_ns": sorted({event.time_ns for event in every}),
        "end_ns": sorted({event.time_ns for event in every}),
    }


def agrees(opened: Tape, every: Sequence[TapeEvent], criteria: Criteria, form: str) -> None:
    """Compare a form with the filter, regardless of order for DuckDB and selected streams."""
    chosen = opened.select(**criteria)
    expected, found = filtered(every, criteria), FORMS[form](chosen)
    if form == "duckdb" or "stream" in criteria:
        assert Counter(found) == Counter(expected)
    else:
        assert found == expected
    assert chosen.count() == len(expected)


@pytest.mark.parametrize("kind", ["rings", "lossy", "zephyr"])
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("criterion", FILTERS)
def test_each_criterion_in_each_form(tapes: Tapes, kind: str, form: str, criterion: str) -> None:
    """Select by the middle value, which excludes events if the tape has several values."""
    with tickertape.open(tapes(kind)) as opened:
        every = list(opened)
        values = values_of(every)[criterion]
        agrees(opened, every, {criterion: values[len(values) // 2]}, form)


@given(data=st.data())
def test_any_criteria_in_any_form(tapes: Tapes, data: st.DataObject) -> None:
    with tickertape.open(tapes(data.draw(st.sampled_from(RECORDED)))) as opened:
        every = list(opened)
        values = values_of(every)
        criteria: dict[str, Any] = {}
        for name in data.draw(st.sets(st.sampled_from(list(FILTERS)), max_size=4)):
            some = st.sampled_from(values[name])
            is_one = name in {"begin_ns", "end_ns", "stream"}
            criteria[name] = data.draw(some if is_one else st.lists(some, min_size=1, max_size=3))
        if criteria.get("begin_ns", 0) > criteria.get("end_ns", np.inf):
            del criteria["begin_ns"]
        if "stream" in criteria:
            every = list(opened.events(stream=criteria["stream"]))
        agrees(opened, every, criteria, data.draw(st.sampled_from(list(FORMS))))


@pytest.mark.parametrize("kind", ["empty", "no records"])
@pytest.mark.parametrize("form", FORMS)
def test_a_tape_without_events_gives_none_in_each_form(tapes: Tapes, kind: str, form: str) -> None:
    with tickertape.open(tapes(kind)) as opened:
        assert FORMS[form](opened.select()) == []
        assert opened.to_arrow().column_names == opened.to_polars().columns
        assert len(opened) == opened.select().count() == 0
        assert opened


@pytest.mark.parametrize("kind", RECORDED)
def test_columns_know_what_the_objects_know(tapes: Tapes, kind: str) -> None:
    with tickertape.open(tapes(kind)) as opened:
        for criteria in ({}, {"classes": "USER"}, {"events": "USER.*"}):
            try:
                chosen = opened.select(**cast("dict[str, Any]", criteria))
            except tickertape.UsageError:
                continue
            rows = [
                row
                for part in chosen.columns()
                for row in zip(part.time_ns, part.tid, part.task, part.name, strict=True)
            ]
            assert rows == [
                (one.time_ns, -1 if one.tid is None else one.tid, one.task, one.name)
                for one in chosen
            ]


def test_a_thread_that_is_renamed_has_each_name_at_its_time(tapes: Tapes) -> None:
    with tickertape.open(tapes("rings")) as opened:
        first = np.concatenate([part.task for part in opened.columns(boot=0, tasks=1)])
        assert set(first) == {"producer", "renamed"}
        names = first.tolist()
        assert names == sorted(names), "first the one, then the other"


def test_a_stream_is_read_as_if_the_tape_had_no_other(tapes: Tapes) -> None:
    """Stream 1 has the new name of a thread; stream 0 has the events and the earlier name."""
    with tickertape.open(tapes("rings")) as opened:
        every = [event for event in opened if event.stream == 0]
        alone = list(opened.events(stream=0))
        assert sorted(map(key, alone)) == sorted(map(key, every))
        assert "renamed" in {event.task for event in every}
        assert {event.task for event in alone} <= {"producer", "consumer", None, "thread 3"}
        for name in ("producer", "consumer"):
            expected = [key(event) for event in alone if event.task == name]
            assert [key(one) for one in opened.events(stream=0, tasks=name)] == expected
            found = of_table(opened.to_arrow(stream=0, tasks=name))
            assert found == expected


def test_rows_that_are_taken_keep_what_is_known(tapes: Tapes) -> None:
    with tickertape.open(tapes("rings")) as opened:
        part = next(opened.columns())
        some = part.take(np.array([3, 40, 80]))
        for name in ("time_ns", "tid", "task", "name"):
            assert getattr(some, name).tolist() == getattr(part, name)[[3, 40, 80]].tolist()


@pytest.mark.parametrize("kind", RECORDED)
def test_batches_are_the_table_in_pieces(tapes: Tapes, kind: str) -> None:
    with tickertape.open(tapes(kind)) as opened:
        batches = list(opened.iter_batches())
        table = opened.to_arrow()
        assert all(batch.num_rows for batch in batches)
        assert pa.Table.from_batches(batches, table.schema).to_pylist() == table.to_pylist()


def test_batches_are_read_one_by_one(tapes: Tapes) -> None:
    """Closing the tape between batches is an error: later batches were not read in advance."""
    opened = tickertape.open(tapes("rings"))
    batches = opened.iter_batches()
    next(batches)
    opened.close()
    with pytest.raises(tickertape.TapeClosed):
        next(batches)
