"""The parts of a tape as values. protocol/SPEC.md has the bytes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class RingKey(NamedTuple):
    """A ring of one boot."""

    epoch: int
    stream: int
    cpu: int


@dataclass(frozen=True, slots=True)
class TapeHeader:
    """The first 64 bytes."""

    major: int
    minor: int
    byte_order: str  # "<" or ">"
    created_ns: int  # UTC, ns since 1970
    uuid: str


@dataclass(frozen=True, slots=True)
class ChunkHeader:
    """What stands before each chunk's body; `offset` is where in the file it stands."""

    offset: int
    type: int
    flags: int
    body_bytes: int
    body_crc: int
    stream: int
    cpu: int
    epoch: int
    buffer_count: int
    record_count: int


@dataclass(frozen=True, slots=True)
class RecordsChunk:
    """Buffers of one ring.

    Attributes:
        ring: whose.
        buffers: structured array, one buffer header a row (protocol.wire).
        records: structured array, the records of all of them in order. A view of the file; copy
            what shall outlive the reader.
    """

    ring: RingKey
    buffers: NDArray[np.void]
    records: NDArray[np.void]


@dataclass(frozen=True, slots=True)
class Anchor:
    """The host's clock at a moment of the target's."""

    epoch: int
    target_ticks: int
    host_ns: int
    uncertainty_ns: int


@dataclass(frozen=True, slots=True)
class TapeIssue:
    """Something that is wrong with a tape, and where."""

    offset: int
    what: str
