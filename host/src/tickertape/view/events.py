"""Events around a time, as lines; decodes only the part of the tape near that time."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape.decode.compiled import ring_decoder
from tickertape.decode.events import DecodeCounters
from tickertape.model.boot import Boots
from tickertape.model.code_names import CodeNames
from tickertape.model.running import RunningThreads
from tickertape.printing.text import TextExporter
from tickertape.tape.stream import merge
from tickertape.view.axis import place_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import I64, U64
    from tickertape.model.boot import Boot
    from tickertape.tape.format import RingKey
    from tickertape.tape.reader import TapeReader

_CHUNKS_BEFORE: Final = 2  # an event may begin in the chunk before its time


class EventPages:
    """Pages of the events of a tape."""

    def __init__(self, reader: TapeReader, about: Mapping[str, Any]) -> None:
        """Set the tape and its description `Index.about`."""
        self._reader = reader
        self._boots = Boots(reader, CodeNames(reader).of)
        self._segments = list(about["segments"])
        self._stream = int(about["stream"])
        self._tasks = [row for row in about["rows"] if row["kind"] == "task"]
        self._opened: dict[RingKey, U64] = {}
        self._exporters: dict[int, TextExporter] = {}

    def around(self, when: int, before: int, after: int) -> list[dict[str, Any]]:
        """Return the events around a time, in order.

        Args:
            when: time on the axis, ns.
            before: maximum number of events before it.
            after: maximum number of events from it on.

        Returns:
            Per event: `time` on the axis, `text` as `print` writes it without the time, `boot`.
        """
        earlier: list[dict[str, Any]] = []
        later: list[dict[str, Any]] = []
        for segment in self._near(when):
            some_earlier, some_later = self._around(segment, when, before, after)
            earlier += some_earlier
            later += some_later
        earlier.sort(key=_time_of)
        later.sort(key=_time_of)
        return [*earlier[max(len(earlier) - before, 0) :], *later[:after]]

    def _around(
        self, segment: Mapping[str, Any], when: int, before: int, after: int
    ) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
        """Return the events of one boot before a time, and the events from it on."""
        earlier: deque[dict[str, Any]] = deque(maxlen=before)
        later: list[dict[str, Any]] = []
        for time, columns in self._events(segment, when):
            row = int(np.searchsorted(time, when, "left"))
            first, last = max(row - before, 0), row + after - len(later)
            lines = self._lines(columns.take(slice(first, last)), time[first:last])
            earlier.extend(lines[: row - first])
            later.extend(lines[row - first :])
            if len(later) >= after:
                break
        return list(earlier), later

    def within(self, begin: int, end: int, most: int) -> tuple[list[dict[str, Any]], int]:
        """Return the first `most` events of a range of the axis, and how many the range has.

        Begin and end are in ns. The events are in the order of time; if several boots have more
        than `most`, the events of earlier boots are returned.
        """
        found: list[dict[str, Any]] = []
        total = 0
        for segment in sorted(self._segments, key=lambda one: (one["begin"], one["end"])):
            if segment["end"] < begin or segment["begin"] > end:
                continue
            for time, columns in self._events(segment, max(begin, int(segment["begin"]))):
                first, last = np.searchsorted(time, [begin, end + 1]).tolist()
                listed = slice(first, min(last, first + most - len(found)))
                found += self._lines(columns.take(listed), time[listed])
                total += last - first
                if last < len(time):
                    break
        return sorted(found, key=_time_of), total

    def _near(self, when: int) -> list[dict[str, Any]]:
        """Return the boots that contain a time; else the boots before and after it."""
        order = sorted(self._segments, key=lambda one: (one["begin"], one["end"]))
        inside = [one for one in order if one["begin"] <= when <= one["end"]]
        if inside:
            return inside
        before = [one for one in order if one["end"] < when][-1:]
        return before + [one for one in order if one["begin"] > when][:1]

    def _events(self, segment: Mapping[str, Any], when: int) -> Iterator[tuple[I64, EventColumns]]:
        """Yield the events of a boot with their times on the axis, from shortly before a time."""
        place = place_of(self._reader, segment)
        ticks = place.ticks(when)
        rings = [
            ring
            for ring in self._reader.rings
            if ring.epoch == place.epoch and ring.stream == self._stream
        ]
        running = RunningThreads()
        for columns in merge([self._near_events(ring, ticks) for ring in rings]):
            if len(columns):
                threads = running.column(columns)
                yield place.ns(columns.time), replace(columns, running=threads)

    def _lines(self, columns: EventColumns, times: I64) -> list[dict[str, Any]]:
        exporter = self._exporters.get(columns.epoch)
        if exporter is None:
            exporter = self._exporters[columns.epoch] = TextExporter(self._boot)
        epoch, board = columns.epoch, self._reader.boards.get(columns.epoch)
        mark = f"{board.name}  " if board is not None else ""
        return [
            {"time": time, "boot": epoch, "text": mark + line.partition("  ")[2].strip()}
            for time, line in zip(
                times.tolist(), map(str.strip, exporter.lines(columns)), strict=True
            )
        ]

    def _boot(self, epoch: int) -> Boot:
        """Return a boot that has the names of tasks in the rows."""
        boot = self._boots(epoch)
        board = self._reader.boards.get(epoch)
        name = board.name if board is not None else ""
        for row in self._tasks:
            if row["board"] == name and boot.names.thread(row["number"]) is None:
                boot.names.learn_thread(row["number"], row["name"])
        return boot

    def _near_events(self, ring: RingKey, ticks: int) -> Iterator[EventColumns]:
        """Yield the events of a ring, from `_CHUNKS_BEFORE` chunks before a time."""
        groups = self._reader.record_groups(ring)
        opened = self._opened.get(ring)
        if opened is None:
            begins = np.array([self._opens(rows[0]) for rows in groups], np.uint64)
            opened = self._opened[ring] = np.maximum.accumulate(begins)
        first = max(int(np.searchsorted(opened, np.uint64(ticks), "left")) - _CHUNKS_BEFORE, 0)
        counters = DecodeCounters()
        decoder = ring_decoder(
            (ring.stream, ring.cpu),
            byte_order=self._reader.header.byte_order,
            counters=counters,
            epoch=ring.epoch,
            moves=None,
        )
        for rows in groups[first:]:
            chunk = self._reader.records_of(rows)
            if chunk is not None:
                yield decoder.feed_spread(chunk.buffers, chunk.data, chunk.start)
        yield decoder.finish()

    def _opens(self, row: int | np.intp) -> int:
        """Return the time at which the first buffer of a chunk was opened, in ticks."""
        chunk = self._reader.records_at(row)
        return int(chunk.buffers["ticks"][0]) if chunk is not None and len(chunk.buffers) else 0


def _time_of(event: Mapping[str, Any]) -> int:
    return int(event["time"])
