"""Verdicts as lines of text, for the terminal and for JUnit files."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from tickertape.answers.check import Verdict
    from tickertape.answers.why import Part, Why

_VIOLATIONS = 3


def lines_of(verdict: Verdict) -> list[str]:
    """Return the reasons of a verdict: violations with their causes, then doubts."""
    lines: list[str] = []
    for one in verdict.violations[:_VIOLATIONS]:
        boot = f"boot {one.epoch}, " if one.epoch else ""
        lines.append(f"{verdict.where(one)}{boot}at {verdict.at(one)} s: {one.what}")
        found = verdict.whys.get(one.place) if one.place else None
        if found is not None:
            lines += why_lines(found)
    if verdict.count > _VIOLATIONS:
        lines.append(f"and {verdict.count - _VIOLATIONS} more violations")
    what = "also unknown" if verdict.count else "unknown"
    lines += [f"{what}: {doubt}" for doubt in verdict.doubts]
    return lines


def why_lines(found: Why) -> list[str]:
    """Return the parts of a response time, one per line, indented by depth, then tracing cost."""
    lines = list(_parts(found.parts, found, 1))
    if found.tracing is not None and found.tracing_ticks is not None:
        most, events = _length(found, found.tracing_ticks), found.tracing.events
        lines.append(f"    of it tracing: at most {most}, {events} events")
    return lines


def _parts(parts: Iterable[Part], found: Why, depth: int) -> Iterator[str]:
    for part in parts:
        yield f"{'    ' * depth}{_length(found, part.ticks)}  {part.label}"
        yield from _parts(part.parts, found, depth + 1)


def _length(found: Why, ticks: int) -> str:
    ns = found.clock.known_ns(ticks)
    return f"{ticks} ticks" if ns is None else f"{ns / 1000:.2f} us"
