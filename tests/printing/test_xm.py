"""The xmtrace layout: each kind of event in its five columns."""

from __future__ import annotations

import struct

import pytest

from tests.support.boots import boots
from tests.support.columns import Row, columns, gap
from tickertape.decode.bodies import Name
from tickertape.model.names import Names
from tickertape.printing.xm import XmExporter
from tickertape.protocol.wire import ObjectKind
from tickertape.symbols.elf import Symbols
from tickertape.symbols.symbol import Symbol

HZ = 1_000_000_000
MINE = 16 << 10 | 3


def exporter(*, symbolic: bool = False) -> XmExporter:
    said = {(int(ObjectKind.EVENT), MINE): Name(10, 0, 0, 0, MINE, 0, "my event")}
    names = Names(said, Symbols([Symbol(0x100, 0x20, "main")]))
    return XmExporter(boots(names, HZ), symbolic=symbolic)


@pytest.mark.parametrize(
    ("row", "line"),
    [
        # C format: "D%2d %6ld %-23s %#10lx <0x%08lx>".
        (
            Row(168, (9, 12), (1, 0xCE873408), flags=1),
            "D 1    168 scheduler out                  0x1 <0xce873408>",
        ),
        (Row(1, (10, 0), (0, 8)), "D-1      1 hard cli                         0 <0x00000008>"),
        (
            Row(1234567890, (9, 1), (0xFFFFFFFF, 3), flags=63),
            "D63 1234567890 scheduler in            0xffffffff <0x00000000>",
        ),
        (Row(0, (9, 0), (3, 4)), "D-1      0 rtl_switch_to                  0x4 <0x00000000>"),
        (Row(0, (4, 2), (3, 4)), "D-1      0 THREAD.READY                   0x3 <0x00000000>"),
        (Row(0, (2, 80), (3, 4)), "D-1      0 syscall entry                 0x50 <0x00000000>"),
        (Row(0, (2, 208), (3, 4)), "D-1      0 syscall exit                  0x50 <0x00000000>"),
        (Row(0, (6, 7), (3, 4)), "D-1      0 user                           0x3 <0x00000004>"),
        (Row(0, (16, 3), (3, 4)), "D-1      0 my event                       0x3 <0x00000004>"),
        (Row(0, (16, 4), (3, 4)), "D-1      0 unknown                        0x3 <0x00000004>"),
        (Row(0, (5, 9), (3, 4)), "D-1      0 SYSTEM.ADDRESS                 0x4 <0x00000003>"),
        (
            Row(0, (11, 3), (3, 4), flags=2),
            "D 2      0 domain fault                   0x3 <0x00000004>",
        ),
        (
            Row(0, (6, 7), payload=b"\1"),
            "D-1      0 user                             0 <0x00000000>",
        ),
        (
            Row(0, (6, 7), payload=struct.pack("<3I", 5, 6, 7)),
            "D-1      0 user                           0x5 <0x00000006>",
        ),
    ],
)
def test_lines(row: Row, line: str) -> None:
    assert list(exporter().lines(columns([row]))) == [line]


@pytest.mark.parametrize(
    ("address", "column"),
    [
        (0x100, "main+0x0"),
        (0x11C, "main+0x1c"),
        (0x120, "<0x00000120>"),  # after the end of main
        (0, "<0x00000000>"),
    ],
)
def test_addresses_are_named_where_something_is_there(address: int, column: str) -> None:
    rows = columns([Row(0, (10, 1), (0, address)), Row(0, (4, 2), (0, 0x100))])
    first, second = exporter(symbolic=True).lines(rows)
    assert first.split()[-1] == column
    assert second.split()[-1] == "<0x00000000>"  # THREAD READY has no address field


def test_each_cpu_counts_for_itself() -> None:
    rows = [Row(100, cpu=0), Row(150, cpu=1), Row(160, cpu=0), Row(1000, cpu=1)]
    out = list(exporter().lines(columns(rows)))
    assert [line.split()[1] for line in out] == ["100", "150", "60", "850"]


def test_a_trace_ends_where_it_was_finalized() -> None:
    xm = exporter()
    rows = [Row(100), Row(130), Row(140, (14, 11), (7, 2)), Row(150), Row(155)]
    out = list(xm.lines(columns(rows)))
    assert out[2] == "That was trace # 7 (lost 2 traces befor this trace)"
    assert [line.split()[1] for line in (*out[:2], *out[3:])] == ["100", "30", "150", "5"]


def test_losses_and_resets_are_told() -> None:
    xm = exporter()
    first = list(xm.lines(columns([Row(5), Row(9)], [gap(1)])))
    assert (
        first[1] == "-- 5 records missing on cpu 0, stream 0: 5 dropped, 0 overwritten, 0 damaged"
    )
    second = list(xm.lines(columns([Row(3)], epoch=1)))
    assert second[0] == "-- the target was reset"
    assert second[1].split()[1] == "3"
