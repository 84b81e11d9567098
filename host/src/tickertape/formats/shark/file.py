"""Detects the layout of S.Ha.R.K. files, which contain only records."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import numpy as np

from tickertape.errors import ForeignFile
from tickertape.formats.record_file import open_foreign
from tickertape.formats.shark.events import EVENT_NAMES
from tickertape.formats.shark.layout import LAYOUTS

_SAMPLE_BYTES: Final = 1 << 16
_LEAST_SCORE: Final = 0.9
_BACK: Final = 1 << 31


def detect_layout(path: Path | str) -> str:
    """Return the layout with the largest share of known events in order of time.

    Raises:
        TapeMissing: the file does not exist or is not readable.
        ForeignFile: no layout has a share of at least 90 %.
    """
    path = Path(path)
    with open_foreign(path) as file:
        sample = file.read(_SAMPLE_BYTES)
    size = path.stat().st_size
    scores = {
        (_score(sample, dtype), size % dtype.itemsize == 0): name for name, dtype in LAYOUTS.items()
    }
    best = max(scores)
    if best[0] < _LEAST_SCORE:
        raise ForeignFile(
            f"{path} does not look like a trace of S.Ha.R.K.",
            f"if it is one, give its layout: --layout {'|'.join(LAYOUTS)}",
        )
    return scores[best]


def _score(sample: bytes, dtype: np.dtype[np.void]) -> float:
    """Return the share of records with a known event and a time not before the last, 0 to 1."""
    count = len(sample) // dtype.itemsize
    if not count:
        return 0.0
    records = np.frombuffer(sample, dtype, count)
    known = records["event"] < len(EVENT_NAMES)
    time = records["time"].astype(np.uint32)
    forward = np.diff(time, prepend=time[:1]) < _BACK
    return float(np.mean(known & forward))
