"""Writes the records of the rings in a memory image to a tape, with their losses.

The tape contains what the target would have sent if it had only emptied its rings: the same buffers
with the same receipts, then a final STATUS of each ring. Records that are not complete in the image
count as damaged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tickertape.analysis.ledger import Balance, balance_between
from tickertape.decode.bodies import Receipt
from tickertape.errors import ForeignFile
from tickertape.files import Keep, replacing
from tickertape.protocol.layout import Layout
from tickertape.protocol.wire import (
    BUFFER_HEADER,
    HELLO,
    PROTOCOL_MAJOR,
    PROTOCOL_MINOR,
    RECORD_BYTES,
    STATUS,
    ByteOrder,
    HelloFlag,
)
from tickertape.tape.writer import TapeWriter

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.formats.image.memory import MemoryImage
    from tickertape.formats.image.recorder import FoundRing, Recorder
    from tickertape.formats.image.ring import Held, RingState

_BUFFER_HEADER: Final = Layout(BUFFER_HEADER)
_STATUS: Final = Layout(STATUS)
_BUILD_ID_BYTES: Final = 20
_WORD: Final = 1 << 32
_BYTE: Final = 0xFF


@dataclass(frozen=True, slots=True)
class RecoveredRing:
    """Result of one ring.

    Attributes:
        stream: number of the stream.
        cpu: number of the CPU.
        balance: balance since the last settled receipt of the target; None when unknown.
        sent_before: number of records sent before that receipt.
        lost_why: number of damaged records and the reason, one line per reason.
        unclear: why the balance is unknown; empty otherwise.
    """

    stream: int
    cpu: int
    balance: Balance | None
    sent_before: int
    lost_why: tuple[str, ...]
    unclear: str = ""


def recover(
    image: MemoryImage, recorder: Recorder, tape: Path, *, source: str
) -> list[RecoveredRing]:
    """Write the records in an image to a tape.

    Args:
        image: image of the target's memory.
        recorder: recorder of the firmware that ran.
        tape: the tape to write; an existing tape is replaced.
        source: name of the image, for messages.

    Returns:
        One result per ring, all CPUs of stream 0 first.

    Raises:
        ForeignFile: the recorder was not initialised, or the image is of another firmware or of a
            big-endian target.
    """
    if recorder.order != "little":
        raise ForeignFile(f"{source} is of a big-endian target", "capture its trace over a link")
    hello, rings = hello_of(image, recorder), list(recorder.rings(image))
    with (
        replacing(tape, Keep.OLD) as place,
        TapeWriter(place, meta={"recovered_from": source}) as writer,
    ):
        writer.hello(hello)
        results = [_Ring(image, ring, writer).write() for ring in rings]
        for result in results:
            name = f"stream {result.stream}, CPU {result.cpu}"
            for line in (*result.lost_why, *([result.unclear] if result.unclear else [])):
                writer.note(f"{name}: {line}")
    return results


class _Ring:
    """Writes one ring."""

    def __init__(self, image: MemoryImage, ring: FoundRing, writer: TapeWriter) -> None:
        self._image = image
        self._ring = ring
        self._writer = writer
        self._why: list[str] = []
        self._delivered = 0
        self._ticks = 0

    def write(self) -> RecoveredRing:
        """Write the buffers and the final STATUS of the ring."""
        ring, state = self._ring, self._ring.state
        if state is None:
            why = f"the counters of the ring contradict each other ({ring.unclear}); left out"
            return RecoveredRing(ring.stream, ring.cpu, None, 0, (), why)
        self._buffer(buffer_header(state.start, 0, 0, 0, 0), b"")
        sent = state.start.sent
        for held in state.held:
            records = self._records(held)
            if records:
                before = Receipt(*held.begin, sent)
                count = len(records) // RECORD_BYTES
                header = buffer_header(before, held.ticks, held.sequence, count, held.number)
                self._buffer(header, records)
                self._delivered += count
                self._ticks = held.ticks
            sent += held.count
        self._status(state)
        balance = balance_between(state.start, state.end, self._delivered)
        return RecoveredRing(ring.stream, ring.cpu, balance, state.start.sent, tuple(self._why))

    def _buffer(self, header: bytes, records: bytes) -> None:
        self._writer.buffer(self._ring.stream, self._ring.cpu, header + records)

    def _records(self, held: Held) -> bytes:
        """Return the records of a buffer that are known to be complete."""
        if held.lost:
            self._why.append(f"{held.count} records were being sent when the image was taken")
            return b""
        records = b""
        for address, count in held.parts:
            part = self._image.read(address, count * RECORD_BYTES)
            if part is None:
                self._why.append(f"{held.count} records are not in the image")
                return b""
            records += part
        if held.open and not self._ring.proven:
            self._why.append("1 record, the newest, may be half written")
            records = records[:-RECORD_BYTES]
        return records

    def _status(self, state: RingState) -> None:
        """Write the STATUS that the target would send after it has sent all records."""
        end = state.end
        values = {
            "settled_ordinal": end.ordinal,
            "settled_dropped": end.dropped,
            "settled_sent": end.sent,
            "offered": end.ordinal,
            "dropped": end.dropped,
            "overwritten": state.overwritten,
            "ticks": self._ticks,
            "policy": self._ring.policy & _BYTE,
            "running": self._ring.running,
            "class_count": 0,
            "final": 1,
            "high_water_buffers": self._ring.high_water_buffers,
        }
        self._writer.status(self._ring.stream, self._ring.cpu, _STATUS.build(values))


def buffer_header(before: Receipt, ticks: int, sequence: int, count: int, number: int) -> bytes:
    """Build the header of a buffer with the receipt `before`."""
    return _BUFFER_HEADER.build(
        {
            "first_ordinal": before.ordinal,
            "dropped": before.dropped,
            "sent": before.sent,
            "ticks": ticks,
            "sequence": sequence % _WORD,
            "count": count,
            "ring_number": number,
            "flags": 0,
        }
    )


def hello_of(image: MemoryImage, recorder: Recorder) -> bytes:
    """Build the HELLO that the target would send, as far as memory shows it.

    Raises:
        ForeignFile: the recorder was not initialised, or the image is of another firmware.
    """
    target = recorder.target(image)
    dictionary, flags = recorder.announced(image)
    streams, cpus, buffers, records = recorder.shape
    build = target.build_id or recorder.build_id
    head: bytes = HELLO.build(
        {
            "major": PROTOCOL_MAJOR,
            "minor": PROTOCOL_MINOR,
            "byte_order": ByteOrder.LITTLE,
            "cpu_count": cpus,
            "stream_count": streams,
            "buffer_count": buffers,
            "buffer_records": records,
            "tick_hz": target.tick_hz,
            "boot_id": target.boot_id,
            "dictionary": dictionary,
            "ticks": 0,
            "build_id": build[:_BUILD_ID_BYTES].ljust(_BUILD_ID_BYTES, b"\0"),
            "flags": flags if dictionary else _unknown_order(cpus),
        }
    )
    return head + target.name.encode()


def _unknown_order(cpus: int) -> int:
    """Return the HELLO flags for a firmware whose order of hooks and locks is unknown."""
    return HelloFlag.HOOKS_OUTSIDE_LOCKS if cpus > 1 else 0
