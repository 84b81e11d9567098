"""Statistics as a page: owners of the CPUs, response times of tasks, and all tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from tickertape.model.entities import Kind
from tickertape.report.page import Body
from tickertape.report.stats import figure_text, report_of, time_text
from tickertape.text import escaped_lines

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tickertape.answers.statistics import BootStats, ProcessStats
    from tickertape.model.cpu_time import CpuTime

_LEFT: Final = 170
_WIDTH: Final = 700
_RIGHT: Final = 130
_ROW: Final = 24
_TOP: Final = 30
_SHARES: Final = (
    ("tasks", "#2e9d4b"),
    ("interrupts", "#1f7ac0"),
    ("kernel", "#7a5c9e"),
    ("idle", "#dfe4ea"),
    ("unknown", "#a6adb7"),
)


def stats_body(boots: Sequence[BootStats]) -> Body:
    """Return a page body with drawings and all rows of the statistics of each boot."""
    body = Body()
    for boot in boots:
        if len(boots) > 1:
            body.add("h2", f"boot {boot.epoch}")
        report = report_of(boot, None)
        body.add("p", report.head)
        for drawing in (_cpus(boot), _responses(boot)):
            if drawing is not None:
                body.picture(drawing)
        for table in report.tables:
            body.table(table)
        if report.notes:
            body.add("pre", "\n".join(report.notes))
    return body


def _drawing(rows: int, label: str) -> ET.Element:
    size = f"0 0 {_LEFT + _WIDTH + _RIGHT} {_TOP + rows * _ROW + 8}"
    svg = ET.Element("svg", viewBox=size, role="img", style="font: 13px sans-serif")
    svg.set("aria-label", label)
    _text(svg, 4, 18, label)
    return svg


def _cpus(boot: BootStats) -> ET.Element | None:
    """Draw a bar for each CPU: its observed time by owner."""
    if not boot.observed_ticks:
        return None
    svg = _drawing(len(boot.cpus), "Observed time of each CPU")
    x = _LEFT
    for name, colour in _SHARES:
        _bar(svg, (x, 8), 12, colour, name)
        _text(svg, x + 18, 18, name)
        x += 100
    for row, (cpu, time) in enumerate(boot.cpus.items()):
        y = _TOP + row * _ROW
        _text(svg, 4, y + 15, f"CPU {cpu}")
        left = 0.0
        for name, colour in _SHARES:
            part = _ticks(time, name) / max(time.observed_ticks, 1)
            if part:
                place = (_LEFT + _WIDTH * left, y)
                _bar(svg, place, _WIDTH * part, colour, f"{name} {part:.2%}")
            left += part
    return svg


def _ticks(time: CpuTime, name: str) -> int:
    return int(getattr(time, f"{name}_ticks"))


def _responses(boot: BootStats) -> ET.Element | None:
    """Draw the response times of each task: shortest to longest, p50 to p95, and the limit."""
    tasks = [one for one in boot.processes if _has_response(one)]
    if not tasks:
        return None
    longest = max(float(one.response.maximum.value or 0) for one in tasks) or 1.0
    svg = _drawing(len(tasks), "Response time of tasks: shortest to longest, p50 to p95 filled")
    for row, one in enumerate(tasks):
        y, found = _TOP + row * _ROW, one.response
        _text(svg, 4, y + 15, one.name)
        low, p50, p95, high = (
            _LEFT + _WIDTH * float(figure.value or 0) / longest
            for figure in (
                *(found.minimum, found.percentiles[50], found.percentiles[95]),
                found.maximum,
            )
        )
        what = f"{one.name}: p50 {figure_text(boot.clock, found.percentiles[50])}"
        _bar(svg, (low, y + 8), high - low, "#8fa3ba", f"{what}, all").set("height", "4")
        _bar(svg, (p50, y + 3), p95 - p50, "#2e9d4b", f"{what}, p50 to p95")
        limit = found.maximum.high
        more = ""
        if limit is None or limit > (found.maximum.value or 0):
            more = " or more" if limit is None else f", at most {time_text(boot.clock, limit)}"
        _text(svg, high + 6, y + 15, figure_text(boot.clock, found.maximum) + more)
    return svg


def _has_response(one: ProcessStats) -> bool:
    return one.kind is Kind.TASK and one.response.maximum.value is not None


def _bar(
    svg: ET.Element, place: tuple[float, float], width: float, colour: str, title: str
) -> ET.Element:
    """Add a rectangle, at least one unit wide so that it is visible; return it."""
    x, y = place
    size = {"x": f"{x:.2f}", "y": f"{y:.0f}", "width": f"{max(width, 1.0):.2f}", "height": "14"}
    bar = ET.SubElement(svg, "rect", size, fill=colour)
    ET.SubElement(bar, "title").text = escaped_lines(title)
    return bar


def _text(svg: ET.Element, x: float, y: int, text: str) -> None:
    ET.SubElement(svg, "text", x=f"{x:.2f}", y=str(y)).text = escaped_lines(text)
