"""The findings of a tape, with their places on the axis of a page; see `answers.findings`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tickertape.answers.findings import find
from tickertape.tape.reader import TapeReader
from tickertape.view.axis import place_of
from tickertape.view.rows import NO_ROW

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tickertape.answers.findings import Detection, Finding
    from tickertape.view.axis import Place
    from tickertape.view.index import Index


def findings_of(index: Index) -> list[dict[str, Any]]:
    """Find deadlocks, missed deadlines and the like on the tape, with a separate reader.

    Returns:
        The findings of each detector as JSON values: `by` is its name, `count` their number,
        `found` the worst of them, with `what`, `begin` and `end` on the axis in ns and the `row`
        of their task (NO_ROW without one), and `doubts` the reasons why more may be hidden.
    """
    about = index.about
    with TapeReader(index.tape) as reader:
        places = {one["epoch"]: place_of(reader, one) for one in about["segments"]}
        found = find(reader, stream=int(about["stream"]))
        return [_detection(one, places, about["rows"]) for one in found]


def _detection(
    one: Detection, places: Mapping[int, Place], rows: Sequence[Mapping[str, Any]]
) -> dict[str, Any]:
    # A growing tape may have a boot that its index does not have yet.
    known = [finding for finding in one.findings if finding.epoch in places]
    return {
        "by": one.detector,
        "count": one.count,
        "found": [_finding(finding, places[finding.epoch], rows) for finding in known],
        "doubts": list(one.doubts),
    }


def _finding(one: Finding, place: Place, rows: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    return {
        "what": one.what,
        "begin": place.ns_of(one.begin_ticks),
        "end": place.ns_of(one.ticks),
        "row": row_of_task(rows, one.task, place),
    }


def row_of_task(rows: Sequence[Mapping[str, Any]], task: str, place: Place) -> int:
    """Return the row of a task by its name; NO_ROW if no task, or several, have it."""
    board = place.board.name if place.board is not None else ""
    wanted = ["task", board, task]
    found = [one["row"] for one in rows if [one[name] for name in _IDENTITY] == wanted]
    return int(found[0]) if len(found) == 1 else NO_ROW


_IDENTITY = ("kind", "board", "name")
