"""The index of a tape: made once, kept in the user's cache, made again when stale.

The cache is `$XDG_CACHE_HOME/tickertape/view`, a folder per tape. An index is stale when the size
or the time of change of its tape differs, or another version of this program wrote it. The most
recently used indexes are kept.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Self

from tickertape.errors import TapeWriteFailed, UsageError
from tickertape.protocol.events import ThreadEvent
from tickertape.protocol.wire import ChunkType
from tickertape.tape.reader import TapeReader
from tickertape.version import __version__
from tickertape.view.arrows import Arrows
from tickertape.view.build import Builder
from tickertape.view.events import EventPages
from tickertape.view.rows import STATE_NAMES, RowStore

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_FORMAT: Final = 5
_KEPT: Final = 8
_ABOUT: Final = "about.json"


class Index:
    """An open index.

    Attributes:
        about: result of `Built.to_json`, and `name` of the tape, `states` and `causes`.
        rows: intervals of each row.
        arrows: arrows between rows.
        events: events of the tape, for lists.
        tape: path of the tape.
    """

    def __init__(self, folder: Path, reader: TapeReader) -> None:
        """Open a complete index."""
        about: dict[str, Any] = json.loads((folder / _ABOUT).read_text(encoding="utf-8"))["about"]
        self.about = about
        self.rows = RowStore(folder, int(about["end"]))
        self.arrows = Arrows(folder)
        self.events = EventPages(reader, about)
        self.tape = reader.path


@contextmanager
def open_index(
    tape: Path,
    *,
    stream: int | None = None,
    keep: bool = True,
    tell: Callable[[int, int], None] = lambda _done, _total: None,
) -> Iterator[Index]:
    """Open the index of a tape; make it if there is none.

    Args:
        tape: the tape.
        stream: stream number; None for the first one in use.
        keep: write to the cache, else to a temporary folder that is removed at the end.
        tell: takes the numbers of events read and of records, while the index is made.

    Raises:
        TapeError: the tape cannot be read.
        UsageError: there is no such stream.
        TapeWriteFailed: the index cannot be written.
    """
    with TapeReader(tape) as reader, Place(tape, stream, keep=keep) as place:
        yield place.known(reader) or made(reader, place, stream, tell)


class Place:
    """The folder of an index: in the cache, or temporary for the time of a `with`.

    Attributes:
        folder: folder of the index, which may not exist yet.
        stamp: identifies tape and program. It is taken before the tape is read: if the tape
            grows in the meantime, the index is stale.
    """

    def __init__(self, tape: Path, stream: int | None, *, keep: bool) -> None:
        """Choose a folder in the cache, or without `keep` a temporary one."""
        self._temporary = None if keep else tempfile.TemporaryDirectory(prefix="tickertape-view-")
        self._of = (tape, stream)
        self._chunks = b""
        self.stamp = _stamp_of(tape, stream)
        key = hashlib.sha256(f"{tape.resolve()}:{stream}".encode()).hexdigest()[:24]
        self.folder = (Path(self._temporary.name) if self._temporary else _cache()) / key

    def __enter__(self) -> Self:
        """Nothing to do."""
        return self

    def __exit__(self, *_error: object) -> None:
        """Remove a temporary folder."""
        if self._temporary is not None:
            self._temporary.cleanup()

    def known(self, reader: TapeReader) -> Index | None:
        """Return the existing index; None if there is none, or it is stale."""
        self._chunks = reader.chunks.tobytes() if reader.closed else b""
        if _stamp_in(self.folder) != self.stamp:
            return None
        os.utime(self.folder)
        return Index(self.folder, reader)

    def renew(self, change: Callable[[], None]) -> None:
        """Change the notes of the tape and keep its index valid, which does not depend on them.

        Args:
            change: changes the tape.

        Raises:
            UsageError: another program changed more of the tape than its notes.
        """
        path, stream = self._of
        now = _stamp_of(path, stream)
        if now != self.stamp:
            if now["inode"] != self.stamp["inode"] or not self._has_only_notes_more():
                raise UsageError(f"{path} has changed since it was opened", "view it again")
            self.stamp = now
        change()
        kept = _is_of_same(_stamp_in(self.folder), self.stamp)
        self.stamp = _stamp_of(path, stream)
        if not kept:
            return
        about = self.folder / _ABOUT
        fresh = about.with_suffix(".new")
        known = json.loads(about.read_text(encoding="utf-8"))
        with suppress(OSError):  # on failure the index is made again the next time
            fresh.write_text(json.dumps({**known, "stamp": self.stamp}), encoding="utf-8")
            fresh.replace(about)

    def _has_only_notes_more(self) -> bool:
        """Return whether the tape is unchanged except for new chunks without records."""
        with TapeReader(self._of[0]) as reader:
            known = len(self._chunks) // reader.chunks.itemsize
            more = set(reader.chunks["type"][known:].tolist())
            return (
                bool(self._chunks)
                and reader.closed
                and reader.chunks[:known].tobytes() == self._chunks
                and more <= {ChunkType.NOTE, ChunkType.SUMMARY, ChunkType.INDEX, ChunkType.END}
            )


def _cache() -> Path:
    base = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(base) / "tickertape" / "view"


def _stamp_of(tape: Path, stream: int | None) -> dict[str, object]:
    found = tape.stat()
    return {
        "format": _FORMAT,
        "version": __version__,
        "tape": str(tape.resolve()),
        "bytes": found.st_size,
        "changed_ns": found.st_mtime_ns,
        "inode": found.st_ino,
        "stream": stream,
    }


def _is_of_same(stamp: object, now: dict[str, object]) -> bool:
    """Return whether a stamp is of the same tape, apart from size and time of change."""
    changes = {"bytes", "changed_ns"}
    return isinstance(stamp, dict) and all(
        stamp.get(name) == value for name, value in now.items() if name not in changes
    )


def _stamp_in(folder: Path) -> object:
    """Return the stamp of a complete index; None without one."""
    try:
        return json.loads((folder / _ABOUT).read_text(encoding="utf-8")).get("stamp")
    except (OSError, ValueError, AttributeError):
        return None


def made(
    reader: TapeReader, place: Place, stream: int | None, tell: Callable[[int, int], None]
) -> Index:
    """Make an index in a temporary folder, then move it to its place, so that it is complete there.

    Args:
        reader: the tape.
        place: folder of the index.
        stream: stream number; None for the first one in use.
        tell: takes the numbers of events read and of records.

    Raises:
        UsageError: there is no such stream.
        TapeWriteFailed: the index cannot be written.
    """
    parent = place.folder.parent
    try:
        parent.mkdir(parents=True, exist_ok=True)
        _forget_old(parent)
        with tempfile.TemporaryDirectory(dir=parent, prefix="new-") as name:
            fresh = Path(name) / "index"
            fresh.mkdir()
            total = reader.record_count
            built = Builder(reader, fresh, stream).run(lambda done: tell(done, total))
            about = {**built.to_json(), "name": reader.path.name, "states": STATE_NAMES}
            about["causes"] = {int(one): one.name for one in ThreadEvent}
            text = json.dumps({"stamp": place.stamp, "about": about})
            (fresh / _ABOUT).write_text(text, encoding="utf-8")
            shutil.rmtree(place.folder, ignore_errors=True)
            fresh.rename(place.folder)
    except OSError as error:
        raise TapeWriteFailed(
            f"the index of {reader.path} cannot be written to {parent} ({error.strerror})",
            "make room there, or set XDG_CACHE_HOME to another folder",
        ) from error
    return Index(place.folder, reader)


def _forget_old(cache: Path) -> None:
    """Remove the least recently used indexes, to make room for one more."""
    if not cache.is_dir():
        return
    known = [one for one in cache.iterdir() if (one / _ABOUT).is_file()]
    known.sort(key=lambda one: one.stat().st_mtime, reverse=True)
    for folder in known[_KEPT - 1 :]:
        shutil.rmtree(folder, ignore_errors=True)
