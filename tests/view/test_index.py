"""Answers from the index of a tape: losses, boots, boards, events; and rebuilding of the index."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.support.lossy_tapes import lossy
from tickertape.analysis.balance import balance_of
from tickertape.tape import TapeReader, TapeWriter, iter_events
from tickertape.view import index as index_module
from tickertape.view.index import open_index
from tickertape.view.queries import Queries

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.fixture(autouse=True)
def _own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.mark.parametrize("seed", range(8))
def test_losses_are_those_of_the_balance(make_tape: Callable[[bytes], Path], seed: int) -> None:
    path = make_tape(lossy(seed)[1])
    with TapeReader(path) as reader:
        stream = reader.default_stream()
        rings = balance_of(reader, by_class=False).rings
        lost = sum(one.balance.lost for one in rings if one.ring.stream == stream)
        count = sum(len(columns) for columns in iter_events(reader, stream=stream))
    with open_index(path) as index:
        assert index.about["events"] == count
        assert sum(one["count"] for one in index.about["losses"]) == lost
        queries = Queries(index)
        begin, end = index.about["begin"], index.about["end"]
        found = queries.losses(begin, end)
        assert sum(one["count"] for one in found) == lost
        for one in found:
            assert begin <= one["begin"] <= one["end"] <= end
            assert one["reason"]


@pytest.mark.parametrize("seed", range(3))
def test_events_around_a_time_are_those_of_the_tape(
    make_tape: Callable[[bytes], Path], seed: int
) -> None:
    path = make_tape(lossy(seed)[1])
    with TapeReader(path) as reader:
        stream = reader.default_stream()
        clock = reader.clock(0)
        epochs = [columns for columns in iter_events(reader, stream=stream) if columns.epoch == 0]
        times = np.concatenate([clock.ns_column(columns.time) for columns in epochs]).tolist()
    with open_index(path) as index:
        for when in (times[0], times[len(times) // 2] + 1, times[-1]):
            found = index.events.around(when, 5, 5)
            expected = [t for t in times if t < when][-5:] + [t for t in times if t >= when][:5]
            assert [one["time"] for one in found if one["boot"] == 0] == expected


def test_a_second_boot_follows_the_first_at_a_distance(make_tape: Callable[[bytes], Path]) -> None:
    path = make_tape(lossy(1)[1])
    with open_index(path) as index:
        first, second = index.about["segments"]
        assert first["end"] < second["begin"] <= second["end"] < index.about["end"]


def test_an_index_is_used_again_until_the_tape_changes(
    tape: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []
    with open_index(tape, tell=lambda done, _total: made.append(done)) as index:
        about = index.about
    assert made
    made.clear()
    with open_index(tape, tell=lambda done, _total: made.append(done)) as index:
        assert index.about == about
    assert not made
    os.utime(tape, ns=(0, 0))
    with open_index(tape, tell=lambda done, _total: made.append(done)):
        assert made
    made.clear()
    monkeypatch.setattr(index_module, "__version__", "another")
    with open_index(tape, tell=lambda done, _total: made.append(done)):
        assert made


def test_reading_only_keeps_nothing(tape: Path, tmp_path: Path) -> None:
    with open_index(tape, keep=False) as index:
        assert index.about["events"] == 81
    assert not (tmp_path / "cache").exists()


def test_the_oldest_indexes_are_forgotten(tape: Path, tmp_path: Path) -> None:
    for number in range(10):
        copy = tmp_path / f"{number}.tape"
        copy.write_bytes(tape.read_bytes())
        with open_index(copy):
            pass
    assert len(list((tmp_path / "cache/tickertape/view").iterdir())) == 8


def test_a_tape_without_events_has_an_axis(tmp_path: Path) -> None:
    path = tmp_path / "empty.tape"
    with TapeWriter(path):
        pass
    with open_index(path) as index:
        assert index.about["rows"] == []
        assert index.about["end"] > index.about["begin"]
        assert Queries(index).answer("stats", {"begin": "0", "end": "1"}) is not None


CORPUS = sorted((Path(__file__).parents[1] / "data/damaged").glob("*.tape"))


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_a_damaged_tape_answers_every_question(path: Path) -> None:
    with open_index(path, keep=False) as index:
        about, queries = index.about, Queries(index)
        begin, end = str(about["begin"]), str(about["end"])
        rows = ",".join(str(row["row"]) for row in about["rows"])
        span = {"begin": begin, "end": end}
        for question, arguments in (
            ("stats", span),
            ("losses", span),
            ("tiles", {**span, "pixels": "3", "rows": rows}),
            ("find", {"time": begin, "name": "CPU"}),
        ):
            assert queries.answer(question, arguments) is not None
        found = index.events.around(int(begin), 0, 500)
        mine = [one for one in about["segments"] if one["begin"] == about["begin"]]
        assert {one["boot"] for one in found} >= {one["epoch"] for one in mine}


def test_events_of_boards_are_merged_by_their_common_time() -> None:
    with open_index(CORPUS[0].with_name("two_boards.tape"), keep=False) as index:
        found = index.events.around(30_000, 20, 20)
    times = [one["time"] for one in found]
    assert times == sorted(times)
    assert [time >= 30_000 for time in times] == [False] * 20 + [True] * 20
    assert {str(one["text"]).split()[0] for one in found} == {"arm", "wheel"}
