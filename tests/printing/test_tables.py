"""Styles csv and jsonl: every column, losses, resets, and quoted text."""

from __future__ import annotations

import csv
import json
import struct
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.support.boots import boots
from tests.support.columns import Row, columns, gap, name, switch
from tickertape.decode.bodies import Name
from tickertape.model.names import Names
from tickertape.printing.csv import COLUMNS, CsvExporter
from tickertape.printing.jsonl import JsonlExporter
from tickertape.protocol.wire import ObjectKind
from tickertape.symbols.elf import Symbols
from tickertape.symbols.symbol import Symbol

if TYPE_CHECKING:
    from tickertape.decode.events import EventColumns

SAID = {(int(ObjectKind.IRQ), 24): Name(8, 0, 0, 0, 24, 0, "uart")}
SYMBOLS = Symbols([Symbol(0x2000_0000, 8, "bus"), Symbol(0x100, 0x20, "main")])


def names_of(_epoch: int) -> Names:
    return Names(SAID, SYMBOLS)


def tables(*parts: EventColumns) -> list[dict[str, str]]:
    exporter = CsvExporter(boots(names_of, 3_000_000))
    lines = [*exporter.head(), *(line for part in parts for line in exporter.lines(part))]
    lines += exporter.tail()
    return list(csv.DictReader([line + "\n" for line in lines], strict=True))


def objects(*parts: EventColumns) -> list[dict[str, object]]:
    exporter = JsonlExporter(boots(names_of, 3_000_000))
    lines = [*exporter.head(), *(line for part in parts for line in exporter.lines(part))]
    return [json.loads(line) for line in [*lines, *exporter.tail()]]


def test_the_columns_are_a_promise() -> None:
    assert ",".join(COLUMNS) == (
        "kind,epoch,time_ns,ticks,stream,cpu,ordinal,domain,tid,task,class,event,data0,data1,"
        "fields,text,payload,flags"
    )


def test_a_row_of_csv() -> None:
    rows = [name(0, 1, 'a "b",\nc'), switch(10, 1, 0, cpu=3), Row(11, (2, 208), (2**32 - 5, 0))]
    found = tables(columns(rows))
    assert found[0]["text"] == 'a "b",\nc'
    assert found[0]["payload"] == "0000000001000000" + b'a "b",\nc'.hex()
    assert found[1] == {
        "kind": "event",
        "epoch": "0",
        "time_ns": "3333",
        "ticks": "10",
        "stream": "0",
        "cpu": "3",
        "ordinal": "1",
        "domain": "0",
        "tid": "1",
        "task": 'a "b",\\nc',  # control characters in names are escaped
        "class": "SCHED",
        "event": "CONTEXT_SWITCH",
        "data0": "1",
        "data1": "0",
        "fields": "prev_tid=1 next_tid=0",
        "text": "",
        "payload": "",
        "flags": "",
    }
    assert (found[2]["fields"], found[2]["data0"]) == ("result=-5 detail=0", str(2**32 - 5))
    assert (found[2]["tid"], found[2]["task"]) == ("", "")


def test_losses_and_resets_are_rows_of_their_own() -> None:
    parts = columns([Row(0)], [gap(1, 7, cpu=2)]), columns([], epoch=1), columns([Row(3)], epoch=1)
    assert [row["kind"] for row in tables(*parts)] == ["event", "gap", "reset", "event"]
    loss = tables(*parts)[1]
    assert (loss["cpu"], loss["ordinal"]) == ("2", "100")
    assert loss["fields"] == "records=7 dropped=7 overwritten=0 damaged=0"
    assert [item["kind"] for item in objects(*parts)] == ["event", "gap", "reset", "event"]
    assert objects(*parts)[1]["records"] == 7


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        (
            Row(1, (3, 1), (24, 0x104)),
            {"fields": {"irq": 24, "ip": 0x104}, "names": {"irq": "uart", "ip": "main+0x4"}},
        ),
        (Row(1, (9, 4), (7, 9)), {"fields": {"tick_count": 7}}),
        (
            Row(1, (3, 1), payload=struct.pack("<3I", 24, 0x104, 0)),
            {
                "fields": {"irq": 24, "ip": 0x104, "tid": 0},
                "names": {"irq": "uart", "ip": "main+0x4", "tid": "idle"},
                "payload": "180000000401000000000000",
            },
        ),
        (Row(1, (6, 3), payload=b"\1\2\3\4\5"), {"fields": {}, "payload": "0102030405"}),
        (Row(1, (20, 77), (1, 2)), {"class": "APP20", "event": "EVENT_77", "class_number": 20}),
        (Row(1, flags=0xC5), {"truncated": True, "host": True, "domain": 5}),
        (Row(9), {"kind": "event", "ticks": 9, "time_ns": 3000, "tid": None, "task": None}),
    ],
)
def test_typed_values_of_jsonl(row: Row, expected: dict[str, object]) -> None:
    (found,) = objects(columns([row]))
    assert {key: found[key] for key in expected} == expected
    assert ("names" in found, "payload" in found) == ("names" in expected, "payload" in expected)


def test_names_are_learned_from_events_that_are_left_out() -> None:
    part = columns([name(0, 1, "one"), switch(1, 0, 1), Row(2)])
    exporter = JsonlExporter(boots(names_of, 1))
    (line,) = exporter.lines(part, np.array([False, False, True]))
    assert json.loads(line)["task"] == "one"
