"""Write a capture to several tapes, one after the other; each tape can be read alone.

A part begins with the current META, HELLO and names, and for each ring a buffer without records
that carries the receipt at which the previous part ends. So the balances of the parts add up to
the balance of the capture, even with a loss between two parts.

An incomplete event of several records is written to the next part as a whole, as long as its first
record is not on the disk yet (a second, or 65 536 records).
"""

from __future__ import annotations

import threading
import time
import uuid
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tickertape.decode.bodies import Receipt, parse_buffer_header, parse_status
from tickertape.decode.gaps import fresh
from tickertape.edit.split import Part, clean_before, part_between, receipt_alone, whole_events
from tickertape.errors import TapeWriteFailed
from tickertape.protocol.wire import BUFFER_HEADER_DTYPE, RECORD_BYTES, ByteOrder, record_dtype
from tickertape.tape.chunk_file import ChunkFile
from tickertape.tape.writer import Gathered, TapeWriter

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Rotation:
    """Conditions to begin the next tape; None: the condition does not apply.

    Attributes:
        size_bytes: size of a tape in bytes.
        period_s: age of a tape in seconds of the host.
    """

    size_bytes: int | None = None
    period_s: float | None = None


def part_path(path: Path, number: int) -> Path:
    """Return the name of a part: `x.tape` becomes `x-0001.tape`, `x-0002.tape`, …."""
    return path.with_name(f"{path.stem}-{number:04d}{path.suffix}")


class RotatingWriter(TapeWriter):
    """Writes like `TapeWriter`, to several tapes."""

    def __init__(
        self,
        path: Path | str,
        rotation: Rotation,
        *,
        meta: Mapping[str, object] | None = None,
        waits: bool = False,
    ) -> None:
        """Create the first tape.

        Args:
            path: path without a part number; the parts get numbers.
            rotation: conditions to begin the next tape.
            meta: facts about capture and target, JSON values; written to each part.
            waits: as for `TapeWriter`, for the first part.

        Raises:
            TapeWriteFailed: the file cannot be created.
        """
        self._base = Path(path)
        self._rotation = rotation
        self._ends: dict[tuple[int, int], tuple[Receipt, int]] = {}  # last receipt, with its ticks
        self._statuses: dict[tuple[int, int], tuple[int, bytes]] = {}  # settled ordinal and body
        self._closed_bytes = 0
        self._closing: list[threading.Thread] = []
        self._failures: list[TapeWriteFailed] = []  # of parts that were closed
        super().__init__(part_path(self._base, 1), meta=meta, waits=waits)
        self._capture = str(self._header.uuid)
        self.meta(self._part_meta())
        self._begin_part()

    @property
    def written_bytes(self) -> int:
        """Size of all parts so far, without gathered buffers."""
        return self._closed_bytes + super().written_bytes

    def buffer(self, stream: int, cpu: int, body: bytes) -> None:
        """Gather the body of a BUFFER frame: a buffer header and its records."""
        header = parse_buffer_header(body)
        self._advance((stream, cpu), header.end, header.ticks)
        super().buffer(stream, cpu, body)
        if self._is_due():
            self._rotate()

    def status(self, stream: int, cpu: int, body: bytes) -> None:
        """Write the body of a STATUS frame."""
        status = parse_status(body)
        self._statuses[stream, cpu] = (status.settled.ordinal, body)
        self._advance((stream, cpu), status.settled, status.ticks)
        super().status(stream, cpu, body)

    def symbols(self, body: bytes) -> None:
        """Write the symbols of the firmware, to each part."""
        super().symbols(body)
        self._begin_bytes = self._file.size_bytes

    def new_epoch(self) -> None:
        """Begin a new boot after a reset of the target."""
        super().new_epoch()
        self._ends.clear()
        self._statuses.clear()

    def flush(self) -> None:
        """Write all gathered buffers to the operating system; begin the next tape if it is due."""
        if self._is_due():
            self._rotate()
        super().flush()

    def close(self) -> None:
        """Write index and end mark and close. May be called twice."""
        try:
            super().close()
        finally:
            self._join()

    def _close_part(self, file: ChunkFile) -> None:
        try:
            file.close()
        except TapeWriteFailed as error:
            self._failures.append(error)

    def _join(self) -> None:
        for thread in self._closing:
            thread.join()
        self._closing.clear()
        if self._failures:
            raise self._failures.pop()

    def _advance(self, ring: tuple[int, int], receipt: Receipt, ticks: int) -> None:
        known = self._ends.get(ring)
        if known is None or receipt.ordinal >= known[0].ordinal:
            self._ends[ring] = (receipt, ticks)

    def _part_meta(self) -> dict[str, object]:
        return {"part": {"capture": self._capture, "number": len(self.parts)}}

    def _begin_part(self) -> None:
        self._began_s = time.monotonic()
        self._begin_bytes = self._file.size_bytes

    def _is_due(self) -> bool:
        limit = self._rotation
        size = self._file.size_bytes
        size += sum(ring.record_count for ring in self._rings.values()) * RECORD_BYTES
        if not self._met_target or size == self._begin_bytes:
            return False  # without a HELLO the records of a part cannot be decoded
        # The repeated chunks at the begin count for at most half of a part, even with many symbols.
        begin = min(self._begin_bytes, (limit.size_bytes or 0) // 2)
        grown = size - self._begin_bytes + begin
        is_large = limit.size_bytes is not None and grown >= limit.size_bytes
        is_old = limit.period_s is not None and time.monotonic() - self._began_s >= limit.period_s
        return is_large or is_old

    def _rotate(self) -> None:
        """Close this tape and begin the next one."""
        held = [one for ring in list(self._rings) if (one := self._hold_back(ring)) is not None]
        self._write_gathered()
        self._file.finish(self.epoch)
        self._closed_bytes += self._file.size_bytes
        # Closing may take seconds, and the link does not wait.
        thread = threading.Thread(target=self._close_part, args=(self._file,))
        thread.start()
        self._closing = [*(one for one in self._closing if one.is_alive()), thread]
        self.parts.append(part_path(self._base, len(self.parts) + 1))
        self._next_file({one.ring: one.begin for one in held})
        for one in held:
            self._rings[one.ring] = Gathered(one.part.buffers.tobytes(), one.part.records.tobytes())

    def _next_file(self, begins: Mapping[tuple[int, int], bytes]) -> None:
        self.path = self.parts[-1]
        self._header = replace(self._header, created_ns=time.time_ns(), uuid=uuid.uuid4())
        try:
            self._file = ChunkFile(self.path, self._header)
        except TapeWriteFailed:
            self._broken = True
            self._join()
            raise
        self._meta.update(self._part_meta())
        self._repeat()
        self._rings = {
            ring: Gathered(begins.get(ring) or _alone(receipt, ticks))
            for ring, (receipt, ticks) in self._ends.items()
        }
        self._write_gathered()
        for ring, (ordinal, body) in self._statuses.items():
            if ordinal == self._ends[ring][0].ordinal and ring not in begins:
                super().status(*ring, body)  # for the class counters and the flag `final`
        self._begin_part()

    def _hold_back(self, ring: tuple[int, int]) -> _Held | None:
        """Remove the records of an incomplete event from the gathered buffers; return them."""
        part = _part_of(self._rings[ring], self._header.byte_order)
        if fresh(part.buffers, 0) is not None:
            return None  # a buffer was repeated
        last = part.buffers[-1]
        end = int(last["first_ordinal"]) + int(last["count"])
        place = clean_before(whole_events([part], torn=True), end)
        first = int(part.buffers["first_ordinal"][0])
        settled, _ = self._statuses.get(ring, (0, b""))
        held = part_between(part, place, end)
        if not max(first, settled) <= place < end or held is None:
            return None
        row = held.buffers[0]
        receipt = Receipt(*(int(row[name]) for name in ("first_ordinal", "dropped", "sent")))
        begin = _alone(receipt, int(row["ticks"]))
        kept = part_between(part, first, place)
        headers, records = (
            (b"", b"") if kept is None else (kept.buffers.tobytes(), kept.records.tobytes())
        )
        self._rings[ring] = Gathered(headers + begin, records)
        return _Held(ring, held, begin)


@dataclass(frozen=True, slots=True)
class _Held:
    """Records of a ring for the next part.

    Attributes:
        ring: (stream, CPU).
        part: the records.
        begin: the receipt before them, as a buffer without records.
    """

    ring: tuple[int, int]
    part: Part
    begin: bytes


def _alone(receipt: Receipt, ticks: int) -> bytes:
    """Return a buffer without records that carries a receipt."""
    none = np.empty(0, record_dtype(ByteOrder.LITTLE))
    return receipt_alone(receipt, ticks, none).buffers.tobytes()


def _part_of(gathered: Gathered, byte_order: ByteOrder) -> Part:
    return Part(
        np.frombuffer(b"".join(gathered.headers), BUFFER_HEADER_DTYPE),
        np.frombuffer(b"".join(gathered.records), record_dtype(byte_order)),
    )
