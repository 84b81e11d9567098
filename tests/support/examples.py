"""Number of examples for property tests that set it themselves."""

from __future__ import annotations

from hypothesis import settings

_USUAL = 100


def examples(count: int) -> int:
    """Scale a number of examples by the profile of this run.

    Args:
        count: number for the profiles `default` and `ci`; `quick` uses a fifth of it.
    """
    return max(1, count * settings().max_examples // _USUAL)
