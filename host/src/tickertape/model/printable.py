"""Replace the characters of tape text that are not printable, for display."""

from __future__ import annotations

from typing import Final

_NOT_PRINTABLE: Final = "\ufffd"  # as for bytes that are not UTF-8


def printable(text: str) -> str:
    """Replace characters that are not printable, such as line ends and escapes of terminals.

    A tape may be hostile; its names must not make lines, nor control the screen.
    """
    if text.isprintable():
        return text
    return "".join(one if one.isprintable() else _NOT_PRINTABLE for one in text)
