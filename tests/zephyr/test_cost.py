"""Cost of single kernel calls on a real Zephyr, in instructions counted by QEMU."""

from __future__ import annotations

import re
import subprocess
import time
from typing import TYPE_CHECKING

import pytest

from tests.support.zephyr_boards import (
    APPS,
    BUILD_SECONDS,
    RUN_SECONDS,
    build,
    needs_zephyr,
    qemu,
)

if TYPE_CHECKING:
    from pathlib import Path

BOARD = "mps2_an385"
# Limits slightly above the figures of docs/zephyr.md, because compilers differ.
MOST = {
    "recorded": {"give": 135, "take": 135, "unlock": 125, "lock": 155, "switch by yield": 215},
    "filtered": {"give": 75, "take": 55, "unlock": 88, "lock": 70, "switch by yield": 150},
}

# By how many bytes the default configuration makes an image larger, at most.
LARGER = {"ROM": 17_600, "RAM": 22_000}

pytestmark = [needs_zephyr, pytest.mark.timeout(BUILD_SECONDS + 2 * RUN_SECONDS)]


def test_a_kernel_call_costs_what_the_guide_states(tmp_path: Path) -> None:
    folder = build(APPS / "cost", BOARD, "-DCONFIG_TICKERTAPE_CLOCK_REGISTER=y")
    console = tmp_path / "console.txt"
    wiring = ["-serial", f"file:{console}", "-serial", "null"]
    deadline = time.monotonic() + RUN_SECONDS
    with subprocess.Popen([*qemu(BOARD, folder), *wiring], stdin=subprocess.DEVNULL) as process:
        while not console.exists() or "done" not in console.read_text():
            assert process.poll() is None, "the emulator has ended"
            assert time.monotonic() < deadline, console.read_text()
            time.sleep(0.1)
        process.terminate()
    lines = re.findall(r"^(\w+): (give \d+, .*)$", console.read_text(), re.MULTILINE)
    assert {state for state, _ in lines} == MOST.keys()
    for state, line in lines:
        costs = {name: int(cost) for name, cost in re.findall(r"([a-z ]*[a-z]) (\d+)", line)}
        assert {name.strip(): cost for name, cost in costs.items()}.keys() == MOST[state].keys()
        for name, cost in costs.items():
            assert cost <= MOST[state][name.strip()], f"{state}: {line}"


def rom_and_ram(image: Path) -> tuple[int, int]:
    """Return the bytes of flash and of memory of an image; initialised data is in both."""
    command = ["arm-none-eabi-size", str(image)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    text, data, bss = map(int, done.stdout.splitlines()[1].split()[:3])
    return text + data, data + bss


def test_the_default_configuration_is_as_small_as_the_guide_states() -> None:
    options = ("-DCONFIG_TICKERTAPE_CLOCK_REGISTER=y", "-DCONFIG_TICKERTAPE_BUFFERS=8")
    traced = build(APPS / "cost", BOARD, *options, name="sized")
    plain = build(APPS / "cost", BOARD, "-DCONFIG_TICKERTAPE=n", name="untraced")
    sizes = zip(
        LARGER,
        rom_and_ram(traced / "zephyr/zephyr.elf"),
        rom_and_ram(plain / "zephyr/zephyr.elf"),
        strict=True,
    )
    larger = {kind: with_it - without for kind, with_it, without in sizes}
    assert {kind: size for kind, size in larger.items() if size > LARGER[kind]} == {}
