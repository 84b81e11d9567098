"""Situations, compiled; `situations` is the reference and the fallback."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.answers.situations import NO_LIMIT, Situations

if TYPE_CHECKING:
    from tickertape.model.entities import Entities


def situations_of(entities: Entities, limit_ticks: int = NO_LIMIT) -> Situations:
    """Return a finder of a boot's situations."""
    return Situations(entities, min(limit_ticks, NO_LIMIT))
