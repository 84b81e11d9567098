"""The balance of a tape as a table."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING

from tickertape.report.numbers import count
from tickertape.report.table import Table

if TYPE_CHECKING:
    from tickertape.analysis.balance import TapeBalance


def balance_table(balance: TapeBalance) -> Table:
    """Return a row for each ring: offered = delivered + overwritten + dropped + damaged."""
    terms = list(asdict(balance.total))
    table = Table.of("Balance", "ring", *terms, "last receipt")
    for one in balance.rings:
        ring = f"boot {one.ring.epoch}, stream {one.ring.stream}, CPU {one.ring.cpu}"
        values = [count(value) for value in asdict(one.balance).values()]
        table.add(ring, *values, "final" if one.final else "not final")
    return table
