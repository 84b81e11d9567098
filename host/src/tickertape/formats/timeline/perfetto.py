"""Writes a tape as a trace for Perfetto (protobuf), with the tracks of `Timeline`.

    report = export_perfetto(Source(reader), Path("trace.pftrace"))

`track_packets` or the timeline itself encodes the packets of events and counters, because there may
be millions. The protobuf library encodes all others; it is part of the package `perfetto`, an extra
of the same name.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, BinaryIO, Final

import numpy as np

from tickertape.formats.timeline.parts import export_view
from tickertape.formats.timeline.timeline import END, Counters, Packets
from tickertape.formats.timeline.track_packets import (
    CLEARED,
    NEEDED,
    TrackPackets,
    packet,
    protobuf,
)

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tickertape.formats.report import Report
    from tickertape.formats.source import Source
    from tickertape.formats.timeline.timeline import Part, Timeline, Track

_BOOT_TRACK: Final = 1 << 60
_GROUP_TRACK: Final = 1 << 59


def export_perfetto(source: Source, output: Path, *, stream: int | None = None) -> Report:
    """Write one stream of a tape; see `export_view`; UsageError without the package `perfetto`."""
    protobuf()  # raise before a file is opened
    target_of = source.reader.target_of
    return export_view(
        source, output, lambda file, line: PacketWriter(file, line, target_of), stream, packets=True
    )


class PacketWriter:
    """Encodes parts of a timeline.

    Attributes:
        slices: number of slices and moments so far.
        flows: number of messages with both ends so far.
    """

    def __init__(self, file: BinaryIO, timeline: Timeline, target_of: Callable[[int], str]) -> None:
        """Write the begin of a trace.

        Args:
            file: receives the packets.
            timeline: the timeline of the parts.
            target_of: returns the description of the target, given an epoch.

        Raises:
            UsageError: the package `perfetto` is not installed.
        """
        self._pb = protobuf()
        self._file = file
        self._timeline = timeline
        self._target_of = target_of
        self._described: set[int] = set()
        self._groups: dict[tuple[int, str], int] = {}
        self._words = 1
        self.slices = 0
        self.flows = 0
        self._packets = TrackPackets()
        self._file.write(packet(sequence_flags=CLEARED))

    def write(self, part: Part) -> None:
        """Write a part, encoded if necessary."""
        if isinstance(part, Counters):
            self._describe_counters(part)
            self._file.write(self._packets.counters(part))
            return
        self._intern()
        if isinstance(part, Packets):
            self._file.write(part.data.data)
            self.slices += part.slices
            self.flows += part.flows
            return
        self._file.write(self._packets.events(part))
        self.slices += int(np.count_nonzero(part.phase != END))
        self.flows += int(np.count_nonzero(part.flow < 0))

    def _describe_counters(self, part: Counters) -> None:
        """Describe new counters before their values, because readers drop values before that."""
        new = set(part.track.tolist()) - self._described
        if new:
            self._described |= new
            for track in self._timeline.tracks:
                if track.number in new:
                    self._describe(track)

    def _intern(self) -> None:
        """Write the names that are new since the last call."""
        new = self._timeline.words.since(self._words)
        if not new:
            return
        names = [
            self._pb.EventName(iid=self._words + place, name=text) for place, text in enumerate(new)
        ]
        self._words += len(new)
        interned = self._pb.InternedData(event_names=names)
        self._file.write(packet(sequence_flags=NEEDED, interned_data=interned))

    def finish(self) -> None:
        """Describe the tracks; readers accept descriptions anywhere in the file."""
        for track in self._timeline.tracks:
            if not track.is_counter:
                self._describe(track)

    def _describe(self, track: Track) -> None:
        """Describe a track, and its boot and group if they are new."""
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
        self._file.write(packet(track_descriptor=self._pb.TrackDescriptor(**fields)))
