"""Compiled attribution of ticks to causes."""

from __future__ import annotations

from ctypes import byref, c_void_p
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tickertape._native.engine import Handle, address
from tickertape._native.interface import (
    PATH,
    STEP,
    STRETCH,
    TRANSITION,
    AttributionJob,
    LivesStatus,
)
from tickertape._native.lives import array_at

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from ctypes import CDLL

    from numpy.typing import NDArray


class Paths(NamedTuple):
    """All paths, as structured arrays of `PATH` and `STEP`."""

    paths: NDArray[np.void]
    steps: NDArray[np.void]


class AttributedTicks(NamedTuple):
    """Ticks of one window: the latest segments, `STRETCH`, and older ticks by path."""

    segments: NDArray[np.void]
    totals: NDArray[np.int64]


class Attributor(Handle):
    """Attributes the ticks of windows of one boot."""

    def __init__(
        self, compiled: CDLL, segments: int, windows: Sequence[tuple[int, int, int, int]]
    ) -> None:
        """Begin before the first transition.

        Args:
            compiled: the compiled part.
            segments: number of latest segments that a window keeps.
            windows: entity, instance or -1, begin and end of each window.

        Raises:
            MemoryError: no memory is available.
        """
        super().__init__(compiled, "attribution", segments)
        self._count = len(windows)
        for window in windows:
            if self._library.tt_attribution_window(self._handle, *window):
                raise MemoryError

    def feed(
        self,
        transitions: NDArray[np.void],
        kind: NDArray[np.int64],
        is_tracer: NDArray[np.uint8],
    ) -> None:
        """Process transitions, `TRANSITION`; kind and role of each entity."""
        if transitions.dtype != TRANSITION or not transitions.flags.c_contiguous:
            raise ValueError("these are not transitions of the compiled part")
        job = AttributionJob(transitions=address(transitions), count=len(transitions))
        self._call(self._library.tt_attribution_feed, job, kind, is_tracer)

    def finish(
        self, end: int, kind: NDArray[np.int64], is_tracer: NDArray[np.uint8]
    ) -> tuple[Paths, list[AttributedTicks]]:
        """Attribute the ticks up to a time; return the paths, and the ticks of each window."""
        job = AttributionJob(end=end)
        self._call(self._library.tt_attribution_finish, job, kind, is_tracer)
        paths = Paths(
            array_at(job.paths, job.path_count, PATH).copy(),
            array_at(job.steps, job.step_count, STEP).copy(),
        )
        return paths, [self._ticks_of(window) for window in range(self._count)]

    def _ticks_of(self, window: int) -> AttributedTicks:
        segments = self._array(self._library.tt_attribution_segments, window, STRETCH)
        totals = self._array(self._library.tt_attribution_totals, window, np.dtype(np.int64))
        return AttributedTicks(segments, totals)

    def _array(self, function: Callable[..., int], window: int, kind: np.dtype[Any]) -> Any:  # noqa: ANN401 - the caller knows the type
        place = c_void_p()
        count = function(self._handle, window, byref(place))
        return array_at(place.value, count, kind).copy()

    def _call(
        self,
        function: Callable[..., int],
        job: AttributionJob,
        kind: NDArray[np.int64],
        is_tracer: NDArray[np.uint8],
    ) -> None:
        job.kind, job.is_tracer = address(kind), address(is_tracer)
        job.entity_count = len(kind)
        status = function(self._handle, byref(job))
        if status == LivesStatus.NO_ENTITY:
            raise ValueError("a transition or a window is of an unknown entity")
        if status != LivesStatus.DONE:
            raise MemoryError
