"""Show a tape while it grows: one index after another, each of a bounded number of records.

    with Following(view, tape, place):
        ...

Each index is made from the newest records and from samples of earlier ones, so that the work does
not grow with the tape. When the tape is closed, or has not grown for a while, all of it is read.
"""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final, Self

from tickertape.errors import TapeDamaged, TapeError, TickertapeError
from tickertape.tape.reader import TapeReader
from tickertape.view.bookmarks import Bookmarks
from tickertape.view.index import Place, made
from tickertape.view.sample import LARGE_RECORDS, RecentReader

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.view.index import Index
    from tickertape.view.versions import View

_LOOK_S: Final = 0.25
_QUIET_S: Final = 3.0
"""A tape that did not grow for this time is read whole, with the losses in its receipts."""
_PAUSE_SHARE: Final = 2.0
"""Pause after making an index, as a multiple of the time that making it took."""


class _StoppedError(Exception):
    """The view is closed."""


class _GrownError(Exception):
    """The tape has grown while all of it was read."""


class Following:
    """Makes indexes in a thread, with its own readers; use it as a context manager."""

    def __init__(
        self, view: View, tape: Path, stream: int | None, *, keep: bool, shown_bytes: int
    ) -> None:
        """Prepare the thread; entering the context starts it.

        Args:
            view: shows the indexes; it shows one already.
            tape: path of the tape, which is not closed yet.
            stream: stream number; None for the first one in use.
            keep: keep the index of the closed tape, and then let pages add bookmarks.
            shown_bytes: size of the part of the tape that is shown.
        """
        self._view, self._tape, self._stream, self._keep = view, tape, stream, keep
        self._inode = tape.stat().st_ino
        self._bytes, self._is_final = shown_bytes, False
        self._grown_s = time.monotonic()
        self._stop = threading.Event()
        self._kept = ExitStack()
        self._thread = threading.Thread(target=self._run, name="index", daemon=True)

    def __enter__(self) -> Self:
        """Start the thread."""
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        """End the thread."""
        self._stop.set()
        self._thread.join()
        self._kept.close()

    def _run(self) -> None:
        pause_s = 0.0
        try:
            while not self._stop.wait(max(pause_s, _LOOK_S)):
                began_s = time.monotonic()
                if self._look():
                    return
                pause_s = _PAUSE_SHARE * (time.monotonic() - began_s)
        except _StoppedError:
            return
        except TickertapeError as error:
            self._view.fail(error)

    def _look(self) -> bool:
        """Show new records; return whether the tape is closed.

        Raises:
            TapeError: the tape was replaced, or cannot be read.
        """
        size = self._size()
        if size == self._bytes:
            if not self._is_final and time.monotonic() - self._grown_s > _QUIET_S:
                self._show_all()
            return False
        with ExitStack() as stack:
            reader = stack.enter_context(RecentReader(self._tape))
            is_closed = reader.closed
            if not is_closed or reader.record_count >= LARGE_RECORDS:
                self._show_recent(reader, stack.pop_all())
        self._bytes, self._grown_s = size, time.monotonic()
        if is_closed:
            self._show_closed()
        return is_closed

    def _size(self) -> int:
        """Return the size of the tape.

        Raises:
            TapeError: the tape is gone or was replaced.
        """
        try:
            found = self._tape.stat()
        except OSError as error:
            raise TapeError(f"{self._tape} is gone", "view it again") from error
        if found.st_ino != self._inode or found.st_size < self._bytes:
            raise TapeDamaged(f"{self._tape} was replaced by another tape", "view it again")
        return found.st_size

    def _show_recent(self, reader: RecentReader, stack: ExitStack) -> None:
        """Show a part of the tape; `stack` closes the reader."""
        with stack:
            place = stack.enter_context(Place(self._tape, self._stream, keep=False))
            total = reader.record_count
            index = made(reader, place, self._known_stream(reader), self._tell)
            kept = stack.pop_all()
        self._is_final = False
        self._view.show(index, complete=reader.is_whole, total=total, close=kept.close)

    def _known_stream(self, reader: TapeReader) -> int | None:
        """Return the requested stream; None while the tape has no record of it."""
        if self._stream is None or self._stream in {one.stream for one in reader.rings}:
            self._view.doubt("")
            return self._stream
        self._view.doubt(
            f"No records of stream {self._stream} have arrived: the first stream is shown."
        )
        return None

    def _tell(self, _read: int, _total: int) -> None:
        if self._stop.is_set():
            raise _StoppedError

    def _show_all(self) -> None:
        """Read all of a tape that is not closed; give up as soon as it grows."""

        def tell(read: int, total: int) -> None:
            self._tell(read, total)
            if self._size() != self._bytes:
                raise _GrownError

        with ExitStack() as stack:
            reader = stack.enter_context(TapeReader(self._tape))
            place = stack.enter_context(Place(self._tape, self._stream, keep=False))
            try:
                index = made(reader, place, self._known_stream(reader), tell)
            except _GrownError:
                return
            self._is_final = True
            kept = stack.pop_all()
        self._view.show(index, complete=True, total=reader.record_count, close=kept.close)

    def _show_closed(self) -> None:
        """Read all of the closed tape; keep its index and enable bookmarks, if `keep`."""
        reader = self._kept.enter_context(TapeReader(self._tape))
        place = self._kept.enter_context(Place(self._tape, self._stream, keep=self._keep))
        stream = self._known_stream(reader)
        index: Index = place.known(reader) or made(reader, place, stream, self._tell)
        refusal = "" if self._keep else "the tape was opened read-only"
        segments = index.about["segments"]
        self._view.keep(Bookmarks(self._tape, segments, refusal=refusal, renew=place.renew))
        self._view.say("")
        self._view.show(index, complete=True, total=reader.record_count)
