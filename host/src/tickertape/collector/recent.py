"""A flight recorder: keep the last seconds of a link in memory and write them at the end.

The tape is created at once, so that a wrong path fails before anything is recorded. `close` fills
it: a program killed before that leaves a tape without records.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tickertape.decode.bodies import parse_buffer_header, parse_hello, parse_name
from tickertape.tape.writer import TapeWriter

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from tickertape.decode.frames import LinkCounters

_MOST_BOOTS: Final = 16
_MOST_UNDATED: Final = 4096  # buffers per ring before the first HELLO
_MOST_REMARKS: Final = 256
_US_PER_S: Final = 1_000_000

Ring = tuple[int, int]


@dataclass(slots=True)
class _Boot:
    """Frames kept of one boot: the recent buffers of each ring, and the latest other frames.

    Attributes:
        span: length of the time to keep, in ticks; None until a HELLO reports the tick rate.
        begin: ticks of the first buffer; None before it.
        now: latest ticks of all buffers that the watcher has read.
        judged: latest ticks of all buffers that the watcher has read; `now` without a watcher.
    """

    hello: bytes | None = None
    span: int | None = None
    begin: int | None = None
    now: int = 0
    names: dict[Ring, bytes] = field(default_factory=dict)
    statuses: dict[Ring, bytes] = field(default_factory=dict)
    buffers: dict[Ring, deque[tuple[int, bytes]]] = field(default_factory=dict)
    anchors: deque[tuple[int, int, int]] = field(default_factory=lambda: deque(maxlen=2))
    texts: deque[bytes] = field(default_factory=lambda: deque(maxlen=_MOST_REMARKS))

    @property
    def is_long(self) -> bool:
        """Whether this boot alone covers the time to keep."""
        return (
            self.span is not None and self.begin is not None and self.now - self.begin > self.span
        )

    def forget(self, ring: Ring) -> None:
        """Discard the oldest buffers of a ring while their successors are older than `span`."""
        kept = self.buffers[ring]
        if self.span is None:
            if len(kept) > _MOST_UNDATED:
                kept.popleft()
            return
        while len(kept) > 1 and self.now - kept[1][0] > self.span:
            kept.popleft()


class RecentWriter:
    """Implements `Sink`, and the other methods of a `TapeWriter` that a capture needs.

    Attributes:
        parts: path of the tape, as in `TapeWriter`.
    """

    def __init__(
        self,
        path: Path | str,
        seconds: float,
        *,
        meta: Mapping[str, object] | None = None,
        waits: bool = False,
    ) -> None:
        """Create the tape.

        Args:
            path: path of the tape.
            seconds: least time to keep, in seconds of the target's clock. Rings keep whole buffers.
            meta: facts about capture and target, JSON values.
            waits: as for `TapeWriter`.

        Raises:
            TapeWriteFailed: the file cannot be created.
        """
        self._writer = TapeWriter(path, meta=meta, waits=waits)
        self._seconds = seconds
        self._boots = deque([_Boot()], maxlen=_MOST_BOOTS)
        self._counters: LinkCounters | None = None
        self._unread: deque[tuple[_Boot, int]] = deque()
        self._received = 0
        self._read: int | None = None
        self._is_written = False
        self.parts = self._writer.parts
        self.epoch = 0

    @property
    def is_named(self) -> bool:
        """Whether the tape has its name; without records, an older file keeps it."""
        return self._writer.is_named

    def hello(self, body: bytes) -> None:
        """Keep the body of HELLO."""
        boot, hello = self._boots[-1], parse_hello(body)
        boot.hello = body
        if hello.tick_hz:
            boot.span = round(self._seconds * _US_PER_S) * hello.tick_hz // _US_PER_S

    def buffer(self, stream: int, cpu: int, body: bytes) -> None:
        """Keep the body of BUFFER, and discard buffers and boots that are too old."""
        boot, ticks = self._boots[-1], parse_buffer_header(body).ticks
        boot.begin = ticks if boot.begin is None else boot.begin
        self._unread.append((boot, ticks))
        limit = self._received = self._received + 1
        if self._read is not None:
            limit = min(limit, self._read)
        while self._received - len(self._unread) < limit:
            read_boot, read_ticks = self._unread.popleft()
            read_boot.now = max(read_boot.now, read_ticks)
        boot.buffers.setdefault((stream, cpu), deque()).append((ticks, body))
        for ring in boot.buffers:
            boot.forget(ring)
        while len(self._boots) > 1 and boot.is_long:
            self._boots.popleft()

    def watched(self, read: int | None) -> None:
        """Keep the time before the events that a watcher has not read yet as well.

        Its verdict may come any time after the violation. May be called by another thread.

        Args:
            read: number of buffers that the watcher has read; None if there is no watcher.
        """
        self._read = read

    def status(self, stream: int, cpu: int, body: bytes) -> None:
        """Keep the body of the latest STATUS of each ring."""
        self._boots[-1].statuses[stream, cpu] = body

    def name(self, body: bytes) -> None:
        """Keep the body of the latest NAME of each object."""
        name = parse_name(body)
        self._boots[-1].names[name.kind, name.id] = body

    def text(self, body: bytes) -> None:
        """Keep the body of TEXT."""
        self._boots[-1].texts.append(body)

    def anchor(self, target_ticks: int, host_ns: int, uncertainty_ns: int) -> None:
        """Keep an anchor; each boot keeps its last two."""
        self._boots[-1].anchors.append((target_ticks, host_ns, uncertainty_ns))

    def receipt(self, counters: LinkCounters) -> None:
        """Keep the latest counters of the link."""
        self._counters = counters

    def new_epoch(self) -> None:
        """Begin another boot."""
        self._boots.append(_Boot())
        self.epoch += 1

    def meta(self, values: Mapping[str, object]) -> None:
        """Store facts about capture and target."""
        self._writer.meta(values)

    def symbols(self, body: bytes) -> None:
        """Store the names of the firmware."""
        self._writer.symbols(body)

    def note(self, text: str) -> None:
        """Store a remark."""
        self._writer.note(text)

    def flush(self) -> None:
        """Do nothing: only `close` writes."""

    def close(self) -> None:
        """Write the kept frames and close the tape. May be called twice.

        Raises:
            TapeError: the tape cannot be written.
        """
        boots = [] if self._is_written else list(self._boots)
        self._is_written = True
        for number, boot in enumerate(boots):
            if number:
                self._writer.new_epoch()
            self._write(boot)
        if boots and self._counters is not None:
            self._writer.receipt(self._counters)
        self._writer.close()

    def _write(self, boot: _Boot) -> None:
        if boot.hello is not None:
            self._writer.hello(boot.hello)
        for body in boot.names.values():
            self._writer.name(body)
        for moment in boot.anchors:
            self._writer.anchor(*moment)
        for (stream, cpu), kept in boot.buffers.items():
            for _, body in kept:
                self._writer.buffer(stream, cpu, body)
        for (stream, cpu), body in boot.statuses.items():
            self._writer.status(stream, cpu, body)
        for body in boot.texts:
            self._writer.text(body)
