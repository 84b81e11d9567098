"""Events of tracks and values of counters as packets of Perfetto's trace format.

A packet of an event is to the byte what the library makes of it. The compiled part knows how that
looks (`packets.h`); where there is none, the library makes one packet for each combination of
lengths that the numbers have, and numpy fills in the numbers.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape._native.packets import encoded
from tickertape.formats.extras import load
from tickertape.formats.timeline.protobuf_rows import Template

if TYPE_CHECKING:
    from tickertape.decode.records import I64, U8
    from tickertape.formats.timeline.timeline import Counters, TrackEvents

    Protobuf = Any  # classes made while the program runs

_SEQUENCE: Final = 1
CLEARED: Final = 1
NEEDED: Final = 2
_LONG: Final = {"time": (1 << 63) - 1, "track": (1 << 49) - 3}
_VALUE: Final = 12345.678
_MARKS: Final = {"time": 0x71, "track": 0x72, "name": 0x73}  # stand nowhere else in a packet
_SIZE_BITS: Final = 4
_GROUP_BITS: Final = 7


def protobuf() -> Protobuf:
    """Load the library's classes.

    Raises:
        UsageError: the package `perfetto` is not installed.
    """
    module = "perfetto.protos.perfetto.trace.perfetto_trace_pb2"
    return load(module, extra="perfetto", what="traces for Perfetto")


def packet(**fields: object) -> bytes:
    """Encode a packet of our sequence by the library."""
    classes = protobuf()
    one = classes.TracePacket(trusted_packet_sequence_id=_SEQUENCE, **fields)
    found: bytes = classes.Trace(packet=[one]).SerializeToString()
    return found


class TrackPackets:
    """Encodes parts of a timeline."""

    def __init__(self, *, use_compiled: bool = True) -> None:
        """Get ready.

        Args:
            use_compiled: by the compiled part, where there is one.

        Raises:
            UsageError: the package `perfetto` is not installed.
        """
        self._event = event = protobuf().TrackEvent
        self._use_compiled = use_compiled
        kinds = (event.TYPE_SLICE_END, event.TYPE_SLICE_BEGIN, event.TYPE_INSTANT)
        self._kinds = np.array(kinds, np.uint8)  # by phase; each takes a byte
        self._forms: dict[tuple[int, ...], tuple[Template, int]] = {}
        counter = self._packet(_LONG, type=event.TYPE_COUNTER, double_counter_value=_VALUE)
        self._counter = Template(counter, {**_LONG, "value": _VALUE})

    def counters(self, part: Counters) -> U8:
        """Give packets, a row each."""
        return self._counter.rows({"time": part.time_ns, "track": part.track, "value": part.value})

    def events(self, part: TrackEvents) -> bytes | memoryview:
        """Give packets, one behind the other."""
        columns = (part.time_ns, part.phase, part.track, part.name, part.flow)
        found = encoded(columns) if self._use_compiled else None
        return self._of_shapes(part) if found is None else found.data

    def _of_shapes(self, part: TrackEvents) -> bytes:
        columns = {"time": part.time_ns, "track": part.track, "name": part.name}
        found: list[bytes] = [b""] * len(part.phase)
        sizes = np.stack([_varint_sizes(column) for column in columns.values()])
        shapes = np.array([1, 1 << _SIZE_BITS, 1 << 2 * _SIZE_BITS]) @ sizes
        for shape in np.unique(shapes[part.flow == 0]).tolist():
            rows = np.flatnonzero((shapes == shape) & (part.flow == 0))
            form, kind_at = self._form(tuple(sizes[:, rows[0]].tolist()))
            packets = form.rows({name: column[rows] for name, column in columns.items()})
            packets[:, kind_at] = self._kinds.take(part.phase[rows])
            for row, data in zip(rows.tolist(), packets, strict=True):
                found[row] = data.tobytes()
        for row in np.flatnonzero(part.flow).tolist():
            found[row] = self._with_flow(part, row)
        return b"".join(found)

    def _with_flow(self, part: TrackEvents, row: int) -> bytes:
        """Encode an end of a message; the second one of a flow terminates it."""
        flow = int(part.flow[row])
        numbers = {"time": part.time_ns[row], "track": part.track[row]}
        return self._packet(
            {name: int(number) for name, number in numbers.items()},
            type=int(self._kinds[part.phase[row]]),
            name_iid=int(part.name[row]),
            **{"terminating_flow_ids" if flow < 0 else "flow_ids": [abs(flow)]},
        )

    def _form(self, sizes: tuple[int, ...]) -> tuple[Template, int]:
        """Give the form of packets with numbers of these lengths, and where it says the type."""
        if sizes not in self._forms:
            parts = zip(_MARKS.items(), sizes, strict=True)
            numbers = {name: _of_size(size, mark) for (name, mark), size in parts}
            begin, end = (
                np.frombuffer(self._packet(numbers, type=kind, name_iid=numbers["name"]), np.uint8)
                for kind in (self._event.TYPE_SLICE_BEGIN, self._event.TYPE_SLICE_END)
            )
            (kind_at,) = np.flatnonzero(begin != end).tolist()
            self._forms[sizes] = Template(begin.tobytes(), numbers), kind_at
        return self._forms[sizes]

    def _packet(self, numbers: dict[str, int], **fields: object) -> bytes:
        event = self._event(track_uuid=numbers["track"], **fields)
        return packet(timestamp=numbers["time"], sequence_flags=NEEDED, track_event=event)


def _of_size(size: int, mark: int) -> int:
    """Give a number whose varint has so many bytes, and ends in a mark."""
    return mark << _GROUP_BITS * (size - 1)


def _varint_sizes(numbers: I64) -> I64:
    """Count the bytes of varints; not negative."""
    limits = [1 << _GROUP_BITS * groups for groups in range(1, 9)]
    return np.searchsorted(np.array(limits, np.int64), numbers, side="right") + 1
