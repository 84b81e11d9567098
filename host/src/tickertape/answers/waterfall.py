"""Draw an instance as a waterfall: one row per cause, time from left to right."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from tickertape.answers.attribution import Cause
from tickertape.answers.why import label_of

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tickertape.answers.attribution import Path, Segment
    from tickertape.answers.why import Why

_COLOURS: Final = {
    Cause.RAN: "#2e9e5b",
    Cause.PREEMPTED: "#e08a1e",
    Cause.READY: "#edc14b",
    Cause.INTERRUPTED: "#8a63c9",
    Cause.BLOCKED: "#d64545",
    Cause.WAITED: "#7aa6c2",
    Cause.SUSPENDED: "#9566c4",
    Cause.ENDED: "#8b1a1a",
    Cause.EARLIER: "#c0699b",
    Cause.KERNEL: "#777777",
    Cause.TRACER: "#3f6fb5",
    Cause.DEADLOCK: "#000000",
    Cause.UNKNOWN: "#bbbbbb",
}
_LEFT: Final = 330
_WIDTH: Final = 800
_RIGHT: Final = 90
_ROW: Final = 20
_TOP: Final = 44
_SMALLEST: Final = 0.25
_NS_PER_US: Final = 1000


def waterfall(answer: Why) -> str:
    """Return an SVG document; the title of each bar contains its cause and length."""
    svg = drawing(answer)
    svg.set("xmlns", "http://www.w3.org/2000/svg")
    return ET.tostring(svg, encoding="unicode") + "\n"


def drawing(answer: Why) -> ET.Element:
    """Return the SVG element, to be embedded in a page."""
    rows = _rows(answer.segments)
    height = _TOP + _ROW * len(rows) + 12
    svg = ET.Element(
        "svg",
        viewBox=f"0 0 {_LEFT + _WIDTH + _RIGHT} {height}",
        style="font: 12px sans-serif",
    )
    _text(svg, 8, 18, f"{answer.title}: {_us(answer, answer.ticks)}")
    _text(svg, _LEFT, 34, f"{answer.clock.ns(answer.begin_ticks) / 1e9:.9f} s")
    for number, (path, spans) in enumerate(rows.items()):
        y = _TOP + number * _ROW
        step = path[-1]
        _text(svg, 8 + 14 * (len(path) - 1), y + 14, label_of(step))
        ticks = sum(end - begin for begin, end in spans)
        _text(svg, _LEFT + _WIDTH + 6, y + 14, _us(answer, ticks))
        for begin, end in _joined(spans, answer):
            bar = ET.SubElement(
                svg,
                "rect",
                x=f"{_x(answer, begin):.2f}",
                y=str(y + 3),
                width=f"{max(_x(answer, end) - _x(answer, begin), 0.5):.2f}",
                height=str(_ROW - 6),
                fill=_COLOURS[step.cause],
            )
            title = ET.SubElement(bar, "title")
            title.text = f"{label_of(step)}: {_us(answer, end - begin)}"
    return svg


def _rows(segments: Iterable[Segment]) -> dict[Path, list[tuple[int, int]]]:
    """Return the time ranges of each path and of each of its prefixes, sorted by `_order`."""
    rows: dict[Path, list[tuple[int, int]]] = {}
    for segment in segments:
        for depth in range(1, len(segment.path) + 1):
            spans = rows.setdefault(segment.path[:depth], [])
            if spans and spans[-1][1] == segment.begin:
                spans[-1] = spans[-1][0], segment.end
            else:
                spans.append((segment.begin, segment.end))
    return dict(sorted(rows.items(), key=lambda row: _order(row[0], rows)))


def _order(path: Path, rows: dict[Path, list[tuple[int, int]]]) -> tuple[int, ...]:
    """Return the sort key of a path: after its parent path, by its first time range."""
    return tuple(
        number for depth in range(1, len(path) + 1) for number in _first(rows, path[:depth])
    )


def _first(rows: dict[Path, list[tuple[int, int]]], path: Path) -> tuple[int, int]:
    return rows[path][0][0], list(rows).index(path)


def _joined(spans: list[tuple[int, int]], answer: Why) -> list[tuple[int, int]]:
    """Join time ranges that are too close to be drawn apart."""
    least = _SMALLEST * answer.ticks / _WIDTH
    joined: list[tuple[int, int]] = []
    for begin, end in spans:
        if joined and begin - joined[-1][1] < least:
            joined[-1] = joined[-1][0], end
        else:
            joined.append((begin, end))
    return joined


def _x(answer: Why, ticks: int) -> float:
    return _LEFT + _WIDTH * (ticks - answer.begin_ticks) / max(answer.ticks, 1)


def _us(answer: Why, ticks: int) -> str:
    ns = answer.clock.known_ns(ticks)
    return f"{ticks} ticks" if ns is None else f"{ns / _NS_PER_US:.2f} µs"


def _text(svg: ET.Element, x: int, y: int, text: str) -> None:
    ET.SubElement(svg, "text", x=str(x), y=str(y)).text = text
