"""Reads a tape, whole or cut, in constant memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from tickertape.decode.bodies import Hello, Name, Status
    from tickertape.decode.frames import LinkCounters
    from tickertape.tape.format import (
        Anchor,
        ChunkHeader,
        RecordsChunk,
        RingKey,
        TapeHeader,
        TapeIssue,
    )


class TapeReader:
    """A tape, open for reading.

    Use it as a context manager. Everything may be iterated any number of times, in any order.
    """

    def __init__(self, path: Path | str) -> None:
        """Open a tape and find its chunks.

        Raises:
            TapeMissing: no such file, or it may not be read.
            NotATape: the file is something else.
            TapeVersion: another major version wrote it.
            TapeDamaged, TapeEmpty: not even its header can be read.
        """
        raise NotImplementedError

    path: Path
    header: TapeHeader
    issues: list[TapeIssue]
    """What is wrong where: cut, bad chunks, unknown chunk types. Grows while bodies are read."""
    closed: bool
    """True when the tape was closed in order (END)."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None: ...
    def close(self) -> None:
        """Close the file; views of it become invalid."""

    @property
    def chunks(self) -> Sequence[ChunkHeader]:
        """Headers of all chunks in file order, those of unknown type as well."""
        ...

    @property
    def hello(self) -> Hello | None:
        """The first HELLO; None when the capture met none."""
        ...

    @property
    def hellos(self) -> Mapping[int, Hello]:
        """The first HELLO of each epoch."""
        ...

    @property
    def meta(self) -> Mapping[str, object]:
        """All META chunks in one, later ones over earlier ones."""
        ...

    @property
    def epochs(self) -> Sequence[int]:
        """Epochs of which there is any chunk, in order."""
        ...

    @property
    def rings(self) -> Sequence[RingKey]:
        """Rings of which there are records or a STATUS, in order."""
        ...

    @property
    def record_count(self) -> int:
        """Records in the tape, by its chunk headers."""
        ...

    def body(self, chunk: ChunkHeader) -> memoryview | None:
        """The body of a chunk, None (and an issue) when its CRC is wrong."""
        ...

    def records_chunks(self, ring: RingKey | None = None) -> Iterator[RecordsChunk]:
        """Yield the RECORDS chunks of one ring, or of all in file order."""
        ...

    def statuses(self, ring: RingKey) -> Iterator[Status]:
        """Yield the STATUS chunks of one ring in order."""
        ...

    def names(self, epoch: int | None = None) -> Mapping[tuple[int, int], Name]:
        """The latest name of each object, by (object kind, id); of one epoch, or of all."""
        ...

    def anchors(self) -> Sequence[Anchor]:
        """What is known of the host's clock."""
        ...

    def texts(self) -> Sequence[str]:
        """Lines for people that the target sent, and notes."""
        ...

    @property
    def link_counters(self) -> LinkCounters | None:
        """What the link lost, by the last RECEIPT; None when there is none."""
        ...
