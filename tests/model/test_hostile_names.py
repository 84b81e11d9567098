"""Names of an untrusted tape make no lines of their own, and do not control the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.target import SimulatedTarget
from tickertape.cli.main import main
from tickertape.collector import CaptureOptions, capture
from tickertape.link import MemoryLink
from tickertape.model.printable import printable
from tickertape.protocol.wire import ObjectKind

if TYPE_CHECKING:
    from pathlib import Path

SCHED = 9
EVIL = "evil\x1b[2J\n    0.000000000  0  idle  \r\u202e\x9bx"


@pytest.fixture
def tape(tmp_path: Path) -> Path:
    target = SimulatedTarget(boot_id=1)
    target.hello()
    for kind in (ObjectKind.THREAD, ObjectKind.MUTEX, ObjectKind.IRQ, ObjectKind.EVENT):
        target.name(kind, 5, EVIL)
    target.record((0, 0), SCHED, 0, 5, 0)
    target.record((0, 0), SCHED, 0, 0, 5)
    target.combine((0, 0), 6, 9, EVIL.encode())
    target.finish()
    path = tmp_path / "evil.tape"
    capture(MemoryLink([target.sent_bytes()]), path, CaptureOptions(handle_signals=False))
    return path


@pytest.mark.parametrize("words", [["print"], ["info"]])
def test_names_stay_within_their_line(
    tape: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*words, str(tape)]) == 0
    text = capsys.readouterr().out
    assert "evil" in text
    assert all(one.isprintable() for line in text.split("\n") for one in line)


def test_every_event_is_one_line(tape: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["print", str(tape)]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 3


def test_good_names_are_kept() -> None:
    assert printable("motor: Größe [1]") == "motor: Größe [1]"
    assert printable("a\tb") == "a\N{REPLACEMENT CHARACTER}b"
