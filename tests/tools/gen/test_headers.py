"""The C headers compile without warnings, add no code when disabled, and use the right routes."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).parents[3]
HERE = Path(__file__).parent
C = ["-std=c11", "-Wmissing-prototypes"]
LINUX = ["gcc", *C]
WIDE_ROUTES = "-DTT_CONFIG_STREAMS=8"  # so that a route entry can hold its index
FLAGS = [
    "-Wall",
    "-Wextra",
    "-Wpedantic",
    "-Wshadow",
    "-Wconversion",
    "-Wsign-conversion",
    "-Wundef",
    "-Wvla",
    "-Werror",
    f"-I{CHECKOUT / 'firmware/include'}",
    f"-I{CHECKOUT / 'tests/protocol'}",
]
TABLE = CHECKOUT / "firmware/core/event_table.c"
HEADERS = [CHECKOUT / "firmware/include/tickertape" / name for name in ("emitters.h", "hooks.h")]
OBJECTS = {"object", "lock", "mutex", "sem", "cond", "flags", "channel", "timer"}  # of hooks
M4F = ["-mcpu=cortex-m4", "-mfpu=fpv4-sp-d16", "-mfloat-abi=hard"]

COMPILERS = {
    "linux": LINUX,
    "linux in C++": ["clang++", "-std=c++20", "-x", "c++"],
    "m3": ["arm-none-eabi-gcc", *C, "-mthumb", "-mcpu=cortex-m3"],
    "m3 in C++": ["arm-none-eabi-g++", "-std=c++11", "-x", "c++", "-mthumb", "-mcpu=cortex-m3"],
    "m4f": ["arm-none-eabi-gcc", *C, "-mthumb", *M4F],
    "m33": ["arm-none-eabi-gcc", *C, "-mthumb", "-mcpu=cortex-m33"],
}


def emitter_calls() -> str:
    """Return C code with a function per emitter and hook that calls it."""
    text = "".join(path.read_text(encoding="utf-8") for path in HEADERS)
    functions = []
    emitter = re.compile(r"^static inline void (tt_(?:emit|hook)_\w+)\(([^)]*)\)", re.MULTILINE)
    macro = re.compile(r"^#define (tt_(?:emit|hook)_\w+)\(([^)]*)\)", re.MULTILINE)
    listed_macros = [(name, typed(name, listed)) for name, listed in macro.findall(text)]
    assert len(listed_macros) > 30
    for name, listed in emitter.findall(text) + listed_macros:
        parameters = " ".join(listed.split())
        words = [part.split()[-1].lstrip("*") for part in parameters.split(",")]
        arguments = "" if words == ["void"] else ", ".join(words)
        head = f"void call_{name}({parameters})"
        functions.append(f"{head};\n{head}\n{{\n    {name}({arguments});\n}}")
    assert len(functions) > 120
    return '#include "tickertape/hooks.h"\n' + "\n".join(functions) + "\n"


def typed(macro: str, names: str) -> str:
    """Return a macro's parameters with types; hooks take objects by their addresses."""
    objects = OBJECTS if "hook" in macro else set()
    types = {"result": "int32_t "} | dict.fromkeys(objects, "const void *")
    return ", ".join(types.get(n, "uint32_t ") + n for n in names.replace(" ", "").split(","))


def empty_functions(source: str) -> str:
    """Return the same functions with empty bodies, without the header."""
    bare = re.sub(r"\n\{\n[^}]*\}", "\n{\n}", source)
    return bare.replace('#include "tickertape/hooks.h"', "#include <stdint.h>")


def compile_object(compiler: list[str], source: Path, *more: str) -> Path:
    out = source.parent / f"{source.stem}.o"
    subprocess.run([*compiler, *FLAGS, *more, "-c", str(source), "-o", str(out)], check=True)
    return out


def text_bytes(compiler: list[str], path: Path) -> int:
    """Return the bytes of code, without the unwind tables that Linux compilers add."""
    tool = "arm-none-eabi-size" if compiler[0].startswith("arm") else "size"
    listing = subprocess.run([tool, "-A", str(path)], check=True, capture_output=True, text=True)
    sizes = re.findall(r"^\.text\S*\s+(\d+)", listing.stdout, re.MULTILINE)
    return sum(int(size) for size in sizes)


def symbols(compiler: list[str], path: Path, *options: str) -> set[str]:
    tool = "arm-none-eabi-nm" if compiler[0].startswith("arm") else "nm"
    command = [tool, "-f", "posix", *options, str(path)]
    listing = subprocess.run(command, check=True, capture_output=True, text=True)
    return {line.split()[0] for line in listing.stdout.splitlines()}


@pytest.mark.parametrize("target", COMPILERS)
@pytest.mark.parametrize("optimise", ["-O0", "-Os", "-O2"])
@pytest.mark.parametrize("classes", ["0xffffffffu", "0x210u"])
def test_every_emitter_compiles_clean(
    tmp_path: Path, target: str, optimise: str, classes: str
) -> None:
    source = tmp_path / "emitters.c"
    source.write_text(emitter_calls(), encoding="utf-8")
    built = compile_object(COMPILERS[target], source, optimise, f"-DTT_CONFIG_CLASSES={classes}")
    assert {"tt_route", "tt_record"} <= symbols(COMPILERS[target], built, "-u")


@pytest.mark.parametrize("target", COMPILERS)
@pytest.mark.parametrize("off", ["-DTT_CONFIG_ENABLED=0", "-DTT_CONFIG_CLASSES=0x0u"])
def test_emitters_that_are_not_built_in_leave_no_code(
    tmp_path: Path, target: str, off: str
) -> None:
    compiler = COMPILERS[target]
    source, empty = tmp_path / "emitters.c", tmp_path / "empty.c"
    source.write_text(emitter_calls(), encoding="utf-8")
    empty.write_text(empty_functions(emitter_calls()), encoding="utf-8")
    built = compile_object(compiler, source, "-Os", off)
    bare = compile_object(compiler, empty, "-Os", "-Wno-unused-parameter")
    assert text_bytes(compiler, built) == text_bytes(compiler, bare) > 0
    assert symbols(compiler, built, "-u") == set()


def test_disabled_tracer_needs_nothing_even_unoptimised(tmp_path: Path) -> None:
    source = tmp_path / "emitters.c"
    source.write_text(emitter_calls(), encoding="utf-8")
    built = compile_object(LINUX, source, "-O0", "-DTT_CONFIG_ENABLED=0")
    assert symbols(LINUX, built, "-u") == set()


def test_table_is_empty_when_disabled(tmp_path: Path) -> None:
    source = tmp_path / "event_table.c"
    source.write_bytes(TABLE.read_bytes())
    assert symbols(LINUX, compile_object(LINUX, source, "-DTT_CONFIG_ENABLED=0")) == set()


CONSTANT = """
#include "tickertape/emitters.h"
void probe(void);
void probe(void)
{
    tt_emit_user_user(5, 1, 2);
    tt_emit_thread_state(TT_THREAD_MUTEX, 1, 2, 3, 1, 0);
    tt_emit_kercall_exit(TT_KERCALL_SYNC_MUTEX_LOCK, -1, 0, 2, 3);
    tt_record(0, 0, 0, tt_route[tt_route_index(TT_CLASS_KERCALL, 300)]);
    tt_record(0, 0, 0, tt_route[tt_route_index(31, 1023)]);
}
"""


@pytest.mark.parametrize("target", COMPILERS)
def test_constant_event_types_need_no_lookup(tmp_path: Path, target: str) -> None:
    source = tmp_path / "constant.c"
    source.write_text(CONSTANT, encoding="utf-8")
    built = compile_object(COMPILERS[target], source, "-O2")
    assert not {"tt_route_find", "tt_kercall_positions"} & symbols(COMPILERS[target], built)


def test_vectors_compile_clean(tmp_path: Path) -> None:
    source = tmp_path / "vectors.c"
    source.write_text(
        '#include "vectors.h"\nuint32_t total(void);\nuint32_t total(void)\n{\n'
        "    return tt_vector_events[0].records.count + tt_vector_frames[0].wire.count +\n"
        "           tt_vector_cobs_pairs[0].encoded.count;\n}\n",
        encoding="utf-8",
    )
    assert compile_object(LINUX, source).is_file()


@pytest.mark.parametrize("optimise", ["-O0", "-O2"])
@pytest.mark.parametrize("program", ["routes.c", "emitted.c"])
def test_program(tmp_path: Path, program: str, optimise: str) -> None:
    out = tmp_path / "program"
    sources = [str(HERE / program), str(TABLE)]
    sanitize = "-fsanitize=address,undefined"
    subprocess.run(
        [*LINUX, *FLAGS, WIDE_ROUTES, optimise, sanitize, *sources, "-o", str(out)], check=True
    )
    result = subprocess.run([str(out)], check=False, capture_output=True, text=True)
    assert (result.returncode, result.stdout + result.stderr) == (0, "")
