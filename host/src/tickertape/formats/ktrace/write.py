"""Writes the kernel trace facility of RTL-POSIX-Trace: a tape as a display file and as a text.

The display (`.tra`) has one line per CPU for kernel overhead and one line per task, with its ready
and running intervals, begin and end of periods, and its mutexes. At a gap, every interval ends, and
a vertical line shows the number of missing records. The text (`.dbg`) has one line per system
event, with the names and data of the reference (section 3).
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.decode.events import Gap
from tickertape.errors import UsageError
from tickertape.files import replacing
from tickertape.formats.ktrace.display import Display
from tickertape.formats.ktrace.events import KNOWN_CLASSES, SystemEvents
from tickertape.formats.ktrace.kiwi import MOST_NS, head, seconds, word
from tickertape.formats.ktrace.svg import end_of, picture
from tickertape.formats.report import Report
from tickertape.model.boot import Boots
from tickertape.printing.gaps import gap_line
from tickertape.printing.walk import Moment, Walk
from tickertape.protocol.wire import ObjectKind
from tickertape.tape.stream import iter_events

if TYPE_CHECKING:
    from pathlib import Path
    from typing import TextIO

    from tickertape.decode.events import EventColumns
    from tickertape.formats.source import Source
    from tickertape.printing.walk import Item
    from tickertape.tape.growing import Growing
    from tickertape.tape.reader import TapeReader

STREAM_NAME: Final = "rtl_ktrace"
"""Public name of the stream that `rtl_ktrace_start()` creates."""

_COPY_CHARACTERS: Final = 1 << 20


def stream_of(reader: TapeReader) -> int:
    """Return the stream called `STREAM_NAME`, else the default stream."""
    for (kind, number), name in reader.names().items():
        if kind == ObjectKind.STREAM and name.text == STREAM_NAME:
            return number
    return reader.default_stream()


def export_ktrace(
    source: Source,
    output: Path,
    *,
    dbg: Path | None = None,
    svg: Path | None = None,
    stream: int | None = None,
    boot: int = 0,
) -> Report:
    """Write both files.

    Args:
        source: the tape.
        output: the `.tra` file.
        dbg: the `.dbg` file; None for `output` with this suffix.
        svg: picture of the display; None for no picture.
        stream: number of the stream; None for the result of `stream_of`.
        boot: boot of the target, from 0 in the order of the tape.

    Returns:
        Counts of system `events`, display `lines`, `tasks_left_out` (without a line) and `lost`
        records; `cut`, 1 if the trace is longer than a display file permits and the rest is left
        out; `undrawn` events beyond the limit of the picture; `more_boots` on the tape; the number
        of the `stream`.

    Raises:
        UsageError: the tape has no such stream or boot, or two files have the same name.
        TapeWriteFailed: a file cannot be written.
    """
    dbg = dbg or output.with_suffix(".dbg")
    refuse_same_files(output, dbg, svg)
    reader = source.reader
    number = stream_of(reader) if stream is None else stream
    epochs = sorted({ring.epoch for ring in reader.rings if ring.stream == number})
    if not epochs:
        raise UsageError(
            f"the tape has nothing of stream {number}", "'tickertape info' lists its streams"
        )
    if not 0 <= boot < len(epochs):
        raise UsageError(
            f"the tape has no boot {boot} of stream {number}", f"choose one of {len(epochs)} from 0"
        )
    epoch = epochs[boot]
    parts = (part for part in iter_events(reader, stream=number) if part.epoch == epoch)
    with (
        replacing(dbg) as text_file,
        tempfile.TemporaryFile("w+", encoding="utf-8") as body,
        text_file.open("w", encoding="utf-8") as text,
    ):
        ktrace = Ktrace(reader, Boots(reader), epoch, body, text)
        done = 0
        for columns in parts:
            ktrace.take(columns)
            if ktrace.cut:
                break
            done += len(columns)
            source.on_progress(done)
        counts = ktrace.finish()
        ktrace.write_display(output)
        if svg is not None:
            counts["undrawn"] = draw(svg, ktrace)
    counts["stream"], counts["more_boots"] = number, len(epochs) - 1
    return Report(counts, files=(dbg,) if svg is None else (dbg, svg))


def refuse_same_files(output: Path, dbg: Path, svg: Path | None) -> None:
    """Check that all files have different names.

    Raises:
        UsageError: two files have the same name.
    """
    if os.path.realpath(dbg) == os.path.realpath(output):
        raise UsageError(f"{dbg} cannot be both files", "end the display file in .tra")
    if svg is not None and os.path.realpath(svg) in map(os.path.realpath, (dbg, output)):
        raise UsageError(f"{svg} cannot be both files", "end the picture in .svg")


def draw(svg: Path, ktrace: Ktrace) -> int:
    """Write the picture of a display; return the number of events left out."""
    ktrace.body.seek(0)
    end_ns, left_out = end_of(ktrace.body)
    ktrace.body.seek(0)
    with replacing(svg) as path:
        path.write_text(picture(ktrace.lines, ktrace.body, end_ns), "utf-8", errors="replace")
    return left_out


class Ktrace:
    """Writes the events of one stream of one boot.

    Attributes:
        body: display events so far.
        cut: whether the display has reached its latest time, so that the rest is left out.
    """

    def __init__(
        self, tape: TapeReader | Growing, boots: Boots, epoch: int, body: TextIO, text: TextIO
    ) -> None:
        """Create a writer for one boot.

        Args:
            tape: the tape of the events.
            boots: boots of the tape.
            epoch: epoch of the boot.
            body: an empty file for the display events, open for reading and writing.
            text: the `.dbg` file, open for writing.
        """
        self.body = body
        self.cut = False
        self._title = f"tickertape ktrace of {tape.path.name}"
        self._walk = Walk(boots)
        hello = tape.hellos.get(epoch) or tape.hello
        self._display = Display(body, cpus=hello.cpu_count if hello else 1)
        self._system = SystemEvents()
        self._text = text
        self._begin: int | None = None
        self._events = 0
        self._lost = 0

    def take(self, columns: EventColumns) -> None:
        """Write the next events."""
        chosen = np.isin(columns.cls, KNOWN_CLASSES)
        for item in self._walk.items(columns, chosen):
            self._take(item)
            if self.cut:
                return

    def write_display(self, output: Path) -> None:
        """Write the display so far; open intervals end at the last event.

        Raises:
            TapeWriteFailed: the file cannot be written.
        """
        with (
            replacing(output) as path,
            path.open("w", encoding="utf-8", errors="replace") as file,
        ):
            file.write(self._head())
            self.body.seek(0)
            while piece := self.body.read(_COPY_CHARACTERS):
                file.write(piece)
            file.write(self._display.ends())
        self.body.seek(0, os.SEEK_END)

    def _ns(self, ticks: int) -> int:
        if self._begin is None:
            self._begin = ticks
        # A late event may precede the first one.
        return max(0, self._walk.time_ns(ticks) - self._walk.time_ns(self._begin))

    def _take(self, item: Item) -> None:
        match item:
            case Gap() as gap:
                self._lose(gap)
            case Moment(event, tid):
                ns = self._ns(event.time_ticks)
                if ns > MOST_NS:
                    self.cut = True
                    return
                said = self._system.translate(event, tid, self._walk)
                if said is not None:
                    self._events += 1
                    self._text.write(f"{seconds(ns)} cpu={event.cpu} {said}\n")
                self._display.show(ns, event, tid, self._walk)

    def _lose(self, gap: Gap) -> None:
        self._lost += gap.lost
        self._text.write(gap_line(gap) + "\n")
        if gap.dropped or gap.overwritten:
            begin = gap.end_ticks if gap.begin_ticks is None else gap.begin_ticks
            for ticks, what in ((begin, "overflow"), (gap.end_ticks, "resume")):
                self._text.write(f"{seconds(self._ns(ticks))} cpu={gap.cpu} posix_trace_{what}\n")
        self._system.forget()
        if gap.begin_ticks is not None and self._begin is not None:
            self._display.lose(self._ns(gap.begin_ticks), gap.lost)

    def finish(self) -> Counter[str]:
        """End the open intervals; return the counts of `export_ktrace` except those of the tape."""
        self._display.finish()
        return Counter(
            events=self._events,
            lines=len(self._display.lines),
            tasks_left_out=self._display.tasks_left_out,
            lost=self._lost,
            cut=self.cut,
        )

    @property
    def lines(self) -> dict[int, str]:
        """Names of display lines as Tcl words, by number."""
        return {number: word(name) for number, name in self._display.lines.items()}

    def _head(self) -> str:
        remarks = [self._title]
        if self._lost:
            remarks.append(f"{self._lost} records are missing; intervals end where they begin")
        if self.cut:
            remarks.append("the trace is longer than a display file can be; the rest is left out")
        return head(remarks, self._display.last_ns, self._display.lines)
