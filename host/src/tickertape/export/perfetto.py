"""Writes a tape as a trace for Perfetto: protobuf, tracks and slices by `Timeline`.

    report = export_perfetto(reader, Path("trace.pftrace"))

Packets of the three forms that come by the million are encoded once by the library and filled in by
numpy (`protobuf_rows`); all others are encoded by the library. The library comes with the package
`perfetto`, an extra of the same name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO, Final

import numpy as np

from tickertape.export.extras import load
from tickertape.export.protobuf_rows import Template
from tickertape.export.timeline import END, Counters
from tickertape.export.timeline_parts import ViewReport, ViewSource, export_view

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tickertape.export.timeline import Timeline, Track, TrackEvents
    from tickertape.model.names import Names
    from tickertape.tape.reader import TapeReader

    Protobuf = Any  # classes made while the program runs

_SEQUENCE: Final = 1
_CLEARED, _NEEDED = 1, 2
_TIME: Final = (1 << 63) - 1
_SHORT_TIME: Final = (1 << 56) - 1
_TRACK: Final = (1 << 49) - 3
_NAME: Final = (1 << 28) - 5
_VALUE: Final = 12345.678
_ROWS: Final = 1 << 13  # at a time: their bytes stay in the cache until they are written
_BOOT_TRACK: Final = 1 << 60
_GROUP_TRACK: Final = 1 << 59


def export_perfetto(
    reader: TapeReader,
    path: Path,
    *,
    names_of: Callable[[int], Names],
    stream: int | None = None,
    on_progress: Callable[[int], None] | None = None,
) -> ViewReport:
    """Write one stream of a tape.

    Args:
        reader: the tape.
        path: the file; one of that name is replaced when the new one is whole.
        names_of: names within a boot, by epoch.
        stream: which stream; None for the first to which anything was offered.
        on_progress: is called now and then with the number of events read.

    Raises:
        UsageError: the package `perfetto` is not installed, or there is no such stream.
        TapeWriteFailed: the file cannot be written.
    """
    _protobuf()  # complain before anything is begun
    source = ViewSource(reader, names_of, stream, on_progress)
    return export_view(source, path, lambda file, line: PacketWriter(file, line, reader.target_of))


class PacketWriter:
    """Encodes parts of a timeline.

    Attributes:
        slices: slices and moments so far.
        flows: messages so far of which both ends were seen.
    """

    def __init__(self, file: BinaryIO, timeline: Timeline, target_of: Callable[[int], str]) -> None:
        """Begin a trace.

        Args:
            file: takes the packets.
            timeline: whose parts will be written.
            target_of: what a boot calls itself, by epoch.

        Raises:
            UsageError: the package `perfetto` is not installed.
        """
        self._pb = pb = _protobuf()
        self._file = file
        self._timeline = timeline
        self._target_of = target_of
        self._described: set[int] = set()
        self._groups: dict[tuple[int, str], int] = {}
        self._words = 1
        self.slices = 0
        self.flows = 0
        event = pb.TrackEvent
        time = {"time": _TIME, "track": _TRACK}
        kinds = (event.TYPE_SLICE_END, event.TYPE_SLICE_BEGIN, event.TYPE_INSTANT)
        self._kinds = np.array(kinds, np.uint8)  # by phase; each takes a byte
        # Times up to two years take a byte less; most do.
        self._short, self._long = self._slice_form(_SHORT_TIME), self._slice_form(_TIME)
        self._counter = Template(
            self._packet(_TIME, type=event.TYPE_COUNTER, double_counter_value=_VALUE),
            {**time, "value": _VALUE},
        )
        self._file.write(self._trace(sequence_flags=_CLEARED))

    def write(self, part: TrackEvents | Counters) -> None:
        """Encode a part."""
        if isinstance(part, Counters):
            self._describe_counters(part)
            columns = {"time": part.time_ns, "track": part.track, "value": part.value}
            self._file.write(self._counter.rows(columns).data)
            return
        self._intern()
        flowing = np.flatnonzero(part.flow)
        begin = 0
        for row in flowing.tolist():
            self._rows(part, begin, row)
            self._file.write(self._flow(part, row))
            begin = row + 1
        self._rows(part, begin, len(part.phase))
        self.slices += int(np.count_nonzero(part.phase != END))

    def _describe_counters(self, part: Counters) -> None:
        """Describe counters before their first values, which are dropped otherwise."""
        new = set(part.track.tolist()) - self._described
        if new:
            self._described |= new
            for track in self._timeline.tracks:
                if track.number in new:
                    self._describe(track)

    def _rows(self, part: TrackEvents, begin: int, end: int) -> None:
        """Encode events without flows."""
        for first in range(begin, end, _ROWS):
            here = slice(first, min(first + _ROWS, end))
            columns = {
                "time": part.time_ns[here],
                "track": part.track[here],
                "name": part.name[here],
            }
            last = int(part.time_ns[here].max())
            form, kind_at = self._long if last > _SHORT_TIME else self._short
            rows = form.filled(columns, part.phase[here], self._kinds, kind_at)
            self._file.write(rows.data)

    def _flow(self, part: TrackEvents, row: int) -> bytes:
        """Encode an end of a message; the second one of a flow terminates it."""
        flow = int(part.flow[row])
        self.flows += flow < 0
        fields = {"terminating_flow_ids" if flow < 0 else "flow_ids": [abs(flow)]}
        return bytes(
            self._trace(
                timestamp=int(part.time_ns[row]),
                sequence_flags=_NEEDED,
                track_event=self._pb.TrackEvent(
                    type=self._pb.TrackEvent.TYPE_INSTANT,
                    track_uuid=int(part.track[row]),
                    name_iid=int(part.name[row]),
                    **fields,
                ),
            )
        )

    def _intern(self) -> None:
        """Say the names that are used from here on."""
        new = self._timeline.words.since(self._words)
        if not new:
            return
        names = [
            self._pb.EventName(iid=self._words + place, name=text) for place, text in enumerate(new)
        ]
        self._words += len(new)
        interned = self._pb.InternedData(event_names=names)
        self._file.write(self._trace(sequence_flags=_NEEDED, interned_data=interned))

    def finish(self) -> None:
        """Describe the tracks; readers take descriptions from anywhere in the file."""
        for track in self._timeline.tracks:
            if not track.is_counter:
                self._describe(track)

    def _describe(self, track: Track) -> None:
        """Describe a track, and the groups that it is in where they are new."""
        pb, boot, group = self._pb, _BOOT_TRACK + track.boot, (track.boot, track.group)
        if boot not in self._described:
            self._described.add(boot)
            target = self._target_of(track.boot)
            name = f"boot {track.boot}" + (f", {target}" if target else "")
            self._say(uuid=boot, name=name)
        if group not in self._groups:
            self._groups[group] = _GROUP_TRACK + len(self._groups)
            self._say(uuid=self._groups[group], parent_uuid=boot, name=track.group)
        more = {"counter": pb.CounterDescriptor(unit_name="%")} if track.is_counter else {}
        parent = self._groups[group]
        self._say(uuid=track.number, parent_uuid=parent, name=track.name, **more)

    def _say(self, **fields: object) -> None:
        self._file.write(self._trace(track_descriptor=self._pb.TrackDescriptor(**fields)))

    def _slice_form(self, time: int) -> tuple[Template, int]:
        """Give the form of begins, ends and moments up to a time, and where it says which it is."""
        event = self._pb.TrackEvent
        forms = [
            np.frombuffer(self._packet(time, type=kind, name_iid=_NAME), np.uint8)
            for kind in (event.TYPE_SLICE_BEGIN, event.TYPE_SLICE_END)
        ]
        (kind_at,) = np.flatnonzero(forms[0] != forms[1]).tolist()
        numbers = {"time": time, "track": _TRACK, "name": _NAME}
        return Template(forms[0].tobytes(), numbers), kind_at

    def _packet(self, time: int, **fields: object) -> bytes:
        """Encode a packet with the numbers that hold the places of others."""
        return self._trace(
            timestamp=time,
            sequence_flags=_NEEDED,
            track_event=self._pb.TrackEvent(track_uuid=_TRACK, **fields),
        )

    def _trace(self, **fields: object) -> bytes:
        packet = self._pb.TracePacket(trusted_packet_sequence_id=_SEQUENCE, **fields)
        found: bytes = self._pb.Trace(packet=[packet]).SerializeToString()
        return found


def _protobuf() -> Protobuf:
    module = "perfetto.protos.perfetto.trace.perfetto_trace_pb2"
    return load(module, extra="perfetto", what="traces for Perfetto")
