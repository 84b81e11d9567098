"""The causes of a task's waits in one instance, several or a range, with their times."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from tickertape.answers.places import Choice
from tickertape.answers.why import label_of, why
from tickertape.errors import UsageError
from tickertape.tape.reader import TapeReader
from tickertape.view.axis import place_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tickertape.answers.attribution import Segment, Step
    from tickertape.answers.why import Part, Why
    from tickertape.view.axis import Place
    from tickertape.view.index import Index

_MOST_PARTS: Final = 24
"""Number of inner parts shown per part, the longest ones; the others are summed up."""


@dataclass(slots=True)
class _Node:
    """A reason: its ticks in all answers, and its longest stretch.

    Attributes:
        ticks: total ticks.
        longest: ticks of the longest stretch, and its begin and end on the axis, ns.
        parts: reasons within it: what the blocking process did in this time.
    """

    ticks: int = 0
    longest: tuple[int, int, int] = (0, 0, 0)
    parts: dict[Step, _Node] = field(default_factory=dict)

    def add(self, parts: Iterable[Part]) -> None:
        """Add the parts of an answer."""
        for part in parts:
            node = self.parts.setdefault(part.step, _Node())
            node.ticks += part.ticks
            node.add(part.parts)

    def locate(self, segments: Iterable[Segment], place: Place) -> None:
        """Find the longest stretch of each reason in an answer of this boot."""
        since: list[tuple[Step, int, int]] = []  # the current path, by depth

        def close(depth: int) -> None:
            node = self
            for number, (step, begin, end) in enumerate(since):
                node = node.parts.setdefault(step, _Node())
                if number >= depth and end - begin > node.longest[0]:
                    node.longest = end - begin, place.ns_of(begin), place.ns_of(end)
            del since[depth:]

        for begin, end, path, _ in segments:
            same = 0
            for (step, _, until), other in zip(since, path, strict=False):
                if step != other or until != begin:
                    break
                same += 1
            close(same)
            since = [(step, first, end) for step, first, _ in since]
            since += [(step, begin, end) for step in path[same:]]
        close(0)

    def to_json(self, place: Place) -> list[dict[str, Any]]:
        """Return the parts as JSON values, the longest first."""
        found = sorted(self.parts.items(), key=lambda one: -one[1].ticks)
        shown = [
            {
                "label": label_of(step),
                "cause": step.cause.value,
                "ticks": node.ticks,
                "ns": place.clock.ns(node.ticks),
                "begin": node.longest[1],
                "end": node.longest[2],
                "parts": node.to_json(place),
            }
            for step, node in found[:_MOST_PARTS]
        ]
        others = [node.ticks for _, node in found[_MOST_PARTS:]]
        if others:
            shown.append(
                {
                    "label": f"{len(others)} other reasons",
                    "cause": "others",
                    "ticks": sum(others),
                    "ns": place.clock.ns(sum(others)),
                    "begin": 0,
                    "end": 0,
                    "parts": [],
                }
            )
        return shown


def whys_of(
    index: Index, row: Mapping[str, Any], within: tuple[int, int], *, worst: int
) -> dict[str, Any]:
    """Explain the waits of a task; read the tape twice, with a separate reader.

    Args:
        index: index of the tape.
        row: row of a task.
        within: begin and end on the axis, ns; equal times choose the instance at this time.
        worst: number of longest instances in the range, a few dozen at most; 0 for the whole
            range.

    Returns:
        `instances`: number (None for a range), begin and end on the axis, `ns`, and whether begin
        and end are known; `ticks` and `ns` of all instances; `tracing_ns`, an upper bound, None if
        unknown; `parts`: `label`, `cause`, `ticks`, `ns`, begin and end of the longest stretch,
        and inner `parts`. Parts add up to `ticks`.

    Raises:
        UsageError: the row is not a task, or the task has no events in the range.
    """
    if row["kind"] != "task":
        raise UsageError(f"{row['name']} is not a task", "choose the row of a task")
    with TapeReader(index.tape) as reader:
        places = {one["epoch"]: place_of(reader, one) for one in index.about["segments"]}
        spans = {}
        for one in index.about["segments"]:
            begin, end = max(within[0], one["begin"]), min(within[1], one["end"])
            place = places[one["epoch"]]
            board = place.board.name if place.board is not None else ""
            if begin <= end and board == row["board"]:
                spans[place.epoch] = place.ticks(begin), place.ticks(end)
        choice = Choice(
            row["name"], worst=worst or 1, number=row["number"], spans=spans, is_range=not worst
        )
        answers = why(reader, choice, stream=int(index.about["stream"]))
    # Ticks of clocks with different rates cannot be added.
    answers = [one for one in answers if one.clock.hz == answers[0].clock.hz]
    return _joined(answers, places)


def _joined(answers: list[Why], places: Mapping[int, Place]) -> dict[str, Any]:
    whole = _Node()
    for answer in answers:
        whole.add(answer.parts)
        whole.locate(answer.segments, places[answer.epoch])
    first = places[answers[0].epoch]
    ticks = sum(one.ticks for one in answers)
    costs = [one.tracing_ticks for one in answers]
    known = [one for one in costs if one is not None]
    return {
        "instances": [
            {
                "number": one.instance,
                "begin": places[one.epoch].ns_of(one.begin_ticks),
                "end": places[one.epoch].ns_of(one.end_ticks),
                "ns": first.clock.ns(one.ticks),
                "begin_known": one.begin_known,
                "ended": one.ended,
            }
            for one in answers
        ],
        "ticks": ticks,
        "ns": first.clock.ns(ticks),
        "tracing_ns": first.clock.ns(sum(known)) if len(known) == len(costs) else None,
        "parts": whole.to_json(first),
    }
