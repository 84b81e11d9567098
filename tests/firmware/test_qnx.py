"""TraceEvent() (qnx/main.c) and trace_logf() (qnx_log/main.c) of the QNX names, on the boards."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.workbench import build, run_native, run_qemu
from tickertape.analysis.balance import balance_of
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from tests.support.command import Command

SOURCE = Path(__file__).parent / "qnx"
USER, APPLICATION = 6, 16
LONG = "0123456789abcdef" * 8
TEXTS = [  # class, event, payload, cut
    (USER, 5, b"x=-5 y=7", False),
    (USER, 1023, b"<motor> beef a", False),
    (USER, 6, b"", False),
    (USER, 7, b"1234", False),
    (USER, 7, b"1234", True),
    (USER, 7, b"", True),
    (USER, 8, LONG[:127].encode(), True),
    (USER, 9, None, False),
    (USER, 10, bytes([1, 2, 3, 4, 5]), False),
    (APPLICATION, 11, bytes([1, 2, 3]), False),
    (USER, 12, b"two %d", False),
]


@pytest.mark.parametrize("board", ["native", "mps2-an385", "mps2-an386", "mps2-an521"])
def test_every_command_does_what_it_says(board: str) -> None:
    program = build(board, "qnx", SOURCE_DIR=str(SOURCE))
    done = run_native(program) if board == "native" else run_qemu(board, program)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def texts_of(tape: Path) -> list[tuple[int, int, bytes | None, bool]]:
    with TapeReader(tape) as reader:
        events = [event for columns in iter_events(reader) for event in columns.events()]
        total = balance_of(reader).total
    assert total.holds
    assert total.offered == total.delivered
    wanted = [event for event in events if event.cls in {USER, APPLICATION}]
    return [(event.cls, event.event, event.payload, event.truncated) for event in wanted]


@pytest.mark.parametrize("board", ["native", "mps2-an385"])
def test_texts_keep_class_and_event_of_the_caller(
    tickertape: Command, tmp_path: Path, board: str
) -> None:
    program = build(board, "qnx_log", SOURCE_DIR=str(SOURCE.with_name("qnx_log")))
    if board == "native":
        done = run_native(program, "--trace", f"file:{tmp_path / 'x.bin'}")
    else:
        done = run_qemu(board, program, trace=f"file:{tmp_path / 'x.bin'}")
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    for words in (
        ("capture", "-q", "file:x.bin", "-o", "x.tape"),
        ("export", "kev", "x.tape", "-o", "x.kev"),
        ("import", "kev", "x.kev", "-o", "again.tape"),
    ):
        ran = tickertape(*words)
        assert (ran.returncode, ran.stderr) == (0, ""), words
    assert texts_of(tmp_path / "x.tape") == TEXTS
    assert texts_of(tmp_path / "again.tape") == TEXTS
