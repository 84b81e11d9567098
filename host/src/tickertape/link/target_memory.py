"""Links through the target's memory: the host reads a ring of frames and writes a ring of commands.

protocol/SPEC.md, "Frames in memory", specifies the layout. A `Memory` gives access to the memory: a
file that the target maps as well (here), or the server of a debug probe (`gdb_server.py`).
"""

from __future__ import annotations

import mmap
import os
import sys
import threading
import time
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Final, Protocol

from tickertape.decode.memory_frames import WORD, MemoryHead, find_head, frames_of, on_a_link
from tickertape.errors import LinkDenied, LinkError, LinkLost, LinkMissing
from tickertape.link.base import Awaiting, LiveLink
from tickertape.protocol.wire import MEMORY_LINK, MEMORY_LINK_BYTES

_COMMAND_PATIENCE_S: Final = 5.0
_PAUSE_S: Final = 0.001
_WORD_BYTES: Final = 4


class Memory(Protocol):
    """Access to the memory of a target."""

    @property
    def at_end(self) -> bool:
        """True once the target is gone."""
        ...

    def access(self) -> AbstractContextManager[object]:
        """Return the context in which `find`, `read` and `write` are allowed."""
        ...

    def find(self) -> int | None:
        """Return the address of the link's head; None while it is unknown."""
        ...

    def read(self, place: int, count: int) -> bytes:
        """Return `count` bytes; fewer if the target is gone or its memory cannot be read."""
        ...

    def write(self, place: int, data: bytes) -> None:
        """Store `data`; an aligned word in one access."""
        ...

    def close(self) -> None:
        """Release the memory. May be called twice."""
        ...


class FileMemory:
    """Memory in a file that the target maps as well: RAM of an emulator, or of another core."""

    def __init__(self, path: str, place: int | None) -> None:
        """Map a file. The head is at offset `place`; None: `find` searches it.

        Raises:
            LinkMissing: there is no such file.
            LinkDenied: the user may not read and write the file.
            LinkError: the file cannot be mapped.
        """
        self._path, self._place = path, place
        try:
            self._file = Path(path).open("r+b", buffering=0)  # noqa: SIM115 - close() closes it
            self._bytes = mmap.mmap(self._file.fileno(), 0)
            self._size = len(self._bytes)
        except FileNotFoundError as error:
            raise LinkMissing(
                f"there is no file {path}", "start the target, or check the path"
            ) from (error)
        except PermissionError as error:
            raise LinkDenied(f"{path} may not be written", "check its permissions") from error
        except (OSError, ValueError) as error:
            raise LinkError(f"{path} cannot be mapped ({error})", "name a file of memory") from (
                error
            )

    @property
    def at_end(self) -> bool:
        """True after `close`: a file does not reveal the end of the target."""
        return self._bytes.closed

    def access(self) -> AbstractContextManager[object]:
        """Return an empty context, after a check that the file is still there; see `Memory`.

        Raises:
            LinkLost: the file became shorter, or another file has its name.
        """
        self._require()
        return nullcontext()

    def find(self) -> int | None:
        """Return the given offset of the head, or search the head; see `Memory`."""
        return self._place if self._place is not None else find_head(self.read(0, self._size))

    def read(self, place: int, count: int) -> bytes:
        """Return bytes of the file; see `Memory`.

        They are not read from the mapping: a file that becomes shorter at this moment would end the
        process by a signal.
        """
        if self.at_end or not 0 <= place < self._size:
            return b""
        if not hasattr(os, "pread"):  # Windows, where a mapped file cannot become shorter
            return self._bytes[place : place + count]
        return os.pread(self._file.fileno(), min(count, self._size - place), place)

    def write(self, place: int, data: bytes) -> None:
        """Store bytes in the file; see `Memory`.

        Raises:
            LinkLost: the file became shorter, or another file has its name.
        """
        self._require()
        if len(data) == _WORD_BYTES and place % _WORD_BYTES == 0:
            whole = memoryview(self._bytes)[: len(self._bytes) // _WORD_BYTES * _WORD_BYTES]
            whole.cast("I")[place // _WORD_BYTES] = int.from_bytes(data, sys.byteorder)
        else:
            self._bytes[place : place + len(data)] = data

    def close(self) -> None:
        """Unmap the file. May be called twice."""
        self._bytes.close()
        self._file.close()

    def _require(self) -> None:
        """Check that the mapped file is still there, with its size."""
        if self.at_end:
            return
        try:
            own, named = os.fstat(self._file.fileno()), Path(self._path).stat()
            is_same = os.path.samestat(own, named) and own.st_size >= self._size
        except OSError:
            is_same = False
        if not is_same:
            self.close()
            raise LinkLost(
                f"{self._path} became shorter or was replaced: its target has ended",
                "start the target, and capture again",
            )


class TargetMemoryLink(LiveLink):
    """A link through a `Memory`. Implements `link.base.Link` and `link.base.Remarking`."""

    def __init__(self, memory: Memory, name: str) -> None:
        """Take ownership of the access to a memory; `name` is for messages."""
        super().__init__(name)
        self._memory = memory
        self._place: int | None = None
        self._ready = b""
        self._skipped_bytes = 0
        self._lock = threading.Lock()

    @property
    def at_end(self) -> bool:
        """True once the target is gone and all bytes were read."""
        return self._memory.at_end and not self._ready

    def read(self, max_bytes: int, timeout_s: float) -> bytes:
        """Return the bytes that wait in the ring of frames; see `Link.read`."""
        deadline = time.monotonic() + timeout_s
        while not self._ready and not self._memory.at_end:
            with self._lock:
                self._ready = self._take()
            left_s = deadline - time.monotonic()
            if self._ready or left_s <= 0:
                break
            time.sleep(min(_PAUSE_S, left_s))
        out, self._ready = self._ready[:max_bytes], self._ready[max_bytes:]
        return out

    def write(self, data: bytes) -> None:
        """Send all of `data` through the ring of commands; see `Link.write`.

        Raises:
            LinkLost: the target is gone.
            LinkError: the target reads no byte for 5 s.
        """
        deadline = time.monotonic() + _COMMAND_PATIENCE_S
        while data:
            with self._lock:
                count = self._give(data)
            data = data[count:]
            if self._memory.at_end:
                raise LinkLost(f"{self.name} is gone", "start the target again")
            if count:
                deadline = time.monotonic() + _COMMAND_PATIENCE_S
            elif time.monotonic() >= deadline:
                raise LinkError(
                    f"the target at {self.name} reads no commands", "check that it is running"
                )
            else:
                time.sleep(_PAUSE_S)

    def end_by(self, end_s: float) -> None:
        """Wait for no answer of a debug probe after this time; see `link.base.Awaiting`."""
        if isinstance(self._memory, Awaiting):
            self._memory.end_by(end_s)

    def remarks(self) -> list[str]:
        """Return a remark about bytes of the ring that were not frames."""
        if not self._skipped_bytes:
            return []
        return [f"{self.name}: {self._skipped_bytes} bytes of the ring were not frames"]

    def close(self) -> None:
        """Release the memory. May be called twice."""
        self._memory.close()

    def _head(self) -> tuple[int, MemoryHead] | None:
        """Return address and contents of the head; None while the target has none."""
        if self._place is None:
            self._place = self._memory.find()
        if self._place is None:
            return None
        head = MemoryHead.parse(self._memory.read(self._place, MEMORY_LINK_BYTES))
        if head is None:  # a reset; after it the head may lie elsewhere
            place, self._place = self._place, None
            return None if self._memory.find() in {None, place} else self._head()
        return self._place, head

    def _take(self) -> bytes:
        """Take all frames out of the ring and return them in the encoding of a serial link."""
        with self._memory.access():
            found = self._head()
            if found is None:
                return b""
            place, head = found
            waiting = head.waiting_bytes
            if waiting == 0:
                return b""
            data = b""
            if waiting <= head.up_bytes:
                data = self._of_ring(place, head, waiting)
                if len(data) < waiting:
                    return b""
            self._store(place, "up_read", head.up_written)
        frames = frames_of(data)
        if not frames:
            self._skipped_bytes += min(waiting, head.up_bytes)
            return b""
        return on_a_link(frames)

    def _of_ring(self, place: int, head: MemoryHead, count: int) -> bytes:
        """Read the oldest `count` bytes of the ring of frames."""
        ring = (place + head.up_offset) % WORD
        first = head.up_read % head.up_bytes
        part = min(count, head.up_bytes - first)
        data = self._memory.read(ring + first, part)
        return data + self._memory.read(ring, count - part) if count > part else data

    def _give(self, data: bytes) -> int:
        """Write as many bytes as the ring of commands has room for; return their number."""
        with self._memory.access():
            found = self._head()
            if found is None:
                return 0
            place, head = found
            used = (head.down_written - head.down_read) % WORD
            ring = (place + head.down_offset) % WORD
            first = head.down_written % head.down_bytes
            count = min(len(data), max(head.down_bytes - used, 0), head.down_bytes - first)
            if count:
                self._memory.write(ring + first, data[:count])
                self._store(place, "down_written", (head.down_written + count) % WORD)
            return count

    def _store(self, place: int, counter: str, value: int) -> None:
        """Store a counter of the head that the host owns."""
        self._memory.write(place + _OFFSETS[counter], value.to_bytes(_WORD_BYTES, "little"))


_OFFSETS: Final = {
    field.name: _WORD_BYTES * number for number, field in enumerate(MEMORY_LINK.subcons)
}
"""Offset of each word of the head, in bytes, by name."""
