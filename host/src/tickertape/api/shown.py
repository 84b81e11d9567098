"""Answers as lists with a representation for terminals and for notebooks."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Final

from tickertape.answers.check import Verdict
from tickertape.answers.findings import Detection
from tickertape.answers.report import lines_of, why_lines
from tickertape.answers.statistics import BootStats
from tickertape.answers.why import Why
from tickertape.report.page import Body
from tickertape.report.stats import report_of
from tickertape.report.stats_page import stats_body
from tickertape.report.table import Table
from tickertape.report.verdicts import outcomes_text, verdicts_body, whys_body

if TYPE_CHECKING:
    from collections.abc import Iterator


_FEW: Final = 3  # findings of one detector, as lines


class _Shown(ABC):
    """A list that is shown as lines, and in a notebook as a page."""

    def __repr__(self) -> str:
        """Return the lines."""
        return "\n".join(self._lines())

    def _repr_html_(self) -> str:
        """Return the HTML that a notebook shows."""
        return str(self._body())

    @abstractmethod
    def _lines(self) -> Iterator[str]:
        """Yield the lines."""

    @abstractmethod
    def _body(self) -> Body:
        """Return the page."""


class Statistics(_Shown, list[BootStats]):
    """A `BootStats` for each boot."""

    def _lines(self) -> Iterator[str]:
        for boot in self:
            yield f"boot {boot.epoch}: {report_of(boot, None).head}"

    def _body(self) -> Body:
        return stats_body(self)


class Verdicts(_Shown, list[Verdict]):
    """A `Verdict` for each requirement."""

    def _lines(self) -> Iterator[str]:
        for one in self:
            yield f"{one.outcome.value} {one.requirement.name}: {one.requirement.sentence}"
            yield from (f"    {line}" for line in lines_of(one))
        yield outcomes_text(self)

    def _body(self) -> Body:
        return verdicts_body(self)


class Whys(_Shown, list[Why]):
    """A `Why` for each instance, the longest response first."""

    def _lines(self) -> Iterator[str]:
        for one in self:
            yield f"{one.title}:"
            yield from why_lines(one)

    def _body(self) -> Body:
        return whys_body(self)


class Detections(_Shown, list[Detection]):
    """The findings of all detectors."""

    def _lines(self) -> Iterator[str]:
        for one in self:
            for finding in one.findings[:_FEW]:
                yield f"{one.detector} at {finding.end} s: {finding.what}"
            if one.count > _FEW:
                yield f"and {one.count - _FEW} more of {one.detector}"
            if one.doubts:
                yield f"{one.detector} is unknown: {one.doubts[0]}"
        yield f"{sum(one.count for one in self)} findings"

    def _body(self) -> Body:
        body = Body()
        table = Table.of("Findings", "detector", "at", "what")
        for one in self:
            for finding in one.findings:
                table.add(one.detector, f"{finding.end} s", finding.what)
            for doubt in one.doubts:
                table.add(one.detector, "unknown", doubt)
        body.table(table)
        return body
