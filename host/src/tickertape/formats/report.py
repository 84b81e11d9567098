"""Progress and result of an export or import."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pathlib import Path

Progress: TypeAlias = Callable[[int], object]
"""Progress callback: called at intervals with the number of events, records or bytes done."""


def no_progress(_done: int) -> None:
    """Ignore the progress."""


class Count(int):
    """An integer that formats in groups of three digits (1 234 567) unless a format is given."""

    def __format__(self, spec: str) -> str:
        return super().__format__(spec) if spec else f"{int(self):,}".replace(",", " ")


@dataclass(slots=True)
class Report:
    """The result of an export or import.

    Attributes:
        counts: counts by name, as used in the texts of the `Conversion`; 0 for other names.
            Offsets in the file (`first_...`) are in bytes.
        words: results that are not numbers, by name.
        left_out: number of items that the output cannot represent, by description.
        dialects: number of unusual constructs in the file, by description.
        remarks: other warnings, one line each.
        files: files written in addition to the output.
    """

    counts: Counter[str] = field(default_factory=Counter)
    words: dict[str, str] = field(default_factory=dict)
    left_out: Counter[str] = field(default_factory=Counter)
    dialects: Counter[str] = field(default_factory=Counter)
    remarks: list[str] = field(default_factory=list)
    files: tuple[Path, ...] = ()

    def first(self, what: str, offset: int, times: int = 1) -> None:
        """Add `times` to the count `what`, and store its first offset as `first_WHAT`."""
        if not self.counts[what]:
            self.counts[f"first_{what}"] = offset
        self.counts[what] += times

    def format(self, text: str) -> str:
        """Replace names in braces by counts and words."""
        return text.format_map(_Shown(self))


class _Shown(dict[str, object]):
    def __init__(self, report: Report) -> None:
        self._report = report

    def __missing__(self, name: str) -> object:
        return self._report.words.get(name) or Count(self._report.counts[name])
