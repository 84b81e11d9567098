"""The stored summary of a tape equals a full read, and is checked before use."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.examples import examples
from tests.support.tapes import busy
from tests.support.target import target_with_events
from tickertape.analysis.stored import add_summary, stored_summary, verified_summary
from tickertape.analysis.summary import summary_of
from tickertape.cli.main import main
from tickertape.collector import CaptureOptions, capture
from tickertape.edit.note import add_note
from tickertape.edit.repair import repair
from tickertape.link import MemoryLink
from tickertape.protocol.wire import ChunkType
from tickertape.tape import TapeReader
from tickertape.tape.append import append_chunk, closed_tape
from tickertape.tape.chunks import end_of

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command
    from tests.support.target import SimulatedTarget
    from tickertape.analysis.summary import Summary


def captured(target: SimulatedTarget, path: Path, *, cut: int | None = None) -> None:
    """Capture the bytes that a target sent, up to `cut`."""
    capture(MemoryLink([target.sent_bytes()[:cut]]), path, CaptureOptions(handle_signals=False))


def stored(path: Path) -> Summary | None:
    with TapeReader(path) as reader:
        return stored_summary(reader)


def whole(path: Path) -> Summary:
    with TapeReader(path) as reader:
        return summary_of(reader)


@pytest.fixture
def summarised(tmp_path: Path) -> Path:
    path = tmp_path / "t.tape"
    captured(target_with_events(), path)
    assert add_summary(path)
    return path


@settings(max_examples=examples(80))
@given(st.integers(0, 2**32), st.integers(1, 3), st.integers(1, 2))
def test_both_ways_give_the_same(
    tmp_path_factory: pytest.TempPathFactory, seed: int, cpus: int, streams: int
) -> None:
    rng = random.Random(seed)
    target = busy(rng, cpus=cpus, streams=streams)
    path = tmp_path_factory.mktemp("stored") / "t.tape"
    size = len(target.sent_bytes())
    captured(target, path, cut=rng.choice([size, rng.randrange(size + 1)]))
    before = whole(path)
    assert before.balance.total.holds
    assert stored(path) is None
    assert add_summary(path)
    for _ in range(rng.randrange(3)):
        add_note(path, "a remark")
    found, read = stored(path), whole(path)
    assert found is not None
    assert not found.verified
    assert replace(found, verified=True) == read
    assert found.to_json() | {"verified": True} == read.to_json()
    assert replace(read, notes=()) == before
    with TapeReader(path) as reader:
        assert verified_summary(reader) == read


def test_reading_says_how_far_it_is(summarised: Path) -> None:
    seen: list[int] = []
    with TapeReader(summarised) as reader:
        summary_of(reader, seen.append)
        assert seen[-1] == reader.record_count


def test_a_tape_has_one_summary(summarised: Path) -> None:
    size = summarised.stat().st_size
    assert add_summary(summarised)
    assert summarised.stat().st_size == size


def test_a_tape_that_was_not_closed_gets_none(summarised: Path) -> None:
    data = summarised.read_bytes()
    with TapeReader(summarised) as reader:
        end = int(reader.chunks["offset"][reader.chunks["type"] == ChunkType.INDEX][0])
    summarised.write_bytes(data[:end])
    assert not add_summary(summarised)
    assert stored(summarised) is None
    assert summarised.read_bytes() == data[:end]


def test_chunks_that_came_later_are_not_in_it(summarised: Path) -> None:
    with TapeReader(summarised) as reader:
        tape = closed_tape(reader)
    append_chunk(tape, ChunkType.TEXT, b"late")
    assert stored(summarised) is None


def test_another_chunk_in_the_table_is_seen(summarised: Path) -> None:
    """Without the index, a chunk with a damaged header is not in the table of chunks."""
    with TapeReader(summarised) as reader:
        records = reader.chunks[reader.chunks["type"] == ChunkType.RECORDS][0]
    data = bytearray(summarised.read_bytes())
    data[int(records["offset"])] ^= 1
    summarised.write_bytes(data)
    assert stored(summarised) is not None  # the index has it
    summarised.write_bytes(data[:-1])
    assert stored(summarised) is None


@pytest.mark.parametrize(
    "change",
    [
        {"events": "many"},
        {"events": True},
        {"tasks": [1]},
        {"rings": [{}]},
        {"classes": []},
        {"decode": {}},
        {"issues": [0]},
        {"chunks": -1},
    ],
)
def test_nonsense_is_not_believed(summarised: Path, change: dict[str, object]) -> None:
    with TapeReader(summarised) as reader:
        row = int((reader.chunks["type"] == ChunkType.SUMMARY).nonzero()[0][0])
        values = json.loads(reader.body_at(row) or b"")
        tape = closed_tape(reader)
    rows = tape.rows[:row]
    end = int.from_bytes(tape.rows[row][:8], "little")
    append_chunk(replace(tape, rows=rows, end=end), ChunkType.SUMMARY, json.dumps(values).encode())
    assert stored(summarised) is not None
    append_chunk(
        replace(tape, rows=rows, end=end), ChunkType.SUMMARY, json.dumps(values | change).encode()
    )
    assert stored(summarised) is None
    assert whole(summarised).events == values["events"]


def test_bytes_that_went_bad_are_found(
    summarised: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with TapeReader(summarised) as reader:
        records = reader.chunks[reader.chunks["type"] == ChunkType.RECORDS][0]
    data = bytearray(summarised.read_bytes())
    data[end_of(records) - 20] ^= 1
    summarised.write_bytes(data)
    for words in ([], ["--verify"]):
        assert main(["info", str(summarised), "--json", *words]) == 10
        found = json.loads(capsys.readouterr().out)
        assert found["verified"]
        assert not found["complete"]
        assert len(found["issues"]) == 2
        assert "its CRC is wrong" in found["issues"][0]
        assert found["issues"][1] == "the summary that the tape carries is another"


def test_repair_leaves_the_old_summary_out(summarised: Path) -> None:
    before = stored(summarised)
    new = summarised.with_name("new.tape")
    repair(summarised, new)
    assert stored(new) is None
    assert add_summary(new)
    assert stored(new) == before


def test_a_run_carries_its_summary(tickertape: Command, tmp_path: Path) -> None:
    done = tickertape("run", "--target", "native", "-o", "t.tape", "--duration", "0.2")
    assert done.returncode == 0
    found, read = stored(tmp_path / "t.tape"), whole(tmp_path / "t.tape")
    assert found is not None
    assert len(found.tasks) > 3
    shares = [task.cpu_share or 0.0 for task in found.tasks]
    shares += [interrupt.cpu_share or 0.0 for interrupt in found.interrupts]
    rest = (found.kernel_ns + found.unknown_ns) / found.observed_ns
    assert sum(shares) + rest == pytest.approx(1.0)
    assert replace(found, verified=True) == read
