from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest

from tests.support.tapes import busy, compare, file_size_limit, fill, write
from tickertape.analysis.balance import balance_of
from tickertape.edit.note import add_note
from tickertape.edit.repair import repair
from tickertape.errors import NotATape, TapeDamaged, TapeEmpty, TapeMissing, TapeWriteFailed
from tickertape.protocol.wire import ByteOrder
from tickertape.tape import TapeReader, TapeWriter

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command


@pytest.fixture
def path(tmp_path: Path) -> Path:
    with TapeWriter(tmp_path / "t.tape") as writer:
        fill(writer)
    return tmp_path / "t.tape"


def test_a_sound_tape_stays_the_same(path: Path) -> None:
    before = path.read_bytes()
    done = repair(path)
    assert done.left_out == ()
    assert path.read_bytes() == before
    assert [one.name for one in path.parent.iterdir()] == ["t.tape"]


def all_records(reader: TapeReader) -> list[object]:
    """Return all records in file order."""
    return [record for chunk in reader.records_chunks() for record in chunk.records.tolist()]


def test_whatever_happened_to_a_tape_repair_keeps_what_is_whole(tmp_path: Path) -> None:
    for seed in range(150):
        rng = random.Random(seed)
        path, out = tmp_path / "t.tape", tmp_path / "out.tape"
        write(busy(rng, cpus=2, streams=1), path, rng)
        data = bytearray(path.read_bytes())
        for _ in range(rng.randrange(4)):
            data[rng.randrange(64, len(data))] ^= 1 << rng.randrange(8)
        zeros = bytes(rng.choice([0, 0, 7, 32, 5000]))
        path.write_bytes(data[: rng.randrange(64, len(data) + 1)] + zeros)
        with TapeReader(path) as reader:
            records = all_records(reader)
            balance = balance_of(reader).total
            issues = len(reader.issues)
        done = repair(path, out)
        assert len(done.left_out) <= issues
        compare(out)
        with TapeReader(out) as whole:
            assert whole.closed
            assert all_records(whole) == records
            assert balance_of(whole).total == balance
            assert [one for one in whole.issues if "no HELLO" not in one.what] == []


def test_zeros_at_the_end_are_said_to_be_a_power_failure(path: Path) -> None:
    data = path.read_bytes()
    path.write_bytes(data[:-100] + bytes(3 << 20))
    with TapeReader(path) as reader:
        assert any("zeros: power or disk failed" in issue.what for issue in reader.issues)
    (first, *_) = repair(path).left_out
    assert "zeros" in first.what or "CRC" in first.what
    with TapeReader(path) as reader:
        assert reader.closed
        assert reader.record_count == 9


def test_a_file_of_zeros_is_said_to_be_one(path: Path) -> None:
    path.write_bytes(bytes(5000))
    with pytest.raises(TapeDamaged, match="zeros"):
        TapeReader(path)


def test_a_damaged_header_is_made_anew(tmp_path: Path, path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[20] ^= 1
    path.write_bytes(data)
    done = repair(path, tmp_path / "out.tape")
    assert [issue.what[:10] for issue in done.left_out] == ["the header"]
    with TapeReader(tmp_path / "out.tape") as reader:
        assert reader.header.byte_order is ByteOrder.LITTLE
        assert reader.record_count == 9


@pytest.mark.parametrize(
    ("content", "error"),
    [
        (None, TapeMissing),
        (b"", TapeEmpty),
        (b"no tape " * 20, NotATape),
        (bytes.fromhex("895441504500") + bytes(99), NotATape),
    ],
)
def test_what_cannot_be_repaired_is_said(
    tmp_path: Path, content: bytes | None, error: type[Exception]
) -> None:
    if content is not None:
        (tmp_path / "t.tape").write_bytes(content)
    with pytest.raises(error):
        repair(tmp_path / "t.tape")


def test_where_nothing_can_be_written_the_damaged_tape_stays(path: Path, tmp_path: Path) -> None:
    with pytest.raises(TapeWriteFailed):
        repair(path, tmp_path / "nowhere" / "t.tape")
    before = path.read_bytes()
    with pytest.raises(TapeWriteFailed):
        repair(path, "/dev/full")
    assert path.read_bytes() == before


def test_a_disk_that_fills_up_is_said_of_the_name_that_was_given(
    path: Path, tmp_path: Path
) -> None:
    before = sorted(tmp_path.iterdir())
    output = tmp_path / "repaired.tape"
    with file_size_limit(600), pytest.raises(TapeWriteFailed) as failed:
        repair(path, output)
    assert str(failed.value) == f"{output} cannot be written (File too large); choose another disk"
    assert sorted(tmp_path.iterdir()) == before


def test_a_note_changes_nothing_that_was_there(path: Path) -> None:
    before = path.read_bytes()
    add_note(path, "the motor stalled at 3 s")
    add_note(path, "zwölf Boxkämpfer")
    after = path.read_bytes()
    assert after.startswith(before)
    compare(path)
    with TapeReader(path) as reader:
        assert reader.closed
        assert reader.notes == ["a remark", "the motor stalled at 3 s", "zwölf Boxkämpfer"]
        assert reader.record_count == 9
        assert reader.issues == []


def test_a_note_that_was_interrupted_leaves_the_tape_closed(path: Path) -> None:
    before = len(path.read_bytes())
    add_note(path, "a longer remark that may be cut anywhere")
    after = path.read_bytes()
    for size in range(before, len(after)):
        path.write_bytes(after[:size])
        compare(path)
        with TapeReader(path) as reader:
            assert reader.closed
            assert reader.record_count == 9
    add_note(path, "again")
    with TapeReader(path) as reader:
        assert reader.notes[-1] == "again"
        assert reader.issues == []
    repair(path)  # an intact tape stays as it is
    with TapeReader(path) as reader:
        assert reader.chunks["type"].tolist().count(11) > 1
    repair(path, path.with_name("copy.tape"))
    with TapeReader(path.with_name("copy.tape")) as reader:
        assert reader.notes[-1] == "again"
        assert reader.chunks["type"].tolist().count(11) == 1


def test_commands(tickertape_inside: Command, path: Path) -> None:
    assert tickertape_inside("note", path, "seen on Friday").returncode == 0
    assert "note: seen on Friday" in tickertape_inside("info", path).stdout
    assert tickertape_inside("note", path, " ").returncode == 2
    path.write_bytes(path.read_bytes()[:900])
    assert "repair" in tickertape_inside("note", path, "too early").stderr
    done = tickertape_inside("repair", path)
    assert done.returncode == 0
    assert done.stderr == f"tickertape: the older {path} is now {path}.orig\n"
    assert "! at byte" in done.stdout
    assert "chunks with" in done.stdout
    assert tickertape_inside("note", path, "whole again").returncode == 0
    assert tickertape_inside("repair", path, "-q", "-o", "out.tape").stdout == ""
