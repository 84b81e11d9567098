"""Import of QNX trace files: both byte orders, complete and damaged files."""

from __future__ import annotations

import io
import tracemalloc
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.kev_bytes import BEGIN, CONTINUE, END, Kev, header
from tickertape.analysis.balance import balance_of
from tickertape.analysis.summary import summary_of
from tickertape.decode.events import DecodeCounters, Event, Gap
from tickertape.errors import ForeignFile, TapeMissing
from tickertape.formats.kev.read import import_kev
from tickertape.protocol.wire import ByteOrder
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tickertape.formats.report import Report

TIME, BUFFER = (1, 1), (1, 2)
G = 1 << 32


class Imported:
    """An imported file, read from its tape."""

    def __init__(self, data: bytes, folder: Path) -> None:
        (folder / "t.kev").write_bytes(data)
        self.report: Report = import_kev(folder / "t.kev", folder / "t.tape")
        self.counters = DecodeCounters()
        with TapeReader(folder / "t.tape") as reader:
            self.meta, self.hello, self.notes = reader.meta, reader.hello, reader.notes
            self.events: list[Event] = []
            self.gaps: list[Gap] = []
            for part in iter_events(reader, counters=self.counters):
                self.events += part.events()
                self.gaps += part.gaps
            self.balance = balance_of(reader)
            self.summary = summary_of(reader)
            self.issues = list(reader.issues)

    def of(self, *kinds: tuple[int, int]) -> list[Event]:
        """Return the events of these types; without types, all except CONTROL events."""
        if kinds:
            return [event for event in self.events if (event.cls, event.event) in kinds]
        return [event for event in self.events if event.cls != 1]


def begun(order: str = "<", at: int = 5 * G + 1000) -> Kev:
    """Return a file that begins as the kernel's do: BUFFER, then TIME."""
    kev = Kev(order)
    kev.buffer(1, at)
    kev.time(at + 1)
    return kev


@pytest.mark.parametrize("order", ["<", ">"])
def test_events_keep_numbers_words_and_64_bit_time(tmp_path: Path, order: str) -> None:
    kev = begun(order)
    kev.head = header(order=order, syspage=b"TRACE_ is allowed here\0" + bytes(99))
    kev.simple(5 * G + 2000, 7, 3, 0x40000003, 364659)
    kev.combine(5 * G + 2001, 2, 12, kev.words(1, 2, 3) + b"hello, world")
    kev.combine(5 * G + 2002, 4, 320, kev.words(7, 2) + b"devb-eide\0")
    kev.simple(5 * G + 2003, 9, 1000, -1, 2)
    found = Imported(kev.bytes(), tmp_path)
    assert found.report.counts == Counter(records=2 + 2 + 3 + 3, cpus=1)
    message, call, name, unknown = found.of()
    assert (message.time_ticks, message.words) == (5 * G + 2000, (0x40000003, 364659))
    assert call.words[:3] == (1, 2, 3)
    assert call.payload is not None
    assert call.payload[12:] == b"hello, world"
    assert (name.text, name.words[:2], name.time_ticks) == ("devb-eide", (7, 2), 5 * G + 2002)
    assert (unknown.name, unknown.words) == ("SCHED.EVENT_1000", (G - 1, 2))
    assert found.hello is not None
    assert found.hello.byte_order == (ByteOrder.LITTLE if order == "<" else ByteOrder.BIG)
    assert (found.hello.tick_hz, found.hello.cpu_count) == (1_000_000_000, 2)
    assert found.hello.target == "QNX 6.5.0 localhost"
    assert (found.counters.lost_records, found.issues) == (0, [])
    assert not found.summary.complete  # the time after the last record is unknown


@pytest.mark.parametrize("length", range(9, 41))
def test_strings_end_at_their_mark(tmp_path: Path, length: int) -> None:
    text = b"x" * (length - 9)
    kev = begun()
    kev.combine(5 * G + 2000, 4, 320, kev.words(7, 2) + text + b"\0")
    kev.combine(5 * G + 2001, 4, 192, kev.words(7, 2) + text + b"\0" + b"left over" * 3)
    found = Imported(kev.bytes(), tmp_path).of()
    assert [event.payload for event in found] == [kev.words(7, 2) + text] * 2


def test_interlaced_parts_come_together(tmp_path: Path) -> None:
    """Records of other CPUs, or of another event at the same CPU and time, lie in between."""
    kev = begun()
    one = kev.parts(5 * G + 2000, 6, 1, bytes(range(40)))
    two = kev.parts(5 * G + 2000, 6, 2, bytes(range(40, 80)))
    other = kev.parts(5 * G + 2000, 6, 1, bytes(range(80, 120)), cpu=1)
    for trio in zip(one, two, other, strict=True):
        kev.records += trio
    found = Imported(kev.bytes(), tmp_path)
    assert {(event.cpu, event.event, event.payload) for event in found.of()} == {
        (0, 1, bytes(range(40))),
        (0, 2, bytes(range(40, 80))),
        (1, 1, bytes(range(80, 120))),
    }
    assert found.counters.lost_records == 0


def test_parts_that_lack_others_are_kept_raw_and_counted(tmp_path: Path) -> None:
    kev = begun()
    kev.record(BEGIN << 30 | 6 << 10 | 1, 2000, 1, 2)
    kev.record(CONTINUE << 30 | 6 << 10 | 2, 2001, 3, 4)
    kev.record(END << 30 | 6 << 10 | 3, 2002, 5, 6)
    kev.simple(5 * G + 2003, 6, 4)
    found = Imported(kev.bytes(), tmp_path)
    assert [event.event for event in found.of()] == [4]
    counters = found.counters
    assert (counters.incomplete_events, counters.orphan_records, counters.lost_records) == (1, 2, 3)
    assert found.balance.total.delivered == found.report.counts["records"] == 6


def test_time_wraps_with_and_without_being_told(tmp_path: Path) -> None:
    kev = begun(at=6 * G - 5000)
    kev.simple(6 * G - 10, 6, 1)
    kev.simple(6 * G + 10, 6, 2)  # without a TIME record
    kev.simple(6 * G - 5, 6, 3)  # overtaken by the previous record
    kev.time(7 * G + 20)
    kev.simple(7 * G + 20, 6, 4)  # stamped before the TIME that it caused
    found = Imported(kev.bytes(), tmp_path)
    times = {event.event: event.time_ticks for event in found.of()}
    assert times == {1: 6 * G - 10, 2: 6 * G + 10, 3: 6 * G - 5, 4: 7 * G + 20}


def test_every_cpu_has_its_own_time(tmp_path: Path) -> None:
    kev = begun(at=9 * G - 20)
    kev.simple(9 * G - 10, 6, 1)
    kev.time(9 * G + 1)
    kev.simple(9 * G + 1, 6, 2)
    kev.time(9 * G - 5, cpu=1)
    kev.simple(9 * G - 5, 6, 3, cpu=1)
    kev.simple(9 * G + 4, 6, 4, cpu=3)  # without TIME: near the times of other CPUs
    times = {event.event: event.time_ticks for event in Imported(kev.bytes(), tmp_path).of()}
    assert times == {1: 9 * G - 10, 2: 9 * G + 1, 3: 9 * G - 5, 4: 9 * G + 4}


def test_without_any_time_the_low_words_are_all_there_is(tmp_path: Path) -> None:
    kev = Kev()
    kev.simple(17, 6, 1)
    assert [event.time_ticks for event in Imported(kev.bytes(), tmp_path).of()] == [17]


def lossy() -> Kev:
    """Return a file with buffers 1, 2 and 5, where records of both CPUs are missing."""
    kev = begun()
    kev.simple(5 * G + 2000, 6, 1)
    kev.simple(5 * G + 2001, 6, 2, cpu=1)
    kev.buffer(2, 5 * G + 2002)
    kev.time(5 * G + 2003)
    kev.simple(5 * G + 2003, 6, 3)
    kev.record(BEGIN << 30 | 6 << 10 | 9, 2004, 1, 2)
    kev.buffer(5, 8 * G + 1)  # its own time stamp is three periods later
    kev.record(END << 30 | 6 << 10 | 9, 2004, 3, 4)
    kev.time(8 * G + 2)
    kev.simple(8 * G + 2, 6, 4)
    kev.time(8 * G + 3, cpu=1)
    kev.simple(8 * G + 3, 6, 5, cpu=1)
    return kev


def test_a_gap_in_the_buffers_is_a_loss_of_unknown_size(tmp_path: Path) -> None:
    found = Imported(lossy().bytes(), tmp_path)
    assert found.report.counts["losses"] == 1
    assert [(gap.cpu, gap.lost, gap.unknown) for gap in found.gaps] == [(0, 0, True), (1, 0, True)]
    assert found.balance.unknown_losses == found.summary.to_json()["unknown_losses"] == 2
    # No record is invented: the balance counts the existing records only.
    total = found.balance.total
    assert (total.offered, total.delivered) == (
        found.report.counts["records"],
        found.report.counts["records"],
    )
    assert not found.balance.contradictions
    assert "not how many records" in found.notes[0]
    # An event does not continue after a loss, and a TIME applies to the records before it, too.
    assert (found.counters.incomplete_events, found.counters.orphan_records) == (1, 1)
    assert [event.time_ticks for event in found.of(BUFFER)][-1] == 8 * G + 1


@pytest.mark.parametrize(
    ("numbers", "losses"),
    [
        ([1, 2, 3], 0),
        ([7, 8], 0),  # a file may begin with any number
        ([0x7FF, 0x800, 0x801], 0),
        ([0x7FF, 0], 0),  # the number has eleven bits
        ([1, 1], 1),
        ([1, 3, 4, 9], 2),
        ([5, 4], 1),
    ],
)
def test_eleven_bits_of_the_number_count(tmp_path: Path, numbers: list[int], losses: int) -> None:
    kev = Kev()
    for time, number in enumerate(numbers):
        kev.buffer(number, 1000 + time)
        kev.simple(1000 + time, 6, 1)
    found = Imported(kev.bytes(), tmp_path)
    shown = [gap for gap in found.gaps if not gap.echo]  # the gap of one of the ring's CPUs
    assert (found.report.counts["losses"], len(shown)) == (losses, losses)


def test_header_and_system_page_are_kept(tmp_path: Path) -> None:
    data = header(syspage=bytes(range(256)), DATE="again", TRACELOGGER_ARGS="-A x=y")
    kept = Imported(data, tmp_path).meta["kev"]
    assert isinstance(kept, dict)
    assert kept["header"]["MACHINE"] == "x86pc"
    assert kept["header"]["DATE"] == "again"
    assert len(kept["syspage"]) == 344


@pytest.mark.parametrize("rate", ["0", "many", "4294967296", "-1", None])
def test_an_impossible_clock_rate_is_said(tmp_path: Path, rate: str | None) -> None:
    found = Imported(header(CYCLES_PER_SEC=rate), tmp_path)
    assert found.report.counts["rate_unknown"]
    assert found.hello is not None
    assert found.hello.tick_hz == 1_000_000_000


@pytest.mark.parametrize(
    ("data", "part"),
    [
        (b"", "is not a kernel trace of QNX"),
        (b"TRACE_HEADER_BEGI", "is not a kernel trace of QNX"),
        (b"\x89TAPE\r\n\x1a", "is not a kernel trace of QNX"),
        (header()[:300], "ends within its header"),
        (b"TRACE_HEADER_BEGIN::" + b"x" * 100_000, "ends within its header"),
        (header(SYSPAGE_LEN="40") + bytes(39), "ends within its system page"),
        (header(SYSPAGE_LEN="9" * 30), "the length of its system page"),
        (header(SYSPAGE_LEN=None), "the length of its system page"),
        (header(LITTLE_ENDIAN=None), "byte order"),
        (header(BIG_ENDIAN="TRUE"), "byte order"),
        (header(MIDDLE_ENDIAN="TRUE"), "byte order"),
        (header(ENCODING="24 byte events"), "24 byte events"),
    ],
)
def test_what_is_no_such_file_leaves_no_tape(tmp_path: Path, data: bytes, part: str) -> None:
    with pytest.raises(ForeignFile, match=part):
        Imported(data, tmp_path)
    assert not (tmp_path / "t.tape").exists()


def test_missing_files(tmp_path: Path) -> None:
    with pytest.raises(TapeMissing, match="there is no"):
        import_kev(tmp_path / "none.kev", tmp_path / "t.tape")
    with pytest.raises(TapeMissing, match="is a folder; give the name of a file"):
        import_kev(tmp_path, tmp_path / "t.tape")


@pytest.mark.parametrize("cut", range(16))
def test_a_cut_record_is_left_out_and_said(tmp_path: Path, cut: int) -> None:
    kev = begun()
    for number in range(5):
        kev.simple(5 * G + 2000 + number, 6, number)
    data = kev.bytes()
    found = Imported(data[: len(data) - cut], tmp_path)
    assert found.report.counts["rest_bytes"] == -cut % 16
    assert [event.event for event in found.of()] == list(range(5 if cut == 0 else 4))
    assert bool(found.notes) == bool(cut)


WHOLE = lossy().bytes()
START = len(header())


def damage(data: bytes, changes: Sequence[tuple[int, int]], size: int) -> bytes:
    found = bytearray(data)
    for place, value in changes:
        found[place % len(found)] = value
    return bytes(found[:size])


@given(
    st.lists(st.tuples(st.integers(0, len(WHOLE) - 1), st.integers(0, 255)), max_size=12),
    st.integers(0, len(WHOLE)),
)
def test_damage_is_met_with_one_line_or_read(
    tmp_path: Path, changes: list[tuple[int, int]], size: int
) -> None:
    try:
        found = Imported(damage(WHOLE, changes, size), tmp_path)
    except ForeignFile:
        return
    # Every record is on the tape; the decoder counts its fate.
    assert found.balance.total.delivered >= found.report.counts["records"]
    assert not found.balance.contradictions


@given(st.binary(max_size=800), st.sampled_from("<>"))
def test_noise_for_records_is_kept(tmp_path: Path, noise: bytes, order: str) -> None:
    found = Imported(header(order=order) + noise, tmp_path)
    assert found.report.counts["records"] == len(noise) // 16
    assert found.report.counts["rest_bytes"] == len(noise) % 16
    assert not found.balance.contradictions
    assert not found.issues


def test_a_file_of_any_size_takes_the_same_memory(tmp_path: Path) -> None:
    kev = begun()
    for number in range(500):
        kev.combine(5 * G + 2000 + 2 * number, 2, 12, kev.words(1, 2, 3, 4), cpu=number % 4)
        kev.simple(5 * G + 2001 + 2 * number, 6, 1, cpu=number % 4)
    body = io.BytesIO()
    for _ in range(700):
        body.write(b"".join(kev.records))
    (tmp_path / "big.kev").write_bytes(header() + body.getvalue())
    del body
    peaks = []
    for share in (4, 1):
        data = (tmp_path / "big.kev").read_bytes()
        (tmp_path / "t.kev").write_bytes(data[: len(data) // share])
        del data
        tracemalloc.start()
        import_kev(tmp_path / "t.kev", tmp_path / "t.tape")
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.25 * peaks[0] < 60 << 20
