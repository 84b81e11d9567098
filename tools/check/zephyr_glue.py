"""Compile the glue for Zephyr without Zephyr, with stubs of the headers that it uses.

The stubs are in tests/zephyr/stubs. Zephyr accepts hooks in three ways, depending on its version.
`ARGUMENTS` has the arguments of hooks that differ between versions.
"""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import yaml

ROOT: Final = Path(__file__).parents[2]
FIRMWARE: Final = ROOT / "firmware"
PORT: Final = FIRMWARE / "ports/zephyr"
TESTS: Final = ROOT / "tests/zephyr"
STUBS: Final = TESTS / "stubs"

# Arguments of a hook for Zephyr up to 4.4, and for later versions.
ARGUMENTS = {
    "k_thread_name_set": ("thread, result", "thread, result"),
    "k_thread_sched_priority_set": ("thread, 4", "thread, 4"),
    "k_thread_msleep_enter": ("number", "number"),
    "k_thread_usleep_enter": ("number", "number"),
    "k_condvar_wait_enter": ("condvar", "condvar, timeout"),
    "k_condvar_wait_exit": ("condvar, result", "condvar, timeout, result"),
    "k_heap_alloc_exit": ("pool, timeout, item", "pool, timeout, item"),
    "k_heap_aligned_alloc_exit": ("pool, timeout, item", "pool, timeout, item"),
    "k_heap_calloc_exit": ("pool, timeout, item", "pool, timeout, item"),
    "k_heap_realloc_exit": (
        "pool, block, bytes, timeout, item",
        "pool, block, bytes, timeout, item",
    ),
    "k_mem_slab_free_enter": ("pool", "pool"),
    "k_mem_slab_free_exit": ("pool", "pool"),
    "k_heap_free": ("pool", "pool"),
    "k_poll_api_poll_enter": ("item", "item"),
    "k_poll_api_poll_exit": ("item, result", "item, result"),
    "k_poll_api_signal_raise": ("signal, result", "signal, result"),
    "pm_system_suspend_enter": ("number", "number"),
    "pm_device_runtime_put_async_enter": ("device", "device, delay"),
    "pm_device_runtime_put_async_exit": ("device, result", "device, delay, result"),
    "sys_trace_named_event": ("name, 1, 2", "name, 1, 2"),
}


# Hooks that the newest header of Zephyr no longer has; others replace them.
GONE = re.compile(
    r"k_thread_(sleep|msleep|usleep)_(enter|exit)|k_pipe_(put|get)_\w+"
    r"|k_heap_(aligned_alloc|alloc|calloc)_blocking"
)


@dataclass(frozen=True)
class Generation:
    """One way in which Zephyr accepts hooks.

    Attributes:
        hooks: our folders of hook headers.
        stubs: folder with stubs of Zephyr's headers.
        newer: whether hooks have the arguments of versions after 4.4.
        defines: options of Kconfig and of the glue.
        without: matches hooks that none of its versions has; None for no hooks.
    """

    hooks: tuple[str, ...]
    stubs: str
    newer: bool
    defines: tuple[str, ...]
    without: re.Pattern[str] | None = None


GENERATIONS = {
    "up to 4.4, no format": Generation(("hooks_none",), "up_to_4_4", newer=False, defines=()),
    "up to 4.4, format user": Generation(
        ("hooks_user",),
        "up_to_4_4",
        newer=False,
        defines=("CONFIG_TRACING_USER", "TT_ZEPHYR_USER", "TT_ZEPHYR_USER_NESTED"),
    ),
    "newer, custom": Generation(
        ("hooks_custom", "hooks_format"), "custom", newer=True, defines=("TT_ZEPHYR_CALL_REAL",)
    ),
    "newer": Generation(
        ("hooks_format",),
        "format",
        newer=True,
        defines=(
            'CONFIG_TRACING_FORMAT_HEADER="tickertape_format.h"',
            "TT_ZEPHYR_CALL_REAL",
        ),
        without=GONE,
    ),
}
OPTIONS = {
    "CONFIG_BOARD": '"stub"',
    "CONFIG_NUM_PREEMPT_PRIORITIES": "15",
    "CONFIG_SYS_CLOCK_EXISTS": "1",
    "CONFIG_THREAD_MONITOR": "1",
    "CONFIG_TICKERTAPE_BUFFERS": "4",
    "CONFIG_TICKERTAPE_BUFFER_RECORDS": "64",
    "CONFIG_TICKERTAPE_DRAIN_BUDGET_US": "100",
    "CONFIG_TICKERTAPE_DRAIN_PERIOD_MS": "10",
    "CONFIG_TICKERTAPE_DRAIN_PRIORITY": "(-1)",
    "CONFIG_TICKERTAPE_DRAIN_STACK_SIZE": "2048",
    "CONFIG_TICKERTAPE_EVENT_MASKS": "0",
    "CONFIG_TICKERTAPE_FILE": '"trace.bin"',
    "CONFIG_TICKERTAPE_FILTERS": "4",
    "CONFIG_TICKERTAPE_FLUSH_PERIOD_MS": "1000",
    "CONFIG_TICKERTAPE_HANDLER_RUNS": "4",
    "CONFIG_TICKERTAPE_ITM_PORT": "1",
    "CONFIG_TICKERTAPE_LINK_BYTES": "8192",
    "CONFIG_TICKERTAPE_NAME": '""',
    "CONFIG_TICKERTAPE_RTT_CHANNEL": "1",
    "CONFIG_TICKERTAPE_START": "1",
    "CONFIG_TICKERTAPE_STREAMS": "1",
    "CONFIG_TICKERTAPE_THREADS": "4",
    "CONFIG_TICKERTAPE_UDP_HOST": '"192.0.2.2"',
    "CONFIG_TICKERTAPE_UDP_PORT": "4711",
    "CONFIG_USERSPACE": "1",
    "TT_CONFIG_FILE": '"tickertape_config.h"',
}
POSIX_TRACE = (
    *("-DCONFIG_TICKERTAPE_POSIX_TRACE=1", "-UCONFIG_TICKERTAPE_START"),
    *("-UCONFIG_TICKERTAPE_STREAMS", "-DCONFIG_TICKERTAPE_STREAMS=8"),
)


def hooks(generation: Generation) -> dict[str, str]:
    """Return the parameters of each hook of the table that a generation may have."""
    table = yaml.safe_load((PORT / "hooks.yaml").read_text(encoding="utf-8"))
    rows = [str(row) for group in table.values() for row in group]
    split = [row.rstrip(")").partition("(") for row in rows]
    without = generation.without
    return {
        hook: parameters
        for hook, _, parameters in split
        if without is None or not without.fullmatch(hook)
    }


def prepare(folder: Path, generation: Generation) -> list[str]:
    """Generate the headers in `folder`; return the options for the compiler."""
    make_hooks = [sys.executable, str(PORT / "make_hooks.py"), str(PORT / "hooks.yaml")]
    subprocess.run([*make_hooks, str(folder / "tickertape_hooks.h")], check=True)
    empty, calls = [], []
    for hook, parameters in hooks(generation).items():
        macro = hook if hook.startswith("sys_") else f"sys_port_trace_{hook}"
        fallback = f"#define {macro}(...)"
        empty.append(f"#ifndef {macro}\n{fallback}\n#endif" if generation.newer else fallback)
        arguments = ARGUMENTS.get(hook, (parameters, parameters))[generation.newer]
        calls.append(f'HOOK("{hook}", {macro}({arguments}))')
    empty.append("#define sys_port_trace_k_thing_of_tomorrow(a, b)")
    calls.append('HOOK("of tomorrow", sys_port_trace_k_thing_of_tomorrow(1, 2))')
    (folder / "stub_empty_hooks.h").write_text("\n".join(empty) + "\n")
    (folder / "probe_calls.h").write_text("\n".join(calls) + "\n")
    ours = [PORT / name for name in generation.hooks]
    stubs = [STUBS / generation.stubs, STUBS / "kernel"]
    rest = [FIRMWARE / "include", FIRMWARE / "links", FIRMWARE / "facades/shark", TESTS]
    rest += [PORT, PORT / "include", PORT / "src", PORT / "user"]
    defines = [f"{name}={value}" for name, value in OPTIONS.items()]
    return [
        *(f"-I{path}" for path in [*ours, folder, *stubs, *rest]),
        *(f"-D{define}" for define in (*defines, *generation.defines)),
    ]


def arm_flags(folder: Path, source: Path) -> list[str]:
    """Return the compiler options for a source of the glue, for a Cortex-M4.

    Args:
        folder: folder for generated headers.
        source: a source in firmware/ports/zephyr/src.
    """
    flags = [*prepare(folder, GENERATIONS["newer"]), "-mcpu=cortex-m4", "-mthumb", "-ffreestanding"]
    flags += ["-DCONFIG_CPU_CORTEX_M=1", "-DTT_ZEPHYR_WRAP_SYSTICK"]
    if source.stem == "posix_port":
        flags += [*POSIX_TRACE, f"-I{FIRMWARE / 'facades/posix'}"]
    return flags
