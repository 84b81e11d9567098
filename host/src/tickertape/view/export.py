"""Write a tape as one HTML file: the page with its data, for a browser without a server.

The data is base64 of a gzip stream: u32 number of intervals, u32 number of arrows, then as columns
f64 time (per row the first one, then differences), f64 begin and end of arrows, i32 detail, i32
from, to, via and value of arrows, u8 state, u8 cause, u8 kind of arrows, and the rest as JSON.
Style and script are inline and allowed by their hashes only; the file makes no network request.
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

from tickertape.errors import UsageError
from tickertape.files import replacing
from tickertape.report.numbers import count
from tickertape.view.arrow_log import ARROW_NAMES
from tickertape.view.bookmarks import Bookmarks
from tickertape.view.findings import findings_of
from tickertape.view.losses import totals
from tickertape.view.server import page_file

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from tickertape.view.index import Index

MOST_EVENTS: Final = 2_000_000
"""Largest number of events of a file; `write_page` refuses more."""

LISTED: Final = 200_000
"""Largest number of events in the list of a file; the rows have all events."""


@dataclass(frozen=True, slots=True)
class Written:
    """The contents of a file that was written.

    Attributes:
        events: number of events in its rows.
        rows: number of rows.
        listed: number of events in its list.
    """

    events: int
    rows: int
    listed: int


def write_page(
    index: Index, output: Path, *, begin: int | None = None, end: int | None = None
) -> Written:
    """Write an index, or a range of it, as one file.

    Args:
        index: index of a tape.
        output: path of the file; an existing file is replaced when the new one is complete.
        begin: first time on the axis, ns; None for the begin of the tape.
        end: last time on the axis, ns; None for the end of the tape.

    Raises:
        UsageError: the range has more than MOST_EVENTS.
        TapeWriteFailed: the file cannot be written.
    """
    part = _Part(index, begin, end)
    data = part.data()
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
    return Written(part.count, len(index.rows), len(part.events))


def _swap(page: str, old: str, new: str) -> str:
    before, found, after = page.partition(old)
    if not found:
        raise ValueError(f"the page has no {old}")
    return before + new + after


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


class _Part:
    """The part of an index that a file contains.

    Attributes:
        events: events of the list.
        count: number of events in the range.
    """

    def __init__(self, index: Index, begin: int | None, end: int | None) -> None:
        about = index.about
        self._index = index
        self._begin = int(about["begin"]) if begin is None else begin
        self._end = int(about["end"]) if end is None else end
        self._is_whole = begin is None and end is None
        if self._is_whole and int(about["events"]) > MOST_EVENTS:
            raise _too_many(int(about["events"]))
        self.events, counted = index.events.within(self._begin, self._end, LISTED)
        self.count = int(about["events"]) if self._is_whole else counted
        if self.count > MOST_EVENTS:
            raise _too_many(self.count)

    def data(self) -> str:
        """Return the data of the file, in base64."""
        store = self._index.rows
        columns: dict[str, list[bytes]] = {"time": [], "detail": [], "state": [], "cause": []}
        offsets = [0]
        edges = np.array([self._begin, self._end + 1], np.int64)
        for row in range(len(store)):
            # The interval that spans the begin of the range keeps its own begin.
            first, last = store.begins_before(row, edges).tolist()
            here = slice(max(first - 1, 0), last)
            time = store.column("time", row)[here]
            offsets.append(offsets[-1] + len(time))
            steps = np.diff(time, prepend=np.int64(0))
            columns["time"].append(steps.astype("<f8").tobytes())
            columns["detail"].append(store.column("detail", row)[here].astype("<i4").tobytes())
            for name in ("state", "cause"):
                columns[name].append(store.column(name, row)[here].astype("u1").tobytes())
        known = self._index.arrows
        arrows = known.take(known.within(self._begin, self._end))

        def of_arrows(kind: str, *names: str) -> list[bytes]:
            return [arrows[name].astype(kind).tobytes() for name in names]

        parts = [struct.pack("<II", offsets[-1], len(arrows))]
        parts += columns["time"] + of_arrows("<f8", "begin", "end")
        parts += columns["detail"] + of_arrows("<i4", "from", "to", "via", "value")
        parts += columns["state"] + columns["cause"] + of_arrows("u1", "kind")
        header = {**self._header(), "offsets": offsets}
        parts.append(json.dumps(header, separators=(",", ":")).encode())
        packed = gzip.compress(b"".join(parts), 6, mtime=0)
        return base64.b64encode(packed).decode()

    def _header(self) -> dict[str, Any]:
        about = self._index.about
        losses = [one for one in about["losses"] if self._touches(one["begin"], one["end"])]
        bookmarks = Bookmarks(self._index.tape, about["segments"]).all()[0]
        columns, texts = _columns(self.events)
        part = {} if self._is_whole else {"part_of": int(about["events"])}
        return {
            "about": {
                **{name: value for name, value in about.items() if name != "losses"},
                **totals(losses),
                **part,
                "begin": self._begin,
                "end": self._end,
                "events": self.count,
                "bookmarks": [one for one in bookmarks if self._touches(one["time"], one["time"])],
                "no_bookmarks": "this is a file",
            },
            "losses": losses,
            "events": columns,
            "texts": texts,
            "arrow_names": ARROW_NAMES,
            "findings": [self._group(one) for one in findings_of(self._index)],
        }

    def _group(self, group: Mapping[str, Any]) -> dict[str, Any]:
        """Return the findings of a detector that lie in the range."""
        if self._is_whole:
            return dict(group)
        known = group["found"]
        here = [one for one in known if self._touches(one["begin"], one["end"])]
        rest = group["count"] - len(known)
        doubts = [f"the tape has {rest} more; more may lie in this file"] if rest else []
        return {**group, "found": here, "count": len(here), "doubts": doubts + group["doubts"]}

    def _touches(self, begin: int, end: int) -> bool:
        return bool(begin <= self._end and end >= self._begin)


def _too_many(events: int) -> UsageError:
    return UsageError(
        f"{count(events)} events are too many for one file",
        f"choose a range with --from and --to; {count(MOST_EVENTS)} fit",
    )


def _columns(events: Sequence[Mapping[str, Any]]) -> tuple[dict[str, list[int]], list[str]]:
    """Return events as columns, and their different texts; column `text` has the index."""
    numbers: dict[str, int] = {}
    columns: dict[str, list[int]] = {"time": [], "boot": [], "text": []}
    for event in events:
        columns["time"].append(event["time"])
        columns["boot"].append(event["boot"])
        columns["text"].append(numbers.setdefault(event["text"], len(numbers)))
    return columns, list(numbers)
