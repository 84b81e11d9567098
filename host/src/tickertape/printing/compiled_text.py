"""Prints events as text with the compiled engine; `text` is the reference and the fallback.

The compiled writer formats numbers, and names after it has learned them. `TextExporter` provides
missing names, and the rare lines that the writer cannot format (text other than plain ASCII, types
with many fields), so that the layout of a line is defined in one place.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape._native.engine import engine
from tickertape._native.interface import TextStatus, Word
from tickertape._native.text import TextWriter, TypeText, name_of_key
from tickertape.model.codes import SIGNALS, THREAD_NAME, kind_of
from tickertape.model.compiled_running import running_threads
from tickertape.model.running import UNKNOWN
from tickertape.printing.text import CYAN, TextExporter, TextOptions
from tickertape.protocol.event_type import Field
from tickertape.protocol.lookup import event_type
from tickertape.protocol.wire import CLASS_SHIFT, EVENT_MASK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns
    from tickertape.model.boot import BootOf

    Block = bytes | memoryview

_KINDS: Final = {
    "i32": Word.SIGNED,
    "hex": Word.HEX,
    "thread": Word.THREAD,
    "irq": Word.IRQ,
    "object": Word.OBJECT,
    "address": Word.ADDRESS,
}
_FIELD_TYPES: Final = {kind: name for name, kind in _KINDS.items()}
_FEW: Final = 4
_NAME_OFFSET: Final = 8  # offset of the text in the payload of THREAD NAME: after pid and tid
# Begin of the middle of a line, and separator after the thread.
_ANY_CPU: Final = "  0  "
_BLANKS: Final = "  "
_COLUMNS: Final = (
    "header",
    "time",
    "data0",
    "data1",
    "ordinal",
    "payload_offset",
    "payload_bytes",
    "payload",
)


def text_exporter(boots: BootOf, options: TextOptions | None = None) -> TextExporter:
    """Return a compiled exporter, or `TextExporter` if this process has no engine."""
    compiled = engine()
    if compiled is None:
        return TextExporter(boots, options)
    writer = TextWriter(compiled, colour=options is not None and options.colour)
    return CompiledTextExporter(writer, boots, options)


class CompiledTextExporter(TextExporter):
    """Compiled `TextExporter`: writes the same bytes, many times as fast."""

    def __init__(
        self,
        writer: TextWriter,
        boots: BootOf,
        options: TextOptions | None = None,
    ) -> None:
        """Create an exporter.

        Args:
            writer: a new compiled writer, with the same colours as `options`.
            boots: returns a `Boot` for an epoch.
            options: print options; None for the defaults.
        """
        super().__init__(boots, options)
        self._writer = writer
        self._running = running_threads()

    def blocks(
        self, columns: EventColumns, chosen: NDArray[np.bool_] | None = None
    ) -> Iterator[Block]:
        """Yield lines as UTF-8 with line ends, in blocks valid until the next one."""
        if columns.epoch != self._epoch:
            if self._epoch >= 0:
                yield from self._encoded(super().lines(columns.take(slice(0, 0))))
            else:
                self._begin_boot(columns.epoch)
            self._writer.begin(self._tick_hz)
        if self._names.version != self._version:
            self._forget()
            self._writer.forget()
        running = self._running.column(columns)
        # The writer also learns names from events that are not printed.
        skip = None if chosen is None else ~chosen
        part = _Part(columns, running, skip)
        self._writer.load({name: getattr(columns, name) for name in _COLUMNS}, running, skip)
        for gap in sorted(columns.losses, key=lambda gap: gap.row):
            yield from self._rows_up_to(gap.row, part)
            yield from self._encoded([self._gap(gap)])
        yield from self._rows_up_to(len(columns), part)
        self._catch_up(part, len(columns))

    def _rows_up_to(self, end: int, part: _Part) -> Iterator[Block]:
        why = TextStatus.FULL
        while why is not TextStatus.DONE:
            why, lines = self._writer.write(end)
            if lines:
                yield lines
            if why is TextStatus.NO_TYPE:
                self._writer.set_type(self._type_text(self._writer.missing))
            elif why is TextStatus.NO_NAME:
                self._catch_up(part, self._writer.row)
                self._writer.set_name(self._writer.missing, self._name(self._writer.missing))
            elif why is TextStatus.BY_PYTHON:
                yield from self._by_python(part, self._writer.row)
                self._writer.skip_row()

    def _by_python(self, part: _Part, row: int) -> Iterator[bytes]:
        self._catch_up(part, row)
        one = part.columns.take(slice(row, row + 1))
        if one.code[0] == THREAD_NAME:
            self._learn(one.event_at(0))
            self._version = self._names.version
            self._writer.forget()
        if part.skip is None or not part.skip[row]:
            yield from self._encoded([self._single(one, int(part.running[row]))])

    def _single(self, one: EventColumns, tid: int) -> str:
        """Format the only row of `one`."""
        event = one.event_at(0)
        ((time, *_),) = self._rows(one, np.array([tid]))
        code = int(one.code[0])
        return f"{time}{self._middle(event.cpu, tid, code)}{self._special(event)}".rstrip()

    def _catch_up(self, part: _Part, row: int) -> None:
        """Learn the names that the writer has learned from rows before `row`."""
        if self._writer.has_learned:
            for said in part.take_last_names(row):
                self._learn(part.columns.event_at(said))
        self._version = self._names.version

    def _name(self, key: int) -> str:
        kind, number = name_of_key(key)
        if kind is Word.TASK:
            # The middle of a line, without the CPU before it and class and event after it.
            head = len(self._head(THREAD_NAME)) + len(_BLANKS)
            return self._new_middle(0, number, THREAD_NAME)[len(_ANY_CPU) : -head]
        return self._word(Field("", _FIELD_TYPES[kind], ""), number)

    def _head(self, code: int) -> str:
        """Return class and event of a line, with trailing blanks."""
        task = self._paint(f"{'?':<12}", CYAN)
        return self._new_middle(0, UNKNOWN, code)[len(f"{_ANY_CPU}{task}{_BLANKS}") :]

    def _type_text(self, code: int) -> TypeText | int:
        """Return the description of a type; only its code if the writer cannot format it."""
        what = event_type(code >> CLASS_SHIFT, code & EVENT_MASK)
        if what.payload not in {"", "string"} or (code in SIGNALS and self._names.has_readings):
            return code
        if code == THREAD_NAME and self._names.has_code:
            return code  # a thread without a name may have one in the ELF file
        shown = [(at, known) for at, known in enumerate(what.fields) if known.name != "unused"]
        return TypeText(
            code=code,
            head=self._head(code).encode(),
            fields=[
                (at, _label(known, first=not place), _KINDS.get(kind_of(known), Word.DECIMAL))
                for place, (at, known) in enumerate(shown)
            ],
            string_words=len(what.fields) if what.payload else None,
            says_name=code == THREAD_NAME,
            wide=bool(what.wide_fields),
        )


class _Part:
    """The columns being written."""

    def __init__(
        self,
        columns: EventColumns,
        running: NDArray[np.int64],
        skip: NDArray[np.bool_] | None,
    ) -> None:
        self.columns = columns
        self.running = running
        self.skip = skip

    @cached_property
    def _name_rows(self) -> NDArray[np.intp]:
        said = (self.columns.code == THREAD_NAME) & (self.columns.payload_bytes > _NAME_OFFSET)
        return np.flatnonzero(said)

    def take_last_names(self, row: int) -> list[int]:
        """Return the rows up to `row`, since the last call, with the latest name of each thread."""
        count = int(np.searchsorted(self._name_rows, row))
        rows, self._name_rows = self._name_rows[:count][::-1], self._name_rows[count:]
        # Separating a few threads one by one is faster than sorting.
        last: list[int] = []
        while len(rows) and len(last) < _FEW:
            last.append(int(rows[0]))
            tids = self.columns.data1[rows]
            rows = rows[tids != tids[0]]
        _, firsts = np.unique(self.columns.data1[rows], return_index=True)
        last += rows[firsts].tolist()
        return last


def _label(known: Field, *, first: bool) -> bytes:
    return f"{'' if first else ' '}{known.name}=".encode()
