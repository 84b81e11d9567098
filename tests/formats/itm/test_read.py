"""Import of ITM packets: hardware events become software events, then system events."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.command import assert_complaint
from tests.support.data_program import built as data_program
from tests.support.itm import encoded
from tests.support.tpiu import formatted
from tickertape.analysis.summary import summary_of
from tickertape.decode.itm import (
    DataPart,
    DataTrace,
    EventCounters,
    ExceptionTrace,
    Extension,
    Instrumentation,
    LocalTimestamp,
    Overflow,
    Packet,
    PcSample,
    Relation,
    Step,
    Sync,
)
from tickertape.errors import ForeignFile, UsageError
from tickertape.formats.itm.read import import_itm
from tickertape.model.compiled_system import system_model
from tickertape.model.hardware import MOST_WAITING, HardwareLevel
from tickertape.model.names import Names
from tickertape.model.transitions import Action
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command


def at(ticks: int, relation: Relation = Relation.EXACT) -> LocalTimestamp:
    return LocalTimestamp(ticks, relation)


def entered(number: int) -> ExceptionTrace:
    return ExceptionTrace(number, Step.ENTERED)


def exited(number: int) -> ExceptionTrace:
    return ExceptionTrace(number, Step.EXITED)


NESTED: list[Packet] = [
    *(Sync(), entered(16), at(100), entered(15), at(50), exited(15)),
    *(ExceptionTrace(16, Step.RETURNED), at(25), exited(16)),
    *(ExceptionTrace(0, Step.RETURNED), at(25)),
]


def rows_of(packets: list[Packet], watched: dict[int, int] | None = None) -> HardwareLevel:
    level = HardwareLevel(watched)
    for packet in packets:
        level.take(packet)
    level.finish()
    return level


def test_a_time_stamp_is_the_time_of_what_stands_before_it() -> None:
    level = rows_of([*NESTED, Instrumentation(3, 7, 4), Instrumentation(4, 8, 1), at(5)])
    assert level.rows == [
        (100, 3 << 10 | 1, 16, 0),
        (150, 3 << 10 | 1, 15, 0),
        (175, 3 << 10 | 2, 15, 0),
        (200, 3 << 10 | 2, 16, 0),
        (205, 6 << 10 | 3, 7, 4),
        (205, 6 << 10 | 4, 8, 1),
    ]
    assert (level.unsure, level.unstamped) == (0, 0)
    assert level.left_out == {"ExceptionTrace": 2}


def test_ports_have_pages_and_accesses_have_addresses() -> None:
    write, low = (
        DataTrace(1, DataPart.WRITE, 9, 4),
        DataTrace(1, DataPart.ADDRESS, 0x0104, 2),
    )
    packets: list[Packet] = [
        Extension(1, is_hardware=False),
        Instrumentation(2, 5, 4),
        low,
        write,
        write,
    ]
    packets += [PcSample(0x800), PcSample(None), DataTrace(0, DataPart.READ, 3, 1), at(1)]
    level = rows_of(packets, {1: 0x2000_0000})
    assert [row[1:] for row in level.rows] == [
        (6 << 10 | 34, 5, 4),
        (12 << 10 | 1, 0x2000_0104, 9),
        (12 << 10 | 1, 0x2000_0000, 9),
        (5 << 10 | 9, 0x800, 0),
        (5 << 10 | 9, 0, 0),
        (12 << 10, 0, 3),
    ]
    assert not level.left_out


def test_what_is_late_or_has_no_time_stamp_is_counted() -> None:
    level = rows_of([entered(15), at(1, Relation.LATE_PACKET), exited(15), EventCounters(1)])
    assert (level.unsure, level.unstamped) == (1, 1)
    assert level.left_out == {"EventCounters": 1}
    level = HardwareLevel()
    for _ in range(MOST_WAITING + 5):
        level.take(Instrumentation(0, 1, 1))
    assert (len(level.rows), level.unstamped) == (MOST_WAITING, MOST_WAITING)


def test_exceptions_become_interrupts_of_the_system(tmp_path: Path) -> None:
    (tmp_path / "x.swo").write_bytes(b"".join(map(encoded, NESTED)))
    report = import_itm(tmp_path / "x.swo", tmp_path / "x.tape", hz=1000)
    assert (report.counts["packets"], report.counts["events"]) == (len(NESTED), 4)
    with TapeReader(tmp_path / "x.tape") as reader:
        model = system_model(lambda epoch: Names(reader.names(epoch)))
        said = []
        for part in iter_events(reader):
            found = model.feed(part)
            for entity, action, time in zip(
                found.entity.tolist(), found.action.tolist(), found.time.tolist(), strict=True
            ):
                said.append((time, model.entities[entity].name, Action(action).name))
    assert [one for one in said if one[2] != "TRIGGER" and not one[1].startswith("Core_")] == [
        (100, "irq0", "ACTIVATE"),
        (100, "irq0", "START"),
        (150, "irq0", "PREEMPT"),
        (150, "SysTick", "ACTIVATE"),
        (150, "SysTick", "START"),
        (175, "SysTick", "TERMINATE"),
        (175, "irq0", "RESUME"),
        (200, "irq0", "TERMINATE"),
    ]


def test_an_overflow_is_a_loss_that_nobody_counts(tmp_path: Path) -> None:
    packets = [*NESTED[:3], Overflow(), *NESTED[3:], Overflow()]
    (tmp_path / "x.swo").write_bytes(b"".join(map(encoded, packets)))
    report = import_itm(tmp_path / "x.swo", tmp_path / "x.tape", hz=1000)
    assert report.counts["overflows"] == 2
    with TapeReader(tmp_path / "x.tape") as reader:
        gaps = [(gap.row, gap.unknown) for part in iter_events(reader) for gap in part.gaps]
        total = summary_of(reader).balance.total
    assert gaps == [(1, True)]
    assert total.offered == total.delivered == report.counts["events"]


def in_frames(*parts: tuple[int, bytes]) -> bytes:
    return formatted([(source, byte) for source, data in parts for byte in data])


def times_of(tape: Path) -> list[int]:
    with TapeReader(tape) as reader:
        return [time for columns in iter_events(reader) for time in columns.time.tolist()]


def test_frames_of_a_tpiu_are_removed(tmp_path: Path) -> None:
    data = b"".join(map(encoded, NESTED * 300))
    pieces = [(1, data[place : place + 7]) for place in range(0, len(data), 7)]
    mixed = [piece for one in pieces for piece in (one, (2, b"etm"))]
    for name, content, tpiu in (
        ("plain", data, None),
        ("framed", in_frames(*pieces), None),
        ("first", in_frames(*pieces).removeprefix(b"\xff\xff\xff\x7f"), 1),
        ("mixed", in_frames(*mixed), 1),
    ):
        (tmp_path / name).write_bytes(content)
        report = import_itm(tmp_path / name, tmp_path / f"{name}.tape", hz=1000, tpiu=tpiu)
        assert report.counts["packets"] == 300 * len(NESTED)
        left_out = {what for what in report.left_out if "source" in what}
        assert left_out == ({"source 2 of the TPIU"} if name == "mixed" else set())
    with pytest.raises(UsageError, match=r"these sources: 1, 2; .*--tpiu"):
        import_itm(tmp_path / "mixed", tmp_path / "x.tape", hz=1000)
    with pytest.raises(UsageError, match="these sources: 1;"):
        import_itm(tmp_path / "framed", tmp_path / "x.tape", hz=1000, tpiu=3)
    events = [times_of(tmp_path / f"{name}.tape") for name in ("plain", "framed", "mixed")]
    assert events[0] == events[1] == events[2]


def test_the_command_says_what_it_left_out(tickertape: Command, tmp_path: Path) -> None:
    data = b"".join(map(encoded, [*NESTED, Overflow(), entered(15)])) + b"\x04garbage"
    (tmp_path / "x.swo").write_bytes(data)
    words = ("import", "itm", "x.swo", "-o", "x.tape", "--hz", "1000", "--watch", "0=0x20000000")
    done = tickertape(*words)
    assert done.returncode == 0, done.stderr
    assert "13 packets became 5 events" in done.stdout
    for remark in ("lost packets at 1 places", "8 bytes left out", "1 events have no time stamp"):
        assert remark in done.stderr
    assert "irq0" in tickertape("print", "x.tape").stdout


def test_what_cannot_be_done_is_one_line(tickertape: Command, tmp_path: Path) -> None:
    (tmp_path / "x.swo").write_bytes(b"\x04")
    for words, code in (
        (("x.swo", "--hz", "1000"), 4),
        (("missing.swo", "--hz", "1000"), 4),
        (("x.swo", "--hz", "0"), 2),
        (("x.swo", "--hz", "9", "--watch", "4=0"), 2),
        (("x.swo", "--hz", "9", "--watch", "zero"), 2),
    ):
        done = tickertape("import", "itm", *words, "-o", "x.tape")
        assert done.returncode == code, (words, done.stderr)
        assert "Traceback" not in done.stderr
    with pytest.raises(ForeignFile):
        import_itm(tmp_path / "x.swo", tmp_path / "y.tape", hz=1)


def test_variables_of_an_elf_file_have_names_and_types(
    tickertape_inside: Command, tmp_path: Path
) -> None:
    elf, said = data_program(tmp_path, "gcc", "-gdwarf-4 -O1")
    place, size = said["motors[1].mode"]
    packets: list[Packet] = [Sync(), DataTrace(0, DataPart.PC, said["number"][0], 4)]
    packets += [DataTrace(0, DataPart.WRITE, 3, size), at(7)]
    (tmp_path / "x.swo").write_bytes(b"".join(map(encoded, packets)))
    words = ("import", "itm", "x.swo", "-o", "x.tape", "--hz", "1000", "--watch", f"0={place}")
    done = tickertape_inside(*words, "--elf", elf)
    assert done.returncode == 0, done.stderr
    shown = tickertape_inside("print", "x.tape").stdout
    assert "signal=motors[1].mode value=RUN" in shown
    assert "access=1" in shown
    done = tickertape_inside(*words, "--elf", "nowhere.elf")
    assert_complaint(done, 6, "nowhere.elf cannot be read")


def test_skipped_bytes_are_a_loss_of_unknown_size(
    tickertape_inside: Command, tmp_path: Path
) -> None:
    parts = [packet for value in range(100) for packet in (PcSample(0x800 + value % 5), at(4))]
    data = b"".join(map(encoded, parts))
    damaged = data[:303] + data[304:]
    for name, content, places in (
        ("middle", damaged + encoded(Sync()) + data, 1),
        ("end", data + b"\x17\x00\x08", 1),
        ("both", damaged + encoded(Sync()) + data + b"\x17\x00\x08", 2),
    ):
        (tmp_path / name).write_bytes(content)
        import_itm(tmp_path / name, tmp_path / f"{name}.tape", hz=1000)
        with TapeReader(tmp_path / f"{name}.tape") as reader:
            found = summary_of(reader).balance.total.delivered
            unknown = sum(ring.unknown_losses for ring in summary_of(reader).balance.rings)
        assert unknown == places
        assert found >= len(content) // 7 - 3
    assert "missing" in tickertape_inside("print", "both.tape").stdout


def test_text_is_no_trace_of_a_pin(tickertape_inside: Command, tmp_path: Path) -> None:
    (tmp_path / "x.swo").write_bytes(b"waiting for the sensor\r\n" * 50)
    done = tickertape_inside("import", "itm", "x.swo", "-o", "x.tape", "--hz", "1000")
    assert_complaint(done, 4, "has no packet of ITM or DWT", "looks like text")
    assert not (tmp_path / "x.tape").exists()
