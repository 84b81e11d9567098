"""The port compiles and records with each generation of kernels, and refuses invalid options.

FreeRTOS is not needed: `stubs` has the declarations that the port uses, and the driver has the
variables that the macros use inside of the kernel.
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
FOLDERS = (HERE / "stubs", PORT, FIRMWARE / "include", FIRMWARE / "links")
STUBS = tuple(f"-I{folder}" for folder in FOLDERS)
ARM = ("arm-none-eabi-gcc", "-mthumb", "-O2", f"-I{FIRMWARE / 'ports/cortex_m'}")
CORES = {
    "M0+ with a timer": ("-mcpu=cortex-m0plus", "-DTT_PORT_CLOCK_REGISTER=0x40054028u"),
    "M3": ("-mcpu=cortex-m3",),
    "M4F": ("-mcpu=cortex-m4", "-mfloat-abi=hard", "-mfpu=fpv4-sp-d16"),
    "M7": ("-mcpu=cortex-m7",),
    "M33": ("-mcpu=cortex-m33",),
}

# Macros by number of records: SILENT record none, SEVERAL more than one, all others one.
SILENT = {
    *("create idle", "ready idle", "ready again", "out, ready", "in again", "delay until"),
    *("suspend self", "priority, inherited", "tick, suspended", "mutex, new", "semaphore, full"),
    *("queue, waits to send", "queue, waits to peek", "queue, tried", "queue, deleted"),
    *("take, waits", "wait, waits", "flags waited", "flags tried", "stream sent nothing"),
    *("flags met, cleared before", "flags there, kept"),
    *("stream received nothing", "stream waits", "timer command", "interrupt, exit alone"),
    *("delay until, timer task", "pended", "not pended", "executed all"),
}
SEVERAL = {"start", "create", "first", "delete", "queue, named", "timer created"} | {
    *("pend", "execute", "execute another", "flags set and cleared", "flags too late, there"),
}


def compiled(*command: str | Path, folder: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)


def test_every_macro_records_what_it_should(tmp_path: Path) -> None:
    """Test with one driver per generation of kernels, linked with the recorder."""
    options = [*WARNINGS, *STUBS, f"-I{FIRMWARE / 'ports/template'}", "-DTT_PORT_CLOCK_REGISTER=1"]
    options += ["-DTT_FREERTOS_CALLS=1", "-DGENERATION=11"]
    sources = [*SOURCES, *sorted((FIRMWARE / "core").glob("*.c"))]
    sources.append(FIRMWARE / "links/rtt_link.c")
    for generation in (10, 11):
        options[-1] = f"-DGENERATION={generation}"
        done = compiled("gcc", *options, "-c", *sources, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        program = tmp_path / f"driver-{generation}"
        objects = sorted(tmp_path.glob("*.o"))
        words: list[str | Path] = [*options, HERE / "macros_driver.c", *objects, "-o", program]
        done = compiled("gcc", *words, folder=tmp_path)
        assert done.returncode == 0, done.stderr
        run = subprocess.run([program], capture_output=True, text=True, check=True)
        lines = (line.rsplit(" ", 1) for line in run.stdout.splitlines())
        made = {name: int(count) for name, count in lines}
        higher = made.pop("priority, higher")
        assert higher == (1 if generation > 10 else 0), "V10 keeps what was inherited"
        assert {name for name, count in made.items() if count == 0} == SILENT
        assert {name for name, count in made.items() if count > 1} == SEVERAL


@pytest.mark.parametrize("ticks", [0, 1])
def test_clock_and_flushes_follow_elapsed_ticks(ticks: int, tmp_path: Path) -> None:
    """Polls come after sleeps of any length, and flushes after the kernel's count has wrapped."""
    program = tmp_path / "driver"
    options = [*WARNINGS, *STUBS, f"-I{FIRMWARE / 'ports/template'}", "-DTT_PORT_CLOCK_REGISTER=1"]
    options += ["-DTT_FREERTOS_DRAIN_TASK=0", f"-DconfigUSE_16_BIT_TICKS={ticks}"]
    sources = [HERE / "ticks_driver.c", *SOURCES, *sorted((FIRMWARE / "core").glob("*.c"))]
    sources.append(FIRMWARE / "links/rtt_link.c")
    done = compiled("gcc", *options, *sources, "-o", program, folder=tmp_path)
    assert done.returncode == 0, done.stderr
    run = subprocess.run([program], capture_output=True, text=True, check=False, timeout=60)
    assert (run.returncode, run.stdout) == (0, "")


@pytest.mark.parametrize("core", CORES)
def test_the_port_compiles_for_each_core(core: str, tmp_path: Path) -> None:
    more = ("-DTT_FREERTOS_CALLS=1", "-DTT_FREERTOS_VECTORS=64", "-DTT_FREERTOS_DRAIN_TASK=0")
    for options in ((), more):
        command: list[str | Path] = [*ARM, *CORES[core], *WARNINGS, *STUBS, *options]
        done = compiled(*command, "-c", *SOURCES, folder=tmp_path)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("core", CORES)
def test_the_port_compiles_with_an_mpu(core: str, tmp_path: Path) -> None:
    mpu = ("-DportUSING_MPU_WRAPPERS=1", "-DportPRIVILEGE_BIT=0x80000000u", "-DTT_FREERTOS_CALLS=1")
    for options in ((), ("-DTT_FREERTOS_SYSTEM_CALL=0",)):
        command: list[str | Path] = [*ARM, *CORES[core], *WARNINGS, *STUBS, *mpu, *options]
        done = compiled(*command, "-c", *SOURCES, folder=tmp_path)
        assert done.returncode == 0, done.stderr


def test_the_kernels_check_of_handlers_must_be_off(tmp_path: Path) -> None:
    options = ("-DportUSING_MPU_WRAPPERS=1", "-DconfigCHECK_HANDLER_INSTALLATION=1")
    source = PORT / "freertos_mpu.c"
    command: list[str | Path] = [*ARM, "-mcpu=cortex-m3", *options, *STUBS, "-c", source]
    done = compiled(*command, folder=tmp_path)
    assert done.returncode != 0
    assert "set configCHECK_HANDLER_INSTALLATION to 0" in done.stderr


@pytest.mark.parametrize("affinity", [0, 1])
@pytest.mark.parametrize("is_static", [0, 1])
def test_the_port_compiles_for_two_cores(affinity: int, is_static: int, tmp_path: Path) -> None:
    options = [
        *("-mcpu=cortex-m33", "-DconfigNUMBER_OF_CORES=2", "-DTT_CONFIG_CPUS=2"),
        *("-DTT_PORT_CLOCK_REGISTER=0x400b0028u", "-DTT_PORT_CPU_REGISTER=0xd0000000u"),
        *(f"-DconfigUSE_CORE_AFFINITY={affinity}", "-DTT_FREERTOS_CALLS=1"),
        f"-DconfigSUPPORT_STATIC_ALLOCATION={is_static}",
    ]
    done = compiled(*ARM, *options, *WARNINGS, *STUBS, "-c", *SOURCES, folder=tmp_path)
    assert done.returncode == 0, done.stderr


def test_cores_need_one_clock(tmp_path: Path) -> None:
    """Each core has its own cycle counter, so the port requires a common timer."""
    options = ("-mcpu=cortex-m33", "-DconfigNUMBER_OF_CORES=2", "-DTT_CONFIG_CPUS=2")
    number = "-DTT_PORT_CPU_REGISTER=0xd0000000u"
    source = PORT / "freertos_drain.c"
    done = compiled(*ARM, *options, number, *STUBS, "-c", source, folder=tmp_path)
    assert done.returncode != 0
    assert "name one 32-bit timer" in done.stderr


@pytest.mark.parametrize(
    ("options", "remedy"),
    [
        (("-DWITHOUT_TRACE_FACILITY",), "set configUSE_TRACE_FACILITY to 1"),
        (("-DconfigNUMBER_OF_CORES=2",), "compile the recorder with -DTT_CONFIG_CPUS=2"),
        (
            ("-DportUSING_MPU_WRAPPERS=1", "-DconfigNUMBER_OF_CORES=2", "-DTT_CONFIG_CPUS=2"),
            "set configNUMBER_OF_CORES to 1",
        ),
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


def test_assembler_sees_nothing(tmp_path: Path) -> None:
    header = PORT / "tickertape_freertos.h"
    done = compiled("gcc", "-E", "-P", "-x", "assembler-with-cpp", header, folder=tmp_path)
    assert (done.returncode, done.stdout.strip()) == (0, "")


CALLS = """
#include "FreeRTOS.h"
int start(const tt_freertos_link_t *link);
int start(const tt_freertos_link_t *link)
{
    tt_freertos_isr_enter();
    tt_freertos_isr_exit();
    tt_freertos_name(link, 5, "group");
    return tt_freertos_start("application", link);
}
"""


@pytest.mark.parametrize("language", ["c", "cpp"])
def test_applications_call_it_with_and_without_the_recorder(language: str, tmp_path: Path) -> None:
    source = tmp_path / f"application.{language}"
    source.write_text(CALLS)
    undefined = {}
    for on in (0, 1):
        options = ["-Wall", "-Wextra", "-Werror", *STUBS, f"-DTT_CONFIG_ENABLED={on}"]
        done = compiled("gcc", *options, "-c", source, "-o", "application.o", folder=tmp_path)
        assert done.returncode == 0, done.stderr
        table = compiled("nm", "-u", "application.o", folder=tmp_path).stdout
        undefined[on] = {word for word in table.split() if word.startswith("tt_")}
    functions = ("isr_enter", "isr_exit", "name", "start")
    assert undefined == {0: set(), 1: {f"tt_freertos_{name}" for name in functions}}


@pytest.mark.parametrize(
    ("source", "options"),
    [
        ("stm32_hal_uart.c", ("-mcpu=cortex-m4",)),
        ("stm32_hal_uart.c", ("-mcpu=cortex-m4", "-DTRACE_BY_DMA=1")),
        ("pico_sdk_uart.c", ("-mcpu=cortex-m0plus", "-DTT_PORT_CLOCK_REGISTER=0x40054028u")),
        ("tinyusb_cdc.c", ("-mcpu=cortex-m33",)),
    ],
)
def test_links_of_vendors_compile(source: str, options: tuple[str, ...], tmp_path: Path) -> None:
    """The links compile with stubs of the vendors' headers; they were not run on a board."""
    links = PORT / "samples/links"
    folders = (f"-I{HERE / 'stubs/vendor'}", f"-I{links}")
    command: list[str | Path] = [*ARM, *options, *WARNINGS, *STUBS, *folders]
    done = compiled(*command, "-c", links / source, folder=tmp_path)
    assert done.returncode == 0, done.stderr
