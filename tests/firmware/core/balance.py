"""Check of a link reader's balance, for programs with several threads."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.link_reader import LinkReader

HERE = Path(__file__).parent

OVERWRITE, UNTIL_FULL, DROP = range(3)

SYSTEM, USER = 5, 6

ENVIRONMENT = {
    **os.environ,
    "TSAN_OPTIONS": f"halt_on_error=1:suppressions={HERE / 'stress_suppressions.txt'}",
}


def check_balance(policy: int, reader: LinkReader) -> None:
    """Check that receipts never step back and that the balance agrees with the records."""
    assert reader.final
    for before, after in pairwise(sorted(reader.receipts)):
        assert all(a <= b for a, b in zip(before, after, strict=True))
    balance = reader.balance()
    assert balance["damaged"] == 0
    assert balance["offered"] == sum(balance.values()) - balance["offered"]
    assert balance["overwritten" if policy != OVERWRITE else "dropped"] == 0
    counters = reader.class_counters
    for event_class in (SYSTEM, USER):
        delivered = sum(record.event_class == event_class for record in reader.records)
        assert counters[event_class][2] == delivered
    assert sum(dropped for dropped, _, _ in counters) == balance["dropped"]
    assert sum(overwritten for _, overwritten, _ in counters) == balance["overwritten"]
