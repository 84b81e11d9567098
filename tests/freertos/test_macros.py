"""The port compiles and records with each generation of kernels, and refuses what it cannot do.

There is no FreeRTOS here: `stubs` has the declarations that the port needs, and the driver has the
names that its macros meet inside of the kernel.
"""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

HERE = Path(__file__).parent
FIRMWARE = HERE.parents[1] / "firmware"
PORT = FIRMWARE / "ports/freertos"
SOURCES = sorted(PORT.glob("*.c"))
WARNINGS = ("-std=c11", "-Wall", "-Wextra", "-Wshadow", "-Wmissing-prototypes", "-Werror")
STUBS = (f"-I{HERE / 'stubs'}", f"-I{PORT}", f"-I{FIRMWARE / 'include'}")
ARM = ("arm-none-eabi-gcc", "-mthumb", "-O2", f"-I{FIRMWARE / 'ports/cortex_m'}")
CORES = {
    "M0+ with a timer": ("-mcpu=cortex-m0plus", "-DTT_PORT_CLOCK_REGISTER=0x40054028u"),
    "M3": ("-mcpu=cortex-m3",),
    "M4F": ("-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"),
    "M7": ("-mcpu=cortex-m7",),
    "M33": ("-mcpu=cortex-m33",),
}

# Records of each macro; those of names and of a state dump are several.
SILENT = {
    *("create idle", "ready idle", "ready again", "out, ready", "in again", "delay until"),
    *("suspend self", "priority, inherited", "tick, suspended", "mutex, new", "semaphore, full"),
    *("queue, waits to send", "queue, waits to peek", "queue, tried", "queue, deleted"),
    *("take, waits", "wait, waits", "flags waited", "flags tried", "stream sent nothing"),
    *("stream received nothing", "stream waits", "timer command", "interrupt, exit alone"),
}
SEVERAL = {"create", "first", "delete", "queue, named", "timer created"}


def compiled(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


@pytest.mark.parametrize("generation", [10, 11])
def test_every_macro_records_what_it_should(generation: int, tmp_path: Path) -> None:
    options = (f"-DGENERATION={generation}", "-DTT_PORT_CLOCK_REGISTER=1")
    port = FIRMWARE / "ports/template"
    sources = [*SOURCES, HERE / "macros_driver.c", *sorted((FIRMWARE / "core").glob("*.c"))]
    command: list[str | Path] = [
        "gcc",
        "-g",
        *WARNINGS,
        *STUBS,
        f"-I{port}",
        *options,
        *sources,
        "-o",
        "driver",
    ]
    done = compiled(*command, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    run = subprocess.run([tmp_path / "driver"], capture_output=True, text=True, check=True)
    made = {
        name: int(count)
        for name, count in (line.rsplit(" ", 1) for line in run.stdout.splitlines())
    }
    higher = made.pop("priority, higher")
    assert higher == (1 if generation > 10 else 0), "V10 keeps what was inherited"
    assert {name for name, count in made.items() if count == 0} == SILENT
    assert {name for name, count in made.items() if count > 1} == SEVERAL


@pytest.mark.parametrize("core", CORES)
def test_the_port_compiles_for_each_core(core: str, tmp_path: Path) -> None:
    command: list[str | Path] = [*ARM, *CORES[core], *WARNINGS, *STUBS, "-c", *SOURCES]
    done = compiled(*command, folder=tmp_path)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        (("-DWITHOUT_TRACE_FACILITY",), "set configUSE_TRACE_FACILITY to 1"),
        (("-DconfigNUMBER_OF_CORES=2",), "set configNUMBER_OF_CORES to 1"),
        (("-DconfigENABLE_MPU=1",), "set configENABLE_MPU to 0"),
        (("-DportUSING_MPU_WRAPPERS=1",), "take a port without MPU"),
        (("-DtraceTASK_SWITCHED_IN()=",), "remove its include"),
        (("-mcpu=cortex-m0",), "name a 32-bit timer"),
    ],
)
def test_refusals_end_in_what_to_do(options: tuple[str, ...], remedy: str, tmp_path: Path) -> None:
    source = PORT / "tickertape_freertos.c"
    command: list[str | Path] = [*ARM, "-mcpu=cortex-m3", *options, *STUBS, "-c", source]
    done = compiled(*command, folder=tmp_path)
    assert done.returncode != 0
    assert 'error: #error "tickertape: ' in done.stderr
    assert remedy in done.stderr


@pytest.mark.parametrize(
    "language", [("-x", "assembler-with-cpp"), ("-x", "c", "-DTT_CONFIG_ENABLED=0")], ids=str
)
def test_it_leaves_nothing_in_assembler_and_when_off(
    language: tuple[str, ...], tmp_path: Path
) -> None:
    header = PORT / "tickertape_freertos.h"
    done = compiled("gcc", "-E", "-P", *language, header, folder=tmp_path)
    assert (done.returncode, done.stdout.strip()) == (0, "")
