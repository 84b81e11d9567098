"""Print a tape of several boards: all events in the order of their common time."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from tickertape.decode.ticks import NS_PER_S, Clock
from tickertape.errors import UsageError
from tickertape.model.boot import Boots
from tickertape.model.running import RunningThreads
from tickertape.model.selection import Selector
from tickertape.tape.common import iter_common, origin_ns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns
    from tickertape.model.selection import Selection
    from tickertape.printing.style import LineExporter
    from tickertape.tape.board import Board
    from tickertape.tape.common import Run
    from tickertape.tape.reader import TapeReader


def _numbers(tape: TapeReader, names: frozenset[str]) -> frozenset[int] | None:
    known = {board.name: board.number for board in tape.boards.values()}
    for name in sorted(names):
        if name not in known:
            raise UsageError(f"there is no board {name}", f"choose one of: {', '.join(known)}")
    return frozenset(known[name] for name in names) if names else None


class _Common(Boots):
    """Boots on the common time of their boards: nanoseconds since the origin."""

    def __init__(self, boots: Boots, boards: dict[int, Board]) -> None:
        super().__init__(boots.tape, boots.symbols_of)
        self._boards = boards

    def clock(self, epoch: int) -> Clock:
        """Return the common clock; a boot that is not aligned keeps its own."""
        board = self._boards.get(epoch)
        return Clock(NS_PER_S) if board is not None and board.aligned else super().clock(epoch)


class BoardPrinter:
    """Formats runs of events, with one exporter per board."""

    def __init__(
        self,
        tape: TapeReader,
        boots: Boots,
        selection: Selection,
        exporter_of: Callable[[Boots], LineExporter],
        *,
        is_text: bool,
        says_board: bool,
    ) -> None:
        """Make an exporter and a selector per board.

        Args:
            tape: tape with BOARD chunks.
            boots: boots of the tape.
            selection: events to print; its times are common times, as in the output.
            exporter_of: makes an exporter.
            is_text: whether lines begin with the board and have the common time.
            says_board: whether a separate line names the board of the next lines.
        """
        self._tape = tape
        self._origin = origin_ns(tape)
        self._is_text = is_text
        self._says_board = says_board and not is_text
        boards = dict(tape.boards)
        self._times = (selection.begin_ns, selection.end_ns)
        without = replace(selection, begin_ns=None, end_ns=None)
        shown = _Common(boots, boards) if is_text else boots
        numbers = sorted({board.number for board in boards.values()})
        self._exporters = {number: exporter_of(shown) for number in numbers}
        self._selectors = {number: Selector(without, boots) for number in numbers}
        self._width = max(len(board.name) for board in boards.values())
        self._said = -1

    def all_lines(self, names: frozenset[str] = frozenset()) -> Iterator[str]:
        """Yield the lines of all boards, or of the boards in `names`.

        Raises:
            UsageError: there is no such board.
        """
        wanted = _numbers(self._tape, names)
        return self._all_lines(wanted)

    def _all_lines(self, wanted: frozenset[int] | None) -> Iterator[str]:
        exporters = list(self._exporters.values())
        yield from exporters[0].head()
        threads = RunningThreads()
        prepare = partial(_with_threads, threads)
        for run in iter_common(self._tape, boards=wanted, prepare=prepare):
            yield from self.lines(run)
        yield from exporters[0].tail()

    def lines(self, run: Run) -> Iterator[str]:
        """Yield the lines of a run, which is consecutive events of one board."""
        board, columns, utc = run
        chosen = _both(self._selectors[board.number].mask(columns), self._in_time(run))
        if self._is_text and board.aligned:
            time = np.maximum(utc - self._origin, 0).astype(np.uint64)
            columns = replace(columns, time=time)
        lines = self._exporters[board.number].lines(columns, chosen)
        if self._is_text:
            mark = " " if board.aligned else "?"
            before = f"{board.name:<{self._width}}{mark} "
            yield from (before + line for line in lines)
            return
        for line in lines:
            if self._says_board and self._said != board.number:
                self._said = board.number
                yield f"-- board {board.name}"
            yield line

    def _in_time(self, run: Run) -> NDArray[np.bool_] | None:
        begin, end = self._times
        if begin is None and end is None:
            return None
        if not run.board.aligned:
            return np.zeros(len(run.columns), bool)
        since = run.utc_ns - self._origin
        chosen = np.ones(len(since), bool)
        if begin is not None:
            chosen &= since >= begin
        if end is not None:
            chosen &= since <= end
        return chosen


def _with_threads(threads: RunningThreads, columns: EventColumns) -> EventColumns:
    """Add the running thread of each event, before a run is split at the events of other boards."""
    return replace(columns, running=threads.column(columns))


def _both(
    first: NDArray[np.bool_] | None, second: NDArray[np.bool_] | None
) -> NDArray[np.bool_] | None:
    if first is None or second is None:
        return second if first is None else first
    both: NDArray[np.bool_] = first & second
    return both
