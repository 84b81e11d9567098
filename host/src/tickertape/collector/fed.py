"""A tape in memory: takes the bodies of frames as they arrive, and yields events."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tickertape.protocol.wire import BUFFER_HEADER_BYTES, BUFFER_HEADER_DTYPE, record_dtype
from tickertape.tape.format import new_header
from tickertape.tape.growing import Growing

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tickertape.decode.frames import LinkCounters

    Step = Callable[[], None]

_MOST_EARLY = 1024  # a target sends HELLO about once a second


class FedTape(Growing):
    """A growing tape of the frames of a link. The reader of the link calls the `take_…` methods.

    Attributes:
        body_count: number of BUFFER frames so far.
    """

    def __init__(self, name: str) -> None:
        """Begin with an empty tape.

        Args:
            name: name of the link.
        """
        super().__init__()
        self.path = Path(name)
        self.header = new_header(time.time_ns())
        self._early: list[tuple[tuple[int, int], bytes]] = []
        self.body_count = 0

    def take_hello(self, body: bytes) -> None:
        """Store HELLO, then decode the buffers that arrived before it."""
        super().take_hello(body)
        self._take_early()

    def take_body(self, ring: tuple[int, int], body: bytes) -> None:
        """Decode a BUFFER; before the first HELLO keep it, because byte order is unknown."""
        self._early.append((ring, body))
        self.body_count += 1
        if self.hello is not None or len(self._early) > _MOST_EARLY:
            self._take_early()

    def begin_epoch(self, epoch: int) -> None:
        """Begin a boot. Buffers of a boot without HELLO are decoded with defaults."""
        self._take_early()
        super().begin_epoch(epoch)

    def _take_early(self) -> None:
        for ring, body in self._early:
            self._take_buffer(ring, body)
        self._early.clear()

    def _take_buffer(self, ring: tuple[int, int], body: bytes) -> None:
        buffers = np.frombuffer(body, BUFFER_HEADER_DTYPE, 1)
        hello = self.hellos.get(self._epoch) or self.hello
        byte_order = hello.byte_order if hello else self.header.byte_order
        records = np.frombuffer(body, record_dtype(byte_order), offset=BUFFER_HEADER_BYTES)
        self.take_buffers(ring, buffers, records, byte_order)

    def advance(self) -> bool:
        """Do nothing and return False: the reader of the link adds the frames."""
        return False

    def end(self) -> None:
        """End the tape: decode buffers that still wait for a HELLO, with defaults."""
        self.ended = True
        self._take_early()
        self.end_boot()


class Forwarder:
    """Turns each call into a step, a function that feeds a tape. Implements `Sink`.

    The receiver of the steps runs them in order, in one thread.
    """

    def __init__(self, tape: FedTape, put: Callable[[Step], None]) -> None:
        """Begin with the first boot.

        Args:
            tape: the tape that the steps feed.
            put: called with each step.
        """
        self._tape = tape
        self._put = put
        self.epoch = 0

    def hello(self, body: bytes) -> None:
        """Pass on the body of HELLO."""
        self._put(lambda: self._tape.take_hello(body))

    def buffer(self, stream: int, cpu: int, body: bytes) -> None:
        """Pass on the body of BUFFER."""
        self._put(lambda: self._tape.take_body((stream, cpu), body))

    def name(self, body: bytes) -> None:
        """Pass on the body of NAME."""
        self._put(lambda: self._tape.take_name(body))

    def new_epoch(self) -> None:
        """Begin another boot."""
        self.epoch += 1
        epoch = self.epoch
        self._put(lambda: self._tape.begin_epoch(epoch))

    def meta(self, values: Mapping[str, object]) -> None:
        """Pass on facts about capture and target."""
        self._put(lambda: self._tape.meta.update(values))

    def status(self, stream: int, cpu: int, body: bytes) -> None:
        """Ignore STATUS: the collector keeps the balance (`LiveTape.result`)."""

    def text(self, body: bytes) -> None:
        """Ignore text of the target: no print style shows it."""

    def anchor(self, target_ticks: int, host_ns: int, uncertainty_ns: int) -> None:
        """Ignore anchors: a live tape is not aligned with another one."""

    def receipt(self, counters: LinkCounters) -> None:
        """Ignore the link counters: `LiveTape.result` contains them."""

    def flush(self) -> None:
        """Do nothing: no step is held back."""
