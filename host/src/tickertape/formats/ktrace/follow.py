"""Writes the files of the kernel trace facility while a tape grows or a link delivers events.

The text gets an event as soon as every CPU has delivered a later one. The display is rewritten at
intervals, up to the last event of the text.
"""

from __future__ import annotations

import tempfile
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from tickertape.closing import Closing
from tickertape.decode.one_stream import HARDWARE_STREAM
from tickertape.files import write_failure
from tickertape.formats.ktrace.write import STREAM_NAME, Ktrace, draw, refuse_same_files
from tickertape.formats.report import Report
from tickertape.model.boot import Boots
from tickertape.protocol.wire import ObjectKind
from tickertape.tape.stream import Merging

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.decode.events import EventColumns
    from tickertape.tape.growing import Growing

_PERIOD_S: Final = 1.0
_REST: Final = 10.0
"""The pause after writing the display is at least this multiple of the writing time, so that
writing does not hold up events."""


class FollowedKtrace(Closing):
    """Writes both files of one boot while events arrive; use it as a context manager.

    Without a stream number, it shows the stream called rtl_ktrace if there is one when the first
    events arrive, else the lowest stream with events at that time.
    """

    def __init__(
        self,
        tape: Growing,
        output: Path,
        *,
        dbg: Path | None = None,
        svg: Path | None = None,
        stream: int | None = None,
        boot: int = 0,
    ) -> None:
        """Open the text file.

        Args:
            tape: delivers the events.
            output: the `.tra` file.
            dbg: the `.dbg` file; None for `output` with this suffix.
            svg: picture of the display, written at the end; None for no picture.
            stream: number of the stream; None to find one.
            boot: boot of the target, from 0 in the order of arrival.

        Raises:
            UsageError: two files have the same name.
            TapeWriteFailed: the text cannot be written.
        """
        self._tape, self._output, self._svg = tape, output, svg
        self._dbg = dbg or output.with_suffix(".dbg")
        refuse_same_files(output, self._dbg, svg)
        self._stream, self._boot = stream, boot
        self._boots = Boots(tape)
        tape.on_name = self._boots.learn
        self._epochs: list[int] = []
        self._cpus = 1
        self._merging = Merging(1)
        self._ktrace: Ktrace | None = None
        self._next_s = 0.0
        try:
            with ExitStack() as files:
                body = tempfile.TemporaryFile("w+", encoding="utf-8")  # noqa: SIM115 - on the stack
                self._body = files.enter_context(body)
                self._text = files.enter_context(self._dbg.open("w", encoding="utf-8"))
                self._files = files.pop_all()
        except OSError as error:
            raise write_failure(self._dbg, error) from error

    def close(self) -> None:
        """Close the files."""
        self._files.close()

    @property
    def full(self) -> bool:
        """Whether the display has reached its latest time."""
        return self._ktrace is not None and self._ktrace.cut

    def look(self) -> None:
        """Write the events that arrived since the last call.

        Raises:
            TapeWriteFailed: a file cannot be written.
        """
        while True:
            goes_on = self._tape.advance()
            self._feed()
            if not goes_on or self.full:
                break
        self._show(at_once=False)

    def finish(self) -> Report:
        """Write the remaining events and the final state of both files.

        Returns:
            As `export_ktrace`. Without an event of the stream, no file remains.

        Raises:
            TapeWriteFailed: a file cannot be written.
        """
        self._tape.end_boot()
        self._feed()
        for columns in self._merging.rest():
            self._take(columns)
        if self._ktrace is None:
            self._files.close()
            self._dbg.unlink(missing_ok=True)
            return Report()
        counts = self._ktrace.finish()
        self._show(at_once=True)
        files = [self._dbg]
        if self._svg is not None:
            counts["undrawn"] = draw(self._svg, self._ktrace)
            files.append(self._svg)
        counts["stream"] = self._stream or 0
        counts["more_boots"] = len(self._epochs) - 1
        return Report(counts, files=tuple(files))

    def _feed(self) -> None:
        taken = self._tape.taken()
        if self._stream is None and taken:
            self._stream = self._found(taken)
        for epoch, (stream, cpu), columns in taken:
            if stream != self._stream:
                continue
            if epoch not in self._epochs:
                self._epochs.append(epoch)
                if len(self._epochs) - 1 == self._boot:
                    self._begin(epoch)
            if self._epochs.index(epoch) == self._boot and cpu < self._cpus:
                self._merging.add(cpu, columns)
        for certain in self._merging.taken():
            self._take(certain)

    def _found(self, taken: list[tuple[int, tuple[int, int], EventColumns]]) -> int | None:
        for (kind, number), name in self._tape.names().items():
            if kind == ObjectKind.STREAM and name.text == STREAM_NAME:
                return number
        return min(
            (
                stream
                for _, (stream, _), columns in taken
                if stream != HARDWARE_STREAM and len(columns)
            ),
            default=None,
        )

    def _begin(self, epoch: int) -> None:
        hello = self._tape.hellos.get(epoch) or self._tape.hello
        self._cpus = hello.cpu_count if hello else 1
        self._merging = Merging(self._cpus)
        self._ktrace = Ktrace(self._tape, self._boots, epoch, self._body, self._text)

    def _take(self, columns: EventColumns) -> None:
        if self._ktrace is not None and not self._ktrace.cut:
            try:
                self._ktrace.take(columns)
            except OSError as error:
                raise write_failure(self._dbg, error) from error

    def _show(self, *, at_once: bool) -> None:
        """Write the display, unless the pause after the last time has not elapsed."""
        began = time.monotonic()
        if self._ktrace is None or (began < self._next_s and not at_once):
            return
        try:
            self._text.flush()
        except OSError as error:
            raise write_failure(self._dbg, error) from error
        self._ktrace.write_display(self._output)
        ended = time.monotonic()
        self._next_s = ended + max(_PERIOD_S, _REST * (ended - began))
