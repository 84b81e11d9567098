"""Configurations that a build refuses before it compiles, and priorities of the drain."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tools.check.zephyr_glue import GENERATIONS, PORT, prepare

if TYPE_CHECKING:
    from pathlib import Path

UART = "CONFIG_TICKERTAPE_LINK_UART"
NONE = "CONFIG_TRACING_NONE"
USB = "CONFIG_TICKERTAPE_UART_IS_USB"
NO_LINK = "tickertape: no link to the host is selected"
PERIODS = "set(CONFIG_SYS_CLOCK_TICKS_PER_SEC 100)\nset(CONFIG_TICKERTAPE_DRAIN_PERIOD_MS 10)"
# Fake of Zephyr's CMake: a devicetree with the UARTs `uart0` (the console's) and `uart1`.
ZEPHYR = """
function(dt_chosen result keyword property)
  set(${result} "${chosen-${property}}" PARENT_SCOPE)
endfunction()
function(dt_node_has_status result keyword path keyword2 status)
  set(${result} ${${path}-okay} PARENT_SCOPE)
endfunction()
set(chosen-zephyr,console /soc/uart0)
set(/soc/uart0-okay TRUE)
set(/soc/uart1-okay TRUE)
"""


def answer_of(folder: Path, *lines: str, headers: tuple[str, ...] = ()) -> str:
    """Run refuse.cmake in a Zephyr tree with these tracing headers; return its message, or ""."""
    for header in headers:
        path = folder / "include/zephyr/tracing" / header
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    script = folder / "some.cmake"
    base = f"set(ZEPHYR_BASE {folder})\n{PERIODS}"
    script.write_text("\n".join([ZEPHYR, base, *lines, f"include({PORT}/refuse.cmake)\n"]))
    done = subprocess.run(["cmake", "-P", script], capture_output=True, text=True, check=False)
    text = " ".join(done.stderr.split())
    assert (done.returncode == 0) is (not text or text.startswith("CMake Warning"))
    return text


def on(*options: str, uart: str = "uart1") -> list[str]:
    """Return CMake lines that set Kconfig options to y and choose the UART of the trace."""
    chosen = [f"set(chosen-tickertape,uart /soc/{uart})"] if uart else []
    return [*(f"set({option} y)" for option in options), *chosen]


@pytest.mark.parametrize(
    ("lines", "headers"),
    [
        (on(UART, NONE), ()),
        (on(UART, "CONFIG_TRACING_USER"), ()),
        (on("CONFIG_TICKERTAPE_LINK_RTT", NONE, uart=""), ()),
        (on(UART, NONE, "CONFIG_UART_CONSOLE"), ()),
        (on(UART, NONE, USB, "CONFIG_USB_CDC_ACM"), ()),
        (on(UART, NONE, USB, "CONFIG_USBD_CDC_ACM_CLASS"), ()),
        (on(UART, "CONFIG_UART_CONSOLE", "takes_format"), ()),
        (on(UART, "CONFIG_TRACING_CUSTOM"), ("tracing_hooks.h",)),
    ],
)
def test_what_can_work_is_not_refused(
    lines: list[str], headers: tuple[str, ...], tmp_path: Path
) -> None:
    assert answer_of(tmp_path, *lines, headers=headers) == ""


@pytest.mark.parametrize(
    ("lines", "headers", "said", "remedy"),
    [
        (on(NONE), (), NO_LINK, "CONFIG_TICKERTAPE_LINK_RTT"),
        (on(UART, NONE, uart=""), (), "no UART is chosen", "tickertape,uart = &uart1"),
        (on(UART, NONE, uart="uart2"), (), "or it is disabled", 'status = "okay"'),
        (
            on(UART, NONE, "CONFIG_UART_CONSOLE", uart="uart0"),
            (),
            "UART of the console or shell",
            "CONFIG_UART_CONSOLE=n",
        ),
        (on(UART, NONE, USB), (), "but the USB driver is off", "CONFIG_USB_DEVICE_STACK=y"),
        (
            on(f"{UART}_ASYNC", NONE, USB, "CONFIG_USB_CDC_ACM"),
            (),
            "has no asynchronous interface",
            f"{UART}=y",
        ),
        (on(UART, "CONFIG_TRACING_CTF"), (), "CONFIG_TRACING_CTF uses the tracing hooks", NONE),
        (
            on(UART, "CONFIG_TRACING_OTHER"),
            (),
            "another tracing format uses the tracing hooks",
            NONE,
        ),
        (on(UART, "CONFIG_TRACING_CUSTOM"), (), "requires a format to define every hook", NONE),
        (
            on(UART, "CONFIG_TRACING_CUSTOM"),
            ("tracing_hooks.h", "zephyr_custom_tracing.h"),
            "already contains a custom tracing format",
            NONE,
        ),
    ],
)
def test_what_cannot_work_is_refused_with_a_remedy(
    lines: list[str], headers: tuple[str, ...], said: str, remedy: str, tmp_path: Path
) -> None:
    answer = answer_of(tmp_path, *lines, headers=headers)
    assert said in answer
    assert remedy in answer.partition(said)[2]


def test_a_period_below_a_tick_is_told(tmp_path: Path) -> None:
    lines = [*on(UART, NONE), "set(CONFIG_SYS_CLOCK_TICKS_PER_SEC 99)"]
    answer = answer_of(tmp_path, *lines)
    assert answer == ""
    lines = [*on(UART, NONE), "set(CONFIG_SYS_CLOCK_TICKS_PER_SEC 1)"]
    answer = answer_of(tmp_path, *lines)
    assert "DRAIN_PERIOD_MS=10 is below a tick of the kernel (1000 ms)" in answer


def compiled(folder: Path, preemptible: int, wanted: int, *words: str | Path) -> str:
    """Compile with `preemptible` priorities and `wanted` for the drain; return the diagnostics."""
    flags = [
        *prepare(folder, GENERATIONS["newer"]),
        *("-UCONFIG_NUM_PREEMPT_PRIORITIES", f"-DCONFIG_NUM_PREEMPT_PRIORITIES={preemptible}"),
        *("-UCONFIG_TICKERTAPE_DRAIN_PRIORITY", f"-DCONFIG_TICKERTAPE_DRAIN_PRIORITY={wanted}"),
    ]
    command = ["gcc", "-std=gnu11", "-c", *flags, *words, "-o", folder / "some.o"]
    return subprocess.run(command, capture_output=True, text=True, check=False).stderr


@pytest.mark.parametrize(
    ("preemptible", "wanted", "priority"),
    [(15, -1, 14), (30, -1, 14), (4, -1, 3), (1, -1, 0), (0, -1, -1), (10, 9, 9), (30, 20, 20)],
)
def test_the_drain_has_a_priority_that_exists(
    preemptible: int, wanted: int, priority: int, tmp_path: Path
) -> None:
    source = tmp_path / "some.c"
    source.write_text(
        f'#include "drain_turn.h"\nBUILD_ASSERT(TT_ZEPHYR_DRAIN_PRIORITY == {priority}, "");\n'
    )
    assert compiled(tmp_path, preemptible, wanted, source) == ""
    assert compiled(tmp_path, preemptible, wanted, PORT / "src/tracer.c") == ""


def test_a_priority_that_does_not_exist_is_refused(tmp_path: Path) -> None:
    answer = compiled(tmp_path, 10, 14, PORT / "src/tracer.c")
    assert "make CONFIG_TICKERTAPE_DRAIN_PRIORITY less than CONFIG_NUM_PREEMPT_PRIORITIES" in answer
