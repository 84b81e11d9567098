from __future__ import annotations

import pytest

from tickertape.errors import UsageError
from tickertape.text import escaped

HOSTILE = {
    "\x1b[2J": r"\x1b[2J",
    "\x9b31m": r"\x9b31m",
    "a\rb": r"a\rb",
    "\u202egnp.exe": r"\u202egnp.exe",
    "\udcff": r"\udcff",
    "\U000e0041": r"\U000e0041",
}


@pytest.mark.parametrize("text", HOSTILE)
def test_control_characters_are_escaped(text: str) -> None:
    assert escaped(text) == HOSTILE[text]


def test_printable_text_stays() -> None:
    assert escaped("Größe µs ≤ 5 日本") == "Größe µs ≤ 5 日本"


def test_errors_are_escaped() -> None:
    assert str(UsageError("there is no \x1b]0;x\x07", "see \u202e")) == (
        r"there is no \x1b]0;x\x07; see \u202e"
    )
