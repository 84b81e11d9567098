"""Several boards on one tape: no loss, times within their bound, balances added."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from tests.support.drifting import BEGIN_NS, Recorded, record
from tests.support.examples import examples
from tests.support.spec_reader import SpecTape
from tests.support.tapes import compare
from tests.support.target import SimulatedTarget
from tickertape.analysis.balance import balance_of
from tickertape.collector.intake import Arrival, Intake
from tickertape.decode.events import DecodeCounters
from tickertape.decode.frames import FrameDecoder
from tickertape.edit.clock_fit import Assumptions
from tickertape.edit.cut import Range, cut
from tickertape.edit.merge import MergeOptions, merge_tapes
from tickertape.edit.repair import repair
from tickertape.errors import TapeError, UsageError
from tickertape.protocol.events import DICTIONARY_HASH
from tickertape.tape import TapeReader, TapeWriter, iter_events
from tickertape.tape.common import iter_common, origin_ns
from tools.fuzz.originals import keys_of

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.decode.events import EventColumns

EVEN = MergeOptions(assumptions=Assumptions(wander_ppm=0, delay_ms=0))


def two(tmp_path: Path, seed: int, *, boots: int = 1) -> list[Recorded]:
    rng = random.Random(seed)
    return [record(tmp_path / f"{name}.tape", rng, boots=boots) for name in ("left", "right")]


@settings(max_examples=examples(25))
@given(st.integers(0, 2**32), st.integers(1, 3))
@example(290, 2)
def test_times_hold_their_bound_and_nothing_is_lost(tmp_path: Path, seed: int, boots: int) -> None:
    """Merge two boards with known clocks, and check every time, event and loss."""
    boards = two(tmp_path, seed, boots=boots)
    merged = tmp_path / "m.tape"
    report = merge_tapes([one.path for one in boards], merged, EVEN)
    assert report.left_out == ()
    clocks = [clock for one in boards for clock in one.clocks]
    with TapeReader(merged) as reader:
        assert reader.issues == []
        assert reader.closed
        assert list(reader.boards) == list(range(2 * boots))
        assert [board.name for board in reader.boards.values()] == ["left"] * boots + [
            "right"
        ] * boots
        latest = 0
        for run in iter_common(reader):
            clock = clocks[run.columns.epoch]
            assert run.board == reader.boards[run.columns.epoch]
            assert run.board.bound_ns is not None, "each boot has several HELLOs"
            for tick, utc in zip(run.columns.time.tolist(), run.utc_ns.tolist(), strict=True):
                assert abs(utc - clock.utc(tick)) <= run.board.bound_ns
            if boots == 1 and len(run.utc_ns):
                assert run.utc_ns[0] >= latest
                latest = int(run.utc_ns[-1])
        check_all_is_there(boards, reader)
    compare(merged)


def test_a_clock_that_follows_its_work_has_no_bound(tmp_path: Path) -> None:
    """Even if its anchors fit an even clock by chance, as on a busy machine."""
    rng = random.Random(1)
    boards = [
        record(tmp_path / f"{name}.tape", rng, virtual_time=name == "emulated")
        for name in ("real", "emulated")
    ]
    report = merge_tapes([one.path for one in boards], tmp_path / "m.tape", EVEN)
    assert [boot.even for boot in report.boots] == [True, False]
    assert [boot.board.bound_ns is None for boot in report.boots] == [False, True]
    with TapeReader(tmp_path / "m.tape") as reader:
        check_all_is_there(boards, reader)


def check_all_is_there(boards: list[Recorded], merged: TapeReader) -> None:
    """Check that every event, loss, receipt and remark of each board is on the merged tape."""
    total = None
    events = []
    lost = []
    base = 0
    counters = DecodeCounters()
    for one in boards:
        with TapeReader(one.path) as reader:
            parts = list(iter_events(reader, counters=counters))
            events += [(base + int(str(key[0])), *key[1:]) for key in keys_of(parts)]
            lost += [
                (base + p.epoch, g.cpu, g.first_ordinal, g.lost) for p in parts for g in p.gaps
            ]
            balance = balance_of(reader)
            total = balance.total if total is None else total + balance.total
            assert balance.contradictions == ()
            base += len(one.clocks)
            assert f"{one.path.stem}: a remark about {one.path.stem}" in merged.notes
    common = DecodeCounters()
    runs = [run.columns for run in iter_common(merged, counters=common)]
    assert sorted(keys_of(runs), key=str) == sorted(events, key=str)
    assert sorted(
        (p.epoch, g.cpu, g.first_ordinal, g.lost) for p in runs for g in p.gaps
    ) == sorted(lost)
    assert common == counters
    assert balance_of(merged).total == total
    assert balance_of(merged).total.holds
    assert merged.link_counters is not None
    for part in runs:
        assert all(0 <= gap.row <= len(part) for gap in part.gaps)


def test_a_gap_stands_before_the_event_behind_it(tmp_path: Path) -> None:
    """The gap precedes the same event as on the board's own tape."""
    boards = two(tmp_path, 5)
    merge_tapes([one.path for one in boards], tmp_path / "m.tape", EVEN)
    for number, one in enumerate(boards):
        with TapeReader(one.path) as reader:
            alone = [one for part in iter_events(reader) for one in told(part)]
        with TapeReader(tmp_path / "m.tape") as reader:
            runs = iter_common(reader, boards=frozenset({number}))
            together = [one for run in runs for one in told(run.columns)]
        assert together == alone
        assert any(kind == "gap" for kind, _ in alone)


def told(part: EventColumns) -> list[tuple[str, int]]:
    """Return the events and gaps in order."""
    said = []
    gaps = sorted(part.gaps, key=lambda gap: gap.row)
    for row, ordinal in enumerate(part.ordinal.tolist()):
        said += [("gap", gap.first_ordinal) for gap in gaps if gap.row == row]
        said.append(("event", ordinal))
    return said + [("gap", gap.first_ordinal) for gap in gaps if gap.row >= len(part)]


def test_merging_in_steps_is_merging_at_once(tmp_path: Path) -> None:
    rng = random.Random(3)
    paths = [record(tmp_path / f"{name}.tape", rng).path for name in "abc"]
    merge_tapes(paths, tmp_path / "once.tape", EVEN)
    merge_tapes(paths[:2], tmp_path / "some.tape", EVEN)
    merge_tapes([tmp_path / "some.tape", paths[2]], tmp_path / "steps.tape", EVEN)
    found = []
    for name in ("once", "steps"):
        with TapeReader(tmp_path / f"{name}.tape") as reader:
            assert [board.name for board in reader.boards.values()] == ["a", "b", "c"]
            merged = reader.meta["merge"]
            assert isinstance(merged, dict)
            assert [one["meta"]["link"] for one in merged["boards"]] == ["a", "b", "c"]
            found.append((reader.boards, origin_ns(reader), balance_of(reader).total))
    assert found[0] == found[1]


def test_cut_and_repair_keep_boards_and_time(tmp_path: Path) -> None:
    boards = two(tmp_path, 11, boots=2)
    merged = tmp_path / "m.tape"
    merge_tapes([one.path for one in boards], merged, EVEN)
    with TapeReader(merged) as reader:
        times = np.sort(np.concatenate([run.utc_ns for run in iter_common(reader)]))
        begin, end = (int(times[len(times) * part // 4]) - origin_ns(reader) for part in (1, 3))
        expected = [
            key
            for run in iter_common(reader)
            for key, utc in zip(keys_of([run.columns]), run.utc_ns.tolist(), strict=True)
            if begin <= utc - origin_ns(reader) <= end
        ]
        cut(reader, tmp_path / "c.tape", Range(begin, end))
        origin, there = origin_ns(reader), reader.boards
    repair(tmp_path / "c.tape", tmp_path / "r.tape")
    for name in ("c", "r"):
        with TapeReader(tmp_path / f"{name}.tape") as reader:
            assert origin_ns(reader) == origin
            assert reader.boards.items() <= there.items()
            found = keys_of(run.columns for run in iter_common(reader))
            assert set(expected) <= set(found)
            assert len(found) < len(times)
            assert balance_of(reader).total.holds


def test_a_tape_without_anchors_is_refused(tmp_path: Path) -> None:
    one = record(tmp_path / "a.tape", random.Random(1)).path
    with TapeWriter(tmp_path / "b.tape") as writer:
        writer.text(b"x")
    with pytest.raises(UsageError, match=r"b.tape has no anchor"):
        merge_tapes([one, tmp_path / "b.tape"], tmp_path / "m.tape")
    assert not (tmp_path / "m.tape").exists()


def test_a_boot_without_anchors_is_of_unknown_time(tmp_path: Path) -> None:
    """The boot follows the earlier boots of its board, at an unknown time."""
    first, second = two(tmp_path, 8)
    target = SimulatedTarget(boot_id=9, dictionary=DICTIONARY_HASH)
    target.record((0, 0), 6, 5, 1, 2)
    target.finish()
    data = target.sent_bytes()
    with TapeWriter(tmp_path / "x.tape") as writer:
        decoder = FrameDecoder()
        decoder.receive(data)
        writer.anchor(0, BEGIN_NS, 1000)
        writer.new_epoch()
        Intake(decoder, writer, live=False).take(
            [(frame, Arrival(0, 0)) for frame in decoder.frames()]
        )
    del second
    merge_tapes([tmp_path / "x.tape", first.path], tmp_path / "m.tape")
    with TapeReader(tmp_path / "m.tape") as reader:
        boards = reader.boards
        assert not boards[1].aligned
        assert boards[1].bound_ns is None
        runs = [run for run in iter_common(reader) if run.columns.epoch == 1]
        assert [len(run.columns) for run in runs] == [1]


def test_different_byte_orders_are_refused(tmp_path: Path) -> None:
    rng = random.Random(1)
    one = record(tmp_path / "a.tape", rng).path
    other = record(tmp_path / "b.tape", rng, byte_order=">").path
    with pytest.raises(TapeError, match="byte orders"):
        merge_tapes([one, other], tmp_path / "m.tape")


def test_names(tmp_path: Path) -> None:
    rng = random.Random(1)
    (tmp_path / "d").mkdir()
    paths = [record(tmp_path / name, rng).path for name in ("a.tape", "d/a.tape")]
    merge_tapes(paths, tmp_path / "m.tape")
    with TapeReader(tmp_path / "m.tape") as reader:
        assert [board.name for board in reader.boards.values()] == ["a", "a-2"]
    merge_tapes(paths, tmp_path / "m.tape", MergeOptions(["wheel", "arm"]))
    with TapeReader(tmp_path / "m.tape") as reader:
        assert [board.name for board in reader.boards.values()] == ["wheel", "arm"]
    with pytest.raises(UsageError, match="2 boards"):
        merge_tapes(paths, tmp_path / "m.tape", MergeOptions(["a", "b", "c"]))
    with pytest.raises(UsageError, match="one tape"):
        merge_tapes(paths[:1], tmp_path / "m.tape")


def test_a_damaged_tape_is_merged_as_far_as_it_can_be_read(tmp_path: Path) -> None:
    boards = two(tmp_path, 21)
    data = bytearray(boards[0].path.read_bytes())
    with TapeReader(boards[0].path) as reader:
        row = next(row for row in reader.chunks if row["type"] == 3)
    data[int(row["offset"]) + 40] ^= 1
    boards[0].path.write_bytes(data)
    report = merge_tapes([one.path for one in boards], tmp_path / "m.tape", EVEN)
    assert len(report.left_out) == 1
    with TapeReader(boards[0].path) as left, TapeReader(boards[1].path) as right:
        expected = balance_of(left).total + balance_of(right).total
    with TapeReader(tmp_path / "m.tape") as reader:
        assert balance_of(reader).total == expected
        assert expected.damaged > 0


def test_progress_counts_bytes(tmp_path: Path) -> None:
    boards = two(tmp_path, 2)
    told: list[tuple[int, int]] = []
    options = MergeOptions(on_progress=lambda done, total: told.append((done, total)))
    merge_tapes([one.path for one in boards], tmp_path / "m.tape", options)
    assert told[-1][0] == told[-1][1] > 0
    assert [done for done, _ in told] == sorted(done for done, _ in told)


def test_the_second_reader_finds_boards(tmp_path: Path) -> None:
    """A reader written from SPEC alone finds the board of an epoch, and its time."""
    boards = two(tmp_path, 4)
    merge_tapes([one.path for one in boards], tmp_path / "m.tape")
    spec = SpecTape((tmp_path / "m.tape").read_bytes())
    with TapeReader(tmp_path / "m.tape") as reader:
        assert set(spec.boards) == set(reader.boards)
        for epoch, board in reader.boards.items():
            assert spec.boards[epoch].name == board.name
            for tick in (0, board.ticks, board.ticks + 10**9):
                assert spec.utc_ns(epoch, tick) == board.utc_ns_of(tick)
