"""Hash of the sources that a search covers, which determine the result of a history."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
IN_C = (
    "firmware/core/*.[ch]",
    "firmware/include/tickertape/*.h",
    "tests/firmware/core/history_*.[ch]",
    "tests/firmware/core/history_port/tickertape/port.h",
)
COVERED = (
    *IN_C,
    "host/src/tickertape/analysis/*.py",
    "host/src/tickertape/collector/*.py",
    "host/src/tickertape/decode/*.py",
    "host/src/tickertape/link/memory.py",
    "host/src/tickertape/protocol/*.py",
    "host/src/tickertape/tape/*.py",
    "tests/support/core_histories.py",
    "tests/support/*.py",
    "tools/search/kinds.py",
)


def hash_of_sources(patterns: Sequence[str] = COVERED, root: Path = ROOT) -> str:
    """Hash recorder, host and search, or files of other patterns; return 16 hexadecimal digits."""
    digest = hashlib.sha256()
    for pattern in patterns:
        for path in sorted(root.glob(pattern)):
            digest.update(f"{path.relative_to(root)}\0".encode())
            digest.update(path.read_bytes())
    return digest.hexdigest()[:16]
