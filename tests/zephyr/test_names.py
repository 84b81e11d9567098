"""Names of Zephyr queues, threads and interrupts in output, and the kernel law ONE_OWNER."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import pytest

from tests.support.zephyr_boards import (
    APPS,
    BUILD_SECONDS,
    RUN_SECONDS,
    build,
    needs_zephyr,
    run,
)
from tickertape.analysis.kernel_findings import Law
from tickertape.analysis.kernel_laws import kernel_laws_of
from tickertape.model.compiled_system import system_model
from tickertape.model.entities import Kind
from tickertape.model.names import Names
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command

BOARD = "mps2_an385"

pytestmark = [needs_zephyr, pytest.mark.timeout(BUILD_SECONDS + 2 * RUN_SECONDS)]


def test_everything_has_its_name(tickertape: Command, tmp_path: Path) -> None:
    folder, tape = build(APPS / "names", BOARD), tmp_path / "T.tape"
    symbols = run(folder, BOARD, tape).symbols
    assert symbols.interrupts[18] == "uart_cmsdk_apb_isr(uart@40005000)"
    done = tickertape("print", tape, "--elf", folder / "zephyr/zephyr.elf")
    text = str(done.stdout)
    assert "scoid=letters" in text
    assert "scoid=0x" not in text
    assert "SYNC_DESTROY_ENTER" in text
    with TapeReader(tape) as reader:
        model = system_model(lambda _epoch: Names({}, symbols))
        for columns in iter_events(reader):
            model.feed(columns)
        assert kernel_laws_of(reader)[Law.ONE_OWNER].broken == 0
    tasks = [entity.name for entity in model.entities if entity.kind is Kind.TASK]
    inside = next(task for task in tasks if task.startswith("more_jobs+0x"))
    assert sorted(tasks) == sorted(
        ["jobs", "main", "motor", inside, "nameless", "sysworkq", "tickertape"]
    )
    # A thread's number is an address; a thread without a name shows it in hexadecimal.
    said = re.findall(r"THREAD +NAME +pid=0 tid=(\S+) \"0x(\w{8})\"", text)
    assert {f"0x{number}:{name}" for tid, number in said for name in [tid.partition(":")[2]]} == {
        tid for tid, _ in said
    }
    assert {tid.partition(":")[2] for tid, _ in said} >= {"jobs", "nameless", inside}
    plain = str(tickertape("print", tape, "--event", "THREAD.NAME").stdout)
    assert re.search(r"pid=0 tid=(0x\w{8}) \"\1\"$", plain, re.MULTILINE)
