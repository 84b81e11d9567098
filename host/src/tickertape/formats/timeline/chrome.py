"""Writes a tape in the trace event format of Chrome (JSON), with the tracks of `Timeline`.

    report = export_chrome(Source(reader), Path("trace.json"))

A slice is one complete event ("X"), because a reader would have to sort separate begins and ends
and cannot know their order at equal times. A boot is a process; a track is a thread of it.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, BinaryIO, Final

from tickertape.formats.timeline.parts import export_view
from tickertape.formats.timeline.timeline import BEGIN, END, Counters, Packets

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tickertape.formats.report import Report
    from tickertape.formats.source import Source
    from tickertape.formats.timeline.timeline import Part, Timeline, TrackEvents

_NS_PER_US: Final = 1000


def export_chrome(source: Source, output: Path, *, stream: int | None = None) -> Report:
    """Write one stream of a tape; see `export_view`."""
    target_of = source.reader.target_of
    return export_view(source, output, lambda file, line: _Writer(file, line, target_of), stream)


class _Writer:
    """Encodes parts of a timeline, one line per event."""

    def __init__(self, file: BinaryIO, timeline: Timeline, target_of: Callable[[int], str]) -> None:
        self._target_of = target_of
        self._file = file
        self._timeline = timeline
        self._words = [json.dumps("")]
        self._places: dict[int, tuple[int, int]] = {}  # process and thread of each track
        self._open: dict[tuple[int, int], list[int]] = {}  # begins, by track and word
        self._separator = b"\n"
        self.slices = 0
        self.flows = 0
        self._file.write(b'{"displayTimeUnit":"ns","traceEvents":[')

    def write(self, part: Part) -> None:
        """Encode a part."""
        if isinstance(part, Packets):
            raise TypeError(part)
        lines = self._counters(part) if isinstance(part, Counters) else self._events(part)
        text = ",\n".join(lines)
        if text:
            self._file.write(self._separator + text.encode())
            self._separator = b",\n"

    def finish(self) -> None:
        """Write the names of processes and threads, and end the file."""
        lines = []
        for boot in sorted({track.boot for track in self._timeline.tracks}):
            target = self._target_of(boot)
            name = f"boot {boot}" + (f", {target}" if target else "")
            lines.append(_named("process_name", boot + 1, 0, name))
        for track in self._timeline.tracks:
            if not track.is_counter:
                process, thread = self._place(track.number)
                lines.append(_named("thread_name", process, thread, track.name))
        text = ",\n".join(lines)
        self._file.write((self._separator + text.encode() if text else b"") + b"\n]}\n")

    def _events(self, part: TrackEvents) -> Iterator[str]:
        self._words += map(json.dumps, self._timeline.words.since(len(self._words)))
        columns = (part.time_ns, part.phase, part.track, part.name, part.flow)
        for time, phase, track, word, flow in zip(*(c.tolist() for c in columns), strict=True):
            if phase == BEGIN:
                self._open.setdefault((track, word), []).append(time)
            elif phase == END:
                begin = self._open[track, word].pop()
                self.slices += 1
                head = self._head("X", begin, track, word)
                yield f'{head},"dur":{_us(time - begin)}}}'
            else:
                self.slices += 1
                tie = f',"bind_id":{abs(flow)},"flow_{"in" if flow < 0 else "out"}":true'
                self.flows += flow < 0
                yield f'{self._head("X", time, track, word)},"dur":0{tie if flow else ""}}}'

    def _counters(self, part: Counters) -> Iterator[str]:
        names = {track.number: track for track in self._timeline.tracks if track.is_counter}
        columns = (part.time_ns, part.track, part.value)
        for time, number, value in zip(*(c.tolist() for c in columns), strict=True):
            track = names[number]
            yield (
                f'{{"ph":"C","ts":{_us(time)},"pid":{track.boot + 1},'
                f'"name":{json.dumps(track.name)},"args":{{"%":{value:.3f}}}}}'
            )

    def _head(self, kind: str, time: int, track: int, word: int) -> str:
        process, thread = self._place(track)
        return (
            f'{{"ph":"{kind}","ts":{_us(time)},"pid":{process},"tid":{thread},'
            f'"name":{self._words[word]}'
        )

    def _place(self, track: int) -> tuple[int, int]:
        found = self._places.get(track)
        if found is None:
            boot = next(one.boot for one in self._timeline.tracks if one.number == track)
            found = self._places[track] = boot + 1, len(self._places) + 1
        return found


def _named(what: str, process: int, thread: int, name: str) -> str:
    values = {"ph": "M", "pid": process, "tid": thread, "name": what, "args": {"name": name}}
    return json.dumps(values, separators=(",", ":"))


def _us(time_ns: int) -> str:
    """Format a time in microseconds, exact to the nanosecond."""
    whole, rest = divmod(time_ns, _NS_PER_US)
    return f"{whole}.{rest:03d}"
