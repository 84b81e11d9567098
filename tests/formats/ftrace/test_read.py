"""Import of FTrace files: every record is preserved and can be listed again."""

from __future__ import annotations

import random
import struct
from collections import Counter
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.examples import examples
from tickertape.analysis.balance import balance_of
from tickertape.cli.main import main
from tickertape.errors import ForeignFile, TapeMissing
from tickertape.formats.ftrace.events import EVENT_NAMES
from tickertape.formats.ftrace.read import import_ftrace
from tickertape.tape import TapeReader, iter_events
from tickertape.tape.writer import TapeWriter

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

START = (0x20, 40, 0, 800_000)  # running context, clock ticks per millisecond

RECORD = st.tuples(
    st.integers(0, 0xFFFF),
    st.integers(0, 0xFFFF),
    st.integers(0, 1 << 63),
    st.integers(0, 0xFFFFFFFF),
)


def file_of(records: Sequence[tuple[int, int, int, int]]) -> bytes:
    """Return records of (type, par1, time stamp, par2) as the kernel writes them."""
    return b"".join(
        struct.pack("<HHIII", kind, par1, tsc >> 32, tsc & 0xFFFFFFFF, par2)
        for kind, par1, tsc, par2 in records
    )


def printed(data: bytes, folder: Path, style: str, capsys: pytest.CaptureFixture[str]) -> str:
    (folder / "t.bin").write_bytes(data)
    assert main(["import", "ftrace", "-q", str(folder / "t.bin"), "-o", str(folder / "t")]) == 0
    capsys.readouterr()
    assert main(["print", str(folder / "t"), "--style", style, "--no-pager"]) == 0
    return capsys.readouterr().out


@settings(max_examples=examples(60))
@given(records=st.lists(RECORD, min_size=1, max_size=50))
def test_nothing_of_a_record_is_lost(
    tmp_path: Path, records: list[tuple[int, int, int, int]]
) -> None:
    # At least half of the records have to look like FTrace.
    records = [START] * (len(records) + 1) + records
    (tmp_path / "t.bin").write_bytes(file_of(records))
    report = import_ftrace(tmp_path / "t.bin", tmp_path / "t.tape")
    with TapeReader(tmp_path / "t.tape") as reader:
        found = [event for part in iter_events(reader) for event in part.events()]
        balance = balance_of(reader).total
    assert [
        (event.words[0] >> 16, event.words[0] & 0xFFFF, event.time_ticks, event.words[1])
        for event in found
    ] == records
    assert (balance.offered, balance.delivered, balance.lost) == (len(records), len(records), 0)
    assert report.counts["records"] == len(records)
    assert report.counts["unknown"] == sum(kind & 0xFF not in EVENT_NAMES for kind, *_ in records)
    times = [tsc for _, _, tsc, _ in records]
    assert report.counts["turns"] == sum(b < a for a, b in pairwise(times))


def test_the_clock_rate_is_that_of_the_file(tmp_path: Path) -> None:
    (tmp_path / "t.bin").write_bytes(file_of([(0x22, 40, 5, 0), START]))
    assert import_ftrace(tmp_path / "t.bin", tmp_path / "t.tape").counts["ticks_per_ms"] == 800_000
    with TapeReader(tmp_path / "t.tape") as reader:
        assert reader.hello is not None
        assert reader.hello.tick_hz == 800_000_000


def test_what_looks_wrong_is_said_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = file_of([START, (0x22, 40, 9, 0), (0xEE, 1, 8, 0), (0x22, 41, 7, 0)]) + b"half"
    (tmp_path / "t.bin").write_bytes(data)
    report = import_ftrace(tmp_path / "t.bin", tmp_path / "t.tape")
    assert report.counts == Counter(
        records=4,
        unknown=1,
        first_unknown=32,
        turns=2,
        first_turns=32,
        rest_bytes=4,
        ticks_per_ms=800_000,
    )
    assert main(["import", "ftrace", str(tmp_path / "t.bin"), "-o", str(tmp_path / "t")]) == 0
    said = capsys.readouterr().err
    assert "not known, the first at byte 32" in said
    assert "goes back 2 times, first at byte 32" in said
    assert "its last 4 bytes are left out" in said


@pytest.mark.parametrize(
    "data",
    [
        b"a text of several lines\n" * 100,
        random.Random(3).randbytes(16 * 500),
        bytes(16 * 500),
        b"".join(struct.pack("<IIII", 9 << 10 | 1, 250 * row, row, 7) for row in range(500)),
    ],
    ids=["text", "noise", "zeros", "records of another tracer"],
)
def test_another_file_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "t.bin").write_bytes(data)
    with pytest.raises(ForeignFile, match="does not look like FTrace of S"):
        import_ftrace(tmp_path / "t.bin", tmp_path / "t.tape")
    assert not (tmp_path / "t.tape").exists()


@pytest.mark.parametrize("data", [b"", b"fifteen bytes.."])
def test_a_file_without_a_record_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "t.bin").write_bytes(data)
    with pytest.raises(ForeignFile, match="no record of 16 bytes"):
        import_ftrace(tmp_path / "t.bin", tmp_path / "t.tape")
    with pytest.raises(TapeMissing):
        import_ftrace(tmp_path / "none.bin", tmp_path / "t.tape")


def test_the_input_of_the_statistics_tool(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [
        START,
        (0x0060, 40, 1, 7),
        (0x2B, 3, 2, 3),
        (0x03, 14, 1 << 33, 0),
        (0x13, 40, (1 << 33) + 1, 0),
        (0x3B, 40, (1 << 33) + 2, 0),
        (0x15, 41, (1 << 33) + 3, 0),
        (0x02, 41, (1 << 33) + 4, 8),
        (0x12, 41, (1 << 33) + 5, 0),
        (0x22, 41, (1 << 33) + 6, 0),
        (0x62, 41, (1 << 33) + 7, 2),
        (0x10, 0, (1 << 33) + 8, 800_001),
        (0x58, 41, (1 << 33) + 9, 0xFFFFFFFF),
        (0xB2, 41, (1 << 33) + 10, 0),
        (0xC2, 41, (1 << 33) + 11, 0),
        (0x01, 33, (1 << 33) + 12, 0),
        (0x42, 41, (1 << 33) + 13, 8),
        (0x30, 0, (1 << 33) + 14, 0),
    ]
    assert printed(file_of(records), tmp_path, "pwcet", capsys).split("\n") == [
        "0 0 40 800000 ",
        "9 1 40 7",
        "2 2 0 ",
        "2 8589934592 14 ",
        "3 8589934593 40 ",
        "3 8589934594 40 ",
        "4 8589934595 41 ",
        "5 8589934596 41 8",
        "6 8589934597 41 ",
        "8 8589934599 41 ",
        "10 8589934600 800001 ",
        "16 8589934601 41 -1",
        "20 8589934602 41 0",
        "21 8589934603 41 0",
        "33 8589934604 ",
        "7 8589934605 41 ",
        "1 8589934606 ",
        "",
    ]


def test_the_listing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = file_of([START, (0x0122, 65535, (5 << 32) + 255, 0xFFFFFFFE), (0, 0, 0, 0)])
    assert printed(data, tmp_path, "list", capsys).splitlines() == [
        "00000000 Type = 20 TSC = 0 (00000000:00000000) Par1 =          40 Par2 =      800000",
        (
            "00000001 Type = 122 TSC = 21474836735 (00000005:000000ff) "
            "Par1 =       65535 Par2 =          -2"
        ),
        "00000002 Type = 00 TSC = 0 (00000000:00000000) Par1 =           0 Par2 =           0",
    ]


def test_other_tapes_have_no_such_style(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with TapeWriter(tmp_path / "t.tape"):
        pass
    assert main(["print", str(tmp_path / "t.tape"), "--style", "list"]) == 2
    assert "was not imported from FTrace" in capsys.readouterr().err
