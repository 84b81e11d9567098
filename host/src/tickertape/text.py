"""Texts from outside: names and messages of targets, tapes, files and other programs."""

from __future__ import annotations


def escaped(text: str) -> str:
    r"""Replace characters that are not printable by escapes such as `\x1b`.

    These are control characters, characters that change the direction of text, and bytes that are
    not UTF-8. Every text of a file goes through this function before it reaches a terminal.
    """
    if text.isprintable():
        return text
    return "".join(
        one if one.isprintable() else one.encode("unicode_escape").decode() for one in text
    )


def escaped_lines(text: str) -> str:
    """Return `escaped` of each line; lines stay lines."""
    return "\n".join(map(escaped, text.split("\n")))
