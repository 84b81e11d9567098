"""The glue compiles with all generations of Zephyr's hooks, and the hooks record events.

The tests need no Zephyr: `stubs` contains the declarations that the glue uses.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from tools.check.zephyr_glue import FIRMWARE, GENERATIONS, PORT, POSIX_TRACE, hooks, prepare

HERE = Path(__file__).parent
WARNINGS = ("-Wall", "-Wextra", "-Wshadow", "-Wmissing-prototypes", "-Werror")
LINKS = ("UART", "UART_ASYNC", "UDP", "SEMIHOSTING", "RTT", "ITM")

REDIRECTED = ("sys_trace_isr_enter", "sys_trace_isr_exit", "sys_trace_idle")

# Hooks without records of their own: they prepare later hooks, or the thread switches to itself.
SILENT = re.compile(r"k_thread_switched_(in|out)$|\w+_blocking$|pm_system_suspend_enter$")
TELLING = ("k_mutex_lock_blocking", "k_sem_take_blocking", "k_event_wait_blocking")


def compile_or_fail(*command: str | Path, folder: Path | None = None) -> None:
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", GENERATIONS)
def test_every_hook_records_something(name: str, tmp_path: Path) -> None:
    flags = prepare(tmp_path, GENERATIONS[name])
    sources = [
        *sorted((PORT / "src").glob("hooks_*.c")),
        *(PORT / f"src/{name}.c" for name in ("threads", "interrupts", "power")),
        HERE / "glue_driver.c",
        *sorted((FIRMWARE / "core").glob("*.c")),
    ]
    counts_load = "-DTT_ZEPHYR_CALL_REAL" in flags
    if counts_load:
        sources.append(HERE / "stubs/zephyrs_own.c")
        flags += [f"-Wl,--wrap={name}" for name in REDIRECTED]
    wrapped = "-Wl,--defsym=__real_sys_clock_isr=main"
    program = tmp_path / "probe"
    compile_or_fail("gcc", "-std=gnu11", "-g", *WARNINGS, *flags, *sources, "-o", program, wrapped)
    done = subprocess.run([program], capture_output=True, text=True, check=True)
    made = dict(line.rsplit(" ", 1) for line in done.stdout.splitlines())
    assert made.pop("of tomorrow") == "0"
    assert (made.pop("power state entry"), made.pop("power state exit")) == ("1", "1")
    assert made.pop("calls of Zephyr's own:", None) == ("2" if counts_load else None)
    assert made.keys() == hooks(GENERATIONS[name]).keys()
    for hook, count in made.items():
        silent = SILENT.match(hook) and hook not in TELLING
        assert (int(count) == 0) if silent else (int(count) > 0), hook


@pytest.mark.parametrize("name", GENERATIONS)
def test_the_glue_compiles_for_cortex_m(name: str, tmp_path: Path) -> None:
    flags = prepare(tmp_path, GENERATIONS[name])
    flags += ["-mcpu=cortex-m4", "-mthumb", "-DCONFIG_CPU_CORTEX_M=1", "-DTT_ZEPHYR_WRAP_SYSTICK"]
    flags += ["-DTT_ZEPHYR_WRAP_TIMEOUTS"]
    sources = sorted(set((PORT / "src").glob("*.c")) - {PORT / "src/posix_port.c"})
    assert {source.stem for source in sources} > {f"link_{link.lower()}" for link in LINKS}
    options = ("-std=gnu11", "-O1", *WARNINGS, *flags)
    compile_or_fail("arm-none-eabi-gcc", *options, "-c", *sources, folder=tmp_path)


@pytest.mark.parametrize(
    "options",
    [
        {"CONFIG_TICKERTAPE_WAKE_BY_IRQ": 1, "CONFIG_TICKERTAPE_WAKE_IRQ": 37},
        {"CONFIG_SCHED_CPU_MASK": 1, "CONFIG_SMP": 1, "CONFIG_MP_MAX_NUM_CPUS": 2},
        {"CONFIG_NOCACHE_MEMORY": 1},
        {"CONFIG_INIT_STACKS": 1, "CONFIG_THREAD_STACK_INFO": 1},
        {"CONFIG_SYS_HEAP_RUNTIME_STATS": 1},
    ],
    ids=" ".join,
)
def test_options_of_some_boards_compile(options: dict[str, int], tmp_path: Path) -> None:
    flags = prepare(tmp_path, GENERATIONS["up to 4.4, no format"])
    flags += ["-mcpu=cortex-m4", "-mthumb", "-DCONFIG_CPU_CORTEX_M=1", "-DTT_ZEPHYR_WRAP_SYSTICK"]
    flags += [f"-D{option}={value}" for option, value in options.items()]
    flags += ["-DCONFIG_TICKERTAPE_WAKE_IRQ_PRIORITY=3"]
    sources = [PORT / f"src/{name}.c" for name in ("tracer", "interrupts", "threads")]
    sources += [PORT / "src/link_uart_async.c"]
    sources += sorted((PORT / "src").glob("hooks_*.c"))
    compiler = ("arm-none-eabi-gcc", "-std=gnu11", "-O1", *WARNINGS, *flags, "-c")
    compile_or_fail(*compiler, *sources, folder=tmp_path)


@pytest.mark.parametrize(
    ("options", "table_bytes"), [((), 1024), (("-DCONFIG_TICKERTAPE_SMALL_CRC_TABLE=1",), 64)]
)
def test_kconfig_chooses_the_table_of_the_crc(
    options: tuple[str, ...], table_bytes: int, tmp_path: Path
) -> None:
    flags = prepare(tmp_path, GENERATIONS["up to 4.4, no format"])
    compiler = ("gcc", "-std=gnu11", "-O1", *WARNINGS, *flags, *options, "-c")
    compile_or_fail(*compiler, FIRMWARE / "core/crc.c", folder=tmp_path)
    sizes = subprocess.run(
        ["nm", "-S", tmp_path / "crc.o"], capture_output=True, text=True, check=True
    )
    table = re.search(r"^\w+ (\w+) R tt_crc_table$", sizes.stdout, re.MULTILINE)
    assert table is not None
    assert int(table[1], 16) == table_bytes


@pytest.mark.parametrize("name", GENERATIONS)
def test_posix_trace_compiles_for_cortex_m(name: str, tmp_path: Path) -> None:
    flags = prepare(tmp_path, GENERATIONS[name])
    flags += ["-mcpu=cortex-m4", "-mthumb", "-DCONFIG_CPU_CORTEX_M=1", *POSIX_TRACE]
    sources = [
        *(PORT / "src/posix_port.c", PORT / "src/tracer.c"),
        *sorted((FIRMWARE / "facades/posix").glob("*.c")),
        *(
            FIRMWARE / "facades/posix/single_process/posix_single_process.c",
            FIRMWARE / "examples/common/posix_files.c",
        ),
    ]
    options = ("-std=gnu11", "-O1", *WARNINGS, *flags, f"-I{FIRMWARE / 'facades/posix'}")
    compile_or_fail("arm-none-eabi-gcc", *options, "-c", *sources, folder=tmp_path)


@pytest.mark.parametrize("name", GENERATIONS)
def test_applications_in_cpp_include_the_hooks(name: str, tmp_path: Path) -> None:
    flags = prepare(tmp_path, GENERATIONS[name])
    source = tmp_path / "application.cpp"
    source.write_text(
        "#include <zephyr/tracing/tracing.h>\n"
        "void give(struct k_sem *sem);\n"
        "void give(struct k_sem *sem) { sys_port_trace_k_sem_give_enter(sem); }\n"
    )
    warnings = [word for word in WARNINGS if word != "-Wmissing-prototypes"]
    compile_or_fail("g++", *warnings, *flags, "-c", source, "-o", tmp_path / "one.o")
