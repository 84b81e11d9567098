"""`view` shows a true sample of a large tape first, and the whole index later."""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from tests.support.lossy_tapes import lossy
from tests.support.patience import HANG_S
from tests.view.held_index import RECORDS, held, large_tape
from tickertape.errors import TapeWriteFailed, UsageError
from tickertape.model.transitions import State
from tickertape.view import sample
from tickertape.view.index import Index, Place, made, open_index
from tickertape.view.losses import UNREAD
from tickertape.view.opening import open_view
from tickertape.view.sample import RecentReader, SampleReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tickertape.view.versions import View

_LOOKS = 2000
_NOT_RUN = {State.ACTIVE, State.READY}  # a sample may not know which


@contextmanager
def sampled(path: Path, kind: type[SampleReader] = SampleReader) -> Iterator[Index]:
    with kind(path) as reader, Place(path, None, keep=False) as place:
        yield made(reader, place, None, lambda _done, _total: None)


def states_at(index: Index, times: np.ndarray[Any, Any]) -> dict[tuple[str, str], list[State]]:
    """Return the state of each row with states at some times."""
    found = {}
    for row in index.about["rows"]:
        if row["kind"] in {"cpu", "task", "lock"}:
            at = np.searchsorted(index.rows.column("time", row["row"]), times, "right") - 1
            states = index.rows.column("state", row["row"])[np.maximum(at, 0)]
            found[row["kind"], row["name"]] = states.tolist()
    return found


@pytest.mark.parametrize("kind", [SampleReader, RecentReader])
def test_a_sample_is_small_and_never_contradicts_the_whole(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: type[SampleReader]
) -> None:
    monkeypatch.setattr(sample, "SAMPLED_RECORDS", RECORDS // 20)
    path = large_tape(tmp_path)
    with sampled(path, kind) as part, open_index(path, keep=False) as whole:
        assert (part.about["begin"], part.about["end"]) == (0, whole.about["end"])
        unread = [one for one in part.about["losses"] if one["reason"] == UNREAD]
        # Offered = read + unread: the tape has one record per event and no loss.
        assert part.about["events"] + sum(one["count"] for one in unread) == RECORDS
        assert part.about["events"] < RECORDS // 2
        assert whole.about["events"] == RECORDS
        assert whole.about["losses"] == []
        times = np.random.default_rng(1).integers(0, whole.about["end"], _LOOKS)
        inside = np.any([(times > a["begin"]) & (times < a["end"]) for a in unread], axis=0)
        claimed, true = states_at(part, times), states_at(whole, times)
        known = 0
        for row, states in claimed.items():
            for state, other, is_unread in zip(states, true[row], inside.tolist(), strict=True):
                if state == State.UNKNOWN:
                    continue
                assert not is_unread, row
                assert state == other or {state, other} == _NOT_RUN, row
                known += 1
        assert known > _LOOKS // 20


@pytest.mark.parametrize("seed", range(6))
def test_a_sample_of_a_tape_with_losses_and_boots_has_the_axis_of_the_whole(
    make_tape: Callable[[bytes], Path], seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sample, "SAMPLED_RECORDS", 20)
    path = make_tape(lossy(seed)[1])
    with sampled(path) as part, open_index(path, keep=False) as whole:
        boots = [[one["epoch"] for one in index.about["segments"]] for index in (part, whole)]
        assert boots[0] == boots[1]
        assert part.about["events"] <= whole.about["events"]


def test_the_whole_index_follows_and_a_question_names_its_version(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = large_tape(tmp_path)
    with held(monkeypatch) as release, open_view(path, keep=False) as view:
        first = view.answer("progress", {})
        about = view.answer("about", {})
        assert first is not None
        assert about is not None
        assert (first["version"], first["complete"], first["total"]) == (0, False, RECORDS)
        assert about["events"] < RECORDS
        with pytest.raises(UsageError, match="still being read"):
            view.answer("findings", {})
        release()
        wait_for(view)
        after = view.answer("about", {})
        before = view.answer("about", {"version": "0"})
        assert after is not None
        assert before is not None
        assert (after["version"], after["complete"], after["events"]) == (1, True, RECORDS)
        assert view.answer("findings", {}) is not None
        assert before["events"] == about["events"]


def wait_for(view: View) -> None:
    """Wait until the whole index is complete or has failed."""
    waited = threading.Event()
    for _ in range(HANG_S * 20):
        progress = view.answer("progress", {}) or {}
        if progress["complete"] or progress["error"]:
            return
        waited.wait(0.05)
    raise AssertionError("the index is never complete")


def test_a_view_that_is_closed_early_leaves_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    path = large_tape(tmp_path)
    with held(monkeypatch) as release, open_view(path) as view:
        view.has_drawn.set()
        threading.Timer(0.1, release).start()
    assert not any(thread.name == "index" for thread in threading.enumerate())
    assert len(list((tmp_path / "cache/tickertape/view").glob("*"))) <= 1


def test_what_prevents_the_whole_index_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = large_tape(tmp_path)
    full = TapeWriteFailed("the disk is full", "make room")
    with held(monkeypatch, full) as release, open_view(path, keep=False) as view:
        release()
        wait_for(view)
        progress = view.answer("progress", {}) or {}
        assert (progress["version"], progress["complete"]) == (0, False)
        assert progress["error"] == "the disk is full; make room"
