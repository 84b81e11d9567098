"""A tape as Python programs see it: open it, iterate it, take it as arrays or as a table."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any, Self, TypedDict, TypeVar, Unpack

from tickertape.analysis.balance import balance_of
from tickertape.api.arrays import structured
from tickertape.api.arrow import table_of
from tickertape.decode.events import DecodeCounters
from tickertape.errors import TapeClosed, UsageError
from tickertape.formats.ring_ends import chosen_stream
from tickertape.model.boot import Boots
from tickertape.model.kernel import KernelModel
from tickertape.model.selection import Selection, Selector, narrow
from tickertape.protocol.matching import class_of, codes_of
from tickertape.tape.reader import TapeReader
from tickertape.tape.stream import iter_events

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from pathlib import Path
    from types import TracebackType

    from tickertape.analysis.balance import TapeBalance
    from tickertape.decode.bodies import Hello
    from tickertape.decode.events import Event, EventColumns
    from tickertape.decode.records import Structured
    from tickertape.model.kernel import Task
    from tickertape.tape.board import Board
    from tickertape.tape.format import TapeIssue

_Value = TypeVar("_Value", str, int, str | int)


class Criteria(TypedDict, total=False):
    """Which events; values of one criterion are ORed, criteria are ANDed.

    Each but the times takes one value or several.

    Attributes:
        classes: names of classes: `SCHED`, `APP16`.
        events: names of events: `THREAD.READY`, `MUTEX_*`, `USER.77`.
        tasks: names or numbers of threads: what happened while one of them had the CPU.
        cpus: numbers of CPUs.
        domains: numbers of domains, 0 for the kernel core.
        begin_ns: not before this time since the target's clock began.
        end_ns: not after it.
    """

    classes: str | Iterable[str]
    events: str | Iterable[str]
    tasks: str | int | Iterable[str | int]
    cpus: int | Iterable[int]
    domains: int | Iterable[int]
    begin_ns: int | None
    end_ns: int | None


class Tape:
    """A tape, open for reading; use it as a context manager, or `close` it.

        with tickertape.open("run.tape") as tape:
            for event in tape.events(classes=["SCHED"]):
                print(tape.time_ns(event), event.name, event.words)

    Members may be used any number of times, in any order; each `events`, `columns`,
    `arrays` and `to_arrow` reads the tape anew, in constant memory (`to_arrow` holds its result).

    Attributes:
        path: of the file.
    """

    def __init__(self, path: Path | str) -> None:
        """Open a tape.

        Args:
            path: of the file.

        Raises:
            TapeMissing: no such file, or it may not be read.
            NotATape: the file is something else.
            TapeVersion: another major version wrote it.
            TapeDamaged: not even its header can be read.
        """
        self._opened = TapeReader(path)
        self._is_closed = False
        self.path = self._opened.path

    def __enter__(self) -> Self:
        """Nothing to do: the tape is open."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the tape."""
        self.close()

    def close(self) -> None:
        """Close the file. May be called twice; arrays that were taken stay valid."""
        self._opened.close()
        self._is_closed = True

    @property
    def _reader(self) -> TapeReader:
        if self._is_closed:
            raise TapeClosed(f"{self.path} is closed", "read it before close(), or open it again")
        return self._opened

    def __iter__(self) -> Iterator[Event]:
        """Yield all events in order of time."""
        return self.events()

    def events(self, *, stream: int | None = None, **criteria: Unpack[Criteria]) -> Iterator[Event]:
        """Yield events as objects, in order of time; for thousands, `columns` is for millions.

        Args:
            stream: only this stream; None for all.
            **criteria: which events, see `Criteria`.

        Raises:
            UsageError: there is no such stream, criterion, class or event.
            TapeClosed: the tape was closed.
        """
        return chain.from_iterable(
            part.events() for part in self.columns(stream=stream, **criteria)
        )

    def columns(
        self, *, stream: int | None = None, **criteria: Unpack[Criteria]
    ) -> Iterator[EventColumns]:
        """Yield events as numpy columns, some ten thousand rows at a time; never of two boots.

        Losses are in `EventColumns.gaps`, whatever is chosen.

        Args:
            stream: only this stream; None for all.
            **criteria: which events, see `Criteria`.

        Raises:
            UsageError: there is no such stream, criterion, class or event.
            TapeClosed: the tape was closed.
        """
        return self._chosen(_selection(criteria), self._parts(stream))

    def arrays(self, *, stream: int | None = None) -> Iterator[Structured]:
        """Yield events as numpy structured arrays of `ARRAY_DTYPE`, some ten thousand at a time.

        Payloads and losses are not in it; `columns` has them.

        Raises:
            UsageError: there is no such stream.
            TapeClosed: the tape was closed.
        """
        return (structured(part) for part in self._parts(stream) if len(part))

    def to_arrow(self, *, stream: int | None = None) -> Any:  # noqa: ANN401 - an optional package's
        """Return all events as a `pyarrow.Table`; docs/python.md lists its columns.

        Raises:
            UsageError: there is no such stream, or pyarrow is not installed.
        """
        return table_of(self._parts(stream), self._reader.clock)

    def time_ns(self, event: Event) -> int:
        """Return an event's time in nanoseconds since the target's clock began, rounded down."""
        return self._reader.clock(event.epoch).ns(event.time_ticks)

    @property
    def hello(self) -> Hello | None:
        """The first HELLO of the target; None when the tape contains none."""
        return self._reader.hello

    @property
    def hellos(self) -> Mapping[int, Hello]:
        """The same for each boot of the target, by epoch, as far as there is one."""
        return self._reader.hellos

    @property
    def boards(self) -> Mapping[int, Board]:
        """Whose boot each epoch is and how its clock goes in UTC, on a tape of several boards."""
        return self._reader.boards

    def utc_ns(self, event: Event) -> int | None:
        """Return an event's time in UTC, ns since 1970, up to `boards[event.epoch].bound_ns`.

        None when unknown: the tape is of one board, or has no anchor in that boot.
        """
        board = self._reader.boards.get(event.epoch)
        return board.utc_ns_of(event.time_ticks) if board and board.aligned else None

    @property
    def meta(self) -> Mapping[str, object]:
        """Facts about capture and target, JSON values."""
        return self._reader.meta

    @property
    def notes(self) -> Sequence[str]:
        """Remarks of people and tools."""
        return self._reader.notes

    @property
    def closed(self) -> bool:
        """True when the tape was closed in order; else something may have come after its end."""
        return self._reader.closed

    @property
    def issues(self) -> Sequence[TapeIssue]:
        """What is wrong with the file, and where. May grow while the tape is read."""
        return tuple(self._reader.issues)

    @cached_property
    def balance(self) -> TapeBalance:
        """The law of loss, ring by ring: offered = delivered + overwritten + dropped + damaged."""
        return balance_of(self._reader)

    @cached_property
    def counters(self) -> DecodeCounters:
        """What decoding the whole tape meets: incomplete events, orphans, lost records."""
        return self._whole[1]

    @cached_property
    def tasks(self) -> Sequence[Task]:
        """All threads with their names and running times, the one that ran longest first."""
        return self._whole[0]

    @cached_property
    def _whole(self) -> tuple[Sequence[Task], DecodeCounters]:
        counters = DecodeCounters()
        model = KernelModel(self._reader.names, stream=self._reader.default_stream())
        for part in iter_events(self._reader, counters=counters):
            model.feed(part)
        return model.finish().tasks, counters

    def _parts(self, stream: int | None) -> Iterator[EventColumns]:
        if stream is not None:
            chosen_stream(self._reader, stream)
        return iter_events(self._reader, stream=stream)

    def _chosen(
        self, selection: Selection, parts: Iterable[EventColumns]
    ) -> Iterator[EventColumns]:
        selector = Selector(selection, Boots(self._reader))
        for part in parts:
            mask = selector.mask(part)
            chosen = part if mask is None else narrow(part, mask)
            if len(chosen) or chosen.gaps:
                yield chosen


def open_tape(path: Path | str) -> Tape:
    """Open a tape for reading; `tickertape.open` is this function.

    Raises:
        TapeMissing: no such file, or it may not be read.
        NotATape: the file is something else.
        TapeVersion: another major version wrote it.
        TapeDamaged: not even its header can be read.
    """
    return Tape(path)


def _selection(criteria: Criteria) -> Selection:
    names = list(Criteria.__annotations__)
    for word in criteria.keys() - set(names):
        close = get_close_matches(word, names, 1) or names
        raise UsageError(f"there is no criterion {word}", f"take {' or '.join(close)}")
    words = _each(criteria.get("events", ()))
    return Selection(
        classes=frozenset(map(class_of, _each(criteria.get("classes", ())))),
        events=frozenset(code for word in words for code in codes_of(word)),
        tasks=frozenset(map(str, _each(criteria.get("tasks", ())))),
        cpus=frozenset(_each(criteria.get("cpus", ()))),
        domains=frozenset(_each(criteria.get("domains", ()))),
        begin_ns=criteria.get("begin_ns"),
        end_ns=criteria.get("end_ns"),
    )


def _each(values: _Value | Iterable[_Value]) -> Iterable[_Value]:
    """Return one value or several as several."""
    return (values,) if isinstance(values, (str, int)) else values
