"""Compute the statistics of a tape with both engines."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape._native.engine import using
from tickertape.answers.figures import to_json
from tickertape.answers.statistics import statistics_of
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.answers.statistics import BootStats


def stats_of(path: Path, begin_ns: int | None = None, end_ns: int | None = None) -> BootStats:
    """Return the statistics of the only boot; check that both engines agree."""
    with TapeReader(path) as reader:
        (found,) = statistics_of(reader, begin_ns=begin_ns, end_ns=end_ns)
        with using(None):
            (same,) = statistics_of(reader, begin_ns=begin_ns, end_ns=end_ns)
    assert to_json(same) == to_json(found)
    return found
