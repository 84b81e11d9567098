from __future__ import annotations

import json
import struct
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.support.rings import ORDERS, RingBuffer, decode_ring
from tests.support.wire_bytes import BEGIN, END, SIMPLE, RawRecord, combine_words
from tickertape.decode.events import DecodeCounters, EventColumns, Gap, concatenate, split_columns
from tickertape.decode.ring import RingDecoder
from tickertape.protocol.wire import BUFFER_HEADER_DTYPE, ByteOrder, record_dtype

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "protocol/vectors/records.json").read_text(encoding="utf-8")
)["events"]
MARKS = {"little": "<", "big": ">"}
THREAD, THREAD_NAME, THREAD_READY = 4, 320, 2


def columns_of(records: list[RawRecord], order: str = "<") -> EventColumns:
    parts, _ = decode_ring([[RingBuffer((0, 0, 0), 0, records)]], order)
    return concatenate(parts)


def combine(cls: int, event: int, payload: bytes, order: str = "<") -> list[RawRecord]:
    first, *middle, last = combine_words(payload, order)
    return [
        RawRecord(BEGIN, 0, cls, event, 0, *first),
        *(RawRecord(2, 0, cls, event, 0, *pair) for pair in middle),
        RawRecord(END, 0, cls, event, 0, *last),
    ]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: str(vector["name"]))
def test_golden_records(vector: dict[str, Any]) -> None:
    order = ORDERS[MARKS[vector["byte_order"]]]
    data = b"".join(bytes.fromhex(record) for record in vector["records"])
    records = np.frombuffer(data, record_dtype(order))
    buffers = np.zeros(1, BUFFER_HEADER_DTYPE)
    buffers["count"], buffers["ticks"] = len(records), vector["time"]
    decoder = RingDecoder((0, 0), byte_order=order, counters=DecodeCounters())
    (event,) = decoder.feed(buffers, records).events()
    assert (event.cls, event.event, event.cpu) == (vector["class"], vector["event"], vector["cpu"])
    assert event.domain == vector["domain"]
    assert (event.truncated, event.host) == (vector["truncated"], vector["host"])
    assert event.time_ticks == vector["time"]
    if "wide" in vector:
        assert [word for _, word in event.fields] == vector["wide"]
    if "payload" in vector:
        assert event.payload == bytes.fromhex(vector["payload"])
    else:
        assert event.payload is None
        assert event.words == tuple(vector["data"])


@pytest.mark.parametrize("order", ["<", ">"])
def test_words_and_text_of_a_payload(order: str) -> None:
    payload = struct.pack(f"{order}II", 3, 77) + "réglage".encode()
    columns = columns_of(combine(THREAD, THREAD_NAME, payload, order), order)
    event = columns.event_at(0)
    assert event.words[:2] == (3, 77)
    assert (int(columns.data0[0]), int(columns.data1[0])) == (3, 77)
    assert event.text == "réglage"
    assert event.name == "THREAD.NAME"


def test_both_forms_of_an_event_have_the_same_names() -> None:
    simple = columns_of([RawRecord(SIMPLE, 0, THREAD, THREAD_READY, 0, 1, 7)]).event_at(0)
    payload = struct.pack("<5I", 1, 7, 12, 1, 0)
    wide = columns_of(combine(THREAD, THREAD_READY, payload)).event_at(0)
    assert [(known.name, word) for known, word in simple.fields] == [("pid", 1), ("tid", 7)]
    assert wide.fields[:2] == simple.fields
    more = [(known.name, word) for known, word in wide.fields[2:]]
    assert more == [("priority", 12), ("policy", 1), ("object", 0)]


def test_wide_form_of_a_call_with_one_argument_keeps_its_places() -> None:
    payload = struct.pack("<6I", 0x2000_0000, 99, 0, 0, 7, 12)  # the second word is not declared
    event = columns_of(combine(2, 81, payload)).event_at(0)
    shown = {known.name: word for known, word in event.fields if known.name != "unused"}
    assert shown == {"mutex": 0x2000_0000, "caller": 7, "caller_priority": 12}


@pytest.mark.parametrize("words", [3, 4, 6, 9])
def test_a_wide_form_of_another_version_is_named_as_far_as_known(words: int) -> None:
    payload = struct.pack(f"<{words}I", *range(words))
    event = columns_of(combine(THREAD, THREAD_READY, payload)).event_at(0)
    assert [word for _, word in event.fields] == list(range(min(words, 5)))


@pytest.mark.parametrize(
    ("code", "payload"), [((THREAD, THREAD_READY), bytes(19)), ((6, 3), bytes(20))]
)
def test_bytes_are_no_wide_form(code: tuple[int, int], payload: bytes) -> None:
    assert columns_of(combine(*code, payload)).event_at(0).fields == ()


def test_text_only_where_there_is_any() -> None:
    assert (
        columns_of([RawRecord(SIMPLE, 0, THREAD, THREAD_READY, 0, 1, 2)]).event_at(0).text is None
    )
    assert columns_of(combine(6, 0, b"any bytes")).event_at(0).text is None
    broken = columns_of(combine(THREAD, THREAD_NAME, bytes(8) + b"a\xff")).event_at(0)
    assert broken.text == "a\ufffd"


def test_unknown_numbers_are_shown_raw() -> None:
    event = columns_of([RawRecord(SIMPLE, 0, 31, 1023, 0, 1, 2)]).event_at(0)
    assert (event.cls, event.event, event.words) == (31, 1023, (1, 2))
    assert event.name == "APP31.EVENT_1023"
    assert columns_of([RawRecord(SIMPLE, 0, 15, 900, 0, 1, 2)]).event_at(0).name == "TRC.EVENT_900"


def test_every_bit_of_the_header_has_its_column() -> None:
    record = RawRecord(SIMPLE, 45, 22, 777, 5, 0xFFFFFFFF, 8, flags=0b11_101010)
    columns = columns_of([record])
    assert (columns.cpu[0], columns.cls[0], columns.event[0]) == (45, 22, 777)
    assert columns.code[0] == 22 << 10 | 777
    assert (columns.domain[0], columns.truncated[0], columns.host[0]) == (0b101010, True, True)
    assert columns.data0[0] == 0xFFFFFFFF
    kinds = {"cpu": "u1", "cls": "u1", "event": "u2", "code": "u2", "domain": "u1", "host": "?"}
    assert {name: getattr(columns, name).dtype for name in kinds} == kinds


def some_columns() -> EventColumns:
    records = [RawRecord(SIMPLE, 0, 9, number, number, number, 0) for number in range(3)]
    columns = columns_of([*records, *combine(6, 3, b"payload"), records[2]])
    gaps = tuple(Gap(row, 0, 0, 0, 1, 1, 0, 0, None, 0) for row in (0, 2, 5))
    return replace(columns, gaps=gaps)


def test_take_picks_rows_and_leaves_gaps_out() -> None:
    columns = some_columns()
    picked = columns.take(np.array([4, 3]))
    assert [event.event for event in picked.events()] == [2, 3]
    assert picked.payload_of(1) == b"payload"
    assert picked.gaps == ()


@pytest.mark.parametrize("row", range(6))
def test_splitting_and_joining_changes_nothing(row: int) -> None:
    columns = some_columns()
    head, tail = split_columns(columns, row)
    assert len(head) == row
    assert all(gap.row < row for gap in head.gaps)
    joined = concatenate([head, tail])
    assert list(joined.events()) == list(columns.events())
    assert joined.gaps == columns.gaps


def test_empty_columns() -> None:
    columns = columns_of([])
    assert len(columns) == 0
    assert columns.byte_order is ByteOrder.LITTLE
    assert list(columns.events()) == []
    assert columns.cls.dtype == np.uint8
