"""Files of the S.Ha.R.K. tracer contain only records: detects their layout."""

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
    """Find the layout in which a file makes sense: known events, time that goes forward.

    Raises:
        TapeMissing: the file is not there or may not be read.
        ForeignFile: none does, or two do alike.
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
    """Return the share of records that look right, 0 to 1."""
    count = len(sample) // dtype.itemsize
    if not count:
        return 0.0
    records = np.frombuffer(sample, dtype, count)
    known = records["event"] < len(EVENT_NAMES)
    time = records["time"].astype(np.uint32)
    forward = np.diff(time, prepend=time[:1]) < _BACK
    return float(np.mean(known & forward))
