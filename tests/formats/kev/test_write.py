"""Tape to `.kev` and back: equal events, also for a simple reader of the file."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.kev_bytes import BEGIN, END, SIMPLE, Kev, header, read, times_64
from tests.support.wire_bytes import RawRecord, buffer_body, combine_words, hello_body
from tickertape.analysis.balance import balance_of
from tickertape.errors import TapeWriteFailed, UsageError
from tickertape.formats.kev.read import import_kev
from tickertape.formats.kev.write import export_kev
from tickertape.formats.source import Source
from tickertape.tape import TapeReader, TapeWriter, iter_events
from tickertape.version import __version__

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from tickertape.decode.events import Event
    from tickertape.formats.report import Report

    Content = tuple[int, int] | bytes
    Row = tuple[int, tuple[int, int], Content, int, int]

G = 1 << 32
EVENT = st.tuples(
    st.integers(0, 3),  # CPU
    st.sampled_from([(6, 3), (9, 0), (4, 320), (5, 8), (20, 77), (1, 1), (1, 2), (2, 80)]),
    st.tuples(st.integers(0, G - 1), st.integers(0, G - 1)) | st.binary(max_size=70),
    st.sampled_from([0, 1, 100, 5000, 1 << 31, (1 << 32) - 1]),  # ticks since the previous event
    st.integers(0, 255),  # flags
)


def write(path: Path, rows: Sequence[Row], order: str) -> None:
    """Write a tape with one buffer per event."""
    ordinals = dict.fromkeys(range(4), 0)
    time = 7 * G - 100
    with TapeWriter(path) as writer:
        writer.hello(hello_body(cpus=4, byte_order=order, dictionary=77, tick_hz=1000))
        for cpu, (cls, event), content, step, flags in rows:
            time += step
            if (cls, event) == (1, 1):
                content = (time >> 32, time % G)  # noqa: PLW2901 - as our recorder writes it
            pairs = combine_words(content, order) if isinstance(content, bytes) else [content]
            kinds = [0] if len(pairs) == 1 else [1, *[2] * (len(pairs) - 2), 3]
            data = b"".join(
                RawRecord(kind, cpu, cls, event, time, pair[0], pair[1], flags).pack(order)
                for kind, pair in zip(kinds, pairs, strict=True)
            )
            first = ordinals[cpu]
            ordinals[cpu] += len(pairs)
            writer.buffer(0, cpu, buffer_body((first, 0, first), time, 0, data))


def events(path: Path) -> list[Event]:
    """Return all events without ordinals, because record counts differ between the formats."""
    with TapeReader(path) as reader:
        found = [event for part in iter_events(reader) for event in part.events()]
    return [replace(event, ordinal=0) for event in found]


def export(
    tape: Path, path: Path, *, epoch: int | None = None, stream: int | None = None
) -> Report:
    with TapeReader(tape) as reader:
        return export_kev(Source(reader), path, boot=epoch, stream=stream)


@given(st.lists(EVENT, max_size=40), st.sampled_from("<>"))
def test_there_and_back_events_are_equal(tmp_path: Path, rows: list[Row], order: str) -> None:
    write(tmp_path / "a.tape", rows, order)
    report = export(tmp_path / "a.tape", tmp_path / "a.kev")
    import_kev(tmp_path / "a.kev", tmp_path / "b.tape")
    before, after = events(tmp_path / "a.tape"), events(tmp_path / "b.tape")
    assert report.counts["events"] == len(rows) == len(before)
    assert before == after
    # A QNX tool reads the same events with the same times.
    _, records = read((tmp_path / "a.kev").read_bytes())
    heads = [
        (time, record.cpu, record.cls, record.event)
        for record, time in zip(records, times_64(records), strict=True)
        if record.kind in {SIMPLE, BEGIN} and record.cls != 1
    ]
    assert heads == [(e.time_ticks, e.cpu, e.cls, e.event) for e in before if e.cls != 1]


def test_hello_survives(tmp_path: Path) -> None:
    with TapeWriter(tmp_path / "a.tape") as writer:
        writer.hello(hello_body(dictionary=77, tick_hz=123, build_id=bytes(range(20))))
    export(tmp_path / "a.tape", tmp_path / "a.kev")
    import_kev(tmp_path / "a.kev", tmp_path / "b.tape")
    with TapeReader(tmp_path / "a.tape") as one, TapeReader(tmp_path / "b.tape") as two:
        assert one.hello is not None
        assert two.hello is not None
        for name in ("tick_hz", "cpu_count", "dictionary", "build_id", "target", "byte_order"):
            assert getattr(one.hello, name) == getattr(two.hello, name), name


def test_buffers_are_numbered_and_counted(tmp_path: Path) -> None:
    rows = [(row % 2, (6, 3), (row, 0), 1, 0) for row in range(3000)]
    write(tmp_path / "a.tape", rows, "<")
    export(tmp_path / "a.tape", tmp_path / "a.kev")
    keys, records = read((tmp_path / "a.kev").read_bytes())
    kinds = [(record.cls, record.event) for record in records]
    begins = [number for number, kind in enumerate(kinds) if kind == (1, 2)]
    sizes = [end - begin for begin, end in zip(begins, [*begins[1:], len(records)], strict=True)]
    assert begins[0] == 0
    assert [records[begin].data for begin in begins] == [
        (number, size) for number, size in enumerate(sizes, 1)
    ]
    assert max(sizes) <= 1014
    assert list(keys)[:3] == ["HEADER_BEGIN", "FILE_NAME", "DATE"]
    assert (keys["CPU_NUM"], keys["CYCLES_PER_SEC"], keys["SYS_RELEASE"]) == (
        "4",
        "1000",
        __version__,
    )


def test_a_string_has_an_end_and_a_payload_no_length(tmp_path: Path) -> None:
    name = struct.pack("<2I", 0, 2) + b"eight888"
    write(tmp_path / "a.tape", [(0, (4, 320), name, 0, 0), (0, (6, 1), b"12345678", 1, 0)], "<")
    export(tmp_path / "a.tape", tmp_path / "a.kev")
    _, records = read((tmp_path / "a.kev").read_bytes())
    own = [record for record in records if record.cls != 1]
    text = b"".join(struct.pack("<2I", *record.data) for record in own[:3])
    assert text == name + bytes(8)
    assert [record.kind for record in own] == [BEGIN, 2, END, BEGIN, END]


def test_a_known_loss_becomes_an_unknown_one(tmp_path: Path) -> None:
    record = RawRecord(SIMPLE, 0, 6, 1, 5, 0, 0).pack("<")
    with TapeWriter(tmp_path / "a.tape") as writer:
        writer.hello(hello_body())
        writer.buffer(0, 0, buffer_body((0, 0, 0), 5, 0, record))
        writer.buffer(0, 0, buffer_body((9, 8, 1), 5, 1, record))
    assert export(tmp_path / "a.tape", tmp_path / "a.kev").counts["losses"] == 1
    assert import_kev(tmp_path / "a.kev", tmp_path / "b.tape").counts["losses"] == 1
    with TapeReader(tmp_path / "b.tape") as reader:
        balance = balance_of(reader)
    assert (balance.unknown_losses, balance.total.offered, balance.total.delivered) == (1, 2, 2)


def test_an_imported_file_comes_out_as_it_went_in(tmp_path: Path) -> None:
    kev = Kev(head=header(syspage=bytes(range(200))))
    kev.buffer(1, 5 * G)
    kev.time(5 * G + 1)
    kev.combine(5 * G + 5, 4, 192, kev.words(1, 2) + b"init\0")
    kev.combine(5 * G + 6, 6, 9, b"user data of 20 byte")
    kev.simple(5 * G + 7, 7, 0, 1, 2)
    kev.buffer(4, 5 * G + 9)
    kev.simple(5 * G + 9, 7, 0, 1, 2)
    (tmp_path / "a.kev").write_bytes(kev.bytes())
    import_kev(tmp_path / "a.kev", tmp_path / "a.tape")
    export(tmp_path / "a.tape", tmp_path / "b.kev")
    import_kev(tmp_path / "b.kev", tmp_path / "b.tape")
    assert events(tmp_path / "a.tape") == events(tmp_path / "b.tape")
    first, second = (read((tmp_path / f"{name}.kev").read_bytes()) for name in "ab")
    assert second[1] == first[1]
    assert {key: value for key, value in second[0].items() if key != "TICKERTAPE"} == first[0]
    assert (tmp_path / "b.kev").read_bytes().count(bytes(range(200))) == 1


def test_boots_and_streams_are_chosen(tmp_path: Path) -> None:
    record = RawRecord(SIMPLE, 0, 6, 1, 5, 0, 0).pack("<")
    with TapeWriter(tmp_path / "a.tape") as writer:
        for boot in range(2):
            writer.hello(hello_body(boot_id=boot + 1))
            for stream in range(2):
                data = record * (1 + boot + 2 * stream)
                writer.buffer(stream, 0, buffer_body((0, 0, 0), 5, 0, data))
            if not boot:
                writer.new_epoch()
    path = tmp_path / "a.kev"
    with pytest.raises(UsageError, match=r"holds 2 boots.*--boot"):
        export(tmp_path / "a.tape", path)
    assert [
        export(tmp_path / "a.tape", path, epoch=epoch).counts["events"] for epoch in (0, 1)
    ] == [1, 2]
    assert export(tmp_path / "a.tape", path, epoch=1, stream=1).counts["events"] == 4
    with pytest.raises(UsageError, match="no stream 7"):
        export(tmp_path / "a.tape", path, epoch=0, stream=7)
    with pytest.raises(UsageError, match="no boot 9"):
        export(tmp_path / "a.tape", path, epoch=9)
    with pytest.raises(TapeWriteFailed, match="cannot be written"):
        export(tmp_path / "a.tape", tmp_path, epoch=0)
