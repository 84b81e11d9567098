"""Transitions as slices on tracks, compiled. See timeline.h."""

from __future__ import annotations

from ctypes import CDLL, POINTER, Structure, byref, c_int, c_int64, c_uint64, c_void_p
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape._native.library import address, library
from tickertape._native.system import TRANSITION

if TYPE_CHECKING:
    from numpy.typing import NDArray

CPUS: Final = 64
_SLOTS: Final = 4
_STEPS: Final = 2
_DONE, _TOO_LATE = range(2)
_INPUTS: Final = ("kind", "name", "message", "state_words", "open", "state", "core", "since")
_EVENTS: Final = {
    "time_ns": np.int64,
    "phase": np.uint8,
    "track": np.int64,
    "word": np.int64,
    "flow": np.int64,
}
_LOADS: Final = ("load_cpu", "load_ns", "load_step")


class _Job(Structure):
    """`tt_timeline_job_t`."""

    _fields_ = (
        ("transitions", c_void_p),
        ("count", c_uint64),
        ("tick_hz", c_uint64),
        ("entity_count", c_uint64),
        *((name, c_void_p) for name in _INPUTS),
        ("entity_tracks", c_int64),
        ("core_tracks", c_int64),
        *((name, c_void_p) for name in _EVENTS),
        ("written", c_uint64),
        ("entities", c_void_p),
        ("cores", c_void_p),
        *((name, c_void_p) for name in _LOADS),
        ("load_count", c_uint64),
    )


@dataclass(frozen=True, eq=False)
class Found:
    """What transitions mean; columns as in `Slices`, the steps of the load with those of 0."""

    time_ns: NDArray[np.int64]
    phase: NDArray[np.uint8]
    track: NDArray[np.int64]
    word: NDArray[np.int64]
    flow: NDArray[np.int64]
    entities: NDArray[np.int64]
    cores: NDArray[np.int64]
    load_cpu: NDArray[np.int64]
    load_ns: NDArray[np.int64]
    load_step: NDArray[np.int64]


class SliceMaker:
    """Makes slices; knows which messages are under way."""

    def __init__(self, compiled: CDLL) -> None:
        """Begin with none."""
        self._library = _declared(compiled)
        self._handle: int | None = self._library.tt_timeline_new()
        if self._handle is None:
            raise MemoryError

    def __del__(self) -> None:
        """Free what it knows."""
        handle = getattr(self, "_handle", None)
        if handle is not None:
            self._library.tt_timeline_free(handle)

    def begin(self) -> None:
        """Begin a boot."""
        self._library.tt_timeline_begin(self._handle)

    def slices(
        self,
        transitions: NDArray[np.void],
        tick_hz: int,
        entities: dict[str, NDArray[np.int64]],
        first_tracks: tuple[int, int],
    ) -> Found | None:
        """Tell what transitions mean for the tracks.

        Args:
            transitions: structured, `TRANSITION`, in one piece.
            tick_hz: clock rate.
            entities: i64 columns by the names of `tt_timeline_job_t`; open, state, core and since
                are changed.
            first_tracks: numbers of the tracks of entity 0 and of CPU 0.

        Returns:
            What they mean; None when a time is past what 63 bits of nanoseconds hold.
        """
        if transitions.dtype != TRANSITION or not transitions.flags.c_contiguous:
            raise ValueError("these are no transitions of the compiled part")
        count, known = len(transitions), len(entities["kind"])
        room = {name: np.empty(_SLOTS * count, kind) for name, kind in _EVENTS.items()}
        loads = {name: np.empty(_STEPS * count, np.int64) for name in _LOADS}
        marks = {"entities": np.zeros(known, np.uint8), "cores": np.zeros(CPUS, np.uint8)}
        arrays: dict[str, NDArray[Any]] = {"transitions": transitions, **entities, **room}
        arrays |= {**loads, **marks}
        job = _Job(count=count, tick_hz=tick_hz, entity_count=known)
        for name, array in arrays.items():
            setattr(job, name, address(array))
        job.entity_tracks, job.core_tracks = first_tracks
        status = self._library.tt_timeline_slices(self._handle, byref(job))
        if status == _TOO_LATE:
            return None
        if status != _DONE:
            raise MemoryError
        found: dict[str, Any] = {name: array[: job.written] for name, array in room.items()}
        found |= {name: np.flatnonzero(array) for name, array in marks.items()}
        found |= {name: array[: job.load_count] for name, array in loads.items()}
        return Found(**found)


def slice_maker(compiled: CDLL | None = None) -> SliceMaker | None:
    """Make one; None when there is no compiled part.

    Args:
        compiled: another compiled part than that of this installation.
    """
    compiled = compiled or library()
    return None if compiled is None else SliceMaker(compiled)


def _declared(compiled: CDLL) -> CDLL:
    """Tell ctypes the types of the functions used here."""
    compiled.tt_timeline_new.argtypes = []
    compiled.tt_timeline_new.restype = c_void_p
    for function in (compiled.tt_timeline_free, compiled.tt_timeline_begin):
        function.argtypes = [c_void_p]
        function.restype = None
    compiled.tt_timeline_slices.argtypes = [c_void_p, POINTER(_Job)]
    compiled.tt_timeline_slices.restype = c_int
    return compiled
