"""tt_logf(): the host prints the same text as the C library for equal formats and arguments."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.workbench import FIRMWARE, build, run_native, run_qemu
from tickertape.analysis.balance import balance_of
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.support.command import Command

SOURCE = Path(__file__).parent / "formatted"
# Small buffers, so that messages cross their ends. With several streams there is no fast path.
SMALL = "TT_CONFIG_BUFFER_RECORDS=16 TT_CONFIG_BUFFERS=64"
# Each program has its own name, because tests may build them at the same time.
WAYS = [
    ("native", "formatted", ""),
    ("native", "formatted_streams", "TT_CONFIG_STREAMS=2"),
    ("mps2-an385", "formatted_small", SMALL),
]


@pytest.fixture(scope="module")
def expected() -> list[str]:
    """Return the lines that the C library prints."""
    done = run_native(build("native", "formatted", SOURCE_DIR=str(SOURCE)))
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout.splitlines()


def messages(tickertape: Command, *options: str | Path) -> list[dict[str, object]]:
    done = tickertape("print", "x.tape", "--style", "jsonl", *options)
    assert done.returncode == 0, done.stderr
    events = [json.loads(line) for line in done.stdout.splitlines()]
    return [event for event in events if event.get("event") == "LOG"]


@pytest.mark.parametrize(("board", "name", "defines"), WAYS)
def test_the_host_formats_as_the_c_library_does(
    tickertape: Command,
    tmp_path: Path,
    expected: Sequence[str],
    board: str,
    name: str,
    defines: str,
) -> None:
    program = build(board, name, SOURCE_DIR=str(SOURCE), DEFINES=defines)
    if board == "native":
        done = run_native(program, "--trace", f"file:{tmp_path / 'x.bin'}")
    else:
        done = run_qemu(board, program, trace=f"file:{tmp_path / 'x.bin'}")
    assert (done.returncode, done.stderr) == (0, "")
    captured = tickertape("capture", "-q", "file:x.bin", "-o", "x.tape")
    assert (captured.returncode, captured.stderr) == (0, "")
    with TapeReader(tmp_path / "x.tape") as reader:
        balance = balance_of(reader)
        build_id = reader.hello.build_id if reader.hello else ""
    assert balance.total.holds
    assert balance.total.offered == balance.total.delivered > len(expected)

    assert [one["text"] for one in messages(tickertape, "--elf", program)] == list(expected)
    printed = tickertape("print", "x.tape", "--elf", str(program))
    lines = [line for line in printed.stdout.splitlines() if " LOG " in line]
    assert [json.loads(line[line.index(' "') :]) for line in lines] == list(expected)

    unknown = messages(tickertape)
    assert len(unknown) == len(expected)
    assert {one["needs_build"] for one in unknown} == {build_id}
    assert not any("text" in one for one in unknown)
    printed = tickertape("print", "x.tape")
    assert printed.stdout.count(f"its text is in the ELF file of build {build_id[:12]}") == len(
        expected
    )


@pytest.mark.parametrize("compiler", ["gcc", "clang", "g++", "clang++"])
def test_arguments_are_checked_and_nothing_is_left_without_the_recorder(
    tmp_path: Path, compiler: str
) -> None:
    wrong = tmp_path / "wrong.c"
    wrong.write_text('#include "tickertape/log.h"\nvoid f(void) { tt_logf("%d", "text"); }\n')
    right = tmp_path / "right.c"
    right.write_text(
        '#include "tickertape/log.h"\n'
        "extern int next(void);\nvoid f(const char *text);\n"
        'void f(const char *text) { tt_logf("%d %s secret", next(), text); }\n'
    )
    language = ["-x", "c++"] if compiler.endswith("++") else ["-std=c11"]
    folders = [f"-I{FIRMWARE / name}" for name in ("include", "ports/native", "boards/native")]

    def compiled(source: Path, *options: str) -> subprocess.CompletedProcess[str]:
        command = [compiler, *language, "-Wall", "-Werror", "-c", *folders, *options]
        return subprocess.run(
            [*command, str(source), "-o", str(tmp_path / "out.o")],
            capture_output=True,
            text=True,
            check=False,
        )

    assert "format" in compiled(wrong).stderr
    for options, is_there in (((), True), (("-DTT_CONFIG_ENABLED=0",), False)):
        done = compiled(right, *options)
        assert (done.returncode, done.stderr) == (0, "")
        left = (tmp_path / "out.o").read_bytes()
        assert (b"secret" in left, b"next" in left) == (is_there, is_there)
