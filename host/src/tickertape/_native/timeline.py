"""Compiled conversion of transitions to slices on tracks."""

from __future__ import annotations

from ctypes import byref
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape._native.engine import Handle, address
from tickertape._native.interface import (
    TIMELINE_CPUS,
    TIMELINE_SLOTS,
    TIMELINE_STEPS,
    TRANSITION,
    TimelineJob,
    TimelineStatus,
)

if TYPE_CHECKING:
    from collections.abc import Iterator
    from ctypes import CDLL

    from numpy.typing import NDArray

    _Columns = dict[str, NDArray[Any]]

_PACKET_ROOM: Final = 1 << 20  # bytes per piece: small enough to stay in the cache
_EVENTS: Final = {
    "time_ns": np.int64,
    "phase": np.uint8,
    "track": np.int64,
    "word": np.int64,
    "flow": np.int64,
}
_LOADS: Final = ("load_cpu", "load_ns", "load_step")


@dataclass(frozen=True, eq=False)
class Found:
    """Tracks made from one piece of transitions.

    Attributes:
        columns: columns of `TrackEvents`, by name; empty if packets were requested.
        packets: u8, the events as packets; valid until the next piece.
        slices: number of begins and moments in `packets`.
        flows: number of moments that end a flow in `packets`.
        entities: i64, ascending: entities whose tracks are not empty. This and the following
            attributes are filled only in the last piece.
        cores: i64, ascending: CPUs whose tracks are not empty.
        loads: load_cpu, load_ns and load_step of `Slices`, including steps of 0.
    """

    columns: dict[str, NDArray[Any]]
    packets: NDArray[np.uint8]
    slices: int
    flows: int
    entities: NDArray[np.int64]
    cores: NDArray[np.int64]
    loads: dict[str, NDArray[np.int64]]


class SliceMaker(Handle):
    """Converts transitions to slices; holds the messages that are not received yet."""

    def __init__(self, compiled: CDLL, *, packets: bool) -> None:
        """Start without messages.

        Args:
            compiled: the compiled part.
            packets: make Perfetto packets instead of columns.
        """
        super().__init__(compiled, "timeline")
        self._packets = np.empty(_PACKET_ROOM if packets else 0, np.uint8)

    def begin(self) -> None:
        """Start a boot."""
        self._library.tt_timeline_begin(self._handle)

    def slices(
        self,
        transitions: NDArray[np.void],
        tick_hz: int,
        entities: dict[str, NDArray[np.int64]],
        first_tracks: tuple[int, int],
    ) -> Iterator[Found]:
        """Convert transitions to parts of the tracks, piece by piece.

        Args:
            transitions: structured, `TRANSITION`, contiguous.
            tick_hz: clock rate in Hz.
            entities: i64 columns by the names of `TimelineJob`; open, state, core and since
                are changed.
            first_tracks: numbers of the tracks of entity 0 and of CPU 0.

        Raises:
            OverflowError: a time does not fit into 63 bits of nanoseconds.
        """
        if transitions.dtype != TRANSITION or not transitions.flags.c_contiguous:
            raise ValueError("these are not transitions of the compiled part")
        count, known = len(transitions), len(entities["kind"])
        slots = 0 if len(self._packets) else TIMELINE_SLOTS * count
        room = {name: np.empty(slots, kind) for name, kind in _EVENTS.items()}
        loads = {name: np.empty(TIMELINE_STEPS * count, np.int64) for name in _LOADS}
        marks = {"entities": np.zeros(known, np.uint8), "cores": np.zeros(TIMELINE_CPUS, np.uint8)}
        arrays: dict[str, NDArray[Any]] = {"transitions": transitions, **entities, **room}
        arrays |= {**loads, **marks}
        job = TimelineJob(count=count, tick_hz=tick_hz, entity_count=known)
        for name, array in arrays.items():
            setattr(job, name, address(array))
        job.entity_tracks, job.core_tracks = first_tracks
        yield self._piece(job, room, marks, loads)
        while job.row < count:
            yield self._piece(job, room, marks, loads)

    def _piece(self, job: TimelineJob, room: _Columns, marks: _Columns, loads: _Columns) -> Found:
        """Convert transitions until the end, or until the room for packets is used up."""
        begin, job.slices, job.flows = 0, 0, 0
        if len(self._packets):
            begin = job.packets_end = address(self._packets)
            job.packets_limit = begin + len(self._packets)
        status = self._library.tt_timeline_slices(self._handle, byref(job))
        if status == TimelineStatus.TOO_LATE:
            raise OverflowError
        if status != TimelineStatus.DONE:
            raise MemoryError
        # Return these only once, because a later piece may still add to the last step of a CPU.
        is_last = job.row == job.count
        return Found(
            {name: array[: job.written] for name, array in room.items()},
            self._packets[: (job.packets_end or 0) - begin],
            job.slices,
            job.flows,
            np.flatnonzero(marks["entities"] if is_last else ()),
            np.flatnonzero(marks["cores"] if is_last else ()),
            {name: array[: job.load_count if is_last else 0] for name, array in loads.items()},
        )
