"""Findings of a check: counts of all, and a list up to a limit."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from enum import Enum
from typing import Final

LISTED: Final = 1000
"""Largest number of listed findings; all are counted."""


class Severity(Enum):
    """Severity of a finding."""

    ERROR = "error"
    """A violation of the format."""
    WARNING = "warning"
    """A dialect or an ignored recommendation; a finding only in strict mode."""


@dataclass(frozen=True, slots=True)
class Finding:
    """A violation of a rule.

    Attributes:
        line: line number, from 1; 0 for the file as a whole.
        rule: name of the rule; docs/btf.md lists them.
        severity: error or warning.
        text: description of the actual and the expected.
    """

    line: int
    rule: str
    severity: Severity
    text: str


@dataclass(slots=True)
class Findings:
    """Collects findings.

    Attributes:
        strict: whether warnings are findings.
        listed: the first `LISTED` findings in the order of detection.
        counts: number of findings by rule.
        warnings: number of warnings that are not findings, by rule.
    """

    strict: bool
    listed: list[Finding] = field(default_factory=list)
    counts: Counter[str] = field(default_factory=Counter)
    warnings: Counter[str] = field(default_factory=Counter)

    @property
    def total(self) -> int:
        """Number of findings."""
        return self.counts.total()

    def by_line(self) -> list[Finding]:
        """Return the listed findings in the order of the file."""
        return sorted(self.listed, key=lambda one: one.line)

    def error(self, line: int, rule: str, text: str) -> None:
        """Add an error."""
        self._add(Finding(line, rule, Severity.ERROR, text))

    def warn(self, line: int, rule: str, text: str) -> None:
        """Add a warning."""
        if self.strict:
            self._add(Finding(line, rule, Severity.WARNING, text))
        else:
            self.warnings[rule] += 1

    def _add(self, finding: Finding) -> None:
        self.counts[finding.rule] += 1
        if len(self.listed) < LISTED:
            self.listed.append(finding)
