"""Read the events of a growing source, piece by piece: a link, or a tape that is being written.

The events of several CPUs are merged by time as they arrive. An event that arrives late may come
after later events of another CPU.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from typing import TYPE_CHECKING

from tickertape.decode.bodies import parse_hello, parse_name
from tickertape.decode.compiled import ring_decoder
from tickertape.decode.events import DecodeCounters
from tickertape.decode.moves import Moves
from tickertape.tape.stream import merge

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from tickertape.decode.bodies import Hello, Name
    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import Structured
    from tickertape.decode.ring import RingDecoder
    from tickertape.protocol.wire import ByteOrder
    from tickertape.tape.format import TapeHeader, TapeIssue
    from tickertape.tape.symbol_table import SymbolTable


class Growing(ABC):
    """Contents of the source so far. Subclasses read the source and call the methods `take_…`.

    Attributes:
        path: path of the file, or a name of the source.
        header: header, as on a tape.
        ended: True when the source has ended and all of it was read.
        counters: counters of the decoders so far.
        issues: defects and their offsets.
        hellos: the first HELLO of each epoch so far.
        meta: facts about capture and target so far.
        symbol_tables: names of code and data so far, one table per firmware.
        pause_s: recommended wait before the next poll, in seconds.
        on_name: function called with epoch and name at each NAME, or None.
    """

    pause_s = 0.1
    path: Path
    header: TapeHeader

    def __init__(self) -> None:
        """Start without contents."""
        self._rings: dict[tuple[int, int], RingDecoder] = {}
        self._epoch = 0
        self._names: dict[tuple[int, int, int], Name] = {}
        self._found: dict[tuple[int, int], deque[EventColumns]] = {}
        self.ended = False
        self.counters = DecodeCounters()
        self._moves = Moves()
        self.issues: list[TapeIssue] = []
        self.hellos: dict[int, Hello] = {}
        self.meta: dict[str, object] = {}
        self.symbol_tables: list[SymbolTable] = []
        self.on_name: Callable[[int, Name], None] | None = None

    @property
    def hello(self) -> Hello | None:
        """The first HELLO so far; None if there is none."""
        return next(iter(self.hellos.values()), None)

    def names(self, epoch: int | None = None) -> Mapping[tuple[int, int], Name]:
        """Return the latest name of each object so far, by (object kind, id)."""
        return {
            (kind, number): name
            for (boot, kind, number), name in self._names.items()
            if epoch is None or boot == epoch
        }

    @abstractmethod
    def advance(self) -> bool:
        """Read new data, or part of it; `merged` and `taken` return its events.

        Returns:
            True if more data is available already.
        """

    def poll(self) -> Iterator[EventColumns]:
        """Yield the events since the last call, in pieces; return at once if there are none.

        A combine event is yielded after its last record has arrived.
        """
        goes_on = True
        while goes_on:
            goes_on = self.advance()
            yield from self.merged()

    def finish(self) -> Iterator[EventColumns]:
        """Give up incomplete events and yield the events that were held back because of them."""
        self.end_boot()
        yield from self.merged()

    def begin_epoch(self, epoch: int) -> None:
        """Set the boot of all later data."""
        if epoch != self._epoch:
            self.end_boot()
            self._epoch = epoch

    def take_hello(self, body: bytes) -> None:
        """Store the body of a HELLO unless the epoch has one.

        Raises:
            BadBodyError: the body is invalid.
        """
        self.hellos.setdefault(self._epoch, parse_hello(body))

    def take_name(self, body: bytes) -> None:
        """Store the name from the body of a NAME message and report it to `on_name`.

        Raises:
            BadBodyError: the body is invalid.
        """
        name = parse_name(body)
        self._names[self._epoch, name.kind, name.id] = name
        if self.on_name is not None:
            self.on_name(self._epoch, name)

    def take_buffers(
        self,
        ring: tuple[int, int],
        buffers: Structured,
        records: Structured,
        byte_order: ByteOrder,
    ) -> None:
        """Decode buffers of a ring; see `RingDecoder.feed`."""
        if ring not in self._rings:
            self._rings[ring] = ring_decoder(
                ring,
                byte_order=byte_order,
                counters=self.counters,
                epoch=self._epoch,
                moves=self._moves,
            )
        self._keep(ring, self._rings[ring].feed(buffers, records))

    def end_boot(self) -> None:
        """Finish the decoders of all rings, because later events belong to another epoch."""
        for ring, decoder in self._rings.items():
            self._keep(ring, decoder.finish())
        self._rings.clear()

    def taken(self) -> list[tuple[int, tuple[int, int], EventColumns]]:
        """Remove and return the decoded events as (boot, ring, events), in order for each ring."""
        found, self._found = self._found, {}
        return sorted(
            ((part.epoch, ring, part) for ring, parts in found.items() for part in parts),
            key=lambda one: one[0],
        )

    def merged(self) -> Iterator[EventColumns]:
        """Remove and yield the decoded events, boot after boot, with rings merged by time."""
        found, self._found = self._found, {}
        epochs = sorted({part.epoch for parts in found.values() for part in parts})
        for epoch in epochs:
            yield from merge(
                [
                    iter([part for part in parts if part.epoch == epoch])
                    for _, parts in sorted(found.items())
                ]
            )

    def _keep(self, ring: tuple[int, int], columns: EventColumns) -> None:
        if len(columns) or columns.gaps:
            self._found.setdefault(ring, deque()).append(columns)
