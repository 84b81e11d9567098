"""The range that a page shows first: convert times of a boot to the axis of the page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple
from urllib.parse import quote

from tickertape.errors import UsageError, nearest
from tickertape.tape.reader import TapeReader
from tickertape.view.axis import place_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path


_NEVER: Final = 1 << 63


class Wanted(NamedTuple):
    """The options of the user for the first range; None for an option that is not given.

    Attributes:
        begin_ns: begin of the window, ns.
        end_ns: end of the window, ns.
        at_ns: time of the cursor, ns.
        task: name of the task whose row is selected.
        boot: boot of these times; None for times of the axis.
    """

    begin_ns: int | None = None
    end_ns: int | None = None
    at_ns: int | None = None
    task: str | None = None
    boot: int | None = None


class FirstShown(NamedTuple):
    """The first range on the axis; None for a part that is not given.

    Attributes:
        begin: begin of the window, ns.
        end: end of the window, ns.
        fragment: fragment for the address of the page.
    """

    begin: int | None
    end: int | None
    fragment: str


def first_shown(tape: Path, about: Mapping[str, Any], wanted: Wanted) -> FirstShown:
    """Convert the options to the axis of a page and check them.

    Args:
        tape: the tape.
        about: description of its index.
        wanted: options of the user.

    Raises:
        UsageError: the tape has no such time, boot or task.
    """
    if wanted == Wanted():
        return FirstShown(None, None, "")
    first, last = int(about["begin"]), int(about["end"])
    begin, end, at = _on_axis(tape, about, wanted)
    words: dict[str, int] = {}
    if begin is not None or end is not None:
        begin, end = max(begin or 0, first), last if end is None else min(end, last)
        end += end == begin and at is None and wanted.begin_ns is None  # a boot with a single time
        if end <= begin:
            raise UsageError("the tape has nothing in this range", _range(first, last))
        words = {"from": begin, "to": end, "at": begin}
    if at is not None and not first <= at <= last:
        raise UsageError("the tape has nothing at this time", _range(first, last))
    if at is not None:
        words["at"] = at
    parts = [f"{name}={value}" for name, value in words.items()]
    if wanted.task is not None:
        names = [one["name"] for one in about["rows"] if one["kind"] == "task"]
        # A sample may lack the task.
        if wanted.task not in names and about.get("complete", True):
            raise UsageError(f"no task is called {wanted.task}", nearest(wanted.task, names))
        parts.append(f"row={quote(f'task:{wanted.task}', safe='')}")
    return FirstShown(begin, end, "#" + "&".join(parts))


def _range(first: int, last: int) -> str:
    return f"give times from {first / 1e9:.9f} to {last / 1e9:.9f}"


def _on_axis(tape: Path, about: Mapping[str, Any], wanted: Wanted) -> list[int | None]:
    times = [wanted.begin_ns, wanted.end_ns, wanted.at_ns]
    if wanted.boot is None:
        return times
    segments = {one["epoch"]: one for one in about["segments"]}
    if wanted.boot not in segments:
        known = f"{min(segments, default=0)} to {max(segments, default=0)}"
        raise UsageError(f"{tape} has no boot {wanted.boot}", f"it has {known}")
    segment = segments[wanted.boot]
    if all(time is None for time in times):
        return [int(segment["begin"]), int(segment["end"]), None]
    with TapeReader(tape) as reader:
        place = place_of(reader, segment)
    found: list[int | None] = []
    for time in times:
        if time is None:
            found.append(None)
            continue
        ticks = place.clock.ticks_between(time, None)
        found.append(_NEVER if ticks is None else place.ns_of(ticks[0]))
    return found
