"""Write verdicts as a JUnit file, as continuous integration reads them."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from tickertape.answers.check import Outcome
from tickertape.answers.report import lines_of
from tickertape.text import escaped_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tickertape.answers.check import Verdict


def junit(verdicts: Sequence[Verdict], *, suite: str) -> str:
    """Return the text of the file: FAIL is a failure, UNKNOWN an error.

    Args:
        verdicts: verdicts of one specification.
        suite: name of the test suite.
    """
    counts = dict.fromkeys(Outcome, 0)
    for one in verdicts:
        counts[one.outcome] += 1
    root = ET.Element(
        "testsuite",
        name=escaped_lines(suite),
        tests=str(len(verdicts)),
        failures=str(counts[Outcome.FAIL]),
        errors=str(counts[Outcome.UNKNOWN]),
    )
    for one in verdicts:
        case = ET.SubElement(
            root,
            "testcase",
            classname=escaped_lines(suite),
            name=escaped_lines(one.requirement.name),
            file=one.requirement.place.file,
            line=str(one.requirement.place.line),
        )
        if one.outcome is Outcome.PASS:
            continue
        lines = lines_of(one)
        kind = "failure" if one.outcome is Outcome.FAIL else "error"
        found = ET.SubElement(case, kind, message=escaped_lines(lines[0]), type=one.outcome.value)
        found.text = escaped_lines("\n".join([one.requirement.sentence, *lines]))
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"
