"""Progress and result of an export or import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path

Progress: TypeAlias = Callable[[int], object]
"""Takes the number of events, records or bytes that are done, now and then."""


def no_progress(_done: int) -> None:
    """Show nothing."""


class Count(int):
    """A number that is formatted in groups, 1 234 567, unless a format is given."""

    def __format__(self, spec: str) -> str:
        return super().__format__(spec) if spec else f"{int(self):,}".replace(",", " ")


@dataclass(slots=True)
class Report:
    """The result of an export or import.

    Attributes:
        counts: what was counted, by the names in the texts of the `Conversion`; 0 for other names.
            Offsets in the file (`first_...`) are bytes.
        words: likewise, for results that are not numbers.
        left_out: what the output cannot contain, and how often.
        dialects: unusual constructs of the file, and how often.
        remarks: other oddities, a line each.
        files: files that were written beside the output.
    """

    counts: Counter[str] = field(default_factory=Counter)
    words: dict[str, str] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    dialects: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)
    files: tuple[Path, ...] = ()

    def first(self, what: str, offset: int, times: int = 1) -> None:
        """Count `what`, and keep the offset of the first as `first_WHAT`."""
        if not self.counts[what]:
            self.counts[f"first_{what}"] = offset
        self.counts[what] += times

    def format(self, text: str) -> str:
        """Fill names in braces with counts and words."""
        return text.format_map(_Shown(self))


class _Shown(dict[str, object]):
    def __init__(self, report: Report) -> None:
        self._report = report

    def __missing__(self, name: str) -> object:
        return self._report.words.get(name) or Count(self._report.counts[name])
