"""Draws the display of a `.tra` file as SVG, as in figure 2 of the reference.

Each line of the display is a row, time runs from left to right. A box means running, a thin line
ready; arrows mark begin and end of periods, texts name mutexes and conditions.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from tickertape.decode.ticks import NS_PER_S
from tickertape.formats.ktrace.kiwi import KiwiType

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

MOST_EVENTS: Final = 20_000
"""Most events in a picture; later ones are left out."""

_LEFT, _WIDTH, _RIGHT = 150, 1000, 40
_TOP, _ROW, _BOX = 34, 44, 14
_AXIS: Final = 26
_TICKS: Final = 10
_BASE: Final = _ROW - 8  # lower edge of the boxes within a row
_BOXES: Final = {
    KiwiType.EXEC_B: (KiwiType.EXEC_E, "#3f6fb5", _BOX),
    KiwiType.READY_B: (KiwiType.READY_E, "#e0a030", 3),
}
_ENDS: Final = {end: begin for begin, (end, _, _) in _BOXES.items()}
_ARROWS: Final = {
    KiwiType.START: ("#222222", 1),
    KiwiType.STOP: ("#222222", -1),
    KiwiType.DEADLINE: ("#d02020", -1),
    KiwiType.ARROWUP: ("#207020", 1),
    KiwiType.ARROWDOWN: ("#207020", -1),
}
_TYPES: Final = {kind.name.replace("_", "-"): kind for kind in KiwiType}


def picture(lines: Mapping[int, str], events: Iterable[str], end_ns: int) -> str:
    """Draw a display.

    Args:
        lines: names of display lines, by number.
        events: event lines of the `.tra` file, in order of time; drawing ends at `end_ns`.
        end_ns: time at the right edge.
    """
    return _Picture(lines, max(end_ns, 1)).draw(events)


class _Picture:
    def __init__(self, lines: Mapping[int, str], end_ns: int) -> None:
        self._end_ns = end_ns
        self._row = {line: row for row, line in enumerate(sorted(lines))}
        self._bottom = _TOP + _ROW * len(lines)
        size = f"0 0 {_LEFT + _WIDTH + _RIGHT} {self._bottom + _AXIS}"
        self._svg = ET.Element(
            "svg",
            xmlns="http://www.w3.org/2000/svg",
            viewBox=size,
            style="font: 10px sans-serif; background: white",
        )
        for line, name in sorted(lines.items()):
            self._text(8, self._base(line), name)
            self._line((_LEFT, self._base(line)), (_LEFT + _WIDTH, self._base(line)), "#cccccc")
        self._axis()

    def draw(self, events: Iterable[str]) -> str:
        begun: dict[tuple[int, KiwiType], int] = {}
        for event in events:
            time, name, *words = event.split()
            ns = _ns(time)
            if ns > self._end_ns:
                break
            kind = _TYPES[name]
            if kind == KiwiType.VLINE:
                self._line((self._x(ns), _TOP - 6), (self._x(ns), self._bottom), "#d02020", "4 3")
                self._text(self._x(ns) + 2, _TOP - 8, words[0])
                continue
            line = int(words[0])
            if kind in _BOXES:
                begun[line, kind] = ns
            elif kind in _ENDS:
                self._box(line, _ENDS[kind], begun.pop((line, _ENDS[kind]), 0), ns)
            else:
                self._mark(line, kind, ns, words[1:])
        for (line, kind), ns in begun.items():
            self._box(line, kind, ns, self._end_ns)
        return ET.tostring(self._svg, encoding="unicode") + "\n"

    def _mark(self, line: int, kind: KiwiType, ns: int, words: list[str]) -> None:
        x, base = self._x(ns), self._base(line)
        color = words[1] if words else "#222222"
        if kind in _ARROWS:
            color, way = _ARROWS[kind]
            tip, end = (base - 26, base) if way > 0 else (base, base - 26)
            self._line((x, end), (x, tip), color)
            self._line((x - 3, tip + 4 * way), (x, tip), color)
            self._line((x + 3, tip + 4 * way), (x, tip), color)
        if words:
            below = kind in {KiwiType.BLOCK, KiwiType.TEXTUNDER}
            self._text(x + 1, base + 8 if below else base - _BOX - 3, words[0], color, kind.name)

    def _box(self, line: int, kind: KiwiType, begin_ns: int, end_ns: int) -> None:
        _, color, height = _BOXES[kind]
        box = ET.SubElement(
            self._svg,
            "rect",
            {"class": kind.name.removesuffix("_B").lower(), "fill": color},
            x=f"{self._x(begin_ns):.2f}",
            y=f"{self._base(line) - height}",
            width=f"{max(self._x(end_ns) - self._x(begin_ns), 0.3):.2f}",
            height=f"{height}",
        )
        title = f"{begin_ns / NS_PER_S:.9f} - {end_ns / NS_PER_S:.9f} s"
        ET.SubElement(box, "title").text = title

    def _axis(self) -> None:
        for tick in range(_TICKS + 1):
            ns = self._end_ns * tick // _TICKS
            x = self._x(ns)
            self._line((x, self._bottom), (x, self._bottom + 4), "#222222")
            self._text(x - 14, self._bottom + 16, f"{ns / NS_PER_S:.6g} s")

    def _x(self, ns: int) -> float:
        return _LEFT + _WIDTH * ns / self._end_ns

    def _base(self, line: int) -> int:
        return _TOP + _ROW * self._row[line] + _BASE

    def _line(
        self, one: tuple[float, float], two: tuple[float, float], color: str, dashes: str = "none"
    ) -> None:
        ET.SubElement(
            self._svg,
            "line",
            {"stroke": color, "stroke-dasharray": dashes},
            x1=f"{one[0]:.2f}",
            y1=f"{one[1]}",
            x2=f"{two[0]:.2f}",
            y2=f"{two[1]}",
        )

    def _text(
        self, x: float, y: float, text: str, color: str = "#222222", title: str | None = None
    ) -> None:
        element = ET.SubElement(self._svg, "text", x=f"{x:.2f}", y=f"{y}", fill=color)
        element.text = text
        if title is not None:
            ET.SubElement(element, "title").text = title


def _ns(time: str) -> int:
    seconds, _, digits = time.partition(".")
    return int(seconds) * NS_PER_S + int(digits)


def end_of(events: Iterable[str]) -> tuple[int, int]:
    """Return the last time in a picture, in ns, and the number of events left out."""
    end_ns = left_out = 0
    for number, event in enumerate(events):
        if number < MOST_EVENTS:
            end_ns = _ns(event.split(maxsplit=1)[0])
        else:
            left_out += 1
    return end_ns, left_out
