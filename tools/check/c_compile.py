"""Compiles every C source for every processor with the warnings of STYLE, and runs clang-tidy.

Nothing is linked: this finds what a compiler can say about one source, also for processors and
options that no board of ours uses yet (M33, tracer not built in, two CPUs, the template port).
"""

from __future__ import annotations

import shlex
from dataclasses import dataclass

WARNINGS = shlex.split(
    "-std=c11 -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wsign-conversion -Wundef -Wvla "
    "-Wmissing-prototypes -Werror"
)

_ARM = ["arm-none-eabi-gcc", "-mthumb"]
_HARD_FLOAT = "-mfloat-abi=hard"


@dataclass(frozen=True)
class Profile:
    """One way to compile.

    Attributes:
        name: for people.
        compiler: the command and its flags for the processor.
        port: folder of firmware/ports that it uses.
        defines: options of the recorder that differ from the default.
    """

    name: str
    compiler: tuple[str, ...]
    port: str
    defines: tuple[str, ...] = ()


_M4F = (*_ARM, "-mcpu=cortex-m4", _HARD_FLOAT, "-mfpu=fpv4-sp-d16")

PROFILES = (
    Profile("M3", (*_ARM, "-mcpu=cortex-m3"), "cortex_m"),
    Profile("M4F", _M4F, "cortex_m"),
    Profile("M33", (*_ARM, "-mcpu=cortex-m33", _HARD_FLOAT, "-mfpu=fpv5-sp-d16"), "cortex_m"),
    Profile("Linux", ("gcc",), "native"),
    Profile("template port", ("gcc",), "template"),
    Profile("tracer off", _M4F, "cortex_m", ("-DTT_CONFIG_ENABLED=0",)),
    Profile("two CPUs", ("gcc",), "native", ("-DTT_CONFIG_CPUS=2", "-DTT_CONFIG_STREAMS=3")),
)

# Where firmware sources find headers, whatever they are compiled for.
_INCLUDES = ("firmware/include", "firmware/kernel/include")
