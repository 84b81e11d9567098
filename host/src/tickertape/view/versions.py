"""Answer questions from the best index so far, and send updates to a page.

A large tape has a sample before its whole index; a growing tape has one index after another. Row
numbers differ between indexes, so a question names the version whose numbers it uses.
"""

from __future__ import annotations

import threading
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final, Protocol

from tickertape.errors import TickertapeError, UsageError
from tickertape.view.queries import Queries, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tickertape.view.bookmarks import Bookmarks
    from tickertape.view.index import Index

KEPT: Final = 3
"""Number of versions that answer: the latest one, and earlier ones that a page may still use."""

_LONGEST_NUMBER: Final = 18


class OutdatedError(UsageError):
    """The version that a question names no longer answers; a later one does."""


class Target(Protocol):
    """A target whose tape is written while a page shows it."""

    def state(self) -> dict[str, Any]:
        """Return the state of the target as JSON values; see `Live` in types.ts."""

    def change(self, name: str, arguments: Mapping[str, str]) -> dict[str, Any] | None:
        """Control the target; see `Answers.change`."""


class _Version:
    """An index that answers, and the function that closes it after its last answer."""

    def __init__(self, index: Index, close: Callable[[], None], *, complete: bool) -> None:
        self.queries = Queries(index)
        self.close = close
        self.complete = complete
        self.read = int(index.about["events"])
        self.users = 0
        self.is_old = False


class View:
    """Answers questions about one tape; see `Answers`.

    Attributes:
        has_drawn: set when a page has requested its first rows.
    """

    def __init__(self, total: int, *, target: Target | None = None, grows: bool = False) -> None:
        """Begin without an index.

        Args:
            total: number of records on the tape.
            target: the target of the tape; None if this program does not record it.
            grows: whether later versions may have more records; pages then get news.
        """
        self._total, self._target, self._grows = total, target, grows
        self._read = 0
        self._error = ""
        self._text = self._doubt = ""
        self._lock = threading.Lock()
        self._versions: dict[int, _Version] = {}
        self._bookmarks: Bookmarks | None = None
        self.has_drawn = threading.Event()

    def keep(self, bookmarks: Bookmarks) -> None:
        """Show bookmarks, and let pages add bookmarks."""
        self._bookmarks = bookmarks

    def show(
        self,
        index: Index,
        *,
        complete: bool,
        total: int | None = None,
        close: Callable[[], None] = lambda: None,
    ) -> None:
        """Answer from an index from now on.

        Args:
            index: the new index.
            complete: whether it contains all records of the tape.
            total: number of records on the tape; None if unchanged.
            close: called when `KEPT` newer versions exist and no question uses the index, or by
                `View.close`.
        """
        with self._lock:
            self._total = self._total if total is None else total
            self._versions[self._best + 1] = _Version(index, close, complete=complete)
            old = sorted(self._versions)[:-KEPT]
            dropped = [self._versions.pop(one) for one in old]
            for one in dropped:
                one.is_old = True
            unused = [one for one in dropped if not one.users]
        for one in unused:
            one.close()

    def told(self, read: int) -> None:
        """Set the number of events read so far."""
        self._read = read

    def say(self, text: str) -> None:
        """Set the text about the growing tape."""
        self._text = text

    def doubt(self, text: str) -> None:
        """Set the text about a deviation from the user's options; empty for none."""
        self._doubt = text

    def fail(self, error: TickertapeError) -> None:
        """Set the error that prevented a complete index."""
        self._error = str(error)

    def close(self) -> None:
        """Close the remaining versions; no question may follow."""
        for one in self._versions.values():
            one.close()

    def news(self) -> dict[str, Any] | None:
        """Return the state of a growing tape; None for other tapes. See `Answers.news`."""
        if not self._grows:
            return None
        state = {"state": "growing"} if self._target is None else self._target.state()
        found = {**state, **self._progress()}
        texts = (self._text or found.get("text", ""), self._doubt)
        return {**found, "text": " ".join(filter(None, texts))}

    def answer(self, name: str, arguments: Mapping[str, str]) -> dict[str, Any] | None:
        """Answer a question; see `Queries.answer`.

        The question `progress` returns the best version, the number of events read, and the error
        that prevented a better version.

        Raises:
            UsageError: an argument is missing or out of range.
            OutdatedError: the version that the question names no longer answers.
        """
        if name == "progress":
            return self._progress()
        with self._used(arguments.get("version", "")) as (best, version):
            if name == "findings" and not (version.complete or self._grows):
                raise UsageError("the tape is still being read", "ask again when all of it is")
            found = version.queries.answer(name, arguments)
        if name == "tiles":
            self.has_drawn.set()
        if found is None or name != "about":
            return found
        progress = self._progress()
        told = {"version": best, "complete": version.complete, "live": self.news()}
        return {**found, **progress, **told, **self._marked(complete=version.complete)}

    def change(self, name: str, arguments: Mapping[str, str]) -> dict[str, Any] | None:
        """Add a bookmark with `time` and `text`, or control the target; see `Answers.change`."""
        if name != "bookmark":
            return None if self._target is None else self._target.change(name, arguments)
        best = self._versions[self._best]
        if self._bookmarks is None or not best.complete:
            raise UsageError("the tape is still being read", "wait until all of it is shown")
        about = best.queries.answer("about", {}) or {}
        when = number(arguments, "time", about["begin"], about["end"])
        self._bookmarks.add(when, arguments.get("text", ""))
        return self._marked(complete=True)

    @property
    def _best(self) -> int:
        """Number of the latest version; -1 before the first."""
        return max(self._versions, default=-1)

    def _progress(self) -> dict[str, Any]:
        with self._lock:
            best = self._best
            complete = self._versions[best].complete
            read = self._versions[best].read if self._grows else self._read
        return {
            "version": best,
            "complete": complete,
            "read": self._total if complete else min(read, self._total),
            "total": self._total,
            "error": self._error,
        }

    @contextmanager
    def _used(self, wanted: str) -> Iterator[tuple[int, _Version]]:
        """Yield number and version that a question names, or the latest one."""
        with self._lock:
            best = self._best
            is_number = wanted.isascii() and wanted.isdigit() and len(wanted) <= _LONGEST_NUMBER
            chosen = int(wanted) if is_number and int(wanted) <= best else best
            version = self._versions.get(chosen)
            if version is None:
                raise OutdatedError("the tape has grown since", "ask again")
            version.users += 1
        try:
            yield chosen, version
        finally:
            with self._lock:
                version.users -= 1
                is_last = version.is_old and not version.users
            if is_last:
                version.close()

    def _marked(self, *, complete: bool) -> dict[str, Any]:
        if self._bookmarks is None:
            return {"bookmarks": [], "no_bookmarks": "the tape is still being read"}
        try:
            found, reason = self._bookmarks.all()
        except TickertapeError as error:  # the tape is gone, its index is not
            return {"bookmarks": [], "no_bookmarks": str(error)}
        if not complete:
            reason = reason or "the tape is still being read"
        return {"bookmarks": found, "no_bookmarks": reason}
