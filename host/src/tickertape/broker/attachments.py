"""Keep the readers of named streams; the target keeps the records of a stream without readers.

A caller attaches for the time of its connection (STREAM_ATTACH with argument 1), or permanently: a
tape then reads the stream until STREAM_DETACH. A name that the target gives again, to another
stream, has no reader.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class _Stream:
    generation: int
    for_good: bool = False
    readers: set[object] = field(default_factory=set)


class Attachments:
    """Readers by stream name. One thread at a time."""

    def __init__(self) -> None:
        """Begin without readers."""
        self._streams: dict[bytes, _Stream] = {}

    def add(self, name: bytes, generation: int, reader: object, *, for_good: bool) -> None:
        """Add a reader to a stream.

        Args:
            name: name of the stream.
            generation: how often the target has named the stream's number; another value means
                another stream.
            reader: identity of the reader.
            for_good: attach permanently, also after the reader has gone.
        """
        stream = self._streams.get(name)
        if stream is None or stream.generation != generation:
            stream = self._streams[name] = _Stream(generation)
        stream.for_good = stream.for_good or for_good
        if not for_good:
            stream.readers.add(reader)

    def release(self, name: bytes) -> bool:
        """Drop a permanent attachment; return whether the stream has no reader left."""
        stream = self._streams.get(name)
        if stream is not None and stream.readers:
            stream.for_good = False
            return False
        self._streams.pop(name, None)
        return True

    def remove(self, reader: object) -> list[bytes]:
        """Remove a reader from all streams; return the names of streams without a reader left."""
        unread = []
        for name, stream in self._streams.items():
            if reader in stream.readers:
                stream.readers.remove(reader)
                if not stream.readers and not stream.for_good:
                    unread.append(name)
        for name in unread:
            del self._streams[name]
        return unread

    def clear(self) -> list[bytes]:
        """Remove all readers; return the names of streams without a permanent attachment."""
        names = [name for name, stream in self._streams.items() if not stream.for_good]
        self._streams.clear()
        return names
