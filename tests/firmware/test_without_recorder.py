"""Without the recorder (TT=0), every example links on every board without any code of it."""

from __future__ import annotations

import re
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.workbench import FIRMWARE, build, run_native

if TYPE_CHECKING:
    from pathlib import Path

BOARDS = ("native", "mps2-an385", "mps2-an386", "mps2-an521", "mps3-an547", "microbit", "stm32f4")
EXAMPLES = sorted(path.parent.name for path in (FIRMWARE / "examples").glob("*/main.c*"))
VIEWS = ("posix/trace.h", "shark/trc.h", "xm/xm_trace.h")
HEADERS = ("add", "combine", "define", "emit", "filter", "qnx", "read", "stream", "tickertape")

# Symbols of the recorder, its façades and its links. Not included: trc_load_* (load of the
# S.Ha.R.K. examples), tracer_* (start and end of an example).
OF_THE_RECORDER = re.compile(
    r"_*(tt|posix_trace|posix_port|rtl|trc(?!_load)|TRC|xm|trace|udp_link|ring_link|byte_ring)_\w+|TraceEvent"
)
DECLARATION = re.compile(
    r"^(?!typedef|static|#|extern)[A-Za-z][\w *]*?\b(\w+)\([^{;]*\);", re.MULTILINE
)


def symbols(program: Path) -> list[str]:
    command = ["nm", "--defined-only", str(program)]
    listing = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return [line.split()[-1] for line in listing.splitlines()]


@pytest.mark.parametrize("board", BOARDS)
def test_every_example_links_and_keeps_nothing_of_the_recorder(board: str) -> None:
    for example in EXAMPLES:
        names = symbols(build(board, example, TT="0"))
        assert [name for name in names if OF_THE_RECORDER.fullmatch(name)] == []
        assert "kernel_start" in names or example in {"small", "storm"}


@pytest.mark.parametrize("example", EXAMPLES)
def test_every_example_runs_to_its_end(example: str) -> None:
    done = run_native(build("native", example, TT="0"), "--duration-ms", "100")
    assert done.returncode == 0, done.stderr


def test_symbols_of_a_program_with_the_recorder_are_found() -> None:
    """The check finds symbols in a program with the recorder."""
    names = symbols(build("native", "linux_and_rt"))
    found = {match[1] for name in names if (match := OF_THE_RECORDER.fullmatch(name))}
    assert found >= {"tt", "posix_trace", "posix_port", "trace"}


@pytest.mark.parametrize(
    "header",
    [*(f"include/tickertape/{name}.h" for name in HEADERS), *(f"facades/{v}" for v in VIEWS)],
)
def test_every_call_has_a_meaning_without_the_recorder(header: str) -> None:
    """Every function is declared with an _API macro; others would be missing at the link step."""
    text = (FIRMWARE / header).read_text(encoding="utf-8")
    plain = [m[1] for m in DECLARATION.finditer(text) if "_API " not in m[0]]
    assert plain == []
