"""The results of a suite: lines, a JUnit file, a page."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING
from xml.etree import ElementTree as ET

from tickertape.answers.check import Outcome
from tickertape.answers.junit import junit
from tickertape.report.numbers import count
from tickertape.report.page import Body
from tickertape.report.table import Table
from tickertape.report.verdicts import outcomes_text, verdicts_body
from tickertape.text import escaped_lines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tickertape.cli.hil_runs import Run
    from tickertape.formats.arrow.history import Drift

_NS_PER_US = 1000


def lines_of(run: Run) -> Iterator[str]:
    """Yield the lines of a run: its outcome, then each attempt that could not be judged."""
    name = f"{run.board}: {run.image}"
    if run.error is not None:
        yield f"{'ERROR' if run.attempts else 'NOT RUN':<8}{name}: {run.error}"
    else:
        counts = [one for found in run.verdicts.values() for one in found]
        worst = _worst(run)
        again = f" in attempt {run.attempts}" if run.faults else ""
        judged = outcomes_text(counts) if run.verdicts else "recorded, judged by no specification"
        yield f"{worst.value:<8}{name}: {judged}{again}; {run.tape}"
    earlier = run.faults if run.tape is not None else run.faults[:-1]
    for number, (kind, message) in enumerate(earlier, 1):
        yield f"        attempt {number}: {kind}: {message}"
    if run.aside:
        yield f"        {run.board} is set aside: its other images are not recorded"


def _worst(run: Run) -> Outcome:
    found = set(run.outcomes())
    order = (Outcome.FAIL, Outcome.UNKNOWN)
    return next((one for one in order if one in found), Outcome.PASS)


def summary_of(runs: Sequence[Run]) -> str:
    """Return the numbers of runs by outcome and of retried runs, and the boards set aside."""
    counts = Counter(_worst(run).value if run.error is None else "ERROR" for run in runs)
    retried = sum(len(run.faults) > (run.tape is None) for run in runs)
    aside = [run.board for run in runs if run.aside]
    parts = [f"{counts[one]} {one}" for one in ("PASS", "FAIL", "UNKNOWN", "ERROR")]
    parts += [f"{retried} retried"] if retried else []
    parts += [f"set aside: {', '.join(aside)}"] if aside else []
    return ", ".join(parts)


def suite_of(run: Run) -> list[ET.Element]:
    """Return the JUnit test suites of a run: one for its recording, one per specification."""
    name = f"{run.board}.{run.image}"
    record = ET.Element("testsuite", name=name, tests="1", failures="0", errors="0")
    case = ET.SubElement(record, "testcase", classname=name, name="recording")
    repeated = "flakyError" if run.error is None else "rerunError"
    if run.error is not None:
        record.set("errors", "1")
        kind = run.faults[-1][0] if run.faults and not run.problems else "NotJudged"
        ET.SubElement(case, "error", message=escaped_lines(run.error), type=kind)
    earlier = run.faults if run.tape is not None else run.faults[:-1]
    for kind, message in earlier:
        ET.SubElement(case, repeated, message=escaped_lines(message), type=kind)
    judged = [
        ET.fromstring(junit(found, suite=f"{name}.{spec}"))  # noqa: S314 - our own text
        for spec, found in run.verdicts.items()
    ]
    return [record, *judged]


def json_of(runs: Sequence[Run], drift: Sequence[Drift]) -> dict[str, object]:
    """Return the runs, and each figure with those of earlier runs, as a JSON object."""
    return {
        "runs": [
            {
                "board": run.board,
                "image": run.image,
                "outcome": "ERROR" if run.error is not None else _worst(run).value,
                "error": run.error,
                "tape": None if run.tape is None else str(run.tape),
                "attempts": run.attempts,
                "faults": [{"kind": kind, "message": message} for kind, message in run.faults],
                "set_aside": run.aside,
                "verdicts": {
                    spec: [one.to_json() for one in found] for spec, found in run.verdicts.items()
                },
            }
            for run in runs
        ],
        "drift": [
            {
                "board": one.board,
                "image": one.image,
                "figure": one.figure,
                "value_ns": one.value_ns,
                "earlier_ns": list(one.earlier_ns),
                "is_outside": one.is_outside,
            }
            for one in drift
        ],
    }


def junit_of(runs: Sequence[Run]) -> str:
    """Return the JUnit file of runs.

    A failed attempt is a `flakyError` if a later one succeeded, else a `rerunError`.
    """
    root = ET.Element("testsuites")
    for run in runs:
        root.extend(suite_of(run))
    ET.indent(root)
    return '<?xml version="1.0" encoding="utf-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def drift_table(found: Sequence[Drift]) -> Table:
    """Return a table of the figures with the median of earlier runs, in us."""
    table = Table.of(
        "Drift", "figure", "board", "image", "us", "median before", "change", "runs before", ""
    )
    for one in found:
        change = "?" if one.change is None else f"{one.change:+.1%}"
        values = (f"{value / _NS_PER_US:,.1f}" for value in (one.value_ns, one.median_ns))
        mark = "outside" if one.is_outside else ""
        table.add(
            one.figure, one.board, one.image, *values, change, count(len(one.earlier_ns)), mark
        )
    return table


def page_of(runs: Sequence[Run], drift: Sequence[Drift]) -> Body:
    """Return the page: a row per run, the failed attempts, the drift, then each verdict."""
    body = Body()
    body.add("p", summary_of(runs))
    table = Table.of("Runs", "board", "image", "attempts", "outcome", "tape")
    for run in runs:
        outcome = _worst(run).value if run.error is None else "ERROR"
        tape = "" if run.tape is None else str(run.tape)
        table.add(run.board, run.image, str(run.attempts), outcome, tape)
    body.table(table)
    for run in runs:
        if run.error is not None or run.faults:
            body.add("pre", "\n".join(lines_of(run)))
    if drift:
        body.table(drift_table(drift))
    for run in runs:
        for spec, found in run.verdicts.items():
            body.add("h2", f"{run.board}: {run.image} by {spec}")
            body.element.append(verdicts_body(found).element)
    return body
