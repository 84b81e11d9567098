"""Replace the characters of tape text that are not printable, for display."""

from __future__ import annotations

from typing import Final

_NOT_PRINTABLE: Final = "\ufffd"  # as for bytes that are not UTF-8


def printable(text: str) -> str:
    """Replace characters that are not printable, such as line ends and terminal escapes.

    A tape may be hostile: its names must not add lines or control the terminal.
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else _NOT_PRINTABLE for one in text)
