"""The text style: every type of field, payloads, flags, gaps, boots."""

from __future__ import annotations

import struct

import numpy as np
import pytest

from tests.support.boots import boots
from tests.support.columns import Row, columns, gap, name, switch
from tickertape.decode.bodies import Name
from tickertape.model.names import Names
from tickertape.printing import text as text_module
from tickertape.printing.text import TextExporter, TextOptions
from tickertape.protocol.wire import ObjectKind
from tickertape.symbols.elf import Symbols
from tickertape.symbols.symbol import Symbol

HZ = 1_000_000
WIDE = struct.pack("<5I", 0, 7, 12, 1, 0x2000_0000)


def exporter(options: TextOptions | None = None) -> TextExporter:
    said = {(int(ObjectKind.IRQ), 24): Name(8, 0, 0, 0, 24, 0, "uart")}
    symbols = Symbols([Symbol(0x2000_0000, 8, "bus"), Symbol(0x100, 0x20, "main")])
    return TextExporter(boots(lambda _epoch: Names(said, symbols), HZ), options)


def details(row: Row) -> str:
    """Return the printed text after the event's name."""
    (line,) = exporter().lines(columns([row]))
    return line[69:]


@pytest.mark.parametrize(
    ("kind", "data", "text"),
    [
        ((9, 0), (1, 0), "prev_tid=1 next_tid=0:idle"),
        ((9, 4), (7, 0), "tick_count=7"),  # the field `unused` is not printed
        ((3, 1), (24, 0x104), "irq=24:uart ip=main+0x4"),
        ((3, 1), (40, 0x900), "irq=40:irq24 ip=0x00000900"),
        ((8, 3), (0x2000_0000, 2), "mutex=bus tid=2"),
        ((8, 3), (0x2000_1000, 2), "mutex=0x20001000 tid=2"),
        ((7, 1), (0x2000_0000, 0), "scoid=bus pid=0"),
        ((7, 3), (0x2000_1000, 0), "scoid=0x20001000 pid=0"),
        ((6, 3), (0xBEEF, 0), "data0=0xbeef data1=0x0"),
        ((2, 128 + 80), (0xFFFF_FFFF, 0), "result=-1 detail=0x0"),
        ((2, 128 + 80), (0x7FFF_FFFF, 0), "result=2147483647 detail=0x0"),
        ((20, 77), (1, 2), "data0=0x1 data1=0x2"),  # an undeclared event
    ],
)
def test_fields_by_their_type(kind: tuple[int, int], data: tuple[int, int], text: str) -> None:
    assert details(Row(0, kind, data)) == text


@pytest.mark.parametrize(
    ("row", "text"),
    [
        (name(0, 2, "motor"), 'pid=0 tid=2:motor "motor"'),
        (name(0, 65_535, "motor"), 'pid=0 tid=65535:motor "motor"'),
        (name(0, 65_536, "motor"), 'pid=0 tid=0x00010000:motor "motor"'),
        (name(0, 0x2000_0200, "0x20000200"), 'pid=0 tid=0x20000200 "0x20000200"'),
        (name(0, 2, 'a "b"\n'), 'pid=0 tid=2:a "b"\\n "a \\"b\\"\\n"'),
        (Row(0, (6, 3), payload=b"\1\2\3\4\5"), "5 bytes: 01020304 05"),
        (Row(0, (6, 3), payload=b""), "0 bytes:"),
        (Row(0, (4, 320), payload=b"\1"), '""'),  # too short for the fields of the event
        (Row(0, (4, 13), payload=WIDE), "pid=0 tid=7 priority=12 policy=1 object=bus"),
        (Row(0, (3, 1), payload=WIDE[:12]), "irq=0 ip=0x00000007 tid=12"),
        (Row(0, (4, 13), payload=WIDE[:9]), "9 bytes: 00000000 07000000 0c"),
    ],
)
def test_payloads(row: Row, text: str) -> None:
    assert details(row).strip() == text


@pytest.mark.parametrize(
    ("flags", "text"),
    [
        (0x80, "data0=0x0 data1=0x0 (truncated by the recorder)"),
        (0x40, "data0=0x0 data1=0x0 (from the host)"),
        (0x05, "data0=0x0 data1=0x0 domain=5"),
    ],
)
def test_flags(flags: int, text: str) -> None:
    assert details(Row(0, flags=flags)) == text


def test_the_line_has_time_cpu_task_class_and_event() -> None:
    rows = [switch(1_500_000, 0, 1, cpu=3), Row(2_000_001, cpu=3)]
    first, second = exporter().lines(columns(rows))
    assert first == (
        "    1.500000000  3  idle          SCHED    CONTEXT_SWITCH            "
        "prev_tid=0:idle next_tid=1"
    )
    assert second == (
        "    2.000001000  3  thread 1      USER     USER_3                    data0=0x0 data1=0x0"
    )


def test_gaps_stand_between_the_events_that_they_part() -> None:
    rows = [Row(0), Row(1)]
    lines = list(exporter().lines(columns(rows, [gap(2, 3), gap(1, 9)])))
    missing = "records missing on cpu 0, stream 0:"
    assert lines[1] == f"-- 9 {missing} 9 dropped, 0 overwritten, 0 damaged"
    assert lines[3] == f"-- 3 {missing} 3 dropped, 0 overwritten, 0 damaged"
    assert [line.split()[2] for line in lines[::2]] == ["?", "?"]


def test_gaps_are_printed_whatever_is_chosen() -> None:
    rows = columns([Row(0), Row(1)], [gap(1)])
    lines = list(exporter().lines(rows, np.zeros(2, bool)))
    assert [line[:2] for line in lines] == ["--"]


def test_a_boot_is_told_and_begins_with_fresh_names() -> None:
    text = exporter()
    first = list(text.lines(columns([name(0, 1, "one"), switch(1, 1, 0)])))
    second = list(text.lines(columns([switch(1, 1, 0)], epoch=1)))
    assert "1:one" in first[1]
    assert second[0] == "-- the target was reset"
    assert "prev_tid=1 next" in second[1]


def test_names_hold_from_where_they_are_said() -> None:
    rows = [switch(0, 1, 2), name(1, 2, "late"), switch(2, 2, 1)]
    lines = list(exporter().lines(columns(rows)))
    assert lines[0].endswith("prev_tid=1 next_tid=2")
    assert lines[2].endswith("prev_tid=2:late next_tid=1")


def test_what_is_not_chosen_still_tells_names_and_who_runs() -> None:
    rows = [name(0, 1, "one"), switch(0, 0, 1), Row(1), switch(2, 1, 0), Row(3)]
    only = np.array([False, False, True, False, True])
    (first, second) = exporter().lines(columns(rows), only)
    assert first.split()[:3] == ["0.000001000", "0", "one"]
    assert second.split()[:3] == ["0.000003000", "0", "idle"]


def test_colours_wrap_the_same_text() -> None:
    rows = [switch(0, 0, 1), Row(1)]
    plain = list(exporter().lines(columns(rows, [gap(1)])))
    painted = list(exporter(TextOptions(colour=True)).lines(columns(rows, [gap(1)])))
    assert len(plain) == 3  # two events and a gap
    for line, colourful in zip(plain, painted, strict=True):
        assert colourful != line
        for code in ("0", "1", "2", "33", "36"):
            colourful = colourful.replace(f"\x1b[{code}m", "")  # noqa: PLW2901 - peeled
        assert colourful == line


@pytest.mark.parametrize(
    ("ticks", "hz", "text"),
    [
        (0, 1, "    0.000000000"),
        (1, 3, "    0.333333333"),
        (25_000_001, 25_000_000, "    1.000000040"),
        ((1 << 64) - 1, 1_000_000_000, "18446744073.709551615"),
        ((1 << 64) - 1, (1 << 32) - 1, "4294967297.000000000"),
        ((1 << 64) - 2, (1 << 32) - 1, "4294967296.999999999"),
    ],
)
def test_seconds_are_exact_and_rounded_down(ticks: int, hz: int, text: str) -> None:
    (line,) = TextExporter(boots(hz=hz)).lines(columns([Row(ticks)]))
    assert line.startswith(f"{text}  0  ")


def test_what_is_remembered_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(text_module, "_REMEMBERED", 10)
    rows = [Row(0, data=(number, 0)) for number in range(25)]
    lines = list(exporter().lines(columns(rows)))
    assert [line.rpartition("data0=")[2] for line in lines] == [
        f"0x{number:x} data1=0x0" for number in range(25)
    ]
