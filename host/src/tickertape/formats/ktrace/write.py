"""The kernel trace facility of RTL-POSIX-Trace: a tape as a display file and as a text.

The display (`.tra`) has a line for each CPU's kernel overhead and one for each task: when it was
ready, when it ran, when its periods began and ended, which mutexes it had. Where records are
missing, every interval ends and a vertical line has their number: what happened there is
not known. The text (`.dbg`) has a line for each system event, with the names and data of the
reference (section 3).
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.decode.events import Gap
from tickertape.errors import UsageError
from tickertape.formats.ktrace.display import Display
from tickertape.formats.ktrace.events import KNOWN_CLASSES, SystemEvents
from tickertape.formats.ktrace.kiwi import MOST_NS, head, seconds, word
from tickertape.formats.ktrace.svg import end_of, picture
from tickertape.formats.report import Report
from tickertape.model.boot import Boots
from tickertape.printing.gaps import gap_line
from tickertape.printing.walk import Moment, Walk
from tickertape.protocol.wire import ObjectKind
from tickertape.tape.output import replacing
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
"""The public name of the stream that `rtl_ktrace_start()` makes."""

_COPY_CHARACTERS: Final = 1 << 20


def stream_of(reader: TapeReader) -> int:
    """Find the stream of the kernel trace facility: by its name, else the default one."""
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
        dbg: the `.dbg` file; None for one beside the other.
        svg: where the display is drawn; None for no picture.
        stream: which stream; None for the one that `stream_of` finds.
        boot: which boot of the target, from 0 in the order of the tape.

    Returns:
        Counts of system `events`, display `lines`, `tasks_left_out` for which there was no line,
        and `lost` records; `cut`, 1 when the trace is longer than a display file can be and the
        rest is left out; `undrawn` display events for which the picture has no room; `more_boots`
        on the tape; the number of the `stream`.

    Raises:
        UsageError: the tape has no such stream or boot, or both files have one name.
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
    """Refuse to write two of the files under one name.

    Raises:
        UsageError: two have one name.
    """
    if os.path.realpath(dbg) == os.path.realpath(output):
        raise UsageError(f"{dbg} cannot be both files", "end the display file in .tra")
    if svg is not None and os.path.realpath(svg) in map(os.path.realpath, (dbg, output)):
        raise UsageError(f"{svg} cannot be both files", "end the picture in .svg")


def draw(svg: Path, ktrace: Ktrace) -> int:
    """Draw the display; return how many of its events are left out."""
    ktrace.body.seek(0)
    end_ns, left_out = end_of(ktrace.body)
    ktrace.body.seek(0)
    with replacing(svg) as path:
        path.write_text(picture(ktrace.lines, ktrace.body, end_ns), "utf-8", errors="replace")
    return left_out


class Ktrace:
    """Writes the events of one stream of one boot.

    Attributes:
        body: events of the display so far.
        cut: the display is full; the rest is left out.
    """

    def __init__(
        self, tape: TapeReader | Growing, boots: Boots, epoch: int, body: TextIO, text: TextIO
    ) -> None:
        """Begin with the first event.

        Args:
            tape: that the events are of.
            boots: of it.
            epoch: of the boot.
            body: an empty file for the events of the display, open for writing and reading.
            text: the file for people.
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
        """Write the display of the events so far; what is open ends there at the last one.

        Raises:
            TapeWriteFailed: it cannot be written.
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
        # A late event may be older than the first one.
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
        """End what is open; count what `export_ktrace` reports, but what concerns the tape."""
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
        """Names of the display's lines, by number."""
        return {number: word(name) for number, name in self._display.lines.items()}

    def _head(self) -> str:
        remarks = [self._title]
        if self._lost:
            remarks.append(f"{self._lost} records are missing; intervals end where they begin")
        if self.cut:
            remarks.append("the trace is longer than a display file can be; the rest is left out")
        return head(remarks, self._display.last_ns, self._display.lines)
