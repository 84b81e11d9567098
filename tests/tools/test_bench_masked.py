"""Every public function has a row in the table of masked interrupts (tools/bench/masked.py)."""

from __future__ import annotations

import re
from pathlib import Path

FIRMWARE = Path(__file__).parents[2] / "firmware"
HEADERS = [*(FIRMWARE / "include/tickertape").glob("*.h"), *(FIRMWARE / "facades").glob("*/*.h")]
PROGRAMS = sorted((FIRMWARE / "bench").glob("masked*/*.[ch]"))

# Declarations of the interface, and inline functions of façades that emit.
DECLARED = re.compile(r"^(?:TT_API|TRACE_API)\s[^;{(]*?\b(\w+)\(", re.MULTILINE)
EMITTING = re.compile(r"^static inline \w+ (add_trace_\w+|tt_add_(?:event|buffer))\(", re.MULTILINE)
COMMAND = re.compile(r"^    TT_COMMAND_(\w+) = ", re.MULTILINE)
MACROS = {"TT_WITHOUT", "TRACE_WITHOUT"}

# Functions that do not call the recorder: they compute attributes and sets, or write DWT registers.
NO_RECORDER = re.compile(r"posix_trace_(attr|eventset)_\w+|tt_watch_(memory|end)")


def text_of(*files: Path) -> str:
    return "\n".join(re.sub(r"/\*.*?\*/", "", f.read_text(), flags=re.DOTALL) for f in files)


def public_functions() -> set[str]:
    text = text_of(*HEADERS)
    found = {*DECLARED.findall(text), *EMITTING.findall(text)} - MACROS
    return {name for name in found if not NO_RECORDER.fullmatch(name)}


def rows() -> set[str]:
    text = text_of(*PROGRAMS)
    defined = set(re.findall(r"^SITE\((\w+),", text, re.MULTILINE))
    defined |= {f"command_{name}" for name in re.findall(r"^COMMAND\((\w+),", text, re.MULTILINE)}
    called = set(re.findall(r"\bsite_(\w+)\(\);", text))
    assert defined == called
    return defined


def test_every_public_function_has_a_row() -> None:
    functions = public_functions()
    assert {"tt_start", "xm_trace2", "trc_logevent", "posix_trace_event", "TraceEvent"} <= functions
    assert functions - rows() == set()


def test_every_command_that_the_drain_executes_has_a_row() -> None:
    commands = COMMAND.findall((FIRMWARE / "include/tickertape/wire.h").read_text())
    assert len(commands) > 20
    assert {f"command_{name}" for name in commands} <= rows()


def test_functions_without_a_row_do_not_mask() -> None:
    attributes = text_of(FIRMWARE / "facades/posix/attr.c")
    sets = text_of(FIRMWARE / "facades/posix/types.c")
    bodies = re.findall(r"^int posix_trace_eventset_\w+\(.*?^}", sets, re.MULTILINE | re.DOTALL)
    assert len(bodies) >= 6
    hardware = text_of(FIRMWARE / "links/hardware_trace.c")
    watches = re.findall(r"^int hardware_trace_watch\w*\(.*?^}", hardware, re.MULTILINE | re.DOTALL)
    assert len(watches) == 2
    for text in (attributes, *bodies, *watches):
        assert set(re.findall(r"\b(tt_\w+|posix_port_\w+)\(", text)) <= {
            *("tt_clock_hz", "posix_port_origin", "posix_port_now"),
        }
