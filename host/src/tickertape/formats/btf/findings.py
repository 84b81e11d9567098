"""The findings of a check: all are counted, and listed up to a limit."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

LISTED: Final = 1000
"""So many findings are listed; all are counted."""


class Severity(Enum):
    """How bad it is."""

    ERROR = "error"
    """It breaks the format."""
    WARNING = "warning"
    """A dialect, or a recommendation that is not followed; counts as a finding when strict."""


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that is not as it should be.

    Attributes:
        line: where, from 1; 0 for the file as a whole.
        rule: name of the rule; docs/btf.md lists them.
        severity: how bad it is.
        text: what is the case, and what should be.
    """

    line: int
    rule: str
    severity: Severity
    text: str


@dataclass(slots=True)
class Findings:
    """Gathers findings.

    Attributes:
        strict: warnings are findings.
        listed: the first of them; those found at the end of the file come last.
        counts: all of them, by rule.
        warnings: warnings that are not findings, by rule.
    """

    strict: bool
    listed: list[Finding] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        """How many there are."""
        return self.counts.total()

    def by_line(self) -> list[Finding]:
        """Return those that are listed in order of the file."""
        return sorted(self.listed, key=lambda one: one.line)

    def error(self, line: int, rule: str, text: str) -> None:
        """The format is broken."""
        self._add(Finding(line, rule, Severity.ERROR, text))

    def warn(self, line: int, rule: str, text: str) -> None:
        """It is unusual."""
        if self.strict:
            self._add(Finding(line, rule, Severity.WARNING, text))
        else:
            self.warnings[rule] += 1

    def _add(self, finding: Finding) -> None:
        self.counts[finding.rule] += 1
        if len(self.listed) < LISTED:
            self.listed.append(finding)
