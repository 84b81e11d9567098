"""Record the trace of the processor's trace unit beside the recorder's, in the target's time.

Hardware events have their own stream, `HARDWARE_STREAM`. So the balance of the recorder's streams
is unchanged, and an interrupt that both report does not count twice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tickertape.decode.announcements import PORT
from tickertape.decode.itm import Instrumentation
from tickertape.decode.one_stream import HARDWARE_STREAM
from tickertape.formats.itm.rows import bodies_of
from tickertape.formats.itm.variables import Variables, name_body
from tickertape.formats.timed_ring import TimedRing
from tickertape.model.hardware import HardwareLevel
from tickertape.model.hardware_time import TargetTime
from tickertape.protocol.wire import STATUS, ByteOrder, ObjectKind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tickertape.collector.sink import Sink
    from tickertape.decode.bodies import Hello
    from tickertape.decode.itm import Packet
    from tickertape.symbols.elf import Symbols

_STREAM_NAME: Final = "hardware"


class HardwareTrace:
    """Decodes hardware packets and writes their events."""

    def __init__(self, writer: Sink, symbols: Symbols | None = None) -> None:
        """Begin without events.

        Args:
            writer: destination of the events.
            symbols: symbols of the firmware; its ELF file has names and types of the variables.
        """
        self._writer = writer
        self._symbols = symbols
        self._variables = Variables(writer, symbols.path if symbols is not None else None)
        self._time = TargetTime()
        self._level = HardwareLevel(time=self._time)
        self._ring = TimedRing()
        self._epoch = writer.epoch
        self._is_named = False

    def take(self, packets: Sequence[Packet], hello: Hello | None) -> None:
        """Decode the next packets and write their events that have a time.

        Args:
            packets: packets in the order of the link.
            hello: the latest HELLO, None before the first.

        Raises:
            TapeError: the tape cannot be written.
        """
        for packet in packets:
            # Data that the application writes to its own ports is not a hardware event.
            if not isinstance(packet, Instrumentation) or packet.port == PORT:
                self._level.take(packet)
        self._write(hello)

    def finish(self, hello: Hello | None) -> None:
        """End the trace: write events that still wait, and a final STATUS.

        Raises:
            TapeError: the tape cannot be written.
        """
        self._level.finish()
        self._write(hello)
        self._variables.finish()
        if self._ring.count:
            self._writer.status(HARDWARE_STREAM, 0, _final(self._ring))

    def remarks(self) -> list[str]:
        """Return at most one remark, with the numbers of events, anchors and uncertain times."""
        level, time = self._level, self._time
        if not time.anchors:
            return [f"hardware trace: {time.untimed} events without a time"] * bool(time.untimed)
        counts = {
            "places where the trace unit lost packets": level.overflows,
            "events whose time is not certain": level.unsure + level.unstamped + time.unsure,
            "events before the target announced its time, left out": time.untimed,
            **{f"{what}, left out": count for what, count in sorted(level.left_out.items())},
        }
        said = "".join(f", {count} {what}" for what, count in counts.items() if count)
        if self._variables.failure:
            said += f"; variables have no names: {self._variables.failure}"
        events = f"{self._ring.count} events in stream {HARDWARE_STREAM}"
        joined = f"joined to the target's clock {time.anchors} times"
        return [f"hardware trace: {events}, {joined}, {time.worst_ticks} ticks apart at most{said}"]

    def _write(self, hello: Hello | None) -> None:
        rows, self._level.rows = self._level.rows, []
        if not rows:
            return
        if self._writer.epoch != self._epoch:
            self._epoch, self._ring = self._writer.epoch, TimedRing()
            self._is_named = False
            self._variables.forget()
        if not self._is_named:
            self._is_named = True
            self._writer.name(name_body(ObjectKind.STREAM, HARDWARE_STREAM, _STREAM_NAME, parent=1))
        if self._is_traced(hello):
            self._variables.describe(rows)
        order = ByteOrder.LITTLE if hello is None else hello.byte_order
        for body in bodies_of(self._ring, rows, order):
            self._writer.buffer(HARDWARE_STREAM, 0, body)

    def _is_traced(self, hello: Hello | None) -> bool:
        """Return whether the symbols belong to the build that runs on the target."""
        symbols = self._symbols
        return (
            symbols is not None
            and hello is not None
            and symbols.build_id == bytes.fromhex(hello.build_id)
        )


def _final(ring: TimedRing) -> bytes:
    """Build the body of the final STATUS: all events of the ring are on the tape, none lost."""
    count = dict.fromkeys(("settled_ordinal", "settled_sent", "offered"), ring.count)
    nothing = dict.fromkeys(
        (
            *("settled_dropped", "dropped", "overwritten", "policy", "running", "class_count"),
            "high_water_buffers",
        ),
        0,
    )
    body: bytes = STATUS.build({**count, **nothing, "ticks": ring.last_ticks, "final": 1})
    return body
