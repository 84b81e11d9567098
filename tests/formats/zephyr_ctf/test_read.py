"""Import of Zephyr's CTF streams: the events, and the place where reading ends."""

from __future__ import annotations

import random
import shutil
import struct
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.examples import examples
from tickertape.analysis.balance import balance_of
from tickertape.errors import ForeignFile
from tickertape.formats.zephyr_ctf.events import ZEPHYR_CLASS
from tickertape.formats.zephyr_ctf.read import import_zephyr_ctf
from tickertape.formats.zephyr_ctf.tsdl import parse_metadata
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from tests.support.command import Command
    from tickertape.decode.events import Event

METADATA = Path(__file__).parents[2] / "data/zephyr/metadata"
OUT, IN, PRIORITY, CREATE, ABORT, READY, PENDING = 0x10, 0x11, 0x12, 0x13, 0x14, 0x17, 0x18
ISR_ENTER, ISR_EXIT, IDLE = 0x1B, 0x1C, 0x1E
LOCK_ENTER, LOCK_BLOCKING, LOCK_EXIT, UNLOCK_ENTER, UNLOCK_EXIT = range(0x29, 0x2E)
TIMER_START = 0x2F
NONE = 0x20000478
THREADS = {0x20000330: b"low", 0x20000258: b"high", NONE: b"idle"}
LOW, HIGH, _ = THREADS
MUTEX = 0x2000011C


class Stream:
    """Writes events as Zephyr does: time stamp, number and fields, without padding."""

    def __init__(self, now: int = 0) -> None:
        self.now, self.data = now, b""

    def event(self, number: int, fields: bytes = b"", *, after: int = 1000) -> None:
        self.now += after
        self.data += struct.pack("<IB", self.now % 2**32, number) + fields

    def thread(self, number: int, tid: int, more: bytes = b"", *, after: int = 1000) -> None:
        self.event(number, struct.pack("<I20s", tid, THREADS[tid]) + more, after=after)

    def words(self, number: int, *words: int) -> None:
        self.event(number, struct.pack(f"<{len(words)}I", *(word % 2**32 for word in words)))


def inversion() -> Stream:
    """Return a stream in which `high` waits for a mutex that `low` owns."""
    s = Stream()
    s.thread(CREATE, LOW)
    s.thread(CREATE, HIGH)
    s.thread(IN, LOW)
    s.words(LOCK_ENTER, MUTEX, 2**32 - 1)
    s.words(LOCK_EXIT, MUTEX, 2**32 - 1, 0)
    s.event(ISR_ENTER)
    s.thread(READY, HIGH)
    s.event(ISR_EXIT)
    s.thread(OUT, LOW)
    s.thread(IN, HIGH)
    s.words(LOCK_ENTER, MUTEX, 2**32 - 1)
    s.words(LOCK_BLOCKING, MUTEX, 2**32 - 1)
    s.thread(PRIORITY, LOW, b"\xfe")
    s.words(LOCK_BLOCKING, MUTEX, 2**32 - 1)
    s.thread(PENDING, HIGH)
    s.thread(OUT, HIGH)
    s.thread(IN, LOW)
    s.words(UNLOCK_ENTER, MUTEX)
    s.words(UNLOCK_EXIT, MUTEX)
    s.words(TIMER_START, 0x20000200, 10, 20)
    s.thread(OUT, LOW)
    s.thread(IN, NONE)
    s.event(IDLE)
    return s


def imported(data: bytes, folder: Path) -> list[Event]:
    (folder / "channel0_0").write_bytes(data)
    import_zephyr_ctf(folder / "channel0_0", folder / "t.tape", metadata=METADATA)
    with TapeReader(folder / "t.tape") as reader:
        return [event for part in iter_events(reader) for event in part.events()]


def test_what_becomes_what(tmp_path: Path) -> None:
    events = imported(inversion().data, tmp_path)
    assert [(one.time_ticks // 1000, one.name, one.text or one.words) for one in events] == [
        (1, "THREAD.NAME", "low"),
        (1, "THREAD.CREATE", (0, LOW)),
        (2, "THREAD.NAME", "high"),
        (2, "THREAD.CREATE", (0, HIGH)),
        (3, "THREAD.RUNNING", (0, LOW)),
        (4, "KERCALL.SYNC_MUTEX_LOCK_ENTER", (MUTEX, 2**32 - 1)),
        (5, "SYNC.MUTEX_LOCK_GRANTED", (MUTEX, LOW)),
        (5, "KERCALL.SYNC_MUTEX_LOCK_EXIT", (0, MUTEX)),
        (6, "INT.ENTRY", (0, 0)),
        (7, "THREAD.READY", (0, HIGH)),
        (8, "INT.EXIT", (0, 0)),
        (10, "SCHED.CONTEXT_SWITCH", (LOW, HIGH)),
        (11, "KERCALL.SYNC_MUTEX_LOCK_ENTER", (MUTEX, 2**32 - 1)),
        (12, "APP16.EVENT_42", (MUTEX, 2**32 - 1)),
        (13, "SYNC.MUTEX_INHERIT", (LOW, 127 + 2)),
        (14, "APP16.EVENT_42", (MUTEX, 2**32 - 1)),
        (15, "THREAD.MUTEX", (0, HIGH)),
        (17, "SCHED.CONTEXT_SWITCH", (HIGH, LOW)),
        (18, "KERCALL.SYNC_MUTEX_UNLOCK_ENTER", (MUTEX, 0)),
        (19, "SYNC.MUTEX_UNLOCK", (MUTEX, LOW)),
        (19, "KERCALL.SYNC_MUTEX_UNLOCK_EXIT", (0, MUTEX)),
        (20, "APP16.EVENT_47", (0x20000200, 10, 20)),
        # Our idle thread has number 0; Zephyr's has an address and a name.
        (22, "THREAD.NAME", "idle"),
        (22, "SCHED.CONTEXT_SWITCH", (LOW, 0)),
        (23, "APP16.EVENT_30", (0, 0)),
    ]


def test_babeltrace2_reads_the_fixture_as_we_do(tmp_path: Path) -> None:
    (tmp_path / "trace").mkdir()
    shutil.copy(METADATA, tmp_path / "trace/metadata")
    (tmp_path / "trace/channel0_0").write_bytes(inversion().data)
    line = ["babeltrace2", str(tmp_path / "trace")]
    lines = subprocess.run(line, check=True, capture_output=True, text=True).stdout.splitlines()
    report = import_zephyr_ctf(
        tmp_path / "trace/channel0_0", tmp_path / "t.tape", metadata=METADATA
    )
    assert len(lines) == report.counts["events"] == 23


def test_an_unknown_event_is_reported_where_it_stands(
    tickertape_inside: Command, tmp_path: Path
) -> None:
    good = inversion().data
    (tmp_path / "trace").mkdir()
    shutil.copy(METADATA, tmp_path / "trace/metadata")
    strange = struct.pack("<IB", 24000, 0xF7) + b"who knows how long this is" + good
    (tmp_path / "trace/channel0_0").write_bytes(good + strange)
    done = tickertape_inside("import", "zephyr-ctf", "trace", "-o", "t.tape")
    assert done.returncode == 0
    unknown, skipped, *_ = done.stderr.splitlines()
    assert f"at byte {len(good)} is an event of number 0xf7" in unknown
    assert f"{len(strange) - len(good)} bytes at 1 places" in skipped
    assert f"first at byte {len(good)}; what they were is lost" in skipped
    assert done.stdout == "t.tape: 46 events; 8 of them kept as they are\n"
    info = " ".join(tickertape_inside("info", "t.tape").stdout.split())
    assert "The number of records lost is unknown at 1 place." in info
    assert f"at byte {len(good)} is an event of number 247" in info
    with TapeReader(tmp_path / "t.tape") as reader:
        balance = balance_of(reader)
        count = sum(len(part) for part in iter_events(reader))
    assert balance.total.holds
    assert balance.unknown_losses == 1
    assert not balance.final
    assert count == 25 + 22


def test_a_cut_end_and_other_files(tickertape_inside: Command, tmp_path: Path) -> None:
    good = inversion().data
    (tmp_path / "channel0_0").write_bytes(good[:-3])
    words = ("import", "zephyr-ctf", "channel0_0", "-o", "t.tape", "--metadata")
    done = tickertape_inside(*words, METADATA)
    assert done.returncode == 0
    assert "ends within an event, its last 2 bytes are left out" in done.stderr
    (tmp_path / "nothing").mkdir()
    (tmp_path / "other").write_text("not metadata")
    (tmp_path / "more").write_text(METADATA.read_text() + "variant { };")
    (tmp_path / "zeros").write_bytes(bytes(100))
    for source, metadata, code, part in (
        ("channel0_0", "none", 4, "there is no file none; "),
        ("channel0_0", "other", 4, "other is not metadata of CTF 1.8; "),
        ("channel0_0", "more", 4, "more contains 'variant', which is not supported; "),
        ("none", METADATA, 4, "there is no file none; "),
        ("nothing", METADATA, 2, "nothing holds no stream; "),
        ("zeros", METADATA, 4, "with an event of this metadata: it looks like a file of zeros; "),
    ):
        line = ("import", "zephyr-ctf", source, "-o", "u.tape", "--metadata", metadata)
        done = tickertape_inside(*line)
        assert (done.returncode, done.stdout) == (code, "")
        assert part in done.stderr
        assert done.stderr.count("\n") == 1
        assert not (tmp_path / "u.tape").exists()


@pytest.mark.parametrize(
    "strange",
    [
        "typealias integer { size = 12; align = 8; signed = false; } := uint12_t;",
        "typealias integer { size = 32; align = 32; signed = false; } := aligned_t;",
        "event { name = x; id = 1; fields := struct { float f; }; };",
        "event { name = x; id = one; fields := struct { uint8_t f; }; };",
        "trace { packet.header := struct { uint32_t magic; }; };",
        "stream { packet.context := struct event_header; };",
        "event { name = x;",
    ],
)
def test_metadata_that_are_not_understood_are_refused(strange: str) -> None:
    with pytest.raises(ForeignFile):
        parse_metadata(METADATA.read_text() + strange, "metadata")


@settings(max_examples=examples(60))
@given(st.integers(0, 2**40))
def test_every_event_and_every_time_comes_out(
    tmp_path_factory: pytest.TempPathFactory, seed: int
) -> None:
    """32-bit times wrap; events with unknown numbers keep their bytes."""
    rng = random.Random(seed)
    stream, expected = Stream(rng.randrange(2**32)), []
    for _ in range(rng.randrange(1, 300)):
        words = [rng.randrange(2**32) for _ in range(3)]
        after = rng.choice([0, 5, 10**6, 2**31 - 1])
        stream.event(TIMER_START, struct.pack("<3I", *words), after=after)
        expected.append((stream.now, tuple(words)))
    folder = tmp_path_factory.mktemp("zephyr")
    events = imported(stream.data, folder)
    base = expected[0][0] - expected[0][0] % 2**32
    assert [(one.time_ticks + base, one.words) for one in events] == expected
    assert {one.cls for one in events} == {ZEPHYR_CLASS}
