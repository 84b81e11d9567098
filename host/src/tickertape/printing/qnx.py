"""Prints events in the layout of the trace printer of QNX Neutrino 6.4 (traceprinter 1.02).

Scripts for that printer can read this output. docs/formats.md has the layout, docs/kev.md the
numbers. Events of QNX are equal to the letter. Events that QNX does not have (SYNC, SCHED, calls of
the reference kernel) follow the same pattern with the names of `protocol/events.yaml`. The layout
has no losses, so a line that begins with `--` reports missing records.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tickertape.decode.events import Gap
from tickertape.printing.gaps import gap_line
from tickertape.printing.qnx_calls import EMPTY, Argument, qnx_calls
from tickertape.printing.qnx_events import (
    COMM,
    CREATE,
    DESTROY,
    PADDED_SYSTEM,
    PID_TID,
    PROCESS,
    STATES,
    SYSTEM,
    VTHREAD_OFFSET,
)
from tickertape.printing.qnx_words import (
    Words,
    signed,
    text_of,
    words_of,
    write_fast,
    write_wide,
)
from tickertape.printing.walk import Moment, Walk
from tickertape.protocol.events import ControlEvent, EventClass, IntEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    from tickertape.decode.events import Event, EventColumns
    from tickertape.model.boot import BootOf
    from tickertape.protocol.event_type import EventType, Field
    from tickertape.protocol.wire import ByteOrder

_EXIT: Final = 128
_INTERRUPTED: Final = 256
_FAILED: Final = 0xFFFF_FFFF
_SEQUENCE_MASK: Final = 0x7FF
_FAST_WORDS: Final = 2
_HANDLER_WORDS: Final = 4
# Form of a tickertape field type, in the notation of `qnx_calls`.
_FORMS: Final = {"u32": "D", "i32": "D", "thread": "D", "irq": "D", "object": "P", "address": "P"}
_WIDE_THREAD: Final[tuple[tuple[str, Callable[[int], object]], ...]] = (
    ("priority", signed),
    ("policy", signed),
    ("partition", signed),
    ("sched_flags", "0x{:08x}".format),
)


def head_lines(header: Mapping[str, str]) -> Iterator[str]:
    """Yield the lines before the events.

    Args:
        header: values of the trace file's header, by key without `TRACE_`.
    """
    yield "TRACEPRINTER version 1.02"
    yield "TRACEPARSER LIBRARY version 1.02"
    yield " -- HEADER FILE INFORMATION -- "
    for key, value in header.items():
        if key not in {"HEADER_BEGIN", "HEADER_END"}:
            shown = "".join(letter for letter in value if letter.isprintable())
            yield f"{'TRACE_' + key:>22}:: {shown}"
    yield " -- KERNEL EVENTS -- "


class QnxExporter:
    """Converts events to lines, chunk by chunk."""

    def __init__(
        self,
        boots: BootOf,
        header: Mapping[str, str],
        *,
        foreign: bool = False,
        one_line: bool = False,
    ) -> None:
        """Create an exporter.

        Args:
            boots: returns a `Boot` for an epoch.
            header: values of the header, see `head_lines`.
            foreign: whether the tape was imported from QNX, so that words have their QNX meaning.
            one_line: whether to print every event on one line, like option -n of the printer.
        """
        self._walk = Walk(boots)
        self._header = header
        self._foreign = foreign
        self._one_line = one_line
        self._unfinished = ""
        self._by_class: dict[int, Callable[[Event, Words], str]] = {
            EventClass.CONTROL: self._control,
            EventClass.KERCALL: self._call,
            EventClass.INT: self._interrupt,
            EventClass.THREAD: self._thread,
            EventClass.SYSTEM: self._system,
            EventClass.USER: self._user,
            EventClass.COMM: self._comm,
        }

    def head(self) -> Iterator[str]:
        """Yield the header."""
        return head_lines(self._header)

    def lines(
        self, columns: EventColumns, chosen: NDArray[np.bool_] | None = None
    ) -> Iterator[str]:
        """Yield the next events; an event with more than two words has several lines."""
        for item in self._walk.items(columns, chosen):
            match item:
                case Moment():
                    text = self._event(item.event, columns.byte_order)
                    if text is not None:
                        yield text
                case Gap():
                    yield gap_line(item)
                case _:
                    yield "-- the target was reset"

    def tail(self) -> Iterator[str]:
        """Yield the last line if it is unfinished."""
        if self._unfinished:
            yield self._unfinished
            self._unfinished = ""

    def _event(self, event: Event, byte_order: ByteOrder) -> str | None:
        """Format an event; None if its line is unfinished."""
        words = words_of(event, byte_order)
        write = self._by_class.get(event.cls, self._other)
        text = (
            f"{self._unfinished}t:0x{event.time_ticks % (1 << 32):08x} CPU:{event.cpu:02d} "
            f"{write(event, words)}"
        )
        if event.cls == EventClass.KERCALL and _is_failed_exit(event):
            # The printer writes no line end after this event, and scripts expect that.
            self._unfinished = text
            return None
        self._unfinished = ""
        return text

    def _words(self, words: Words, known: Sequence[Argument], *, pad: bool = True) -> str:
        if words.fast:
            return write_fast(words, known, pad=pad)
        return write_wide(words, known, one_line=self._one_line)

    def _control(self, event: Event, words: Words) -> str:
        if len(words.values) >= _FAST_WORDS:
            first, second = words.values[:2]
            if event.event == ControlEvent.TIME:
                return f"CONTROL :TIME msb:0x{first:08x} lsb(offset):0x{second:08x}"
            if event.event == ControlEvent.BUFFER:
                number = first & _SEQUENCE_MASK
                return f"CONTROL: BUFFER sequence = {number}, num_events = {signed(second)}"
        return self._other(event, words)

    def _call(self, event: Event, words: Words) -> str:
        kind, number = divmod(event.event, _EXIT)
        name, enter, leave = self._call_words(event, number)
        if kind == 0:
            return f"KER_CALL:{name}/{number:02d}{self._words(words, enter)}"
        if kind == _INTERRUPTED // _EXIT:
            return f"INT_CALL:{name}/{number}"
        if kind != 1:
            return self._other(event, words)
        if _is_failed_exit(event):
            return f"KER_EXIT:{name}/{number:02d} ret_val:-1, errno:{signed(words.values[1])}"
        return f"KER_EXIT:{name}/{number:02d}{self._words(words, leave)}"

    def _call_words(
        self, event: Event, number: int
    ) -> tuple[str, Sequence[Argument], Sequence[Argument]]:
        call = qnx_calls().get(number)
        if self._foreign:
            return (call.name, call.enter, call.exit) if call else (f"CALL_{number}", (), ())
        what = event.type
        name = what.base if what.since else (call.name if call else f"CALL_{number}")
        known = _named(what) if event.payload is None else _named_wide(what)
        return name, known, known

    def _interrupt(self, event: Event, words: Words) -> str:
        values = (*words.values, 0, 0, 0, 0)
        number = f"0x{values[0]:08x} ({signed(values[0])})"
        match event.event:
            case IntEvent.ENTRY:
                return f"INT_ENTR:{number}       IP:0x{values[1]:08x}"
            case IntEvent.EXIT:
                return f"INT_EXIT:{number} inkernel:0x{values[1]:08x}"
            case IntEvent.HANDLER_ENTRY:
                if len(words.values) >= _HANDLER_WORDS:
                    pid, irq, code, area = values[:4]
                else:  # events of tickertape have neither process nor area
                    pid, irq, code, area = 0, values[0], values[1], 0
                return (
                    f"INT_HANDLER_ENTR:0x{irq:08x} ({signed(irq)})       PID:{signed(pid)} "
                    f"IP:0x{code:08x} AREA:0x{area:08x}"
                )
            case IntEvent.HANDLER_EXIT:
                # The printer's text for every signal event on a machine other than QNX.
                return f"INT_HANDLER_EXIT:{number} SIGEVENT:INTR EVENT"
        return self._other(event, words)

    def _thread(self, event: Event, words: Words) -> str:
        if event.event in PROCESS:
            name, known = PROCESS[event.event]
            return f"PROCESS :{name:<13}{self._words(words, known)}"
        virtual = VTHREAD_OFFSET <= event.event <= VTHREAD_OFFSET + DESTROY
        label, prefix = ("VTHREAD ", "VTH") if virtual else ("THREAD  ", "TH")
        number = event.event - VTHREAD_OFFSET * virtual
        if number in {CREATE, DESTROY}:
            name = prefix + ("CREATE" if number == CREATE else "DESTROY")
            known = PID_TID if self._foreign or words.fast else _named_wide(event.type)
            return f"{label}:{name:<13}{self._words(words, known)}"
        if number >= len(STATES) or len(words.values) < _FAST_WORDS:
            return self._other(event, words)
        pid, tid, *wide = words.values
        if not self._foreign:
            wide = wide[:2]  # QNX does not have the further words of our wide form
        text = f"{label}:{prefix + STATES[number]:<13} pid:{signed(pid)} tid:{signed(tid)} "
        return text + " ".join(
            f"{label}:{write(word)}"
            for (label, write), word in zip(_WIDE_THREAD, wide, strict=False)
        )

    def _system(self, event: Event, words: Words) -> str:
        if event.event not in SYSTEM:
            return self._other(event, words)
        name, known = SYSTEM[event.event]
        if not self._foreign and not words.fast and event.type.payload:
            known = _named(event.type)
        width = 15 if event.event in PADDED_SYSTEM else 0
        return f"SYSTEM  :{name:<{width}}{self._words(words, known, pad=False)}"

    def _user(self, event: Event, words: Words) -> str:
        text = f"USREVENT:EVENT:{event.event}"
        if not words.fast:
            return f'{text} STR:"{text_of(words.raw)}"'
        return f"{text}, d0:0x{words.values[0]:08x} d1:0x{words.values[1]:08x}"

    def _comm(self, event: Event, words: Words) -> str:
        if event.event not in COMM:
            return self._other(event, words)
        name, known = COMM[event.event]
        return f"COMM    :{name:<13}{self._words(words, known)}"

    def _other(self, event: Event, words: Words) -> str:
        """Format an event that QNX does not have; unknown events as numbers."""
        what = event.type
        known = _named(what) if words.fast or what.payload else ()
        return f"{what.class_name:<8}:{what.name:<13}{self._words(words, known, pad=False)}"


def _is_failed_exit(event: Event) -> bool:
    is_exit = _EXIT <= event.event < _INTERRUPTED
    return is_exit and len(event.words) >= _FAST_WORDS and event.words[0] == _FAILED


def _named_wide(what: EventType) -> tuple[Argument, ...]:
    """Return the arguments for all words of the wide form of a tickertape event type."""
    missing = [EMPTY] * (_FAST_WORDS - len(what.fields))
    return (
        *map(_argument, what.fields),
        *missing,
        *(EMPTY if field.name == "unused" else _argument(field) for field in what.wide_fields),
    )


def _argument(field: Field) -> Argument:
    return Argument(field.name, _FORMS.get(field.type, "H"), fast=True)


def _named(what: EventType) -> tuple[Argument, ...]:
    """Return the arguments for the fields of a tickertape event type."""
    fields = tuple(_argument(field) for field in what.fields if field.name != "unused")
    return (*fields, Argument("text", "N", 0)) if what.payload else fields
