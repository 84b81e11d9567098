"""Encodes events of tracks and values of counters as packets of Perfetto's trace format.

The compiled encoder writes the same bytes as the protobuf library, which encodes packet by packet
where there is no compiled encoder.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from tickertape._native.packets import encoded
from tickertape.formats.extras import load

if TYPE_CHECKING:
    from tickertape.formats.timeline.timeline import Counters, TrackEvents

    Protobuf = Any  # classes created at run time

_SEQUENCE: Final = 1
CLEARED: Final = 1
NEEDED: Final = 2


def protobuf() -> Protobuf:
    """Import the classes of the protobuf library.

    Raises:
        UsageError: the package `perfetto` is not installed.
    """
    module = "perfetto.protos.perfetto.trace.perfetto_trace_pb2"
    return load(module, extra="perfetto", what="traces for Perfetto")


def packet(**fields: object) -> bytes:
    """Encode a packet of our sequence with the library."""
    classes = protobuf()
    one = classes.TracePacket(trusted_packet_sequence_id=_SEQUENCE, **fields)
    found: bytes = classes.Trace(packet=[one]).SerializeToString()
    return found


class TrackPackets:
    """Encodes parts of a timeline."""

    def __init__(self) -> None:
        """Import the library.

        Raises:
            UsageError: the package `perfetto` is not installed.
        """
        self._event = event = protobuf().TrackEvent
        # In the order of phases: END, BEGIN, MOMENT.
        self._kinds = (event.TYPE_SLICE_END, event.TYPE_SLICE_BEGIN, event.TYPE_INSTANT)

    def counters(self, part: Counters) -> bytes:
        """Return the packets for values of counters."""
        kind = self._event.TYPE_COUNTER
        rows = zip(part.time_ns.tolist(), part.track.tolist(), part.value.tolist(), strict=True)
        return b"".join(
            self._packet(time_ns, track, type=kind, double_counter_value=value)
            for time_ns, track, value in rows
        )

    def events(self, part: TrackEvents) -> bytes | memoryview:
        """Return the packets for events."""
        columns = (part.time_ns, part.phase, part.track, part.name, part.flow)
        found = encoded(columns)
        if found is not None:
            return found.data
        rows = zip(*(column.tolist() for column in columns), strict=True)
        return b"".join(self._one(*row) for row in rows)

    def _one(self, time_ns: int, phase: int, track: int, name: int, flow: int) -> bytes:
        """Encode one event; the second end of a flow terminates it."""
        flows = {"terminating_flow_ids" if flow < 0 else "flow_ids": [abs(flow)]} if flow else {}
        return self._packet(time_ns, track, type=self._kinds[phase], name_iid=name, **flows)

    def _packet(self, time_ns: int, track: int, **fields: object) -> bytes:
        event = self._event(track_uuid=track, **fields)
        return packet(timestamp=time_ns, sequence_flags=NEEDED, track_event=event)
