"""Verdicts and explanations as a page, with a waterfall of each explained instance."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from tickertape.answers.check import Outcome
from tickertape.answers.report import lines_of, why_lines
from tickertape.answers.waterfall import drawing
from tickertape.report.page import Body
from tickertape.text import escaped_lines

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from tickertape.answers.check import Verdict
    from tickertape.answers.why import Why


def by_outcome(verdicts: Iterable[Verdict]) -> dict[str, int]:
    """Return the number of each outcome by its name."""
    counts = Counter(one.outcome for one in verdicts)
    return {outcome.value: counts[outcome] for outcome in Outcome}


def outcomes_text(verdicts: Iterable[Verdict]) -> str:
    """Return the number of verdicts with each outcome, in words."""
    return ", ".join(f"{number} {what}" for what, number in by_outcome(verdicts).items())


def verdicts_body(verdicts: Sequence[Verdict]) -> Body:
    """Return a page body with verdicts and their reasons."""
    page = Body()
    page.add("p", outcomes_text(verdicts))
    for one in verdicts:
        head = page.add("h2", "")
        badge = ET.SubElement(head, "span", {"class": one.outcome.value})
        badge.text = one.outcome.value
        badge.tail = escaped_lines(f"{one.requirement.name}: {one.requirement.sentence}")
        lines = lines_of(one)
        if lines:
            page.add("pre", "\n".join(lines))
        for violation in one.violations:
            found = one.whys.get(violation.place) if violation.place else None
            if found is not None:
                page.picture(drawing(found))
    return page


def whys_body(found: Iterable[Why]) -> Body:
    """Return a page body with explanations of response times."""
    page = Body()
    for one in found:
        page.picture(drawing(one))
        page.add("pre", "\n".join(why_lines(one)))
    return page
