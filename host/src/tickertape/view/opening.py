"""Open tapes for a page: a large tape without an index shows a sample first, then all of it.

    with open_view(tape) as view:
        view.answer("about", {})      # version 0: a sample, version 1: everything

A small tape, or a tape with an index, is complete at once. Two tapes on one axis are read whole
before the page opens, because the event at which they are aligned may be anywhere.
"""

from __future__ import annotations

import threading
import time
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Final

from tickertape.errors import TickertapeError
from tickertape.tape.reader import TapeReader
from tickertape.view.bookmarks import Bookmarks
from tickertape.view.index import Place, made, open_index
from tickertape.view.queries import Queries
from tickertape.view.sample import LARGE_RECORDS, RecentReader, SampleReader
from tickertape.view.versions import View

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tickertape.view.index import Index
    from tickertape.view.pair import Pair
    from tickertape.view.versions import Target


_PAGE_S: Final = 3.0
"""Time for a page to show its first rows before the whole index is made."""
_LOOK_S: Final = 0.05


@contextmanager
def open_view(
    tape: Path,
    *,
    stream: int | None = None,
    keep: bool = True,
    tell: Callable[[int, int], None] = lambda _done, _total: None,
) -> Iterator[View]:
    """Open a tape for a page; if it is large and has no index, read a sample first.

    Args:
        tape: the tape.
        stream: stream number; None for the first one in use.
        keep: keep the index for the next time.
        tell: takes the numbers of events read and of records, until a page can be shown.

    Raises:
        TapeError: the tape cannot be read.
        UsageError: there is no such stream.
        TapeWriteFailed: the index cannot be written.
    """
    with ExitStack() as stack:
        reader = stack.enter_context(TapeReader(tape))
        if not reader.closed:
            yield stack.enter_context(open_growing(tape, stream=stream, keep=keep))
            return
        view = View(reader.record_count)
        place = stack.enter_context(Place(tape, stream, keep=keep))
        known = place.known(reader)
        if known is None and reader.record_count < LARGE_RECORDS:
            known = made(reader, place, stream, tell)
        first = known or _sampled(stack, tape, stream)
        view.show(first, complete=known is not None)
        refusal = "" if keep else "the tape was opened read-only"
        segments = first.about["segments"]
        view.keep(Bookmarks(tape, segments, refusal=refusal, renew=place.renew))
        if known is None:
            stack.enter_context(_Maker(view, tape, place, stream))
        yield view


@contextmanager
def open_growing(
    tape: Path, *, target: Target | None = None, stream: int | None = None, keep: bool = True
) -> Iterator[View]:
    """Open a tape that is not closed; it may be empty.

    Args:
        tape: the tape.
        target: the target that this program records; None if another program writes the tape.
        stream: stream number; None for the first one in use.
        keep: keep the index of the closed tape for the next time.

    Raises:
        TapeError: the tape cannot be read.
        UsageError: there is no such stream, and `target` is None.
        TapeWriteFailed: the index cannot be written.
    """
    from tickertape.view.following import Following  # noqa: PLC0415 - not for a closed tape

    with ExitStack() as stack:
        view = View(0, target=target, grows=True)
        stack.callback(view.close)
        with ExitStack() as first:
            place = first.enter_context(Place(tape, stream, keep=False))
            reader = first.enter_context(RecentReader(tape))
            wanted = stream if target is None else None
            index = made(reader, place, wanted, lambda _done, _total: None)
            total, close = reader.record_count, first.pop_all().close
        view.show(index, complete=reader.is_whole, total=total, close=close)
        refusal = "" if target is None else "the tape is being written"
        view.keep(Bookmarks(tape, index.about["segments"], refusal=refusal))
        if target is None:
            view.say(
                "The tape is not closed: it is still being written, or its capture was killed."
            )
        shown = int(str(place.stamp["bytes"]))
        stack.enter_context(Following(view, tape, stream, keep=keep, shown_bytes=shown))
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
        tapes: paths of both tapes.
        align: name of a row, for its first event, run or hold; "begin" for the first records; a
            time of each tape, in ns as `print` shows them; None for the first user event that is
            on both.
        keep: keep the indexes for the next time.
        tell: takes the numbers of events read and of records of a tape, while its index is made.

    Raises:
        TapeError: a tape cannot be read.
        UsageError: their times cannot be compared, or a tape does not have this name or time.
        TapeWriteFailed: an index cannot be written.
    """
    # Slow to import, and not needed for one tape.
    from tickertape.view.aligning import Run, aligned_at  # noqa: PLC0415 - see above
    from tickertape.view.pair import Pair  # noqa: PLC0415 - see above

    with ExitStack() as stack:
        one, other = (stack.enter_context(open_index(tape, keep=keep, tell=tell)) for tape in tapes)
        first, second = _labels(tapes)
        runs = Run(first, one, Queries(one)), Run(second, other, Queries(other))
        yield Pair(runs, aligned_at(runs, align))


def _labels(tapes: tuple[Path, Path]) -> tuple[str, str]:
    """Return two different names of two tapes."""
    first, second = tapes
    if first.name != second.name:
        return first.name, second.name
    if str(first) != str(second):
        return str(first), str(second)
    return f"{first.name} (1)", f"{first.name} (2)"


def _sampled(stack: ExitStack, tape: Path, stream: int | None) -> Index:
    """Return the index of a sample, in a temporary folder."""
    reader = stack.enter_context(SampleReader(tape))
    place = stack.enter_context(Place(tape, stream, keep=False))
    return made(reader, place, stream, lambda _done, _total: None)


class _StoppedError(Exception):
    """The view is closed."""


class _Maker:
    """Makes the whole index in a thread, with its own reader; ends with the view."""

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
        # A page that opens is not to share the processor with the index before it shows anything.
        end_s = time.monotonic() + _PAGE_S
        while not self._view.has_drawn.wait(_LOOK_S) and time.monotonic() < end_s:
            if self._stop.is_set():
                return
        try:
            reader = self._readers.enter_context(TapeReader(self._tape))
            index = made(reader, self._place, self._stream, self._tell)
        except _StoppedError:
            return
        except TickertapeError as error:
            self._view.fail(error)
            return
        self._view.show(index, complete=True)

    def _tell(self, read: int, _total: int) -> None:
        self._view.told(read)
        if self._stop.is_set():
            raise _StoppedError
