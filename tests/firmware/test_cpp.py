"""The public headers compile in every C and C++; tickertape.hpp costs as much as C."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.workbench import FIRMWARE, build, run_native
from tickertape.analysis.summary import summary_of
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tests.support.command import Command

WARNINGS = (
    *("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wsign-conversion"),
    *("-Wundef", "-Werror"),
)
FOLDERS = ("include", "kernel/include", "facades/posix", "facades/shark", "facades/xm", "links")
NATIVE = ("kernel/ports/native", "ports/native", "ports/zephyr/include", "boards", "boards/native")
CORTEX_M = ("kernel/ports/cortex_m", "ports/cortex_m", "boards", "boards/mps2")
HEADERS = (
    *sorted((FIRMWARE / "include/tickertape").glob("*.h")),
    *sorted((FIRMWARE / "kernel/include").glob("*.h")),
    *sorted((FIRMWARE / "ports/zephyr/include").glob("*.h")),
    *sorted((FIRMWARE / "links").glob("*.h")),
    *(FIRMWARE / f"facades/{name}.h" for name in ("posix/trace", "shark/trc", "xm/xm_trace")),
    FIRMWARE / "boards/board.h",
)
LIBRARY = FIRMWARE / "include/tickertape/tickertape.hpp"

STANDARDS = {
    "c": ("c11", "c17", "c2x"),
    "c++": ("c++11", "c++14", "c++17", "c++20"),
}
HOSTS = {("gcc", "c"): "gcc", ("gcc", "c++"): "g++", ("clang", "c"): "clang"}
HOSTS |= {("clang", "c++"): "clang++"}
WAYS = [
    (HOSTS[family, language], language, standard)
    for family in ("gcc", "clang")
    for language, standards in STANDARDS.items()
    for standard in standards
]
CROSS = ("arm-none-eabi-g++", "-mthumb", "-mcpu=cortex-m3", "-ffreestanding", "-nostdinc++")


def checked(command: Iterable[str | Path]) -> str:
    """Run a tool that must succeed without warnings; return its output."""
    words = list(map(str, command))
    done = subprocess.run(words, check=False, capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    return done.stdout


USED = """
#include "kernel.h"
#include "tickertape/hooks.h"
#include "tickertape/system.h"
extern tt_runnable_t turn;
void use(uint32_t tid);
void use(uint32_t tid)
{
    static kernel_sem_t sem = KERNEL_SEM_INIT(0, 3);
    static kernel_mutex_t mutex = KERNEL_MUTEX_PLAIN_INIT;
    KERNEL_DOMAIN_MEMORY(memory, 256);
    TT_RUNNABLE(&turn);
    tt_hook_mutex_unlock(&mutex, tid);
    tt_hook_sem_signal(&sem, memory[0]);
    tt_hook_thread_state(TT_THREAD_READY, 1u, tid, 2u, 0u, 0u);
}
"""


def alone(folder: Path, headers: Iterable[Path], language: str) -> list[str]:
    """Write one source per header, which includes that header only; return their paths."""
    sources = []
    for header in headers:
        source = folder / f"{header.stem}.{language}"
        source.write_text(f'#include "{header}"\nextern int unused;\n', encoding="utf-8")
        sources.append(str(source))
    return sources


def includes(folders: Iterable[str]) -> list[str]:
    return [f"-I{FIRMWARE / folder}" for folder in (*FOLDERS, *folders)]


@pytest.mark.parametrize(
    ("compiler", "language", "standard", "enabled"),
    [
        *((*way, 1) for way in WAYS),
        *((*way, 0) for way in WAYS if way[2] in {"c11", "c++11", "c++20"}),
    ],
)
def test_each_public_header_compiles_alone(
    tmp_path: Path, compiler: str, language: str, standard: str, enabled: int
) -> None:
    headers = [*HEADERS, LIBRARY] if standard in {"c++17", "c++20"} else HEADERS
    flags = [f"-std={standard}", *WARNINGS, *includes(NATIVE), "-D_POSIX_C_SOURCE=200809L"]
    flags += [f"-DTT_CONFIG_ENABLED={enabled}"]
    used = tmp_path / "used.c"
    used.write_text(USED, encoding="utf-8")
    sources = [*alone(tmp_path, headers, "c"), str(used)]
    checked([compiler, "-fsyntax-only", *flags, "-x", language, *sources])


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_headers_may_be_included_inside_of_extern_c(tmp_path: Path, compiler: str) -> None:
    """FreeRTOS up to V11.1 includes FreeRTOSConfig.h that way, and with it the recorder."""
    headers = sorted((FIRMWARE / "include/tickertape").glob("*.h"))
    source = tmp_path / "all.cpp"
    lines = [f'#include "{header}"' for header in headers]
    source.write_text("\n".join(['extern "C" {', *lines, "}", ""]), encoding="utf-8")
    checked([compiler, "-fsyntax-only", "-std=c++17", *WARNINGS, *includes(NATIVE), source])


@pytest.mark.parametrize("standard", STANDARDS["c++"])
def test_cortex_m_needs_no_header_of_the_cpp_library(tmp_path: Path, standard: str) -> None:
    headers = [header for header in HEADERS if "zephyr" not in header.parts]
    headers += [LIBRARY] * (standard in {"c++17", "c++20"})
    sources = alone(tmp_path, headers, "cpp")
    flags = [f"-std={standard}", *WARNINGS, *includes(CORTEX_M)]
    checked([*CROSS, "-fsyntax-only", *flags, *sources])


PROTOTYPE = re.compile(
    r"^(?!static|typedef|extern|return|#)[a-z][\w ]*[ *](\w+)\([^;{#]*\)[^;{#]*;", re.MULTILINE
)


def functions_in(header: Path) -> set[str]:
    """Return the functions that a header declares, without its macros."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", header.read_text(encoding="utf-8"), flags=re.DOTALL)
    text = re.sub(r"^(?:TT_API|TT_THREAD_API) ", "", text, flags=re.MULTILINE)
    return set(PROTOTYPE.findall(text)) - set(re.findall(r"#define (\w+)", text))


def undefined_in_cpp(folder: Path, header: Path) -> set[str]:
    """Return the undefined symbols of a C++ program that uses a header's functions."""
    uses = [f"auto *use_{name} = &{name};" for name in sorted(functions_in(header))]
    source, built = folder / f"{header.stem}.cpp", folder / f"{header.stem}.o"
    source.write_text(f'#include "{header}"\n' + "\n".join(uses) + "\n", encoding="utf-8")
    flags = ["-std=c++17", *includes(NATIVE), "-D_POSIX_C_SOURCE=200809L", "-c", "-O0"]
    flags += ["-DTT_CONFIG_MEMORY_LINK=1", "-DKERNEL_CPUS=2", "-Wno-deprecated-declarations"]
    checked(["g++", *flags, source, "-o", built])
    return {line.split()[-1] for line in checked(["nm", "-u", built]).splitlines()}


@pytest.mark.parametrize("header", HEADERS, ids=lambda header: header.stem)
def test_cpp_links_with_the_functions_of_c(tmp_path: Path, header: Path) -> None:
    wanted = functions_in(header)
    assert {name for name in undefined_in_cpp(tmp_path, header) if name.startswith("_Z")} == set()
    if header.parent.name == "links" and header.stem.endswith("_link"):
        assert len(wanted) >= 2


def test_a_header_with_cpp_linkage_is_found(tmp_path: Path) -> None:
    header = tmp_path / "plain.h"
    header.write_text("int plain_open(int baud);\n", encoding="utf-8")
    assert undefined_in_cpp(tmp_path, header) == {"_Z10plain_openi"}


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
def test_all_headers_in_two_units_in_any_order(tmp_path: Path, compiler: str) -> None:
    """No symbol is defined twice, with stricter warnings, without exceptions and RTTI."""
    headers = [header for header in HEADERS if "zephyr" not in header.parts]
    strict = ["-std=c++17", *WARNINGS, "-fno-exceptions", "-fno-rtti", *includes(NATIVE)]
    strict += ["-Wnon-virtual-dtor", "-Woverloaded-virtual", "-D_POSIX_C_SOURCE=200809L"]
    built = []
    for name, order in (("one", headers), ("other", headers[::-1])):
        source = tmp_path / f"{name}.cpp"
        lines = [f'#include "{header}"' for header in order]
        lines += [f'#include "{LIBRARY}"', f"void {name}();", f"void {name}() {{}}"]
        source.write_text("\n".join(lines) + "\n", encoding="utf-8")
        checked([compiler, *strict, "-c", source, "-o", tmp_path / f"{name}.o"])
        built.append(tmp_path / f"{name}.o")
    checked(["ld", "-r", *built, "-o", tmp_path / "both.o"])


def test_a_header_that_only_c_compiles_is_found(tmp_path: Path) -> None:
    """The check fails for a header that C++ cannot compile."""
    header = tmp_path / "only_c.h"
    header.write_text('_Static_assert(1, "");\n', encoding="utf-8")
    with pytest.raises(AssertionError, match="_Static_assert"):
        checked(["clang++", "-fsyntax-only", *WARNINGS, *alone(tmp_path, [header], "cpp")])


IN_C = """
#include "tickertape/add.h"
#include "tickertape/combine.h"
#include "tickertape/system.h"
void work(void);
void simple(uint32_t a, uint32_t b);
void two_types(uint8_t a, int16_t b);
void address(const void *object);
void bytes(const uint32_t *object);
void text(const char *what);
void pieces(uint32_t a);
void runnable(tt_runnable_t *which);
void scope(uint32_t a);
void simple(uint32_t a, uint32_t b) { tt_add_event(TT_CLASS_USER, 7, a, b); }
void two_types(uint8_t a, int16_t b) { tt_add_event(TT_CLASS_USER, 7, a, (uint32_t)b); }
void address(const void *o) { tt_add_event(TT_CLASS_SYSTEM, 9, (uint32_t)(uintptr_t)o, 0); }
void bytes(const uint32_t *object) { tt_add_buffer(TT_CLASS_USER, 8, object, 4); }
void text(const char *what) { tt_add_string(TT_CLASS_USER, 9, what); }
void pieces(uint32_t a)
{
    tt_combine_t combine;
    tt_combine_begin(&combine, TT_CLASS_USER, 10);
    tt_combine_add(&combine, &a, sizeof a);
    tt_combine_add(&combine, "end", 3);
    tt_combine_end(&combine);
}
void runnable(tt_runnable_t *which)
{
    uint32_t instance = tt_runnable_begin(which);
    work();
    tt_runnable_end(which, instance);
}
void scope(uint32_t a)
{
    tt_add_event(TT_CLASS_USER, 11, a, 0);
    work();
    tt_add_event(TT_CLASS_USER, 12, a, 0);
}
"""

IN_CPP = """
#include "tickertape/tickertape.hpp"
using namespace tickertape;
extern "C" {
void work(void);
void simple(uint32_t a, uint32_t b) { user_event<7, uint32_t, uint32_t>::emit(a, b); }
void two_types(uint8_t a, int16_t b) { user_event<7, uint8_t, int16_t>::emit(a, b); }
void address(const void *o) { event<TT_CLASS_SYSTEM, 9, const void *>::emit(o); }
void bytes(const uint32_t *object) { object_event<TT_CLASS_USER, 8, uint32_t>::emit(*object); }
void text(const char *what) { text_event<TT_CLASS_USER, 9>::emit(what); }
void pieces(uint32_t a) { combine_writer(TT_CLASS_USER, 10).add(a).add("end", 3); }
void runnable(tt_runnable_t *which) { runnable_scope inner(*which); work(); }
void scope(uint32_t a)
{
    tickertape::scope<user_event<11, uint32_t>, user_event<12, uint32_t>> inner(a);
    work();
}
}
"""
FUNCTIONS = ("simple", "two_types", "address", "bytes", "text", "pieces", "runnable", "scope")


def functions_of(built: Path) -> dict[str, list[str]]:
    """Return the instructions and relocations of each function, without addresses and labels."""
    listing = checked(["arm-none-eabi-objdump", "-d", "-r", "--no-show-raw-insn", built])
    found: dict[str, list[str]] = {}
    name = ""
    for line in listing.splitlines():
        if head := re.fullmatch(r"[0-9a-f]+ <(\w+)>:", line):
            name = head[1]
            found[name] = []
        elif name and (body := re.match(r"\s*[0-9a-f]+:\s+(.*)", line)):
            found[name].append(re.sub(r"\.rodata\S*|\.LC\d+", "constant", body[1]))
    return found


@pytest.mark.parametrize("optimise", ["-O2", "-Os"])
def test_cpp_costs_the_instructions_of_c(tmp_path: Path, optimise: str) -> None:
    in_c, in_cpp = tmp_path / "in_c.c", tmp_path / "in_cpp.cpp"
    in_c.write_text(IN_C, encoding="utf-8")
    in_cpp.write_text(IN_CPP, encoding="utf-8")
    flags = [*WARNINGS, *includes(CORTEX_M), optimise, "-ffunction-sections", "-c"]
    c = ["arm-none-eabi-gcc", "-std=c11", *CROSS[1:-1]]
    checked([*c, *flags, in_c, "-o", tmp_path / "c.o"])
    cpp = [*CROSS, "-std=c++17", "-fno-exceptions", "-fno-rtti"]
    checked([*cpp, *flags, in_cpp, "-o", tmp_path / "cpp.o"])
    of_c, of_cpp = functions_of(tmp_path / "c.o"), functions_of(tmp_path / "cpp.o")
    for name in FUNCTIONS:
        assert of_cpp[name] == of_c[name]
    assert len(of_c["simple"]) > 3


def test_words_are_typed(tmp_path: Path) -> None:
    """Values that are not words, or too many words, do not compile; the error states the reason."""
    begin = f'#include "{LIBRARY}"\nusing namespace tickertape;\n'
    for call, reason in (
        ("user_event<1, double>::emit(1.0);", "a word has 32 bits"),
        ("user_event<1, int, int, int>::emit(1, 2, 3);", "an event has two words"),
        ("user_event<1024>::emit();", "no such event type"),
    ):
        source = tmp_path / "wrong.cpp"
        source.write_text(f"{begin}void f() {{ {call} }}\n", encoding="utf-8")
        with pytest.raises(AssertionError, match=reason):
            checked([*CROSS, "-std=c++17", "-fsyntax-only", *includes(CORTEX_M), source])


@pytest.mark.parametrize("target", ["native", "qemu"])
def test_the_example_in_cpp_records_what_it_does(
    tickertape: Command, tmp_path: Path, target: str
) -> None:
    done = tickertape(
        *("run", "--target", target, "--example", "control_cpp"),
        *("-o", "x.tape", "--duration", "1"),
    )
    assert (done.returncode, done.stderr) == (0, "")
    with TapeReader(tmp_path / "x.tape") as reader:
        summary = summary_of(reader)
        events = [event for columns in iter_events(reader) for event in columns.events()]
    total = summary.balance.total
    assert summary.complete
    assert total.offered == total.delivered > 0
    by_name = {
        name: [event for event in events if event.name == f"USER.USER_{name}"]
        for name in range(1, 5)
    }
    turns = [event for event in events if event.name.startswith("RUNNABLE.")]
    outputs = by_name[1]
    assert [event.words[0] for event in outputs] == list(range(1, len(outputs) + 1))
    assert len(outputs) in range(90, 102)
    assert {event.name for event in turns} == {"RUNNABLE.BEGIN", "RUNNABLE.END"}
    numbers = list(range(1, len(outputs) // 10 + 1))
    assert [event.words[0] for event in by_name[2]] == numbers
    assert [event.words[0] for event in by_name[3]] == numbers
    reports = [event.payload or b"" for event in by_name[4]]
    assert [(int.from_bytes(r[:4], "little"), r[8:]) for r in reports] == [
        (number, b"report") for number in numbers
    ]


def test_the_example_in_cpp_runs_without_the_recorder() -> None:
    done = run_native(build("native", "control_cpp", TT="0"), "--duration-ms", "100")
    assert done.returncode == 0, done.stderr
