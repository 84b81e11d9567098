"""Import and export of S.Ha.R.K. files: every layout, every event, and odd input."""

from __future__ import annotations

import struct
from collections import Counter
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.columns import Row, columns, state, switch
from tests.support.examples import examples
from tickertape.analysis.balance import balance_of
from tickertape.api.shark import (
    JtracerType,
    SharkEvent,
    event_class,
    event_name,
    read_jtracer,
    read_trace,
)
from tickertape.cli.main import main
from tickertape.errors import ForeignFile, TapeMissing
from tickertape.formats.shark.events import NUMBER, SharkView
from tickertape.formats.shark.file import detect_layout
from tickertape.formats.shark.layout import LAYOUTS
from tickertape.formats.shark.read import import_shark
from tickertape.formats.shark.write import export_shark
from tickertape.formats.source import Source
from tickertape.protocol.events import EventClass, KercallCall
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

FORMS = {"original": "<IHxxI", "reference": ">IHI", "original-big": ">IHxxI", "packed": "<IHI"}
FORMS["wide"] = "<IHxxIxxxx"
CREATE, ACTIVATE, SCHEDULE, ENDCYCLE, USER0, INTR, SEM_WAIT = 2, 3, 4, 7, 11, 19, 20

RECORD = st.tuples(st.integers(0, 0xFFFFFFFF), st.integers(0, 1023), st.integers(0, 0xFFFFFFFF))


def file_of(layout: str, records: Sequence[tuple[int, int, int]]) -> bytes:
    """Return records of (time, event, four bytes as a number in the layout's byte order)."""
    return b"".join(struct.pack(FORMS[layout], *record) for record in records)


@pytest.mark.parametrize("layout", LAYOUTS)
@settings(max_examples=examples(30))
@given(records=st.lists(RECORD, min_size=1, max_size=60))
def test_there_and_back(tmp_path: Path, layout: str, records: list[tuple[int, int, int]]) -> None:
    data = file_of(layout, records)
    (tmp_path / "a").write_bytes(data)
    report = import_shark(tmp_path / "a", tmp_path / "t.tape", layout=layout)
    with TapeReader(tmp_path / "t.tape") as reader:
        exported = export_shark(Source(reader), tmp_path / "b", layout=layout)
        balance = balance_of(reader).total
    assert (tmp_path / "b").read_bytes() == data
    assert (balance.offered, balance.delivered, balance.lost) == (len(records), len(records), 0)
    assert report.counts["records"] == len(records)
    assert not report.counts["unnumbered"]
    assert exported.counts == Counter(records=len(records))
    assert report.counts["unknown"] == sum(number > 22 for _, number, _ in records)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_layout_is_found_out(tmp_path: Path, layout: str) -> None:
    records = [(1000 * n, SCHEDULE if n % 2 else SEM_WAIT, 7) for n in range(100)]
    (tmp_path / "a").write_bytes(file_of(layout, records))
    assert detect_layout(tmp_path / "a") == layout


def test_both_byte_orders_mean_the_same(tmp_path: Path) -> None:
    (tmp_path / "little").write_bytes(struct.pack("<IHxxHH", 5, SEM_WAIT, 3, 9))
    (tmp_path / "big").write_bytes(struct.pack(">IHHH", 5, SEM_WAIT, 3, 9))
    found: list[SharkEvent] = []

    def keep(event: SharkEvent) -> int:
        found.append(event)
        return 0

    for name, layout in (("little", "original"), ("big", "reference")):
        read_trace(tmp_path / name, keep, layout=layout)
    assert found[0] == found[1]
    assert (found[0].task, found[0].sem) == (3, 9)


def test_time_goes_on_through_its_32_bits(tmp_path: Path) -> None:
    records = [(0xFFFFFFF0, USER0, 1), (0x10, USER0, 2), (0x20, USER0, 3)]
    (tmp_path / "a").write_bytes(file_of("original", records))
    assert import_shark(tmp_path / "a", tmp_path / "t.tape", layout="original").counts["turns"] == 0
    with TapeReader(tmp_path / "t.tape") as reader:
        (columns,) = iter_events(reader)
    assert columns.time.tolist() == [0xFFFFFFF0, 0x100000010, 0x100000020]


def test_what_is_odd_is_said_with_its_place(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    records = [(n * 10, SCHEDULE, 1) for n in range(50)]
    records[10] = (100, 40, 1)  # an event of an application
    records[20] = (20, SCHEDULE, 1)  # an earlier time than the record before
    records[30] = (300, 5000, 1)  # no event has such a number
    (tmp_path / "a").write_bytes(file_of("original", records) + b"half")
    assert main(["import", "shark", str(tmp_path / "a"), "-o", str(tmp_path / "t.tape")]) == 0
    out = capsys.readouterr()
    assert "layout original" in out.out
    assert "1 records of events that are not known, the first at byte 120" in out.err
    assert "the first at byte 360; they are left out" in out.err
    assert "goes back 1 times, first at byte 240" in out.err
    assert "its last 4 bytes are left out" in out.err
    with TapeReader(tmp_path / "t.tape") as reader:
        assert balance_of(reader).total.delivered == 49


@pytest.mark.parametrize("data", [b"", b"\xff" * 600, b"text, not a trace at all\n" * 40])
def test_something_else_is_refused(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "a").write_bytes(data)
    with pytest.raises(ForeignFile, match="does not look like a trace"):
        import_shark(tmp_path / "a", tmp_path / "t.tape")
    with pytest.raises(TapeMissing):
        import_shark(tmp_path / "none", tmp_path / "t.tape")


def test_the_dump(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [
        (1, 1, 4),
        (2, CREATE, 3),
        (3, USER0, 0xFFFFFFFF),
        (4, INTR, 8),
        (5, SEM_WAIT, 9 << 16 | 3),
        (6, 77, 0xFEED),
    ]
    (tmp_path / "a").write_bytes(file_of("original", records))
    import_shark(tmp_path / "a", tmp_path / "t.tape", layout="original")
    assert main(["print", str(tmp_path / "t.tape"), "--style", "tdump", "--no-pager"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        "         1  TRACER  TRC_HOOPS          n=4",
        "         2  SYSTEM  TRC_CREATE         task=3",
        "         3  USER    TRC_USER0          n=-1",
        "         4  LL      TRC_INTR           n=8",
        "         5  SEM     TRC_SEM_WAIT       task=3 id=9",
        "         6  ?       TRC_77             info=0x0000feed",
    ]


def test_reading_stops_when_the_function_says_so(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(file_of("original", [(n, USER0, n) for n in range(10)]))
    seen: list[int] = []

    def until_four(event: SharkEvent) -> int:
        seen.append(event.info)
        return int(event.info == 4)

    assert read_trace(tmp_path / "a", until_four) == 5
    assert seen == [0, 1, 2, 3, 4]
    assert [event_class(number) for number in (0, 2, 11, 19, 22, 23)] == [
        *("TRACER", "SYSTEM", "USER", "LL", "SEM"),
        None,
    ]
    added = {"BEEPS": 0x19, "BUZZER": 0x18}
    assert [event_class(number, added) for number in (22, 0x17, 0x18, 0x19, 0x77)] == [
        *("SEM", None, "BUZZER", "BEEPS", "BEEPS")
    ]
    assert event_name(4) == "TRC_SCHEDULE"


def test_a_delay_is_the_sleep_call() -> None:
    sleep = EventClass.KERCALL, KercallCall.THREAD_SLEEP
    rows = [
        *(Row(0, sleep, (10, 0)), switch(1, 0, 3), Row(2, sleep, (10, 0))),
        *(state(3, 12, 3), switch(4, 3, 4), state(5, 12, 4)),
    ]
    found = SharkView().records(columns(rows))
    delays = found.word[found.number == NUMBER["TRC_DELAY"]]
    assert delays.tolist() == [0, 3]


def test_jtracer(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    records = [
        (1000, CREATE, 3),
        (1010, SCHEDULE, 3),
        (1020, ACTIVATE, 4),
        (1030, SCHEDULE, 4),
        (1040, ENDCYCLE, 4),
        (1050, USER0, 4),
    ]
    (tmp_path / "a").write_bytes(file_of("original", records))
    import_shark(tmp_path / "a", tmp_path / "t.tape", layout="original")
    words = ["export", "jtracer", str(tmp_path / "t.tape"), "-o", str(tmp_path / "j")]
    assert main(words) == 0
    assert "8 records" in capsys.readouterr().out
    kinds = [
        (JtracerType(record.type), record.time_us, record.task, record.extras, record.name)
        for record in read_jtracer(tmp_path / "j")
    ]
    kind = JtracerType
    assert kinds == [
        (kind.NAME, 0, 3, (), "task 3"),
        (kind.ARRIVAL, 0, 3, (), None),
        (kind.SCHEDULE, 10, 3, (0,), None),
        (kind.NAME, 20, 4, (), "task 4"),
        (kind.ARRIVAL, 20, 4, (), None),
        (kind.DESCHEDULE, 30, 3, (0,), None),
        (kind.SCHEDULE, 30, 4, (0,), None),
        (kind.END, 40, 4, (0,), None),
    ]
    data = (tmp_path / "j").read_bytes()
    assert data[:16] == b"version 1.2\0" + struct.pack(">I", 16 + 6)
