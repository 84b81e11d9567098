"""The gate for CPU numbers reports one that is read before interrupts are masked."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tools.check import cpu_after_lock
from tools.check.gates import GATES

ROOT = Path(__file__).parents[3]

TOO_EARLY = """
void flush(uint32_t stream)
{
    tt_ring_flush(&tt_rings[stream][tt_port_cpu()]);
}
"""
AFTER_UNLOCK = """
void flush(void)
{
    tt_port_key_t key = tt_port_lock();
    tt_port_unlock(key);
    close_waiting(tt_port_cpu());
}
"""
MASKED = """
/* tt_port_cpu() of a comment. */
void flush(uint32_t stream)
{
    tt_port_key_t key = tt_control_lock();
    if (stream > 0u) {
        close(&tt_rings[stream][tt_port_cpu()]);
    }
    tt_control_unlock(key);
}
"""
STATED = """
/* This CPU writes the ring; interrupts are
 * masked. */
static bool is_mine(uint32_t cpu)
{
    return cpu == tt_port_cpu();
}
"""
STATED_OF_ANOTHER = """
/* Interrupts masked. */
int other(void);

static bool is_mine(uint32_t cpu)
{
    return cpu == tt_port_cpu();
}
"""


def test_the_kernels_own_name_for_it_is_found() -> None:
    text = TOO_EARLY.replace("tt_port_cpu", "arch_curr_cpu")
    assert cpu_after_lock.check_text("a.c", text) == [
        "a.c:4: arch_curr_cpu() before interrupts are masked"
    ]


def test_the_glue_for_zephyr_is_read() -> None:
    port = "firmware/ports/zephyr/src/threads.h"
    text = re.sub(r" *tt_port_key_t key = tt_port_lock\(\);\n", "", (ROOT / port).read_text())
    assert cpu_after_lock.check_text(port, text)


@pytest.mark.process
def test_the_firmware_reads_it_while_interrupts_are_masked() -> None:
    gate = next(gate for gate in GATES if gate.name == "cpu-after-lock")
    assert gate.run(ROOT) == []


@pytest.mark.parametrize(
    ("text", "lines"),
    [(TOO_EARLY, [4]), (AFTER_UNLOCK, [6]), (MASKED, []), (STATED, []), (STATED_OF_ANOTHER, [7])],
)
def test_a_number_that_may_be_out_of_date_is_found(text: str, lines: list[int]) -> None:
    assert cpu_after_lock.check_text("a.c", text) == [
        f"a.c:{line}: tt_port_cpu() before interrupts are masked" for line in lines
    ]
