"""Verdicts as a page, with a waterfall of each violation that is explained."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from tickertape.answers.report import lines_of
from tickertape.answers.waterfall import drawing
from tickertape.cli.page import Page, shown
from tickertape.cli.verdicts import by_outcome

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tickertape.answers.check import Verdict


def verdicts_page(title: str, verdicts: Sequence[Verdict]) -> str:
    """Return an HTML document."""
    page = Page(title)
    page.add("p", ", ".join(f"{number} {what}" for what, number in by_outcome(verdicts).items()))
    for one in verdicts:
        head = page.add("h2", "")
        badge = ET.SubElement(head, "span", {"class": one.outcome.value})
        badge.text = one.outcome.value
        badge.tail = shown(f"{one.requirement.name}: {one.requirement.sentence}")
        lines = lines_of(one)
        if lines:
            page.add("pre", "\n".join(lines))
        for violation in one.violations:
            found = one.whys.get(violation.place) if violation.place else None
            if found is not None:
                page.picture(drawing(found))
    return str(page)
