"""Writes a tape as one HTML file: the page with its data, for a browser without a server.

The data is base64 of a gzip stream: u32 number of intervals, u32 number of arrows, then as columns
f64 time (per row the first one, then differences), f64 begin and end of arrows, i32 detail, i32
from, to, via and value of arrows, u8 state, u8 cause, u8 kind of arrows, and the rest as JSON.
Style and script are inline and allowed by their hashes only; the file asks nothing of any network.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import json
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape.tape.output import replacing
from tickertape.view.arrow_log import ARROW_NAMES
from tickertape.view.bookmarks import Bookmarks
from tickertape.view.losses import totals
from tickertape.view.server import page_file

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.view.index import Index

MOST_EVENTS: Final = 2_000_000
"""A larger tape is refused: cut it first."""

LISTED: Final = 200_000
"""So many events are in the list of a file; the rows have all of them."""


@dataclass(frozen=True, slots=True)
class Written:
    """What a file contains.

    Attributes:
        events: in its rows.
        rows: how many.
        listed: events in its list.
    """

    events: int
    rows: int
    listed: int


def write_page(index: Index, output: Path) -> Written:
    """Write an index as one file.

    Args:
        index: of a tape with MOST_EVENTS at most.
        output: the file; an existing one is replaced when the new one is whole.

    Raises:
        TapeWriteFailed: the file cannot be written.
    """
    data, listed = _data(index)
    script = page_file("page.js").decode()
    style = page_file("page.css").decode()
    policy = (
        f"default-src 'none'; script-src {_hash(script)}; style-src {_hash(style)}; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    page = page_file("index.html").decode()
    page = _swap(
        page,
        '<link rel="stylesheet" href="page.css" />',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}" />\n'
        f"    <style>{style}</style>",
    )
    title = html.escape(str(index.about["name"]))
    page = _swap(page, "<title>tickertape</title>", f"<title>{title} - tickertape</title>")
    tape = f'<script id="tape" type="application/octet-stream">{data}</script>'
    page = _swap(page, '<script src="page.js"></script>', f"{tape}\n    <script>{script}</script>")
    with replacing(output) as place:
        place.write_text(page, encoding="utf-8", newline="\n")
    return Written(int(index.about["events"]), len(index.rows), listed)


def _swap(page: str, old: str, new: str) -> str:
    before, found, after = page.partition(old)
    if not found:
        raise ValueError(f"the page has no {old}")
    return before + new + after


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _data(index: Index) -> tuple[str, int]:
    """Return the data as text, and the number of events in its list."""
    store = index.rows
    columns: dict[str, list[bytes]] = {"time": [], "detail": [], "state": [], "cause": []}
    offsets = [0]
    for row in range(len(store)):
        time = store.column("time", row)
        offsets.append(offsets[-1] + len(time))
        steps = np.diff(time, prepend=np.int64(0))
        columns["time"].append(steps.astype("<f8").tobytes())
        columns["detail"].append(store.column("detail", row).astype("<i4").tobytes())
        for name in ("state", "cause"):
            columns[name].append(store.column(name, row).astype("u1").tobytes())
    events, texts = _events(index)
    header = {
        "about": {
            **{name: value for name, value in index.about.items() if name != "losses"},
            **totals(index.about["losses"]),
            "bookmarks": Bookmarks(index.tape, index.about["segments"]).all()[0],
            "no_bookmarks": "this is a file",
        },
        "offsets": offsets,
        "losses": index.about["losses"],
        "events": events,
        "texts": texts,
        "arrow_names": ARROW_NAMES,
    }
    arrows = index.arrows

    def of_arrows(kind: str, *names: str) -> list[bytes]:
        return [arrows.column(name).astype(kind).tobytes() for name in names]

    parts = [struct.pack("<II", offsets[-1], len(arrows))]
    parts += columns["time"] + of_arrows("<f8", "begin", "end")
    parts += columns["detail"] + of_arrows("<i4", "from", "to", "via", "value")
    parts += columns["state"] + columns["cause"] + of_arrows("u1", "kind")
    parts.append(json.dumps(header, separators=(",", ":")).encode())
    packed = gzip.compress(b"".join(parts), 6, mtime=0)
    return base64.b64encode(packed).decode(), len(events["time"])


def _events(index: Index) -> tuple[dict[str, list[int]], list[str]]:
    """Return the first events as columns, and their texts, each once."""
    numbers: dict[str, int] = {}
    columns: dict[str, list[int]] = {"time": [], "boot": [], "text": []}
    found: list[dict[str, Any]] = index.events.first(LISTED)
    for event in found:
        columns["time"].append(event["time"])
        columns["boot"].append(event["boot"])
        columns["text"].append(numbers.setdefault(event["text"], len(numbers)))
    return columns, list(numbers)
