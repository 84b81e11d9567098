"""Figures whose distributions a page may request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping

FIGURES: Final[Mapping[str, tuple[str, ...]]] = {
    "task": ("response", "execution", "ready", "blocked", "period"),
    "interrupt": ("response", "execution", "period"),
    "lock": ("wait",),
    "semaphore": ("wait",),
    "user event": ("distance",),
    "inheritance": ("distance",),
    "stimulus": ("distance",),
    "channel": ("distance",),
}
"""Figures of a row, by its kind; the first one is the default."""
