"""The compiled part under the sanitizers, as a process (driver.c), in place of the library."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from tickertape._native.assembler import COLUMNS, Assembled, assembled

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from numpy.typing import NDArray

_FOUND_WORDS = 10  # the last one is a pointer


class SanitizedAssembler:
    """Does what `Assembler` does."""

    def __init__(self, program: Path, byte_order: str) -> None:
        self._swap = byte_order != sys.byteorder
        self._process = subprocess.Popen(
            [str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        _, complaint = self._process.communicate()
        assert (self._process.returncode, complaint) == (0, b""), complaint.decode()

    def take(
        self,
        buffers: NDArray[np.void],
        records: NDArray[np.void],
        gap_buffers: NDArray[np.intp],
        *,
        last: bool = False,
    ) -> Assembled:
        gap = np.zeros(len(buffers), np.uint8)
        gap[gap_buffers] = 1
        request = np.array([len(buffers), len(records), self._swap, last], np.uint64)
        parts: list[NDArray[Any]] = [
            request,
            buffers["first_ordinal"].astype(np.uint64),
            buffers["ticks"].astype(np.uint64),
            buffers["count"].astype(np.uint32),
            gap,
            records,
        ]
        assert self._process.stdin is not None
        self._process.stdin.write(b"".join(part.tobytes() for part in parts))
        self._process.stdin.flush()
        found = self._get(np.uint64, _FOUND_WORDS).tolist()
        before = self._get(np.uint64, len(buffers))
        has_before = self._get(np.uint8, len(buffers))
        columns = {name: self._get(kind, found[0]) for name, kind in COLUMNS.items()}
        columns["payload"] = self._get(np.uint64, found[1]).view(np.uint8)
        given_up = tuple(self._get(np.uint64, found[4]).tolist())
        ticks = {at: int(before[at]) if has_before[at] else None for at in gap_buffers.tolist()}
        return assembled(columns, found[:-1], ticks, given_up)

    def _get(self, kind: Any, count: int) -> NDArray[Any]:  # noqa: ANN401 - any type of numpy
        assert self._process.stdout is not None
        size = np.dtype(kind).itemsize * count
        data = self._process.stdout.read(size)
        if len(data) != size:
            assert self._process.stderr is not None
            raise AssertionError(self._process.stderr.read().decode())
        return np.frombuffer(data, kind)
