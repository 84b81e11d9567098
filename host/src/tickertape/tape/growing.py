"""Events of a growing source, a link or a tape that is being written, piece by piece.

The events of several CPUs are merged by time as far as they are there, so that an event that its
CPU hands over late may come after younger ones of another CPU.
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
    """What is known so far; the source calls the methods `take_…`.

    Attributes:
        path: of the file, or what else it is called.
        header: as in the first bytes of a tape.
        ended: nothing will follow, and all of it was read.
        counters: what decoding met so far.
        issues: what is wrong, and where.
        hellos: the first HELLO of each epoch that has one so far.
        meta: facts about capture and target so far.
        symbol_tables: names of code and data so far, one table a firmware.
        pause_s: recommended wait before the next poll.
        on_name: is called with epoch and name when a NAME is read.
    """

    pause_s = 0.1
    path: Path
    header: TapeHeader

    def __init__(self) -> None:
        """Nothing has come."""
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
        """The first HELLO of all so far."""
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
        """Take what has come since the last call, or a piece of it; `merged` and `taken` return it.

        Returns:
            True when there is more already.
        """

    def poll(self) -> Iterator[EventColumns]:
        """Yield what has come since the last call, in pieces; at once when nothing.

        The events of an event type that takes several records come when its last one is there.
        """
        goes_on = True
        while goes_on:
            goes_on = self.advance()
            yield from self.merged()

    def finish(self) -> Iterator[EventColumns]:
        """Give up what is still open, and yield what was held back for it."""
        self.end_boot()
        yield from self.merged()

    def begin_epoch(self, epoch: int) -> None:
        """Set the boot of everything that follows."""
        if epoch != self._epoch:
            self.end_boot()
            self._epoch = epoch

    def take_hello(self, body: bytes) -> None:
        """Take the body of HELLO.

        Raises:
            BadBodyError: it is none.
        """
        self.hellos.setdefault(self._epoch, parse_hello(body))

    def take_name(self, body: bytes) -> None:
        """Take the body of NAME.

        Raises:
            BadBodyError: it is none.
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
        """Take buffers of a ring; see `RingDecoder.feed`."""
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
        """Finish all rings. Their events are of another epoch than those that follow."""
        for ring, decoder in self._rings.items():
            self._keep(ring, decoder.finish())
        self._rings.clear()

    def taken(self) -> list[tuple[int, tuple[int, int], EventColumns]]:
        """Return what was found and forget it: boot, ring, and events, in order for each ring."""
        found, self._found = self._found, {}
        return sorted(
            ((part.epoch, ring, part) for ring, parts in found.items() for part in parts),
            key=lambda one: one[0],
        )

    def merged(self) -> Iterator[EventColumns]:
        """Yield what was found, boot after boot, rings merged."""
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
