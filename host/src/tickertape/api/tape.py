"""A tape for Python programs: open it, iterate it, read it as arrays or as a table."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self, Unpack

from tickertape.analysis.balance import balance_of
from tickertape.analysis.choice import refuse_unknown
from tickertape.analysis.kernel_laws import OVERHEAD_NS, kernel_laws_of
from tickertape.analysis.stored import stored_summary
from tickertape.analysis.summary import Summary, summary_of
from tickertape.api.answers import Answers
from tickertape.api.criteria import Criteria, number, numbers_of, one_of, selection_of
from tickertape.api.selected import Selected
from tickertape.decode.events import DecodeCounters
from tickertape.errors import TapeClosed, UsageError
from tickertape.formats.registry import conversions
from tickertape.formats.ring_ends import chosen_stream
from tickertape.formats.source import Source
from tickertape.model.boot import Boots
from tickertape.model.code_names import CodeNames
from tickertape.model.kernel import KernelModel
from tickertape.model.selection import Selection, Selector
from tickertape.report.balance import balance_table
from tickertape.report.page import Body
from tickertape.tape.reader import TapeReader
from tickertape.tape.stream import iter_events

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from types import TracebackType

    from tickertape.analysis.balance import TapeBalance
    from tickertape.analysis.kernel_findings import Judgement, Law
    from tickertape.api.columns import TapeColumns
    from tickertape.api.event import TapeEvent
    from tickertape.api.selected import Part
    from tickertape.decode.bodies import Hello
    from tickertape.decode.events import Event
    from tickertape.decode.records import Structured
    from tickertape.formats.report import Report
    from tickertape.model.kernel import Task
    from tickertape.tape.board import Board
    from tickertape.tape.format import TapeIssue


class Tape(Answers):
    """A tape, open for reading; use it as a context manager, or `close` it.

        with tickertape.open("run.tape") as tape:
            for event in tape.events(classes=["SCHED"]):
                print(event.time_ns, event.task, event.name)

    Members may be used any number of times, in any order; each `events`, `columns`,
    `arrays` and `to_arrow` reads the tape anew, in constant memory (`to_arrow` holds its result).

    Attributes:
        path: path of the file.
    """

    def __init__(self, path: Path | str) -> None:
        """Open a tape.

        Args:
            path: path of the file.

        Raises:
            TapeMissing: the file does not exist or may not be read.
            NotATape: the file is not a tape.
            TapeVersion: another major version wrote the tape.
            TapeDamaged: not even the header of the tape can be read.
        """
        self._opened = TapeReader(path)
        self._is_closed = False
        self.path = self._opened.path

    def __enter__(self) -> Self:
        """Return the open tape.

        Raises:
            TapeClosed: the tape was closed.
        """
        self._refuse_closed()
        return self

    def __reduce__(self) -> tuple[type[Self], tuple[Path]]:
        """Copy and unpickle a tape by opening its file again, also in another process.

        Raises:
            TapeClosed: the tape was closed.
        """
        self._refuse_closed()
        return type(self), (self.path.absolute(),)

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the tape."""
        self.close()

    def close(self) -> None:
        """Close the file. May be called twice; arrays returned before stay valid."""
        self._opened.close()
        self._is_closed = True

    @property
    def _reader(self) -> TapeReader:
        self._refuse_closed()
        return self._opened

    def _refuse_closed(self) -> None:
        if self._is_closed:
            raise TapeClosed(f"{self.path} is closed", "read it before close(), or open it again")

    def __iter__(self) -> Iterator[TapeEvent]:
        """Yield all events in order of time."""
        return self.events()

    def __len__(self) -> int:
        """Count the events, by the tape's summary; without a valid one, read the tape once."""
        return self._count

    def __bool__(self) -> bool:
        """Return True, even for a tape without events."""
        return True

    def __repr__(self) -> str:
        """Return path and size, without reading events."""
        if self._is_closed:
            return f"<tickertape.Tape {str(self.path)!r}, closed>"
        records, boots = self._opened.record_count, len(self._opened.epochs)
        return f"<tickertape.Tape {str(self.path)!r}, {records} records, boots: {boots}>"

    def _repr_html_(self) -> str:
        """Return HTML for a notebook: boots and their balance, without reading events."""
        body = Body()
        body.add("p", repr(self))
        if not self._is_closed:
            body.table(balance_table(balance_of(self._opened, by_class=False)))
        return str(body)

    def select(self, **criteria: Unpack[Criteria]) -> Selected:
        """Select events; the result returns them as objects, columns, arrays or a table.

            for event in tape.select(classes="USER", tasks=["motor", 3], begin_ns=10**9):
                print(event.name)

        Args:
            **criteria: conditions for the events, see `Criteria`.

        Raises:
            UsageError: a criterion, class, event, thread, CPU, boot or stream does not exist (the
                message names the nearest), or a value has another type.
            TapeClosed: the tape was closed.
        """
        selection, stream = selection_of(criteria), one_of(criteria, "stream")
        boots = self._boots_of(numbers_of(criteria, "boot"))
        if stream is not None:
            chosen_stream(self._reader, stream)
        refuse_unknown(self._reader, selection)
        given = (f"{name}={value!r}" for name, value in criteria.items() if value is not None)
        text = ", ".join([f"of {str(self.path)!r}", *given])
        return Selected(lambda: self._parts(selection, stream, boots), self._named_boots, text)

    def events(self, **criteria: Unpack[Criteria]) -> Iterator[TapeEvent]:
        """Yield events as objects, in order of time; for millions of events use `columns`.

        Arguments and errors are those of `select`.
        """
        return iter(self.select(**criteria))

    def columns(self, **criteria: Unpack[Criteria]) -> Iterator[TapeColumns]:
        """Yield events as numpy columns, some ten thousand rows at a time; never of two boots.

        Losses are in `TapeColumns.losses`, independent of the selection. Arguments and errors are
        those of `select`.
        """
        return self.select(**criteria).columns()

    def arrays(self, **criteria: Unpack[Criteria]) -> Iterator[Structured]:
        """Yield events as numpy structured arrays of `ARRAY_DTYPE`, some ten thousand at a time.

        Payloads and losses are not included; `columns` has them. Arguments and errors are those of
        `select`.
        """
        return self.select(**criteria).arrays()

    def to_arrow(self, **criteria: Unpack[Criteria]) -> Any:  # noqa: ANN401 - an optional package's
        """Return events as a `pyarrow.Table`; docs/python.md lists its columns.

        Arguments and errors are those of `select`; UsageError also when pyarrow is not installed.
        """
        return self.select(**criteria).to_arrow()

    def iter_batches(self, **criteria: Unpack[Criteria]) -> Iterator[Any]:
        """Return an iterator of `pyarrow.RecordBatch`, with the columns of `to_arrow`.

        Memory stays constant. Arguments and errors are those of `to_arrow`.
        """
        return self.select(**criteria).iter_batches()

    def to_polars(self, **criteria: Unpack[Criteria]) -> Any:  # noqa: ANN401 - an optional package's
        """Return events as a `polars.DataFrame`, with the columns of `to_arrow`.

        Arguments and errors are those of `select`; UsageError also when polars is not installed.
        """
        return self.select(**criteria).to_polars()

    def to_pandas(self, **criteria: Unpack[Criteria]) -> Any:  # noqa: ANN401 - an optional package's
        """Return events as a `pandas.DataFrame`, with the columns of `to_arrow`.

        Arguments and errors are those of `select`; UsageError also when pandas is not installed.
        """
        return self.select(**criteria).to_pandas()

    def __arrow_c_stream__(self, requested_schema: object = None) -> object:
        """Return all events for any library with Arrow's C interface: polars, DuckDB, pandas.

        Raises:
            UsageError: pyarrow is not installed.
        """
        return self.select().__arrow_c_stream__(requested_schema)

    def export(self, form: str, path: Path | str, **options: object) -> Report:
        """Write the tape in another tool's format, as `tickertape export FORM`.

        Args:
            form: `ctf`, `perfetto`, `btf`, ...; docs/exports.md lists them.
            path: the file or folder to write.
            **options: options of the command, with `_` for `-`.

        Returns:
            Report of the data written and of the data that the format cannot contain.

        Raises:
            UsageError: there is no such format or option, or `path` is the tape itself.
            TapeWriteFailed: the output cannot be written.
        """
        known = conversions("EXPORTS")
        _refuse_unknown_word("format", form, list(known))
        defaults = {
            option.name: [] if option.action == "append" else option.default
            for option in known[form].options
        }
        for name in options:
            _refuse_unknown_word(f"option of {form}", name, list(defaults))
        taken = {
            option.name: option.value_of(options[option.name])
            for option in known[form].options
            if option.name in options
        }
        for option in known[form].options:
            if option.required and option.name not in options:
                raise UsageError(f"{form} needs {option.name}", option.help)
        if Path(path).exists() and Path(path).samefile(self.path):
            raise UsageError(f"{path} is the tape itself", "give the output another name")
        source = Source(self._reader, self._named_boots())
        return known[form].load()(source, Path(path), **(defaults | taken))

    def summary(self) -> Summary:
        """Read the whole tape; return the summary that `tickertape info` shows."""
        return summary_of(self._reader)

    def time_ns(self, event: Event) -> int:
        """Return an event's time in nanoseconds since the target's clock began, rounded down."""
        return self._reader.clock(event.epoch).ns(event.time_ticks)

    @property
    def hello(self) -> Hello | None:
        """The first HELLO of the target; None when the tape contains none."""
        return self._reader.hello

    @property
    def hellos(self) -> Mapping[int, Hello]:
        """The first HELLO of each boot of the target, by epoch; boots without one are absent."""
        return self._reader.hellos

    @property
    def boards(self) -> Mapping[int, Board]:
        """The board of each epoch, and its clock in UTC, on a tape of several boards."""
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
        """True when the capture closed the tape; otherwise its last records may be missing."""
        return self._reader.closed

    @property
    def issues(self) -> Sequence[TapeIssue]:
        """Defects of the file, and where they are. The list may grow while the tape is read."""
        return tuple(self._reader.issues)

    @cached_property
    def balance(self) -> TapeBalance:
        """Balance of each ring: offered = delivered + overwritten + dropped + damaged."""
        return balance_of(self._reader)

    def laws(self, *, overhead_ns: int = OVERHEAD_NS) -> Mapping[Law, Judgement]:
        """Judge the laws of a kernel with fixed priorities on the default stream; reads the tape.

            for law, judgement in tape.laws().items():
                print(law.name, judgement.verdict.name, judgement.violations)

        Args:
            overhead_ns: longest time from the moment a thread becomes ready until it runs; 0
                or more.

        Returns:
            A judgement for each law: `HOLDS`, `BROKEN`, or `UNKNOWN` where records are missing.
        """
        overhead_ns = number("overhead_ns", overhead_ns, least=0)
        return kernel_laws_of(self._reader, overhead_ns=overhead_ns)

    @cached_property
    def counters(self) -> DecodeCounters:
        """Counts of the decoder for the whole tape: incomplete events, orphans, lost records."""
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

    @cached_property
    def _count(self) -> int:
        stored = stored_summary(self._reader)
        if stored is not None and not stored.issues:
            return stored.events
        return sum(map(len, iter_events(self._reader)))

    def _named_boots(self) -> Boots:
        """Return boots with the known names of code and objects, as `print` uses them."""
        return Boots(self._reader, CodeNames(self._reader, None).of)

    def _parts(
        self, selection: Selection, stream: int | None, boots: frozenset[int]
    ) -> Iterator[Part]:
        selector = Selector(selection, Boots(self._reader))
        parts = iter_events(self._reader, stream=stream)
        while True:
            self._refuse_closed()  # it may have been closed since the last part
            part = next(parts, None)
            if part is None:
                return
            if not boots or part.epoch in boots:
                yield part, selector.mask(part)


def open_tape(path: Path | str) -> Tape:
    """Open a tape for reading; `tickertape.open` is this function.

    Raises:
        TapeMissing: the file does not exist or may not be read.
        NotATape: the file is not a tape.
        TapeVersion: another major version wrote the tape.
        TapeDamaged: not even the header of the tape can be read.
    """
    return Tape(path)


def _refuse_unknown_word(what: str, word: str, known: list[str]) -> None:
    if word not in known:
        close = get_close_matches(str(word), known, 1) or known
        raise UsageError(f"there is no {what} {word}", f"use {' or '.join(close)}")
