"""Each wrong argument of a program raises a TickertapeError, on each kind of tape."""

from __future__ import annotations

import copy
import pickle
import threading
from typing import TYPE_CHECKING, Any, Final, TypeVar

import numpy as np
import pytest

import tickertape
from tests.api.tapes import KINDS
from tests.support.target import target_with_events
from tickertape import TapeClosed, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from tests.api.tapes import Tapes
    from tests.support.command import Command
    from tickertape import Tape

    Use = Callable[[Tape], object]

Value = TypeVar("Value")
WRONG: Final = [
    *(True, 1.5, float("nan"), b"SCHED", object(), slice(1), [None], [True], [[0]]),
    *(np.bool_(1), np.float64(1.0), np.array(1.5), 2**70, "x" * 100, "<b>\n</b>"),
]
EMPTY: Final[tuple[object, ...]] = ([], (), set(), range(0), iter(()))
NAMES: Final = ("classes", "events", "tasks", "cpus", "domains", "boot", "stream")


@pytest.mark.parametrize("value", WRONG, ids=[f"wrong {number}" for number in range(len(WRONG))])
@pytest.mark.parametrize("name", NAMES)
def test_a_wrong_value_is_refused_by_its_criterion(tapes: Tapes, name: str, value: object) -> None:
    with (
        tickertape.open(tapes("rings")) as opened,
        pytest.raises(UsageError) as caught,
    ):
        opened.select(**{name: value})  # type: ignore[arg-type] # wrong on purpose
    text = str(caught.value)
    assert "\n" not in text
    assert "; " in text


@pytest.mark.parametrize("name", ["begin_ns", "end_ns"])
@pytest.mark.parametrize("value", [True, 1.5, float("nan"), "1", [1], np.array([0, 1])], ids=str)
def test_a_time_is_one_whole_number(tapes: Tapes, name: str, value: object) -> None:
    with (
        tickertape.open(tapes("rings")) as opened,
        pytest.raises(UsageError, match=f"{name} cannot be"),
    ):
        opened.select(**{name: value})  # type: ignore[arg-type] # wrong on purpose


@pytest.mark.parametrize(
    "empty", [[], (), set(), range(0), iter(())], ids=lambda one: type(one).__name__
)
@pytest.mark.parametrize("name", ["classes", "events", "tasks", "cpus", "domains", "boot"])
def test_no_value_at_all_does_not_choose_everything(tapes: Tapes, name: str, empty: object) -> None:
    with (
        tickertape.open(tapes("rings")) as opened,
        pytest.raises(UsageError, match=f"{name} is empty; give a value, or leave it out"),
    ):
        opened.select(**{name: empty})  # type: ignore[arg-type] # wrong on purpose


@pytest.mark.parametrize(
    "several",
    [
        *([0, 1], (0, 1), {0, 1}, range(2), np.arange(2), dict.fromkeys((0, 1))),
        (number for number in (0, 1)),
        [np.int8(0), np.uint64(1)],
    ],
    ids=lambda several: type(several).__name__,
)
def test_several_values_come_in_any_form(tapes: Tapes, several: Any) -> None:  # noqa: ANN401 - any form
    with tickertape.open(tapes("rings")) as opened:
        assert opened.select(cpus=several).count() == len(list(opened)) > 100


@pytest.mark.parametrize("one", [1, np.int64(1), np.uint8(1), np.array(1)], ids=repr)
def test_one_number_comes_in_any_form(tapes: Tapes, one: Any) -> None:  # noqa: ANN401 - any form
    with tickertape.open(tapes("rings")) as opened:
        expected = [event for event in opened if event.cpu == event.epoch == 1]
        assert list(opened.select(cpus=one, boot=one)) == expected != []


@pytest.mark.parametrize(("begin", "end"), [(2**70, None), (None, -1), (-(2**70), -1)])
def test_times_that_no_tape_has_choose_nothing(
    tapes: Tapes, begin: int | None, end: int | None
) -> None:
    with tickertape.open(tapes("rings")) as opened:
        assert list(opened.select(begin_ns=begin, end_ns=end)) == []
        assert opened.select(begin_ns=-(2**70), end_ns=2**70).count() == len(opened)


def test_criteria_have_names(tapes: Tapes) -> None:
    with tickertape.open(tapes("rings")) as opened:
        for use in ("select", "events", "columns", "arrays", "to_arrow", "iter_batches"):
            with pytest.raises(TypeError, match="positional"):
                getattr(opened, use)("SCHED")


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda tape: tape.select(begin_ns=2, end_ns=1), "begin_ns 2 is later than end_ns 1"),
        (lambda tape: tape.select(domains=64), "there is no domain 64; choose 0 to 63"),
        (lambda tape: tape.select(cpus=-1), "has no CPU -1; choose 0 to 1"),
        (lambda tape: tape.select(boot=2), "has no boot 2; choose one of 0, 1"),
        (lambda tape: tape.select(stream=-1), "has no stream -1"),
        (
            lambda tape: tape.select(events="USR.1"),
            "there is no event class USR; did you mean USER?",
        ),
        (lambda tape: tape.stats(begin_ns=2, end_ns=1), "begin_ns 2 is later than end_ns 1"),
        (lambda tape: tape.stats(begin_ns="1"), "begin_ns cannot be '1'; give a number"),
        (lambda tape: tape.stats(stream="0"), "stream cannot be '0'"),
        (lambda tape: tape.stats(stream=True), "stream cannot be True"),
        (lambda tape: tape.task("produser"), "no task is called produser"),
        (lambda tape: tape.task(None), "no task is called None"),
        (lambda tape: tape.why("producer", worst=0), "worst cannot be 0; give 1 or more"),
        (lambda tape: tape.why("producer", worst="1"), "worst cannot be '1'"),
        (lambda tape: tape.why("producer", instance=-1), "instance cannot be -1"),
        (lambda tape: tape.why("producer", at_ns=1.5), "at_ns cannot be 1.5"),
        (lambda tape: tape.why("producer", boot=2), "has no boot 2; choose one of 0, 1"),
        (lambda tape: tape.findings(limit_ns=0), "limit_ns cannot be 0; give 1 or more"),
        (lambda tape: tape.findings(limit_ns=float("nan")), "limit_ns cannot be nan"),
        (lambda tape: tape.laws(overhead_ns=-1), "overhead_ns cannot be -1; give 0 or more"),
        (lambda tape: tape.laws(overhead_ns=None), "overhead_ns cannot be None"),
        (lambda tape: tape.plan(None), "'None' is not a link to plan with"),
        (lambda tape: tape.export(None, "x"), "there is no format None"),
        (
            lambda tape: tape.export("btf", "x", version="9"),
            "version cannot be '9'; give 2.1 or 2.3",
        ),
        (lambda tape: tape.export("btf", "x", stream="x"), "'x' is not a number"),
        (lambda tape: tape.export("parquet", "x", partition="yes"), "give True or False"),
        (lambda tape: tape.check("none.yaml"), "none.yaml cannot be read"),
    ],
)
def test_each_refusal_names_what_to_do(
    tapes: Tapes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, use: Use, message: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with tickertape.open(tapes("rings")) as opened:
        with pytest.raises(UsageError) as caught:
            use(opened)
        assert message in str(caught.value)
        assert list(tmp_path.iterdir()) == []


USES: Final[Mapping[str, Use]] = {
    "enter": lambda tape: tape.__enter__(),
    "iterate": lambda tape: next(iter(tape)),
    "len": len,
    "select": lambda tape: tape.select(),
    "events": lambda tape: tape.events(),
    "columns": lambda tape: tape.columns(),
    "arrays": lambda tape: tape.arrays(),
    "to_arrow": lambda tape: tape.to_arrow(),
    "iter_batches": lambda tape: tape.iter_batches(),
    "to_polars": lambda tape: tape.to_polars(),
    "to_pandas": lambda tape: tape.to_pandas(),
    "stream": lambda tape: tape.__arrow_c_stream__(),
    "export": lambda tape: tape.export("btf", "x"),
    "summary": lambda tape: tape.summary(),
    "balance": lambda tape: tape.balance,
    "laws": lambda tape: tape.laws(),
    "tasks": lambda tape: tape.tasks,
    "counters": lambda tape: tape.counters,
    "task": lambda tape: tape.task(1),
    "stats": lambda tape: tape.stats(),
    "check": lambda tape: tape.check("x"),
    "why": lambda tape: tape.why(1),
    "findings": lambda tape: tape.findings(),
    "plan": lambda tape: tape.plan("rtt"),
    **{
        name: lambda tape, name=name: getattr(tape, name)  # type: ignore[misc] # mypy has no type for it
        for name in ("hello", "hellos", "boards", "meta", "notes", "closed", "issues")
    },
    "copy": copy.copy,
    "pickle": pickle.dumps,
}


@pytest.mark.parametrize("use", USES)
def test_each_use_after_close_is_an_error_of_ours(
    tapes: Tapes, use: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    opened = tickertape.open(tapes("rings"))
    opened.close()
    opened.close()
    assert opened
    assert "closed" in repr(opened)
    assert "closed" in opened._repr_html_()
    if use == "check":  # `check` reads the specification first
        return
    with pytest.raises(TapeClosed, match="is closed; read it before close"):
        USES[use](opened)


def unpickled(value: Value) -> Value:
    again: Value = pickle.loads(pickle.dumps(value))  # noqa: S301 - the test's own bytes
    return again


def test_a_selection_ends_with_its_tape(tapes: Tapes) -> None:
    opened = tickertape.open(tapes("rings"))
    chosen = opened.select(classes="USER")
    assert repr(chosen) == f"<tickertape.Selected of {str(opened.path)!r}, classes='USER'>"
    assert bool(chosen)
    opened.close()
    for use in (
        list,
        lambda one: one.count(),
        lambda one: one.to_arrow(),
        lambda one: one.columns(),
    ):
        with pytest.raises(TapeClosed):
            use(chosen)


@pytest.mark.parametrize("kind", KINDS)
def test_a_copy_is_open_when_the_first_is_closed(tapes: Tapes, kind: str) -> None:
    first = tickertape.open(tapes(kind))
    every = list(first)
    copies = [copy.copy(first), copy.deepcopy(first), unpickled(first)]
    first.close()
    for one in copies:
        with one:
            assert list(one) == every


@pytest.mark.parametrize("kind", KINDS)
def test_events_can_be_stored_with_their_names(tapes: Tapes, kind: str) -> None:
    with tickertape.open(tapes(kind)) as opened:
        every = list(opened)[:100]
    again = unpickled(every)
    assert again == every
    for old, new in zip(every, again, strict=True):
        assert (new.time_ns, new.tid, new.task) == (old.time_ns, old.tid, old.task)
        assert new.values == old.values
        assert [one.name for one in new.values.values()] == [
            one.name for one in old.values.values()
        ]


@pytest.mark.parametrize("kind", KINDS)
def test_two_threads_read_one_tape(tapes: Tapes, kind: str) -> None:
    with tickertape.open(tapes(kind)) as opened:
        expected = list(opened)
        found: list[object] = []

        def read() -> None:
            found.extend((list(opened), len(opened), opened.to_arrow().num_rows) for _ in range(3))

        threads = [threading.Thread(target=read) for _ in range(3)]
        for one in threads:
            one.start()
        for one in threads:
            one.join()
        assert found == [(expected, len(expected), len(expected))] * 9


@pytest.mark.parametrize("kind", KINDS)
def test_the_length_is_the_number_of_events_with_and_without_a_summary(
    tapes: Tapes, kind: str, tmp_path: Path, tickertape_inside: Command
) -> None:
    path = tapes.copy(kind, tmp_path)
    with tickertape.open(path) as opened:
        count = len(list(opened))
        assert len(opened) == count
    tickertape_inside("repair", path, "-o", tmp_path / "whole.tape", "-q")
    with tickertape.open(tmp_path / "whole.tape") as opened:
        assert len(opened) == len(list(opened)) == count


def test_the_length_is_read_from_the_summary(
    tapes: Tapes, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tickertape_inside: Command
) -> None:
    tickertape_inside("repair", tapes("rings"), "-o", tmp_path / "whole.tape", "-q")
    with tickertape.open(tmp_path / "whole.tape") as opened:
        count = len(list(opened))
    monkeypatch.setattr("tickertape.api.tape.iter_events", None)  # len() must not read events
    with tickertape.open(tmp_path / "whole.tape") as opened:
        assert len(opened) == count > 100


HOSTILE: Final = '<script>alert("x")</script>&'


def test_a_notebook_shows_hostile_names_as_text(
    tmp_path: Path, make_tape: Callable[..., Path]
) -> None:
    target = target_with_events()
    target.name(1, 1, HOSTILE)
    target.finish()
    path = make_tape(target.sent_bytes(), f"{HOSTILE.replace('/', '')}.tape")
    with tickertape.open(path) as opened:
        shown: list[Any] = [opened, opened.stats(), opened.findings(), opened.why(HOSTILE)]
        (tmp_path / "spec.yaml").write_text(
            f"version: 1\nrequirements:\n  - name: '{HOSTILE}'\n"
            f"    response: '{HOSTILE}'\n    max: 1 us\n",
            encoding="utf-8",
        )
        shown.append(opened.check(tmp_path / "spec.yaml"))
        for one in shown:
            assert "<script>" not in one._repr_html_(), type(one)
            assert repr(one)
        assert "alert" in shown[1]._repr_html_()
        assert HOSTILE in repr(opened.task(HOSTILE))
        assert HOSTILE in {task.name for task in opened.tasks}
