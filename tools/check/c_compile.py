"""Compile every C source for every processor with the warnings of STYLE, and run clang-tidy.

Nothing is linked: the gate reports diagnostics of single sources, also for processors and options
that no board uses (M33 with FPU, tracer not built in, the template port).
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING

from tools.check import zephyr_glue
from tools.check.process import TOOLS, complaints_of_all, tracked_files

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

WARNINGS = shlex.split(
    "-std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wundef -Wvla "
    "-Wmissing-prototypes -Werror"
)

_FIRMWARE = Path("firmware")
# Ports and boards: a source below one of them is compiled only with that port or board.
_ALTERNATIVES = frozenset(
    {"cortex_m", "native", "template", "mps2", "microbit", "stm32f4", "zephyr", "freertos"}
)

_M0 = shlex.split("-mthumb -mcpu=cortex-m0 -masm-syntax-unified -ffreestanding")
_M23 = shlex.split("-mthumb -mcpu=cortex-m23 -masm-syntax-unified -ffreestanding")
_M3 = shlex.split("-mthumb -mcpu=cortex-m3 -ffreestanding")
_M4F = shlex.split("-mthumb -mcpu=cortex-m4 -mfloat-abi=hard -mfpu=fpv4-sp-d16 -ffreestanding")
_M33 = shlex.split("-mthumb -mcpu=cortex-m33 -mfloat-abi=hard -mfpu=fpv5-sp-d16 -ffreestanding")
_M55 = shlex.split("-mthumb -mcpu=cortex-m55 -mfloat-abi=hard -ffreestanding -DMPS2_AN547=1")
_AN521 = shlex.split("-mthumb -mcpu=cortex-m33+nodsp -mfloat-abi=soft -ffreestanding")
_TWO = shlex.split(
    "-DMPS2_M33=1 -DMPS2_AN521=1 -DTT_CONFIG_CPUS=2 -DKERNEL_CPUS=2 "
    "-DKERNEL_CPU_REGISTER=0x5001f000u"
)
_LINUX = ["-D_GNU_SOURCE"]
_BOARD_NAME = '-DBOARD_NAME="check"'
# Debian's folder of newlib headers; gcc has it built in, clang needs it. Clang's own come first.
_NEWLIB = ["--target=arm-none-eabi", "-idirafter", "/usr/lib/arm-none-eabi/include"]


@dataclass(frozen=True)
class Profile:
    """A processor and options to compile sources for.

    Attributes:
        name: name of the profile.
        flags: flags for the processor and the options of the recorder.
        port: folder in firmware/ports.
        board: folder in firmware/boards.
        folders: folders of firmware that are compiled; empty for all.
    """

    name: str
    flags: Sequence[str]
    port: str
    board: str
    folders: frozenset[str] = frozenset()

    @property
    def is_arm(self) -> bool:
        """Whether the profile is for Cortex-M."""
        return "-mthumb" in self.flags

    def takes(self, source: Path) -> bool:
        """Return whether the profile compiles a source, given relative to the root."""
        parts = source.relative_to(_FIRMWARE).parts
        # Bench programs count instructions of Cortex-M.
        others = _ALTERNATIVES - {self.port, self.board} | (set() if self.is_arm else {"bench"})
        return not others & set(parts) and (not self.folders or parts[0] in self.folders)

    def includes(self) -> list[str]:
        """Return the compiler flags for the folders of headers."""
        folders = ["include", "links", "boards", f"boards/{self.port}", f"boards/{self.board}"]
        folders += [f"ports/{self.port}"]
        folders += ["kernel", "kernel/include", f"kernel/ports/{self.port}", "examples/common"]
        folders += [f"facades/{facade}" for facade in _FACADES]
        return [f"-I{_FIRMWARE / folder}" for folder in folders]


_FACADES = ("posix", "qnx", "shark", "xm")
_CORE = frozenset({"core"})
_SYSTEM = frozenset({"core", "kernel", "links", "ports"})

# Options of the recorder that POSIX Trace needs.
_POSIX = shlex.split(
    "-DTT_CONFIG_STREAMS=8 -DTT_CONFIG_READERS=1 -DTT_CONFIG_DEFINITIONS=32 "
    "-DTT_CONFIG_DEFINITION_NAME_BYTES=32"
)


def _options(source: Path) -> list[str]:
    """Return the options that a source requires."""
    if source.stem in {"plain", "memory_link"}:
        return ["-DTT_CONFIG_MEMORY_LINK=1"]
    if "xm" in source.parts or source.stem in {"selection", "route"}:
        return ["-DTT_CONFIG_EVENT_MASKS=64"]
    if "bench" in source.parts:
        return [f"-I{_FIRMWARE / 'core'}"]
    return _POSIX if "posix" in source.parts else []


PROFILES = (
    Profile("M0", _M0, "cortex_m", "microbit", _SYSTEM | {"boards"}),
    Profile("STM32F4", _M4F, "cortex_m", "stm32f4", frozenset({"boards"})),
    Profile("M23", _M23, "cortex_m", "microbit", _SYSTEM),
    Profile("M3", _M3, "cortex_m", "mps2"),
    Profile("M4F", _M4F, "cortex_m", "mps2"),
    Profile(
        "memory link",
        [*_M3, "-DTT_CONFIG_MEMORY_LINK=1"],
        "cortex_m",
        "mps2",
        frozenset({"core", "links", "boards"}),
    ),
    Profile(
        "RTT",
        [*_M4F, "-DBOARD_TRACE_LINK=BOARD_LINK_RTT"],
        "cortex_m",
        "stm32f4",
        frozenset({"links", "boards"}),
    ),
    Profile(
        "SWO",
        [*_M4F, "-DBOARD_TRACE_LINK=BOARD_LINK_SWO"],
        "cortex_m",
        "stm32f4",
        frozenset({"boards"}),
    ),
    Profile(
        "DMA",
        [*_M4F, "-DBOARD_TRACE_LINK=BOARD_LINK_DMA"],
        "cortex_m",
        "stm32f4",
        frozenset({"boards"}),
    ),
    Profile("M33", _M33, "cortex_m", "mps2", _SYSTEM),
    Profile("M55", _M55, "cortex_m", "mps2", frozenset({"boards", "kernel"})),
    Profile("two M33", [*_AN521, *_TWO], "cortex_m", "mps2"),
    Profile("Linux", _LINUX, "native", "native"),
    Profile("template port", _LINUX, "template", "native", _CORE),
    # Recorder and façades have no code then; a test builds all examples this way.
    Profile(
        "tracer off",
        [*_M4F, "-DTT_CONFIG_ENABLED=0"],
        "cortex_m",
        "mps2",
        frozenset({"kernel"}),
    ),
    Profile(
        "two CPUs",
        [*_LINUX, "-DTT_CONFIG_CPUS=2", "-DTT_CONFIG_STREAMS=3"],
        "native",
        "native",
        _CORE,
    ),
)

_TIDY_PROFILES = tuple(profile for profile in PROFILES if profile.name in {"Linux", "M4F"})


def _commands(sources: Sequence[Path]) -> Iterator[list[str]]:
    for profile in PROFILES:
        compiler = "arm-none-eabi-gcc" if profile.is_arm else "gcc"
        for source in filter(profile.takes, sources):
            flags = [*WARNINGS, *profile.flags, *_options(source), _BOARD_NAME]
            flags += profile.includes()
            # Some warnings come from the optimiser, so let it run.
            yield [compiler, "-O2", *flags, "-c", str(source), "-o", "/dev/null"]


def _tidy_commands(sources: Sequence[Path]) -> Iterator[list[str]]:
    for source in sources:
        profile = next((p for p in _TIDY_PROFILES if p.takes(source)), None)
        if profile is not None:
            flags = ["-std=c11", *profile.flags, *_options(source), _BOARD_NAME]
            flags += profile.includes()
            target = _NEWLIB if profile.is_arm else []
            yield [str(TOOLS / "clang-tidy"), "--quiet", str(source), "--", *target, *flags]


# POSIX Trace for Linux processes, as host/posix/Makefile compiles it.
_HOST = ["-std=c11", *_LINUX, '-DTT_CONFIG_FILE="posix_config.h"', "-Ihost/posix"]
_HOST += [f"-I{_FIRMWARE / folder}" for folder in ("include", "core", "facades/posix")]


# libtickertape, as host/library/Makefile compiles it.
_LIBRARY = ["-std=c11", "-DTT_CONFIG_CRC_TABLE=1024", f"-I{_FIRMWARE / 'include'}"]
_LIBRARY += ["-Ihost/library", "-Ihost/src/tickertape/_native"]


def _host_tidy_commands(root: Path) -> Iterator[list[str]]:
    for folder, flags in (("posix", _HOST), ("library", _LIBRARY)):
        for source in tracked_files(root, f"host/{folder}/*.c"):
            yield [str(TOOLS / "clang-tidy"), "--quiet", str(source), "--", *flags]


def _zephyr_tidy_commands(root: Path, folder: Path) -> Iterator[list[str]]:
    """Yield commands for the glue for Zephyr, with stubs; headers are generated in `folder`."""
    for source in tracked_files(root, "firmware/ports/zephyr/src/*.c"):
        flags = zephyr_glue.arm_flags(folder, source)
        yield [
            *(str(TOOLS / "clang-tidy"), "--quiet", str(source), "--", "-std=gnu11"),
            *(*_NEWLIB, *flags),
        ]


def _freertos_flags() -> list[str]:
    """Return the flags for the port of FreeRTOS, with stubs of the kernel's headers."""
    port = _FIRMWARE / "ports/freertos"
    folders = (
        *("tests/freertos/stubs", port, "firmware/include", "firmware/ports/cortex_m"),
        "firmware/links",
    )
    options = ("-DTT_FREERTOS_CALLS=1", "-DTT_FREERTOS_VECTORS=64")
    return ["-std=c11", *_M4F, *options, *(f"-I{folder}" for folder in folders)]


def _freertos_sources(root: Path) -> list[Path]:
    """List the sources of the port, without its samples: tests build these if a kernel exists."""
    port = "firmware/ports/freertos"
    return tracked_files(root, f"{port}/*.c", f":!{port}/samples")


def _freertos_commands(root: Path) -> Iterator[list[str]]:
    for source in _freertos_sources(root):
        flags = [*WARNINGS, *_freertos_flags()]
        yield ["arm-none-eabi-gcc", "-O2", *flags, "-c", str(source), "-o", "/dev/null"]


def _freertos_tidy_commands(root: Path) -> Iterator[list[str]]:
    for source in _freertos_sources(root):
        words = ("--quiet", str(source), "--", *_NEWLIB, *_freertos_flags())
        yield [str(TOOLS / "clang-tidy"), *words]


def _sources(root: Path) -> list[Path]:
    """List the C sources, without the programs that need a header from `make bench`."""
    made = (f":!firmware/bench/{name}_cost" for name in ("barectf", "drain", "pack"))
    return tracked_files(root, "firmware/**/*.c", *made)


def compile_all(root: Path) -> list[str]:
    """Compile every source in every profile that includes it; return the diagnostics."""
    commands = [*_commands(_sources(root)), *_freertos_commands(root)]
    return complaints_of_all(commands, root)


def tidy_all(root: Path) -> list[str]:
    """Run clang-tidy once over every source; return its diagnostics."""
    with TemporaryDirectory() as folder:
        commands = [
            *_tidy_commands(_sources(root)),
            *_host_tidy_commands(root),
            *_zephyr_tidy_commands(root, Path(folder)),
            *_freertos_tidy_commands(root),
        ]
        return complaints_of_all(commands, root)
