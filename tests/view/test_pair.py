"""Two runs on one axis: each shows the same as alone, shifted by the alignment."""

from __future__ import annotations

import random
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.support.command import assert_complaint
from tests.support.lossy_tapes import lossy
from tests.support.row_tapes import row_tape
from tests.support.simulation import simulate
from tests.support.target import SimulatedTarget
from tests.view.marked_tapes import STARTS, TICK_NS, marked
from tickertape.analysis.balance import balance_of
from tickertape.tape import TapeReader
from tickertape.view.index import open_index
from tickertape.view.opening import open_pair
from tickertape.view.pair import OUTSIDE
from tickertape.view.queries import Queries, bars_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.command import Command
    from tickertape.view.index import Index
    from tickertape.view.pair import Pair

_LOOKS = 40


class Both:
    """Two tapes, the second with losses; each open alone, and both as a pair."""

    def __init__(self, stack: ExitStack, folder: Path, seed: int) -> None:
        rng = random.Random(seed)
        paths = []
        for number in range(2):
            rows = simulate(seed * 2 + number, 1).rows
            lost = {one for one in range(2, len(rows)) if rng.random() < 0.1 * number}
            paths.append(row_tape(folder / f"{number}.tape", rows, is_lost=lost.__contains__))
        self.paths = paths
        self.alone: list[Index] = [
            stack.enter_context(open_index(path, keep=False)) for path in paths
        ]
        self.times = [rng.randrange(one.about["begin"], one.about["end"]) for one in self.alone]
        opened = open_pair((paths[0], paths[1]), align=(self.times[0], self.times[1]), keep=False)
        self.pair: Pair = stack.enter_context(opened)
        self.about = self.ask("about")
        zero = self.about["segments"][0]["offset"]
        self.offsets = [zero - time for time in self.times]

    def ask(self, question: str, **arguments: object) -> dict[str, Any]:
        found = self.pair.answer(question, {name: str(one) for name, one in arguments.items()})
        assert found is not None
        return found

    def rows(self, number: int) -> list[dict[str, Any]]:
        """Return the rows of a run in the order of its tape, without the row of the run's name."""
        return [one for one in self.about["rows"] if one["run"] == number and one["kind"] != "run"]


@pytest.fixture(params=range(4))
def both(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Both]:
    with ExitStack() as stack:
        yield Both(stack, tmp_path, request.param)


def ranges(both: Both) -> Iterator[tuple[int, int]]:
    rng = random.Random(len(both.about["rows"]))
    begin, end = both.about["begin"], both.about["end"]
    yield begin, end
    for _ in range(_LOOKS):
        first, last = sorted((rng.randrange(begin, end), rng.randrange(begin, end)))
        if first < last:
            yield first, last


def test_the_runs_meet_and_the_balance_of_each_is_told(both: Both) -> None:
    about = both.about
    assert about["begin"] == 0
    for number, index in enumerate(both.alone):
        run = about["runs"][number]
        assert (run["events"], run["label"]) == (index.about["events"], f"{number}.tape")
        with TapeReader(both.paths[number]) as reader:
            total = balance_of(reader).total
        assert total.holds
        assert run["balance"]["offered"] == total.offered
        assert sum(run["balance"].values()) == 2 * total.offered
        names = [(one["kind"], one["name"]) for one in both.rows(number)]
        assert names == [(one["kind"], one["name"]) for one in index.about["rows"]]
    assert about["runs"][1]["lost"] > 0
    assert [one["row"] for one in about["rows"]] == list(range(len(about["rows"])))


def test_each_row_has_the_time_that_it_has_alone(both: Both) -> None:
    for begin, end in ranges(both):
        stats = {one["row"]: one for one in both.ask("stats", begin=begin, end=end)["rows"]}
        many = both.ask("tiles", begin=begin, end=end, pixels=7, rows=",".join(map(str, stats)))
        assert [one["row"] for one in many["rows"]] == list(stats)
        for number, index in enumerate(both.alone):
            offset = both.offsets[number]
            first = max(begin - offset, index.about["begin"])
            last = min(end - offset, index.about["end"])
            for own, row in enumerate(both.rows(number)):
                time, state = (index.rows.column(name, own) for name in ("time", "state"))
                spans = np.clip(np.append(time, index.about["end"]), first, max(first, last))
                length = np.bincount(state, np.diff(spans), 14).astype(int)
                known = stats.get(row["row"], {"states": {}})["states"]
                if known:
                    assert {one: known[one]["time"] for one in known} == {
                        one: length[one] for one in known
                    }
                    assert sum(one["time"] for one in known.values()) == last - first
        for one in many["rows"]:
            number = both.about["rows"][one["row"]]["run"]
            offset, store = both.offsets[number], both.alone[number].rows
            own = both.rows(number).index(both.about["rows"][one["row"]])
            if "slices" in one:
                time = store.column("time", own) + offset
                assert set(one["slices"]["begin"]) <= set(time.tolist())


def test_a_loss_belongs_to_the_rows_of_its_run(both: Both) -> None:
    begin, end = both.about["begin"], both.about["end"]
    losses = both.ask("losses", begin=begin, end=end)["losses"]
    for number, index in enumerate(both.alone):
        mine = [one for one in losses if one["run"] == number]
        true = [one for one in mine if one["reason"] != OUTSIDE]
        offset = both.offsets[number]
        assert [(one["begin"] - offset, one["count"]) for one in true] == [
            (one["begin"], one["count"]) for one in index.about["losses"]
        ]
        # Time before and after a run is marked as outside, not as idle.
        outside = sum(one["end"] - one["begin"] for one in mine if one["reason"] == OUTSIDE)
        assert outside == (end - begin) - (index.about["end"] - index.about["begin"])


def test_events_names_and_arrows_are_those_of_each_run(both: Both) -> None:
    begin, end = both.about["begin"], both.about["end"]
    for when, _ in ranges(both):
        events = both.ask("events", time=when, before=20, after=20)["events"]
        assert [one["time"] for one in events] == sorted(one["time"] for one in events)
        for number, index in enumerate(both.alone):
            alone = index.events.around(when - both.offsets[number], 20, 20)
            texts = {(one["time"] + both.offsets[number], one["text"]) for one in alone}
            label = f"{number}.tape  "
            mine = [one for one in events if one["text"].startswith(label)]
            assert {(one["time"], one["text"].removeprefix(label)) for one in mine} <= texts
    every = [len(index.arrows) for index in both.alone]
    found = both.ask("arrows", begin=begin, end=end, pixels=32)
    assert found["count"] == sum(every)
    assert "arrows" in found or sum(found["counts"]) == sum(every)
    for number, index in enumerate(both.alone):
        offset, base = both.offsets[number], both.rows(number)[0]["row"]
        for own, row in enumerate(both.rows(number)):
            there = both.ask("find", name=row["name"], time=begin, back=0)
            assert row["row"] in there["rows"]
            first = index.about["begin"]
            alone_here = index.arrows.follow(own, first, back=False)
            here = both.ask("follow", row=row["row"], time=first + offset)["found"]
            assert (here is None) == (alone_here is None)
            if here is not None and alone_here is not None:
                assert here["begin"] - offset == alone_here["begin"]
                for end in ("from", "to", "via"):
                    assert here[end] == (alone_here[end] + base if alone_here[end] >= 0 else -1)


def test_both_histograms_have_the_same_bars(both: Both) -> None:
    whole = {"begin": both.about["begin"], "end": both.about["end"]}
    compared = 0
    for own, row in enumerate(both.rows(0)):
        if row["kind"] != "task":
            continue
        found = both.ask("spread", row=row["row"], figure="execution", **whole)
        index = both.alone[0]
        span = (index.about["begin"], index.about["end"])
        values = Queries(index).values(own, "execution", own, span)[0]["value"]
        assert found["count"] == len(values) == sum(found["counts"])
        twin = found.get("twin")
        if twin is None:
            assert not any(one["name"] == row["name"] for one in both.rows(1))
            continue
        number = both.rows(1).index(both.about["rows"][twin["row"]])
        about = both.alone[1].about
        others = Queries(both.alone[1]).values(
            number, "execution", number, (about["begin"], about["end"])
        )[0]["value"]
        assert twin["count"] == len(others) == sum(twin["counts"])
        if len(values) + len(others):
            assert found["edges"] == bars_of(np.concatenate([values, others])).tolist()
            compared += 1
        if len(others):
            arguments = {"row": twin["row"], "figure": "execution", **whole}
            worst = both.ask("instances", **arguments, least=0, most=found["edges"][-1])
            assert worst["value"][0] == others.max()
            assert len(worst["value"]) == min(len(others), 200)
    assert compared


def test_what_two_runs_are_aligned_at(tmp_path: Path) -> None:
    paths = (marked(tmp_path / "a.tape", 100), marked(tmp_path / "b.tape", 331))
    stop = 'the first "USER USER_4"'
    for align, text, times in (
        (None, 'the first "USER USER_3"', (100, 331)),
        ("USER USER_4", stop, (105, 336)),
        ("begin", "their first records", (1, 1)),
        ((50 * TICK_NS, 60 * TICK_NS), "given times", (50, 60)),
    ):
        with open_pair(paths, align=align, keep=False) as pair:
            about = pair.answer("about", {}) or {}
            zero = about["segments"][0]["offset"]
            span = {"time": str(zero), "before": "0", "after": "500"}
            events = (pair.answer("events", span) or {})["events"]
        assert about["aligned"] == text
        assert about["doubts"] == ()
        starts = [one["time"] - zero for one in events if "USER_3" in one["text"]]
        begins = [at - time for at, time in zip((100, 331), times, strict=True)]
        wanted = [(at + 20 * one) * TICK_NS for at in begins for one in range(STARTS)]
        assert starts == sorted(time for time in wanted if time >= 0)
    lossy_one = marked(tmp_path / "c.tape", 331, is_lost=True)
    with open_pair((paths[0], lossy_one), keep=False) as pair:
        doubts = (pair.answer("about", {}) or {})["doubts"]
    assert len(doubts) == 1
    assert "c.tape" in doubts[0]
    assert "may be lost" in doubts[0]


def test_two_names_that_are_equal_are_told_apart(tmp_path: Path) -> None:
    path = marked(tmp_path / "a.tape", 100)
    (tmp_path / "other").mkdir()
    same = marked(tmp_path / "other/a.tape", 100)
    for two, labels in (
        ((path, same), (str(path), str(same))),
        ((path, path), ("a.tape (1)", "a.tape (2)")),
    ):
        with open_pair(two, keep=False) as pair:
            runs = (pair.answer("about", {}) or {})["runs"]
        assert tuple(one["label"] for one in runs) == labels


def test_what_cannot_be_compared_is_refused(
    tmp_path: Path, tickertape_inside: Command, make_tape: Callable[[bytes, str], Path]
) -> None:
    one, other = marked(tmp_path / "a.tape", 100), marked(tmp_path / "b.tape", 331)
    start = ("view", one, other, "--no-open", "--read-only")
    for words, parts in (
        (
            ("--align", "USER USER_33"),
            ("a.tape", 'no row "USER USER_33"', "did you mean USER USER_3?"),
        ),
        (("--align", "USER USER_8"), ('no row "USER USER_8"', "did you mean USER")),
        (("--align", "1us,9s"), ("b.tape has no time 9.000000000", "choose a time from")),
        (("--align", "12qs"), ("12qs",)),
        (("--html", tmp_path / "x.html"), ("leave out --html",)),
        (("--stream", "0"), ("leave out --stream",)),
    ):
        done = tickertape_inside(*start, *words)
        assert done.returncode == 2, done
        for part in parts:
            assert part in done.stderr
    assert_complaint(tickertape_inside("view", one, "--align", "begin"), 2, "--align is for two")
    target = SimulatedTarget()
    target.record((0, 0), 9, 0, 1, 2)
    target.finish()
    rateless = make_tape(target.sent_bytes(), "rateless.tape")
    done = tickertape_inside("view", one, rateless, "--no-open", "--read-only")
    assert_complaint(done, 2, "clock rate of rateless.tape is unknown")
    boots = make_tape(lossy(1)[1], "boots.tape")
    done = tickertape_inside("view", boots, one, "--no-open", "--read-only")
    assert_complaint(done, 2, "boots.tape has 2 boots", "tickertape cut")
