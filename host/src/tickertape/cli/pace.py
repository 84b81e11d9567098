"""The rate and the remaining time of an operation, as one line."""

from __future__ import annotations

import time

from tickertape.report.numbers import count

_LITTLE_S = 0.001


def pace(what: str, done: int, total: int, started: float) -> str:
    """Print the progress of a known amount.

    Args:
        what: what is counted, in the plural.
        done: how many so far.
        total: how many there are; 0 when that is not known.
        started: `time.monotonic()` at the begin.
    """
    per_s = done / max(time.monotonic() - started, _LITTLE_S)
    line = f"{count(done)} {what}  {count(round(per_s))}/s"
    if not total or not done:
        return line
    left = max(total - done, 0) / per_s
    return f"{min(done / total, 1.0):4.0%}  {line}  {left:.0f} s left"
