"""The page explains the time of a task by the parts of `why`, each with its place."""

from __future__ import annotations

import random
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect

from tests.support.row_tapes import row_tape
from tests.support.simulation import simulate
from tests.support.viewing import clock, opened
from tickertape.answers.places import Choice
from tickertape.answers.why import why
from tickertape.errors import UsageError
from tickertape.model.transitions import State
from tickertape.tape import TapeReader
from tickertape.view.aligning import Run, aligned_at
from tickertape.view.index import open_index
from tickertape.view.pair import Pair
from tickertape.view.queries import Queries

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from playwright.sync_api import Page

    from tests.support.served import Served
    from tickertape.answers.why import Why

ONE, THREE, RANGE = 1, 3, 0


def totals(parts: Iterable[dict[str, Any]], ticks: int) -> Counter[str]:
    """Return the ticks of each reason; check that the parts add up at each depth."""
    known = list(parts)
    assert sum(part["ticks"] for part in known) == ticks
    for part in known:
        if part["parts"]:
            totals(part["parts"], part["ticks"])
    return Counter({part["label"]: part["ticks"] for part in known})


def of_whys(answers: Iterable[Why]) -> Counter[str]:
    found: Counter[str] = Counter()
    for answer in answers:
        found.update({part.label: part.ticks for part in answer.parts})
    return found


@pytest.mark.parametrize("lossy", [False, True])
@pytest.mark.parametrize(("seed", "cpus"), [(1, 1), (2, 2), (3, 1), (4, 2)])
def test_parts_are_those_of_why(tmp_path: Path, seed: int, cpus: int, *, lossy: bool) -> None:
    truth = simulate(seed, cpus)
    lost = set(random.Random(seed).sample(range(len(truth.rows)), 20)) if lossy else set()
    path = row_tape(
        tmp_path / "t.tape", truth.rows, is_lost=lost.__contains__, buffer_records=16, cpus=cpus
    )
    compared = stretches = 0
    with TapeReader(path) as reader, open_index(path, keep=False) as index:
        queries = Queries(index)
        begin, end = index.about["begin"], index.about["end"]
        for row in (one for one in index.about["rows"] if one["kind"] == "task"):
            for worst in (ONE, THREE):
                try:
                    wanted = why(reader, Choice(row["name"], worst=worst))
                except UsageError:
                    with pytest.raises(UsageError):
                        queries.why(row["row"], (begin, end), worst)
                    continue
                found = queries.why(row["row"], (begin, end), worst)
                assert [one["number"] for one in found["instances"]] == [
                    one.instance for one in wanted
                ]
                assert totals(found["parts"], found["ticks"]) == of_whys(wanted)
                compared += 1
            found = queries.why(row["row"], (begin, end), RANGE)
            ran = totals(found["parts"], found["ticks"])["running"]
            states = queries.stats(row["row"], begin, end)["states"]
            running = states.get(int(State.RUNNING), {"time": 0})["time"]
            clock_ = reader.clock(0)
            assert abs(clock_.ns(ran) - running) <= len(truth.rows), "a nanosecond an interval"
            for part in found["parts"]:
                if part["cause"] != "ran":
                    continue
                # In the longest stretch of this part, the row is running.
                slices = index.rows.slices(row["row"], part["begin"], part["end"])
                inside = slices[(slices["end"] > part["begin"]) & (slices["begin"] < part["end"])]
                inside = inside[inside["end"] > inside["begin"]]
                assert {int(one) for one in inside["state"]} == {int(State.RUNNING)}
                stretches += 1
    assert compared > 3
    assert stretches > 1


def test_the_instance_at_a_moment_and_what_is_refused(inversion: Path) -> None:
    with open_index(inversion, keep=False) as index:
        queries = Queries(index)
        rows = {one["name"]: one["row"] for one in index.about["rows"]}
        worst = queries.why(rows["high"], (0, index.about["end"]), 1)["instances"][0]
        middle = (worst["begin"] + worst["end"]) // 2
        assert queries.why(rows["high"], (middle, middle), 1)["instances"] == [worst]
        with pytest.raises(UsageError, match="CPU 0 is not a task"):
            queries.why(rows["CPU 0"], (0, 1), 1)
        inner = worst["begin"] + 1, worst["end"] - 1
        assert queries.why(rows["high"], inner, 1)["instances"] == [worst]
        with pytest.raises(UsageError, match="lies in that range"):
            queries.why(rows["high"], (worst["begin"] + 1, worst["end"] + 1), 1)
        for words in (
            {"worst": "21"},
            {"worst": "-1"},
            {"begin": "9", "end": "8"},
            {"row": "999"},
            {"row": "x"},
        ):
            known = {"row": str(rows["high"]), "begin": "0", "end": "9", "worst": "1"}
            with pytest.raises(UsageError):
                queries.answer("why", known | words)


def test_of_two_runs_each_task_is_explained_in_its_own(inversion: Path) -> None:
    with (
        open_index(inversion, keep=False) as index,
        open_index(inversion, keep=False) as other,
    ):
        runs = Run("one", index, Queries(index)), Run("two", other, Queries(other))
        pair = Pair(runs, aligned_at(runs, (0, 5_000_000)))
        about = pair.answer("about", {})
        assert about is not None
        alone = Queries(index)
        own = next(one["row"] for one in index.about["rows"] if one["name"] == "high")
        wanted = alone.why(own, (0, index.about["end"]), 1)
        for row in (one for one in about["rows"] if one["name"] == "high"):
            words = {"row": row["row"], "begin": about["begin"], "end": about["end"], "worst": 1}
            found = pair.answer("why", {name: str(value) for name, value in words.items()})
            assert found is not None
            offset = 5_000_000 * (row["run"] == 0)
            assert found["instances"][0]["begin"] == wanted["instances"][0]["begin"] + offset
            assert found["parts"][0]["begin"] == wanted["parts"][0]["begin"] + offset
            assert found["ticks"] == wanted["ticks"]
            touching = {**words, "figure": "response", "least": 0, "most": 10**15, "touching": 1}
            marks = pair.answer("instances", {name: str(value) for name, value in touching.items()})
            assert marks is not None
            assert wanted["instances"][0]["begin"] + offset in marks["begin"]
        head = {"row": "0", "begin": "0", "end": "9", "worst": "1"}
        with pytest.raises(UsageError, match="no task of this run"):
            pair.answer("why", head)


@pytest.mark.process
def test_three_actions_to_the_lock_that_let_a_task_wait(
    page: Page, serve: Callable[[Path], Served], inversion: Path
) -> None:
    """Three actions show the wait: the row, the key `w`, the widest bar."""
    served = serve(inversion)
    opened(page, served.server.address)
    page.get_by_role("button", name="high", exact=True).click()
    page.keyboard.press("w")
    text = page.locator("#why-text")
    expect(text).to_contain_text(re.compile(r"^Instance 0: 4\.008 ms, activated at 0\.\d+"))
    bars = page.locator("#why-bars button")
    expect(bars.first).to_contain_text(re.compile(r"% blocked on bus, held by low$"))
    assert Axe().run(page).violations_count == 0
    bars.first.click()
    expect(page.locator("#readout")).to_contain_text("high: waiting (MUTEX) bus for 3.00")
    expect(page.locator("#labels li.chosen")).to_contain_text("high")
    page.get_by_label("Explain").select_option("the instance at the cursor")
    expect(text).to_contain_text("Instance 0:")
    page.get_by_label("Explain").select_option("all of the range")
    expect(text).to_contain_text("from 0.00")
    page.keyboard.press("Escape")
    expect(page.locator("#why")).to_be_hidden()


@pytest.mark.process
def test_instances_are_marked(page: Page, serve: Callable[[Path], Served], inversion: Path) -> None:
    """The whole tape has 21 instances of `high`; the one at the cursor is described."""
    served = serve(inversion)
    (row,) = (one["row"] for one in served.ask("about")["rows"] if one["name"] == "high")
    about = served.ask("about")
    words = f"row={row}&figure=response&least=0&most={10**15}"
    found = served.ask(f"instances?{words}&begin={about['begin']}&end={about['end']}")
    begin = sorted(found["begin"])[1]
    opened(page, f"{served.server.address}#row=task%3Ahigh&from={begin - 1000}&to={begin + 10**6}")
    page.keyboard.press("i")
    readout = page.locator("#readout")
    expect(readout).to_contain_text("1 instance")
    page.goto(f"{served.server.address}#row=task%3Ahigh&from=0&to={10**9}&at={begin}")
    expect(readout).to_contain_text(re.compile(r"instance \d+: response \d"))
    assert clock(begin) in readout.inner_text()
    page.keyboard.press("i")
    expect(readout).not_to_contain_text("response")
    page.get_by_role("button", name="bus", exact=True).click()
    page.keyboard.press("w")
    expect(page.locator("#status")).to_contain_text("Choose the row of a task")
