"""Numbers and times as a person reads them."""

from __future__ import annotations


def count(number: int) -> str:
    """Return a number as text with groups of three digits: 1 234 567."""
    return f"{number:,}".replace(",", " ")


def counted(number: int, noun: str) -> str:
    """Return a number with a noun, which gets an s unless the number is 1: 1 record, 2 records."""
    return f"{count(number)} {noun}{'' if number == 1 else 's'}"


def duration(ns: int) -> str:
    """Return a duration as text in its most suitable unit."""
    for limit, unit in ((10**9, "s"), (10**6, "ms"), (10**3, "µs")):
        if ns >= limit:
            return f"{ns / limit:.3f} {unit}"
    return f"{ns} ns"
