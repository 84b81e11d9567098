"""Export of system traces: valid, with marked losses and resets, and without invented events."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.boots import boots
from tests.support.columns import Row, columns, create, gap, name, switch
from tests.support.target import SimulatedTarget
from tickertape.analysis.summary import summary_of
from tickertape.collector import CaptureOptions, capture
from tickertape.formats.btf import VERSIONS
from tickertape.formats.btf.check import check_btf
from tickertape.formats.btf.transition_lines import BtfLines
from tickertape.formats.btf.write import export_btf
from tickertape.formats.source import Source
from tickertape.link import MemoryLink
from tickertape.model.names import Names
from tickertape.model.system import SystemModel
from tickertape.protocol.events import KercallCall
from tickertape.tape import TapeReader
from tickertape.targets.firmware import examples, project_root

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

RING = (0, 0)


def exported(tape: Path, version: str = "2.3") -> list[str]:
    out = tape.with_suffix(".btf")
    with TapeReader(tape) as reader:
        names = {epoch: Names(reader.names(epoch)) for epoch in reader.epochs}
        export_btf(Source(reader, boots(names.__getitem__)), out, version=version)
    report = check_btf(out, strict=True)
    assert report.findings.listed == []
    return out.read_text(encoding="utf-8").splitlines()


# `storm` loses records on purpose; one run is enough.
RUNS = [
    *(("native", example) for example in examples(project_root())),
    *(("qemu", example) for example in examples(project_root()) if example != "storm"),
    *(("qemu-dual", example) for example in ("domains", "first_tape", "messages", "stress")),
]


@pytest.mark.parametrize(("target", "example"), RUNS)
def test_every_example_keeps_to_the_format(
    tickertape: Command, tickertape_inside: Command, tmp_path: Path, target: str, example: str
) -> None:
    tape = tmp_path / "x.tape"
    done = tickertape(
        *("run", "--target", target, "--example", example, "-o", tape, "--duration", "0.1")
    )
    assert done.returncode == 0, done.stderr
    with TapeReader(tape) as reader:
        total = summary_of(reader).balance.total
    assert total.offered == total.delivered + total.overwritten + total.dropped + total.damaged
    for version in VERSIONS:
        words = ("export", "btf", tape, "-o", "x.btf", "--version", version)
        assert tickertape_inside(*words).returncode == 0
        checked = tickertape_inside("btf", "check", "--strict", "x.btf")
        assert checked.returncode == 0, checked.stdout[-2000:]
        assert ("unchecked" in checked.stdout) >= (total.lost > 0)


def simulated(target: SimulatedTarget, path: Path) -> Path:
    target.finish()
    capture(MemoryLink([target.sent_bytes()]), path, CaptureOptions(handle_signals=False))
    return path


def begun(boot_id: int = 1) -> SimulatedTarget:
    target = SimulatedTarget(boot_id=boot_id)
    target.hello()
    target.name(1, 1, "a task, with a comma")
    for tid, text in ((1, b"a task, with a comma"), (2, b"other")):
        target.record(RING, 4, 24, 0, tid)
        target.combine(RING, 4, 320, bytes(4) + bytes([tid, 0, 0, 0]) + text)
        target.record(RING, 4, 2, 0, tid)
    target.advance(100)
    target.record(RING, 9, 0, 0, 1)
    target.advance(100)
    target.record(RING, 9, 0, 1, 2)
    return target


@pytest.mark.parametrize("version", VERSIONS)
def test_names_have_no_separators_and_time_is_in_nanoseconds(tmp_path: Path, version: str) -> None:
    target = begun()
    target.flush(RING)
    target.send_buffer(RING)
    lines = exported(simulated(target, tmp_path / "x.tape"), version)
    assert lines[0] == f"#version {VERSIONS[version]}"
    starts = [line for line in lines if line.endswith(",start") and ",T," in line]
    with TapeReader(tmp_path / "x.tape") as reader:
        assert reader.hello is not None
        ns = 10**9 // reader.hello.tick_hz
    begin = int(starts[0].split(",")[0])
    assert [line.split(",", 1)[1] for line in starts] == [
        "Core_0,0,T,a_task_with_a_comma,0,start",
        "Core_0,0,T,other,0,start",
    ]
    assert starts[1].split(",")[0] == str(begin + 100 * ns)


def test_a_reset_is_said_and_time_goes_on(tmp_path: Path) -> None:
    target = begun()
    target.flush(RING)
    target.send_buffer(RING)
    first = target.sent_bytes()
    again = begun(2)
    again.flush(RING)
    again.send_buffer(RING)
    again.finish()
    path = tmp_path / "x.tape"
    capture(MemoryLink([first + again.sent_bytes()]), path, CaptureOptions(handle_signals=False))
    lines = exported(path)
    assert [line for line in lines if line.startswith("# reset")] == ["# reset: boot 1 begins here"]
    behind = lines[lines.index("# reset: boot 1 begins here") + 1 :]
    assert [line.split(",", 1)[1] for line in behind if ",T,other" in line] == [
        "CREATE_other,1,T,other,1,activate",
        "Core_0,0,T,other,1,start",
    ]


def test_a_loss_is_said_where_it_is(tmp_path: Path) -> None:
    target = begun()
    target.flush(RING)
    target.send_buffer(RING)
    for turn in range(200):  # far more records than the buffers hold: some are dropped
        target.advance(100)
        target.record(RING, 9, 0, 2 - turn % 2, 1 + turn % 2)
    while target.send_buffer(RING):
        pass
    target.advance(100)
    target.record(RING, 9, 0, 1, 2)
    target.flush(RING)
    target.send_buffer(RING)
    path = simulated(target, tmp_path / "x.tape")
    with TapeReader(path) as reader:
        total = summary_of(reader).balance.total
    assert total.lost > 0
    assert total.offered == total.delivered + total.lost
    losses = [line for line in exported(path) if line.startswith("# loss")]
    assert len(losses) == 1
    assert f" {total.lost} records of CPU 0 " in losses[0]
    assert any(",SIM,SIM,-1,error" in line for line in exported(path, "2.1"))


@pytest.mark.parametrize("version", VERSIONS)
def test_a_loss_behind_the_last_event_is_said_at_the_end(tmp_path: Path, version: str) -> None:
    target = begun()
    target.flush(RING)
    target.send_buffer(RING)
    for turn in range(200):  # the last records do not arrive
        target.advance(100)
        target.record(RING, 9, 0, 2 - turn % 2, 1 + turn % 2)
    while target.send_buffer(RING):
        pass
    path = simulated(target, tmp_path / "x.tape")
    with TapeReader(path) as reader:
        total = summary_of(reader).balance.total
    assert total.offered == total.delivered + total.lost
    assert total.lost > 0
    lines = exported(path, version)
    (loss,) = [line for line in lines if line.startswith("# loss")]
    assert f" {total.lost} records of CPU 0 " in loss
    behind = lines[lines.index(loss) + 1 :]
    assert [line.split(",", 1)[1] for line in behind] == (
        ["SIM,-1,SYS,SYSTEM,0,stop"] if version == "2.1" else []
    )


def lines_of(rows: list[Row], *gaps: int, old: bool = False) -> list[str]:
    model = SystemModel(lambda _epoch: Names({}))
    lines = BtfLines(model.entities, old=old)
    lines.begin_boot(10**9, 0)
    found = model.feed(columns(rows, [gap(row) for row in gaps]))
    return lines.of(found, 0, len(found)).decode().splitlines()


def test_what_has_no_source_is_a_comment() -> None:
    rows = [Row(1, (12, 1), (0x100, 7)), Row(2, (13, 0), (0x200, 0)), Row(3, (8, 13), (0x300, 1))]
    assert lines_of(rows) == [
        "# 1 signal_0x100 write: value 7, its cause is unknown",
        "# 2 runnable_0x200 start: its process is unknown",
        "# 3 event_0x300 set_event: its cause is unknown",
    ]


def test_one_name_of_a_task_an_interrupt_and_an_object_is_made_three() -> None:
    rows = [create(0, 1), name(0, 1, "irq1"), switch(1, 0, 1), Row(2, (3, 1), (17, 0))]
    said = lines_of(rows)
    assert "1,Core_0,0,T,irq1,0,start" in said
    assert "2,Core_0,0,I,ISR_irq1,0,start" in said
    assert "2,IRQ_irq1,0,STI,IRQ_irq1,0,trigger" in said
    assert "2,SIM,-1,STI,IRQ_irq1,0,trigger" in lines_of(rows, old=True)


def test_times_never_step_back() -> None:
    rows = [create(5, 1), name(5, 1, "a"), switch(9, 0, 1), switch(3, 1, 0)]
    times = [int(line.split(",")[0]) for line in lines_of(rows)]
    assert times == sorted(times)


def test_old_files_tell_of_migration() -> None:
    rows = [
        *(create(0, 1), name(0, 1, "a"), switch(1, 0, 1), switch(2, 1, 0)),
        switch(3, 0, 1, cpu=1),
    ]
    assert "3,Core_1,0,T,a,0,phasemigration" in lines_of(rows, old=True)
    assert not [line for line in lines_of(rows) if "migration" in line]
    asks = Row(1, (2, KercallCall.SCHED_YIELD))
    assert "3,Core_1,0,T,a,0,fullmigration" in lines_of([*rows[:3], asks, *rows[3:]], old=True)


def test_bad_commands_end_in_one_line(tickertape: Command, tape: Path) -> None:
    for words in (
        ("export", "btf", tape, "-o", "no/such/folder/x.btf"),
        ("export", "btf", tape, "-o", "x.btf", "--stream", "5"),
        ("export", "btf", tape, "-o", "x.btf", "--version", "9"),
        ("export", "btf", "missing.tape", "-o", "x.btf"),
    ):
        done = tickertape(*words)
        assert done.returncode in {2, 4}
        assert len(done.stderr.splitlines()) == 1, done.stderr
