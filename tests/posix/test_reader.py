"""The reader of POSIX Trace (reader_driver.c) with interleaved events."""

from __future__ import annotations

import random
import struct
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.examples import examples
from tests.support.patience import HANG_S
from tests.support.programs import compiled
from tests.support.rings import buffers_of, pieces, simple

if TYPE_CHECKING:
    from tests.support.rings import RingBuffer
    from tests.support.wire_bytes import RawRecord

HERE = Path(__file__).parent
FIRMWARE = HERE.parents[1] / "firmware"
FIRST_USER, OVERFLOW, RESUME = 32, 5, 6
ORIGIN = struct.pack("<II", 7, 0x8000)
SCHED = 9
ASIDE = 16


@pytest.fixture(scope="module")
def reader() -> Path:
    folders = [
        FIRMWARE / "include",
        FIRMWARE / "facades/posix",
        FIRMWARE / "facades/posix/single_process",
    ]
    return compiled(
        [
            *("gcc", "-std=gnu11", "-g", "-O1", "-Wall", "-Wextra", "-Werror"),
            *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
            *(f"-I{folder}" for folder in folders),
            *(str(HERE / "reader/reader_driver.c"), str(FIRMWARE / "facades/posix/reader.c")),
        ]
    )


def read(program: Path, buffers: list[RingBuffer]) -> list[tuple[int, int, bytes]]:
    """Return type, time and data of the events that the reader returns."""
    expected = 0
    given = b""
    for one in buffers:
        head = (len(one.records), one.receipt[0] != expected, one.ticks % 2**32, one.ticks >> 32)
        given += struct.pack("<4I", *head)
        given += b"".join(record.pack("<") for record in one.records)
        expected = one.receipt[0] + len(one.records)
    done = subprocess.run([program], input=given, capture_output=True, timeout=HANG_S, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    rows = [line.split(" ") for line in done.stdout.decode().splitlines()]
    return [(int(kind), int(time), bytes.fromhex(data)) for kind, time, _cut, data in rows]


def numbered(records: list[RawRecord]) -> list[tuple[int, RawRecord]]:
    return list(enumerate(records))


def history(rng: random.Random) -> tuple[list[RawRecord], list[tuple[int, int, bytes]]]:
    """Return records of events interrupted by other events, mostly at one tick, and the truth."""
    now = rng.choice([0, 2**32 - 5, 2**40])
    records: list[RawRecord] = []
    expected: list[tuple[int, int, bytes]] = []
    opened: list[list[RawRecord]] = []
    between = 0
    for number in range(rng.randrange(60)):
        now += rng.choice([0, 0, 0, 1, 2**25])
        between = between + 1 if opened else 0
        action = rng.random()
        if between < ASIDE // 4 and action < 0.2:
            records.append(simple(now))
            expected.append((SCHED, now, struct.pack("<I", 1)))
        elif between < ASIDE // 4 and action < 0.6 and len(opened) < 2:
            data = rng.randbytes(rng.choice([0, 1, 4, 12, 13]))
            key = number if rng.random() < 0.5 else None
            time = now if key is not None else (now := now + 1)
            opened.append(pieces(ORIGIN + data, event=2, time=time, key=key))
            records.append(opened[-1].pop(0))
            expected.append((FIRST_USER + 2, time, data))
        elif opened:
            records += opened.pop(rng.randrange(len(opened)))
    for rest in opened:
        records += rest
    return records, expected


@settings(max_examples=examples(300))
@given(st.integers(0, 2**32))
def test_events_come_whole_and_in_order(reader: Path, seed: int) -> None:
    rng = random.Random(seed)
    records, expected = history(rng)
    buffers = buffers_of(numbered(records), rng.choice([[1, 2, 3], [5, 8], [100]]), rng)
    assert read(reader, buffers) == expected


def test_an_event_waits_over_any_number_of_records_of_its_buffer(reader: Path) -> None:
    begin, *rest = pieces(ORIGIN + b"interrupted", event=2, time=1)
    records = [begin, *[simple(2)] * 200, *rest]
    found = read(reader, buffers_of(numbered(records), [1000], random.Random(0)))
    assert found[0] == (FIRST_USER + 2, 1, b"interrupted")
    assert len(found) == 201


@pytest.mark.parametrize(("between", "is_read"), [(ASIDE, True), (ASIDE + 1, False)])
def test_too_many_records_at_the_end_of_a_buffer_cost_that_event_alone(
    reader: Path, between: int, *, is_read: bool
) -> None:
    begin, *rest = pieces(ORIGIN + b"interrupted", event=2, time=1)
    later = pieces(ORIGIN + b"later", event=2, time=4)
    records = [begin, *[simple(2)] * between, *rest, simple(3), *later]
    found = read(reader, buffers_of(numbered(records), [between + 1], random.Random(0)))
    others = [(SCHED, 2, struct.pack("<I", 1))] * between
    others += [(SCHED, 3, struct.pack("<I", 1)), (FIRST_USER + 2, 4, b"later")]
    lost = [(OVERFLOW, 1, b""), (RESUME, 2, b"")]
    if is_read:
        assert found == [(FIRST_USER + 2, 1, b"interrupted"), *others]
    else:
        assert found == [*others[:ASIDE], *lost, *others[ASIDE:]]


def test_what_was_set_aside_before_a_gap_is_read_before_it(reader: Path) -> None:
    begin, *rest = pieces(ORIGIN + b"cut by a gap", event=2, time=1)
    records = [*numbered([begin, simple(2), simple(3)]), *enumerate([*rest, simple(9)], 50)]
    found = read(reader, buffers_of(records, [1000], random.Random(0)))
    assert [kind for kind, _, _ in found] == [SCHED, SCHED, OVERFLOW, RESUME, SCHED]
    assert [time for kind, time, _ in found if kind == SCHED] == [2, 3, 9]
