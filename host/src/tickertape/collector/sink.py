"""The destination of a capture: a tape, or a consumer that reads events immediately."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tickertape.decode.frames import LinkCounters


class Sink(Protocol):
    """The methods of a `TapeWriter` that `Collector` calls; see there for their meaning."""

    @property
    def epoch(self) -> int:
        """Number of the current boot, from 0."""
        ...

    def hello(self, body: bytes) -> None:
        """Store the body of HELLO."""

    def buffer(self, stream: int, cpu: int, body: bytes) -> None:
        """Store the body of BUFFER."""

    def status(self, stream: int, cpu: int, body: bytes) -> None:
        """Store the body of STATUS."""

    def name(self, body: bytes) -> None:
        """Store the body of NAME."""

    def text(self, body: bytes) -> None:
        """Store the body of TEXT."""

    def meta(self, values: Mapping[str, object]) -> None:
        """Store facts about capture and target."""

    def anchor(self, target_ticks: int, host_ns: int, uncertainty_ns: int) -> None:
        """Store an anchor: one moment by the target's and by the host's clock."""

    def receipt(self, counters: LinkCounters) -> None:
        """Store the counters of the link."""

    def new_epoch(self) -> None:
        """Begin another boot."""

    def flush(self) -> None:
        """Hand buffered data on."""


class NoTape:
    """Stores nothing: for callers that need the counters only. Implements `Sink`."""

    def __init__(self) -> None:
        """Begin with the first boot."""
        self.epoch = 0

    def hello(self, body: bytes) -> None:
        """Do nothing."""

    def buffer(self, stream: int, cpu: int, body: bytes) -> None:
        """Do nothing."""

    def status(self, stream: int, cpu: int, body: bytes) -> None:
        """Do nothing."""

    def name(self, body: bytes) -> None:
        """Do nothing."""

    def text(self, body: bytes) -> None:
        """Do nothing."""

    def meta(self, values: Mapping[str, object]) -> None:
        """Do nothing."""

    def anchor(self, target_ticks: int, host_ns: int, uncertainty_ns: int) -> None:
        """Do nothing."""

    def receipt(self, counters: LinkCounters) -> None:
        """Do nothing."""

    def new_epoch(self) -> None:
        """Begin another boot."""
        self.epoch += 1

    def flush(self) -> None:
        """Do nothing."""

    def note(self, text: str) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""
