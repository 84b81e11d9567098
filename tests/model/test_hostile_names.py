"""Names of an untrusted tape cannot add lines to the output or control the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.target import SimulatedTarget
from tests.support.wire_bytes import HELLO, TEXT, hello_body
from tickertape.cli.main import main
from tickertape.collector import CaptureOptions, capture
from tickertape.link import MemoryLink
from tickertape.protocol.events import DICTIONARY_HASH
from tickertape.protocol.wire import ObjectKind
from tickertape.tape import TapeReader

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


def test_the_name_of_the_target_and_notes_are_escaped(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    target = SimulatedTarget(boot_id=1)
    hello = hello_body(boot_id=1, dictionary=DICTIONARY_HASH, target=EVIL)
    target._send(HELLO, None, hello)
    target._send(TEXT, None, EVIL.encode())
    target.record((0, 0), SCHED, 0, 5, 0)
    target.finish()
    path, raw = tmp_path / "evil.tape", tmp_path / "evil.raw"
    raw.write_bytes(target.sent_bytes())
    assert main(["capture", str(raw), "-o", str(path)]) == 0
    assert main(["note", str(path), EVIL]) == 0
    for words in (["info"], ["print"], ["info", "--json"]):
        assert main([words[0], str(path), *words[1:]]) == 0
    shown = "".join(capsys.readouterr())
    assert "evil\\x1b[2J" in shown
    assert [one for one in shown if not one.isprintable() and one != "\n"] == []
    with TapeReader(path) as reader:
        assert reader.texts == [EVIL.encode("unicode_escape").decode()]
