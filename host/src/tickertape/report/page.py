"""Reports as one HTML file: offline, without scripts, readable in any browser.

The page is a tree of elements, so that names from a target are always text, never markup.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from xml.etree import ElementTree as ET

from tickertape.text import escaped, escaped_lines

if TYPE_CHECKING:
    from tickertape.report.table import Table

_STYLE: Final = """
body { font: 15px/1.45 system-ui, sans-serif; margin: 2em auto; max-width: 75em; padding: 0 1em; }
h2 { font-size: 1.05em; margin: 1.6em 0 .4em; }
table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
th, td { padding: .15em .8em; text-align: right; border-bottom: 1px solid #8884; }
th:first-child, td:first-child { text-align: left; }
.wide { overflow-x: auto; }
svg { max-width: 100%; height: auto; background: #fff; color: #1d2430; }
pre { white-space: pre-wrap; margin: .3em 0 .3em 2em; }
.PASS, .FAIL, .UNKNOWN { font-weight: bold; margin-right: .6em; }
.PASS { color: #1a7f37; } .FAIL { color: #c32030; } .UNKNOWN { color: #8a6100; }
:root { color-scheme: light dark; }
"""
_POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"


class Body:
    """Contents of a page, from top to bottom; a notebook shows them unchanged."""

    def __init__(self) -> None:
        """Begin empty."""
        self.element = ET.Element("div")

    def add(self, kind: str, text: str, **attributes: str) -> ET.Element:
        """Add an element with any text, and return the element."""
        element = ET.SubElement(self.element, kind, attributes)
        element.text = escaped_lines(text)
        return element

    def picture(self, svg: ET.Element) -> None:
        """Add a drawing."""
        self.element.append(svg)

    def table(self, table: Table) -> None:
        """Add a table."""
        self.add("h2", table.title)
        place = ET.SubElement(self.element, "div", {"class": "wide"})
        element = ET.SubElement(place, "table")
        row = ET.SubElement(ET.SubElement(element, "thead"), "tr")
        for column in table.columns:
            ET.SubElement(row, "th", scope="col").text = column
        body = ET.SubElement(element, "tbody")
        for cells in table.rows:
            row = ET.SubElement(body, "tr")
            for cell in cells:
                ET.SubElement(row, "td").text = escaped_lines(cell)

    def __str__(self) -> str:
        """Return the element as HTML."""
        return ET.tostring(self.element, encoding="unicode", method="html")


def document(title: str, body: Body) -> str:
    """Return a whole HTML document with a heading.

    Args:
        title: any text.
        body: contents below the heading.
    """
    root = ET.Element("html", lang="en")
    head = ET.SubElement(root, "head")
    ET.SubElement(head, "meta", charset="utf-8")
    ET.SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": _POLICY})
    ET.SubElement(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
    ET.SubElement(head, "title").text = escaped(title)
    ET.SubElement(head, "style").text = _STYLE
    place = ET.SubElement(root, "body")
    ET.SubElement(place, "h1").text = escaped_lines(title)
    place.extend(body.element)
    return f"<!DOCTYPE html>\n{ET.tostring(root, encoding='unicode', method='html')}\n"
