"""Shows a tape before its index is complete: a sample first, then all of it.

    with open_view(tape) as view:
        view.answer("about", {})      # version 0: a sample, version 1: everything

A small tape, and one whose index is kept, is complete at once. Two tapes on one axis are read whole
before the page opens, because what they are aligned at may be anywhere.
"""

from __future__ import annotations

import threading
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from tickertape.errors import TickertapeError, UsageError
from tickertape.tape.reader import TapeReader
from tickertape.view.aligning import (
    BEGIN,
    Run,
    at_begin,
    at_common_event,
    at_name,
    at_times,
    refuse_unknown_time,
)
from tickertape.view.bookmarks import Bookmarks
from tickertape.view.index import Place, made, open_index
from tickertape.view.pair import Pair
from tickertape.view.queries import Queries, number
from tickertape.view.sample import LARGE_RECORDS, SampleReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from pathlib import Path

    from tickertape.view.index import Index

_SAMPLE, _WHOLE = 0, 1


class View:
    """Answers from the best index that there is.

    Rows have other numbers in another index, so a question names the version whose numbers it uses.
    """

    def __init__(self, total: int) -> None:
        """Begin without an index; `total` is the number of records on the tape."""
        self._total = total
        self._read = 0
        self._error = ""
        self._versions: dict[int, Queries] = {}
        self._bookmarks: Bookmarks | None = None

    def keep(self, bookmarks: Bookmarks) -> None:
        """Show bookmarks, and let a page add some."""
        self._bookmarks = bookmarks

    def show(self, version: int, index: Index) -> None:
        """Answer from an index from now on."""
        self._versions = {**self._versions, version: Queries(index)}

    def told(self, read: int) -> None:
        """Take the number of events that are read so far."""
        self._read = read

    def fail(self, error: TickertapeError) -> None:
        """Take why there will be no complete index."""
        self._error = str(error)

    def answer(self, name: str, arguments: Mapping[str, str]) -> dict[str, Any] | None:
        """Answer a question; see `Queries.answer`.

        `progress` returns the best version, what is read, and why there will be no better one.
        """
        best = max(self._versions)
        progress = {
            "version": best,
            "complete": best == _WHOLE,
            "read": self._total if best == _WHOLE else min(self._read, self._total),
            "total": self._total,
            "error": self._error,
        }
        if name == "progress":
            return progress
        wanted = arguments.get("version", "")
        version = next((one for one in self._versions if str(one) == wanted), best)
        found = self._versions[version].answer(name, arguments)
        if found is None or name != "about":
            return found
        return {**found, **progress, **self._marked(best)}

    def change(self, name: str, arguments: Mapping[str, str]) -> dict[str, Any] | None:
        """Add a bookmark with `time` and `text`; see `Answers.change`."""
        if name != "bookmark":
            return None
        best = max(self._versions)
        if self._bookmarks is None or best != _WHOLE:
            raise UsageError("the tape is still being read", "wait until all of it is shown")
        about = self._versions[best].answer("about", {}) or {}
        when = number(arguments, "time", about["begin"], about["end"])
        self._bookmarks.add(when, arguments.get("text", ""))
        return self._marked(best)

    def _marked(self, version: int) -> dict[str, Any]:
        if self._bookmarks is None:
            return {"bookmarks": [], "no_bookmarks": "the tape is still being read"}
        try:
            found, reason = self._bookmarks.all()
        except TickertapeError as error:  # the tape is gone, its index is not
            return {"bookmarks": [], "no_bookmarks": str(error)}
        if version != _WHOLE:
            reason = reason or "the tape is still being read"
        return {"bookmarks": found, "no_bookmarks": reason}


@contextmanager
def open_view(
    tape: Path,
    *,
    stream: int | None = None,
    keep: bool = True,
    tell: Callable[[int, int], None] = lambda _done, _total: None,
) -> Iterator[View]:
    """Open a tape for a page; of a large one without an index a sample is read first.

    Args:
        tape: the tape.
        stream: which stream; None for the first one in use.
        keep: keep the index for the next time.
        tell: takes events read and records of the tape while nothing can be shown yet.

    Raises:
        TapeError: the tape cannot be read.
        UsageError: there is no such stream.
        TapeWriteFailed: the index cannot be written.
    """
    with ExitStack() as stack:
        reader = stack.enter_context(TapeReader(tape))
        view = View(reader.record_count)
        place = stack.enter_context(Place(tape, stream, keep=keep))
        known = place.known(reader)
        if known is None and reader.record_count < LARGE_RECORDS:
            known = made(reader, place, stream, tell)
        if known is not None:
            view.show(_WHOLE, known)
            segments = known.about["segments"]
        else:
            sample = _sampled(stack, tape, stream)
            segments = sample.about["segments"]
            view.show(_SAMPLE, sample)
            stack.enter_context(_Maker(view, tape, place, stream))
        refusal = "" if keep else "the tape is open to be read only"
        view.keep(Bookmarks(tape, segments, refusal=refusal, renew=place.renew))
        yield view


@contextmanager
def open_pair(
    tapes: tuple[Path, Path],
    *,
    align: str | tuple[int, int] | None = None,
    keep: bool = True,
    tell: Callable[[int, int], None] = lambda _done, _total: None,
) -> Iterator[Pair]:
    """Open two tapes on one axis.

    Args:
        tapes: both.
        align: name of a row where it first has an event, runs or is held; "begin" for the first
            records; a time of each tape, ns as `print` shows them; None for the first user event
            that is on both.
        keep: keep the indexes for the next time.
        tell: takes events read and records of a tape while its index is made.

    Raises:
        TapeError: a tape cannot be read.
        UsageError: their times cannot be compared, or a tape has nothing of this name or time.
        TapeWriteFailed: an index cannot be written.
    """
    with ExitStack() as stack:
        one, other = (stack.enter_context(open_index(tape, keep=keep, tell=tell)) for tape in tapes)
        first, second = _labels(tapes)
        runs = Run(first, one, Queries(one)), Run(second, other, Queries(other))
        for run in runs:
            refuse_unknown_time(run)
        if align is None:
            aligned = at_common_event(runs)
        elif isinstance(align, tuple):
            aligned = at_times(runs, align)
        else:
            aligned = at_begin(runs) if align == BEGIN else at_name(runs, align)
        yield Pair(runs, aligned)


def _labels(tapes: tuple[Path, Path]) -> tuple[str, str]:
    """Return two different names of two tapes."""
    first, second = tapes
    if first.name != second.name:
        return first.name, second.name
    if str(first) != str(second):
        return str(first), str(second)
    return f"{first.name} (1)", f"{first.name} (2)"


def _sampled(stack: ExitStack, tape: Path, stream: int | None) -> Index:
    """Return the index of a sample, in a folder of its own."""
    reader = stack.enter_context(SampleReader(tape))
    place = stack.enter_context(Place(tape, stream, keep=False))
    return made(reader, place, stream, lambda _done, _total: None)


class _StoppedError(Exception):
    """The view is closed."""


class _Maker:
    """Makes the whole index in a thread, with a reader of its own; ends with the view."""

    def __init__(self, view: View, tape: Path, place: Place, stream: int | None) -> None:
        self._view, self._tape, self._place, self._stream = view, tape, place, stream
        self._stop = threading.Event()
        self._readers = ExitStack()
        self._thread = threading.Thread(target=self._run, name="index", daemon=True)

    def __enter__(self) -> None:
        self._thread.start()

    def __exit__(self, *_error: object) -> None:
        self._stop.set()
        self._thread.join()
        self._readers.close()

    def _run(self) -> None:
        try:
            reader = self._readers.enter_context(TapeReader(self._tape))
            index = made(reader, self._place, self._stream, self._tell)
        except _StoppedError:
            return
        except TickertapeError as error:
            self._view.fail(error)
            return
        self._view.show(_WHOLE, index)

    def _tell(self, read: int, _total: int) -> None:
        self._view.told(read)
        if self._stop.is_set():
            raise _StoppedError
