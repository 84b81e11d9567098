"""Distributions of rows equal those of `stats`, and each value has its place."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.support.row_tapes import row_tape
from tests.support.simulation import simulate
from tests.support.target import SimulatedTarget
from tickertape.answers.statistics import BootStats, statistics_of
from tickertape.model.entities import Kind
from tickertape.tape import TapeReader
from tickertape.view.index import Index, open_index
from tickertape.view.queries import Queries, bars_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tickertape.answers.sample import Distribution

_MARKS = {"least": 0, "median": 50, "p95": 95, "p99": 99, "most": 100}


def distributions(boot: BootStats) -> Iterator[tuple[tuple[str, str], str, Distribution]]:
    """Yield the distributions of `stats`: kind and name of a row, figure, distribution."""
    for one in boot.processes:
        kind = "task" if one.kind is Kind.TASK else "interrupt"
        for figure, found in (
            ("response", one.response),
            ("execution", one.execution),
            ("period", one.period),
            ("ready", one.latency),
        ):
            if kind == "task" or figure != "ready":
                yield (kind, one.name), figure, found
    for entity, use in boot.uses.items():
        if boot.entities[entity].kind is Kind.MUTEX:
            yield ("lock", boot.entities[entity].name), "wait", use.waits


class Asked:
    """Asks questions about the whole time of an index."""

    def __init__(self, index: Index) -> None:
        self._queries = Queries(index)
        self._span = {"begin": index.about["begin"], "end": index.about["end"]}

    def __call__(self, question: str, **arguments: object) -> dict[str, Any]:
        words = {name: str(value) for name, value in {**self._span, **arguments}.items()}
        found = self._queries.answer(question, words)
        assert found is not None
        return found


def assert_same(spread: dict[str, Any], wanted: Distribution, ns: Callable[[int], int]) -> None:
    assert spread["count"] == sum(spread["counts"]) == wanted.count.value
    if not spread["count"]:
        return
    figures = {0: wanted.minimum, 100: wanted.maximum, **wanted.percentiles}
    for name, percent in _MARKS.items():
        value = figures[percent].value
        assert value is not None
        assert spread[name] == ns(int(value))
    edges = spread["edges"]
    assert edges == sorted(set(edges))
    assert (edges[0], edges[-1]) == (spread["least"], spread["most"] + 1)


@pytest.mark.parametrize("lossy", [False, True])
@pytest.mark.parametrize(("seed", "cpus"), [(1, 1), (2, 2), (3, 1)])
def test_values_are_those_of_stats(tmp_path: Path, seed: int, cpus: int, *, lossy: bool) -> None:
    truth = simulate(seed, cpus)
    lost = set(random.Random(seed).sample(range(len(truth.rows)), 20)) if lossy else set()
    path = row_tape(
        tmp_path / "t.tape", truth.rows, is_lost=lost.__contains__, buffer_records=16, cpus=cpus
    )
    compared = 0
    with TapeReader(path) as reader, open_index(path, keep=False) as index:
        (boot,) = statistics_of(reader)
        ask = Asked(index)
        rows = {(one["kind"], one["name"]): one["row"] for one in index.about["rows"]}
        for key, figure, wanted in distributions(boot):
            if key not in rows:  # an interrupt that two CPUs serve has two rows
                both = [rows[key[0], f"{key[1]} on CPU {cpu}"] for cpu in range(cpus)]
                if figure == "response":
                    parts = [ask("spread", row=row, figure=figure) for row in both]
                    assert sum(part["count"] for part in parts) == wanted.count.value
                continue
            spread = ask("spread", row=rows[key], figure=figure)
            assert_same(spread, wanted, boot.clock.ns)
            compared += bool(spread["count"])
            if not spread["count"]:
                continue
            # Each bar lists as many instances as it counts, the longest first.
            listed = 0
            for count, (least, most) in zip(
                spread["counts"], pairwise(spread["edges"]), strict=True
            ):
                words = {"row": rows[key], "figure": figure, "least": least, "most": most - 1}
                found = ask("instances", **words)
                assert found["count"] == count
                assert found["value"] == sorted(found["value"], reverse=True)
                assert all(a <= b for a, b in zip(found["begin"], found["end"], strict=True))
                listed += count
            assert listed == spread["count"]
            if figure == "response" and key[0] == "task":
                place = index.rows.slices(rows[key], found["begin"][0], found["begin"][0] + 1)
                assert len(place)
    assert compared > 5


@pytest.mark.parametrize("seed", range(4))
def test_distances_of_events_are_those_of_a_plain_search(
    make_tape: Callable[[bytes], Path], seed: int
) -> None:
    rng = random.Random(seed)
    target = SimulatedTarget()
    target.hello()
    for _ in range(60):
        target.advance(rng.randrange(5))
        target.record((0, 0), 6, rng.choice([1, 1, 2]), 0, 0)
    target.finish()
    with open_index(make_tape(target.sent_bytes()), keep=False) as index:
        ask = Asked(index)
        assert index.about["losses"] == []
        assert index.about["events"] == 60
        rows = [one["row"] for one in index.about["rows"] if one["kind"] == "user event"]
        times = {row: index.rows.column("time", row)[1:].tolist() for row in rows}
        for row in rows:
            for other in rows:
                wanted = pairs(times[row], times[other], is_own=row == other)
                every = ask("instances", row=row, other=other, least=0, most=10**9)
                found = sorted(zip(every["begin"], every["end"], strict=True))
                assert found == sorted(wanted)


def pairs(times: list[int], to: list[int], *, is_own: bool) -> list[tuple[int, int]]:
    """Pair each time with the next one in `to`, unless the next one in `times` comes first.

    With `is_own`, pair consecutive times.
    """
    if is_own:
        return list(pairwise(times))
    found = []
    for place, begin in enumerate(times):
        later = [one for one in to if one >= begin]
        if later and (place + 1 == len(times) or times[place + 1] > later[0]):
            found.append((begin, later[0]))
    return found


def test_bars_of_a_long_tail_and_of_one_value() -> None:
    tail = np.array([10] * 1000 + [1_000_000], np.int64)
    assert len(bars_of(tail)) > 20
    assert np.histogram(tail, bars_of(tail))[0][-1] == 1
    assert bars_of(np.array([7, 7], np.int64)).tolist() == [7, 8]
    assert bars_of(np.array([0], np.int64)).tolist() == [0, 1]


@pytest.mark.parametrize(
    "question",
    [
        "spread?row=99&begin=0&end={end}",
        "spread?begin=0&end={end}",
        "spread?row=0&figure=x&begin=0&end={end}",
        "instances?row=0&begin=0&end={end}&least=1",
    ],
)
def test_a_wrong_question_is_one_line(
    serve: Callable[[Path], Any], tape: Path, question: str
) -> None:
    served = serve(tape)
    end = served.ask("about")["end"]
    status, _, body = served.get(f"{served.root}api/{question.format(end=end)}")
    assert status == 400
    assert b"; " in body
