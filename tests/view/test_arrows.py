"""Arrows equal the actions of a simulated kernel; after a loss, every arrow is true or unknown."""

from __future__ import annotations

import random
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.acting_tasks import actors
from tests.support.examples import examples
from tests.support.row_tapes import row_tape
from tickertape.view.arrow_log import ARROW, ARROW_NAMES, BLOCK, Arrow, ArrowLog
from tickertape.view.arrows import MOST_ARROWS, Arrows
from tickertape.view.index import open_index
from tickertape.view.queries import Queries

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.acting_tasks import Acted
    from tests.support.columns import Row

TICK_NS = 40
SEEDS = st.integers(0, 10_000)


def found_in(
    rows: list[Row], *, is_lost: Callable[[int], bool] = lambda _number: False
) -> list[Acted]:
    """Return the arrows of a tape of these rows, in the form of the kernel's truth, in ticks."""
    with TemporaryDirectory() as name:
        tape = row_tape(Path(name) / "t.tape", rows, is_lost=is_lost, buffer_records=8)
        with open_index(tape, keep=False) as index:
            about = index.about
            records = sum(one["count"] for one in about["losses"])
            # Losses count records, and a name is an event of several records; hence `>=`.
            assert about["events"] + records >= len(rows)
            assert records or about["events"] == len(rows)
            known = {-1: "?", **{one["row"]: one["name"] for one in about["rows"]}}
            arrows = index.arrows.take(np.arange(len(index.arrows)))

    def who(row: int) -> str:  # after a loss a name may be missing
        return "irq" if known[row].startswith("irq") else known[row].replace("thread ", "t")

    return [
        (
            ARROW_NAMES[one["kind"]],
            who(one["from"]),
            who(one["to"]),
            int(one["begin"]) // TICK_NS,
            int(one["end"]) // TICK_NS,
        )
        for one in arrows
    ]


@settings(max_examples=examples(15), deadline=None)
@given(SEEDS)
def test_arrows_are_what_the_kernel_did(seed: int) -> None:
    kernel = actors(seed, 150)
    assert Counter(found_in(kernel.rows)) == Counter(kernel.truth)


@settings(max_examples=examples(15), deadline=None)
@given(SEEDS, st.sets(st.integers(1, 40), max_size=6))
def test_after_a_loss_an_arrow_is_true_or_has_an_unknown_end(seed: int, lost: set[int]) -> None:
    kernel = actors(seed, 150)
    truth = Counter(kernel.truth)
    begins = {(kind, who, since) for kind, who, _, since, _ in kernel.truth}
    ends = {(kind, whom, until) for kind, _, whom, _, until in kernel.truth}
    for one in found_in(kernel.rows, is_lost=lost.__contains__):
        kind, who, whom, since, until = one
        if whom == "?":
            # An arrow to an unknown row, such as a wait for a lock, has a known begin only.
            assert (kind, who, since) in begins, one
        elif who == "?":
            assert (kind, whom, until) in ends, one
        else:
            assert truth[one], one


def test_without_interrupts_on_the_tape_nobody_knows_who_woke() -> None:
    kernel = actors(7, 200)
    seen = [row for row in kernel.rows if row.kind[0] != 3]
    wakes = [one for one in found_in(seen) if one[0] == "wake"]
    assert len(wakes) == sum(one[0] == "wake" for one in kernel.truth)
    assert {who for _, who, *_ in wakes} == {"?"}


def some_arrows(seed: int, count: int) -> np.ndarray[Any, np.dtype[np.void]]:
    """Make arrows between a few rows; most are short, few are very long."""
    rng = np.random.default_rng(seed)
    found = np.zeros(count, ARROW)
    found["kind"] = rng.integers(0, len(Arrow), count)
    for name in ("from", "to", "via"):
        found[name] = rng.integers(-1, 6, count)
    found["via"][found["via"] >= 0] += 10
    found["begin"] = np.sort(rng.integers(0, 4 * count, count))
    long = rng.random(count) < 0.001
    found["end"] = found["begin"] + np.where(long, 2 * count, rng.integers(0, 9, count))
    found["value"] = np.arange(count)
    return found


@pytest.mark.parametrize("seed", range(2))
def test_answers_are_those_of_a_plain_search(tmp_path: Path, seed: int) -> None:
    made = some_arrows(seed, 2 * BLOCK + 100)
    log = ArrowLog(tmp_path)
    log.append(made)
    log.finish([])
    arrows = Arrows(tmp_path)
    every = arrows.take(np.arange(len(arrows)))
    # The log keeps arrows with at least one known end.
    assert set(every["value"].tolist()) == set(
        made["value"][(made["from"] >= 0) | (made["to"] >= 0)].tolist()
    )
    rng = random.Random(seed)
    last = int(every["end"].max())
    for _ in range(20):
        begin = rng.randrange(last)
        end = begin + rng.choice([1, 10, 1000, last])
        row = rng.choice([None, 0, 3, 12])
        touching = (every["begin"] < end) & (every["end"] >= begin)
        if row is not None:
            touching &= (every["from"] == row) | (every["to"] == row) | (every["via"] == row)
        wanted = np.flatnonzero(touching)
        assert arrows.within(begin, end, row).tolist() == wanted.tolist()
        found = arrows.answer(begin, end, 32, row)
        assert found["count"] == len(wanted)
        if len(wanted) <= MOST_ARROWS:
            assert found["arrows"]["value"] == every["value"][wanted].tolist()
        else:
            assert sum(found["counts"]) == sum(found["kinds"].values()) == len(wanted)
    for _ in range(10):
        row, when, back = rng.choice([0, 5, 12]), rng.randrange(last), rng.random() < 0.5
        assert arrows.follow(row, when, back=back) == plain_follow(every, row, when, back=back)


def plain_follow(
    every: np.ndarray[Any, np.dtype[np.void]], row: int, when: int, *, back: bool
) -> dict[str, Any] | None:
    """Return the arrow that `Arrows.follow` has to find, by a search of all arrows."""
    best: tuple[int, dict[str, Any]] | None = None
    for one in every[every["kind"] != Arrow.RAISED]:
        values = dict(zip(one.dtype.names, one.item(), strict=True))
        begin, end = values["begin"], values["end"]
        passes = values["via"] == row
        if back:
            good = (values["to"] == row and end <= when) or (passes and begin < when)
            key = begin if passes else end
        else:
            good = (values["from"] == row and begin >= when) or (passes and begin > when)
            key = -begin
        if good and (best is None or key > best[0]):
            best = (key, values)
    return None if best is None else {**best[1], "kind": ARROW_NAMES[best[1]["kind"]]}


def test_questions_have_bounds(tmp_path: Path) -> None:
    tape = row_tape(tmp_path / "t.tape", actors(1, 400).rows)
    with open_index(tape, keep=False) as index:
        queries = Queries(index)
        span = {"begin": str(index.about["begin"]), "end": str(index.about["end"])}
        every = queries.answer("arrows", {**span, "pixels": "8"})
        assert every is not None
        assert every["count"] == len(index.arrows)
        row = next(one["row"] for one in index.about["rows"] if one["name"] == "t1")
        mine = queries.answer("arrows", {**span, "pixels": "8", "row": str(row)})
        assert mine is not None
        assert 0 < mine["count"] < every["count"]
        found = queries.answer("follow", {"row": str(row), "time": span["begin"]})
        assert found is not None
        assert found["found"]["from"] == row
        back = {"row": str(row), "time": span["begin"], "back": "1"}
        assert queries.answer("follow", back) == {"found": None}
