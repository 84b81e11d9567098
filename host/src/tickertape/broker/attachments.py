"""The named streams that callers read; a stream without readers stays in the target.

A caller attaches for as long as it stays (STREAM_ATTACH with argument 1), or for good: then a tape
reads the stream, and only STREAM_DETACH ends that. A name that was given again means another
stream without a reader yet.
"""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(slots=True)
class _Stream:
    generation: int
    for_good: bool = False
    readers: set[object] = field(default_factory=set)


class Attachments:
    """Who reads which stream. One thread at a time."""

    def __init__(self) -> None:
        """Begin without readers."""
        self._streams: dict[bytes, _Stream] = {}

    def add(self, name: bytes, generation: int, reader: object, *, for_good: bool) -> None:
        """Note a new reader.

        Args:
            name: of the stream.
            generation: how often its number was named, from the target.
            reader: who it is.
            for_good: the stream is to be sent whether or not the reader stays.
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
        """Note that a reader is gone; return the streams that have no reader left."""
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
        """Drop all readers; return the streams that have no permanent attachment."""
        names = [name for name, stream in self._streams.items() if not stream.for_good]
        self._streams.clear()
        return names
