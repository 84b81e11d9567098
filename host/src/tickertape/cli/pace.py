"""The rate and the remaining time of an operation, as one line."""

from __future__ import annotations

import time

from tickertape.report.numbers import count

_LITTLE_S = 0.001


def pace(what: str, done: int, total: int, started: float) -> str:
    """Return progress, rate and remaining time as text.

    Args:
        what: the counted unit, in the plural.
        done: number done so far.
        total: total number; 0 if unknown.
        started: `time.monotonic()` at the start.
    """
    per_s = done / max(time.monotonic() - started, _LITTLE_S)
    line = f"{count(done)} {what}  {count(round(per_s))}/s"
    if not total or not done:
        return line
    left = max(total - done, 0) / per_s
    return f"{min(done / total, 1.0):4.0%}  {line}  {left:.0f} s left"
