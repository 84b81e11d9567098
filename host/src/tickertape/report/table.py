"""A table of texts, for a terminal or a page."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Self


@dataclass(slots=True)
class Table:
    """A table of texts; its first column is aligned to the left, the others to the right.

    Attributes:
        title: title of the table.
        columns: names of its columns.
        rows: its rows, with one cell per column.
        hidden: number of further rows that were left out.
    """

    title: str
    columns: tuple[str, ...]
    rows: list[tuple[str, ...]] = field(default_factory=list)
    hidden: int = 0

    @classmethod
    def of(cls, title: str, *columns: str) -> Self:
        """Begin a table without rows."""
        return cls(title, columns)

    def add(self, *cells: str) -> None:
        """Add a row."""
        self.rows.append(cells)

    def cut(self, number: int) -> Self:
        """Return a copy whose rows are the first of `number` rows."""
        return replace(self, hidden=number - len(self.rows))
