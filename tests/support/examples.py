"""The number of examples of property tests that set it themselves."""

from __future__ import annotations

from hypothesis import settings

_USUAL = 100


def examples(count: int) -> int:
    """Scale a number of examples by the profile of this run.

    Args:
        count: under the profiles `default` and `ci`; `quick` takes a fifth.
    """
    return max(1, count * settings().max_examples // _USUAL)
