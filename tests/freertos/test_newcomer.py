"""Two files and three lines in a FreeRTOS project are enough to find the owner of a mutex."""

from __future__ import annotations

import shutil
import socket
import subprocess
import threading
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.freertos_boards import BUILD_SECONDS, RUN_SECONDS, kernels, needs_freertos
from tests.support.halted import address_of, emulator
from tests.support.patience import HANG_S
from tests.support.rtt import MARK, RttHost
from tickertape.link.gdb_server import connect_gdb
from tools import two_files

if TYPE_CHECKING:
    from tests.support.command import Command

PROJECT = Path(__file__).with_name("newcomer")
HERE = Path(__file__).parent
ROOT = HERE.parents[1]
LINES = (
    ("FreeRTOSConfig.h", "_FACILITY             0", "_FACILITY             1"),
    ("FreeRTOSConfig.h", "\n#endif\n", '\n#include "tickertape_freertos.h"\n#endif\n'),
    ("main.c", "{\n    bus =", '{\n    tt_freertos_start("mine", tt_freertos_rtt());\n    bus ='),
)
"""The three lines: file, text before, text afterwards."""
CLOCK = "-DTT_PORT_CLOCK_REGISTER=0x40028018u"
"""Address of a timer, because QEMU has no cycle counter."""
ENOUGH_BYTES = 20_000


def build(project: Path, kernel: Path, tool: str) -> Path:
    """Build the project by its own Makefile or CMakeLists.txt."""
    if tool == "make":
        commands = [["make", "-s", f"KERNEL={kernel.resolve()}", f"CFLAGS={CLOCK}"]]
    else:
        options = [f"-DKERNEL={kernel.resolve()}", f"-DCMAKE_C_FLAGS={CLOCK}"]
        commands = [["cmake", "-B", ".", *options], ["cmake", "--build", "."]]
    for command in commands:
        done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr[-4000:]
        ours = [line for line in done.stderr.splitlines() if "tickertape" in line]
        assert not ours, ours
    return project / "project.elf"


def serve(listener: socket.socket, program: Path, port: int) -> None:
    """Act as a debug probe: read the RTT channel in memory, and relay the trace to a client."""
    begin = address_of(program, "data_begin")
    count = address_of(program, "bss_end") - begin
    memory = connect_gdb("127.0.0.1", port, begin, "gdb", HANG_S)
    client, _ = listener.accept()
    host, passed = None, 0
    with client, suppress(BrokenPipeError):
        while passed < ENOUGH_BYTES:
            with memory.access():
                if host is None and MARK in memory.read(begin, count):
                    host = RttHost(memory, begin, count)
                data = host.up(1) if host else b""
            passed += len(data)
            client.sendall(data)
    memory.close()


@needs_freertos
@pytest.mark.timeout(BUILD_SECONDS + RUN_SECONDS)
@pytest.mark.parametrize("tool", ["make", "cmake"])
@pytest.mark.parametrize("kernel", kernels() or [None], ids=lambda path: path and path.name)
def test_two_files_and_three_lines(
    kernel: Path, tool: str, tmp_path: Path, tickertape: Command
) -> None:
    project = tmp_path / "project"
    shutil.copytree(PROJECT, project)
    build(project, kernel, tool)
    had = {file.name for file in project.iterdir() if file.suffix in {".c", ".h"}}
    two_files.write(project)
    has = {file.name for file in project.iterdir() if file.suffix in {".c", ".h"}}
    assert has - had == {two_files.HEADER, two_files.SOURCE}
    for name, old, new in LINES:
        text = (project / name).read_text()
        assert text.count(old) == 1
        (project / name).write_text(text.replace(old, new))
    program = build(project, kernel, tool)
    with emulator(program) as (_, port), socket.create_server(("127.0.0.1", 0)) as listener:
        server = threading.Thread(target=serve, args=(listener, program, port), daemon=True)
        server.start()
        link = f"socket://127.0.0.1:{listener.getsockname()[1]}"
        done = tickertape("capture", link, "-o", "x.tape")
        assert done.returncode == 0, done.stderr
        server.join(HANG_S)
    answer = tickertape("why", "x.tape", "--task", "sensor")
    assert answer.returncode == 0, answer.stderr
    assert "blocked on bus, held by logger" in answer.stdout


@needs_freertos
@pytest.mark.timeout(BUILD_SECONDS)
@pytest.mark.parametrize("kernel", kernels() or [None], ids=lambda path: path and path.name)
def test_cmake_adds_the_port_by_one_call(kernel: Path, tmp_path: Path) -> None:
    project = tmp_path / "project"
    shutil.copytree(PROJECT, project)
    for name, old, new in LINES:
        text = (project / name).read_text()
        (project / name).write_text(text.replace(old, new))
    with (project / "CMakeLists.txt").open("a") as file:
        file.write(f"include({ROOT / 'firmware/cmake/tickertape.cmake'})\n")
        file.write("tickertape_add(TARGET project.elf KERNEL freertos KERNEL_TARGET kernel)\n")
    assert address_of(build(project, kernel, "cmake"), "tt_freertos_rtt")


def written(folder: Path) -> Path:
    two_files.write(folder)
    return folder


@pytest.mark.parametrize("language", ["c", "c++"])
@pytest.mark.parametrize("enabled", [0, 1])
def test_the_two_files_compile_without_warnings(
    language: str, enabled: int, tmp_path: Path
) -> None:
    """Compile both files with the recorder, and an application in each language."""
    folder = written(tmp_path)
    application = (
        '#include "FreeRTOS.h"\n'
        "void begin(void);\n"
        'void begin(void) { (void)tt_freertos_start("mine", tt_freertos_rtt());'
        " tt_emit_user_user(1, 2, 3); tt_freertos_isr_enter(); }\n"
    )
    (tmp_path / "application").write_text(application)
    options = [f"-I{folder}", f"-I{HERE / 'stubs'}", f"-DTT_CONFIG_ENABLED={enabled}"]
    warnings = ["-Wall", "-Wextra", "-Werror", "-O2", "-mcpu=cortex-m4", "-mthumb"]
    sources: list[tuple[str, str | Path]] = [(language, "application")]
    if enabled and language == "c":
        sources.append(("c", folder / two_files.SOURCE))
    for kind, source in sources:
        command: list[str | Path] = ["arm-none-eabi-gcc", "-x", kind, *options, *warnings]
        command += ["-c", source, "-o", "x.o"]
        done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr


def test_an_assembler_sees_nothing_of_the_header(tmp_path: Path) -> None:
    header = written(tmp_path) / two_files.HEADER
    command: list[str | Path] = ["gcc", "-E", "-P", "-x", "assembler-with-cpp", header]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout.strip()) == (0, "")


CONFIGURATIONS = {
    "16-bit ticks": {"configUSE_16_BIT_TICKS": "1"},
    "no mutexes": {"configUSE_MUTEXES": "0"},
    "timers": {
        "configUSE_TIMERS": "1",
        "configTIMER_TASK_PRIORITY": "3",
        "configTIMER_QUEUE_LENGTH": "4",
        "configTIMER_TASK_STACK_DEPTH": "128",
        "INCLUDE_xTimerPendFunctionCall": "1",
    },
    "static allocation only": {
        "configSUPPORT_STATIC_ALLOCATION": "1",
        "configSUPPORT_DYNAMIC_ALLOCATION": "0",
    },
    "sets, recursive mutexes, counting semaphores": {
        "configUSE_QUEUE_SETS": "1",
        "configUSE_RECURSIVE_MUTEXES": "1",
        "configUSE_COUNTING_SEMAPHORES": "1",
    },
    "suspend, priorities, deletion, abort": {
        "INCLUDE_vTaskSuspend": "1",
        "INCLUDE_vTaskPrioritySet": "1",
        "INCLUDE_vTaskDelete": "1",
        "INCLUDE_xTaskAbortDelay": "1",
    },
    "tickless, run time, stack checks": {
        "configUSE_TICKLESS_IDLE": "1",
        "configGENERATE_RUN_TIME_STATS": "1",
        "configCHECK_FOR_STACK_OVERFLOW": "2",
        "INCLUDE_vTaskSuspend": "1",
        "portCONFIGURE_TIMER_FOR_RUN_TIME_STATS()": "(void)0",
        "portGET_RUN_TIME_COUNTER_VALUE()": "7u",
    },
    "kernel calls": {"TT_FREERTOS_CALLS": "1", "TT_FREERTOS_VECTORS": "64"},
    "no tasks selected by port": {"configUSE_PORT_OPTIMISED_TASK_SELECTION": "0"},
    "list checks": {"configUSE_LIST_DATA_INTEGRITY_CHECK_BYTES": "1"},
    "no notifications": {"configUSE_TASK_NOTIFICATIONS": "0", "TT_FREERTOS_DRAIN_TASK": "0"},
}


@needs_freertos
@pytest.mark.timeout(BUILD_SECONDS)
@pytest.mark.parametrize("name", CONFIGURATIONS)
@pytest.mark.parametrize("kernel", kernels() or [None], ids=lambda path: path and path.name)
def test_configurations_compile(kernel: Path, name: str, tmp_path: Path) -> None:
    """Compile all sources of a real kernel and the two files with each configuration."""
    folder = written(tmp_path)
    settings = {"configUSE_TRACE_FACILITY": "1", **CONFIGURATIONS[name]}
    lines = (PROJECT / "FreeRTOSConfig.h").read_text().splitlines()
    kept = [line for line in lines if not any(f" {key} " in line for key in settings)]
    more = [f"#define {key} {value}" for key, value in settings.items()]
    config = "\n".join([*kept[:-1], *more, '#include "tickertape_freertos.h"', "#endif\n"])
    (tmp_path / "FreeRTOSConfig.h").write_text(config)
    port = kernel / "portable/GCC/ARM_CM3"
    files = ["tasks.c", "queue.c", "timers.c", "event_groups.c", "list.c"]
    if settings.get("configUSE_TASK_NOTIFICATIONS") != "0":
        files.append("stream_buffer.c")  # requires task notifications
    sources = [folder / two_files.SOURCE, port / "port.c", *(kernel / file for file in files)]
    options = ["-mcpu=cortex-m3", "-mthumb", "-O2", CLOCK, "-Wall", "-Wextra"]
    folders = [f"-I{path}" for path in (folder, kernel / "include", port)]
    command: list[str | Path] = ["arm-none-eabi-gcc", *options, *folders, "-c", *sources]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr[-4000:]
    ours = [line for line in done.stderr.splitlines() if "tickertape_freertos" in line]
    assert not [line for line in ours if "warning" in line], ours
