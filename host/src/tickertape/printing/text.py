"""Prints events as text for people, one line per event.

    0.001234560  0  sensor        SCHED  CONTEXT_SWITCH  prev_tid=2:sensor next_tid=0:idle

A line has the time in seconds since the start of the target's clock, with nanoseconds; the CPU; the
running thread (`?` when unknown after a loss); class, event, and the fields of the event according
to the dictionary. A line that begins with `--` reports the number of missing records and the
reasons.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.decode.ticks import NS_PER_S
from tickertape.model.codes import MESSAGE, SIGNALS, THREAD_NAME, kind_of, nameless, thread_id
from tickertape.model.messages import is_message, message_of, without_format
from tickertape.model.names import Names
from tickertape.model.running import RunningThreads
from tickertape.model.selection import narrow
from tickertape.printing.gaps import gap_line
from tickertape.protocol.event_type import event_code
from tickertape.protocol.lookup import event_type
from tickertape.protocol.wire import CLASS_SHIFT, DOMAIN_BITS, EVENT_MASK, HOST_BITS, TRUNCATED_BITS

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from numpy.typing import NDArray

    from tickertape.decode.events import Event, EventColumns, Gap
    from tickertape.model.boot import BootOf
    from tickertape.protocol.event_type import EventType, Field

    Row = tuple[str, int, int, int, bool, tuple[int, int]]

_SIGN_BIT: Final = 1 << 31
_WORD_BYTES: Final = 4
_FLAG_BITS: Final = TRUNCATED_BITS | HOST_BITS | DOMAIN_BITS
_REMEMBERED: Final = 1 << 16

# Escape sequences of ECMA-48, "select graphic rendition".
_RESET, _DIM, CYAN, _BOLD, _YELLOW = "\x1b[0m", "\x1b[2m", "\x1b[36m", "\x1b[1m", "\x1b[33m"


@dataclass(frozen=True)
class TextOptions:
    """Print options.

    Attributes:
        colour: whether to colour the columns, for a terminal.
    """

    colour: bool = False


class TextExporter:
    """Converts events to lines, chunk by chunk."""

    def __init__(
        self,
        boots: BootOf,
        options: TextOptions | None = None,
    ) -> None:
        """Create an exporter.

        Args:
            boots: returns a `Boot` for an epoch.
            options: print options; None for the defaults.
        """
        self._boots = boots
        self._options = options or TextOptions()
        self._running = RunningThreads()
        self._epoch = -1
        self._names = Names({})
        self._version = self._names.version
        self._tick_hz = 1
        self._middles: dict[tuple[int, int, int], str] = {}
        self._simples: dict[tuple[int, int, int], str] = {}

    def head(self) -> Iterator[str]:
        """Return no lines: text has no header."""
        return iter(())

    def tail(self) -> Iterator[str]:
        """Return no lines: text has no trailer."""
        return iter(())

    def lines(
        self, columns: EventColumns, chosen: NDArray[np.bool_] | None = None
    ) -> Iterator[str]:
        """Yield the lines of the next events, without line ends.

        Args:
            columns: the events.
            chosen: whether to print each row, one bool per row (`Selector.mask`); None for all.
        """
        yield from self._enter(columns)
        yield from self._lines(columns, self._running.column(columns), chosen)

    def blocks(
        self, columns: EventColumns, chosen: NDArray[np.bool_] | None = None
    ) -> Iterator[bytes | memoryview]:
        """Yield the same lines as UTF-8 with line ends, in blocks valid until the next one."""
        return self._encoded(self.lines(columns, chosen))

    @staticmethod
    def _encoded(lines: Iterable[str]) -> Iterator[bytes]:
        return (f"{line}\n".encode("utf-8", errors="replace") for line in lines)

    def _enter(self, columns: EventColumns) -> Iterator[str]:
        """Begin a new boot if necessary, and drop cached texts if names have changed."""
        if columns.epoch != self._epoch:
            if self._epoch >= 0:
                yield self._paint("-- the target was reset", _YELLOW)
            self._begin_boot(columns.epoch)
        if self._names.version != self._version:
            self._forget()

    def _lines(
        self,
        columns: EventColumns,
        running: NDArray[np.int64],
        chosen: NDArray[np.bool_] | None,
    ) -> Iterator[str]:
        """Yield lines; `running` is the running thread of each row."""
        skipped: frozenset[int] = frozenset()
        if chosen is not None:
            # Keep THREAD NAME, because names are also learned from events that are not printed.
            kept = chosen | (columns.code == THREAD_NAME)
            columns, running = narrow(columns, kept), running[kept]
            skipped = frozenset(np.flatnonzero(~chosen[kept]).tolist())
        gaps = sorted(columns.losses, key=lambda gap: gap.row)
        shown = 0
        rows = self._rows(columns, running)
        for row, (time, cpu, tid, code, special, words) in enumerate(rows):
            while shown < len(gaps) and gaps[shown].row <= row:
                yield self._gap(gaps[shown])
                shown += 1
            event = columns.event_at(row) if special else None
            if event is not None and code == THREAD_NAME:
                self._learn(event)
            if row in skipped:
                continue
            middle = self._middle(cpu, tid, code)
            details = self._simple(code, *words) if event is None else self._special(event)
            yield f"{time}{middle}{details}".rstrip()
        for gap in gaps[shown:]:
            yield self._gap(gap)

    def _begin_boot(self, epoch: int) -> None:
        self._epoch = epoch
        boot = self._boots(epoch)
        self._names, self._tick_hz = boot.names, boot.clock.hz
        self._forget()

    def _forget(self) -> None:
        """Drop cached texts, because a name has changed."""
        self._version = self._names.version
        self._middles.clear()
        self._simples.clear()

    def _rows(self, columns: EventColumns, running: NDArray[np.int64]) -> Iterable[Row]:
        """Yield (time, CPU, thread, code, whether it needs the whole event, words) of each row."""
        whole, part = np.divmod(columns.time, np.uint64(self._tick_hz))
        part = part * np.uint64(NS_PER_S) // np.uint64(self._tick_hz)
        special = (columns.payload_offset >= 0) | (columns.header & _FLAG_BITS != 0)
        special |= columns.code == MESSAGE
        before, after = (_DIM, _RESET) if self._options.colour else ("", "")
        return zip(
            [
                f"{before}{second:>5}.{ns:09d}{after}"
                for second, ns in zip(whole.tolist(), part.tolist(), strict=True)
            ],
            columns.cpu.tolist(),
            running.tolist(),
            columns.code.tolist(),
            special.tolist(),
            zip(columns.data0.tolist(), columns.data1.tolist(), strict=True),
            strict=True,
        )

    def _learn(self, event: Event) -> None:
        if not event.text or len(event.words) <= 1:
            return
        tid = event.words[1]
        known = self._names.thread(tid)
        if known != event.text:
            self._names.learn_thread(tid, event.text)
            if self._names.thread(tid) != known:
                self._forget()

    def _middle(self, cpu: int, tid: int, code: int) -> str:
        """Return CPU, thread, class and event of a line."""
        key = (cpu, tid, code)
        text = self._middles.get(key)
        if text is None:
            text = self._middles[key] = self._new_middle(*key)
        return text

    def _new_middle(self, cpu: int, tid: int, code: int) -> str:
        what = _type_of(code)
        # The firmware, or the file of an import, names the events of its own classes.
        event = (None if what.since else self._names.event(code)) or what.name
        task = "?" if tid < 0 else self._names.thread(tid) or nameless(tid)
        return (
            f"  {cpu}  {self._paint(f'{task:<12}', CYAN)}  {what.class_name:<8} "
            f"{self._paint(f'{event:<24}', _BOLD)}  "
        )

    def _simple(self, code: int, data0: int, data1: int) -> str:
        """Return the fields of a simple event; cached, because the same words often repeat."""
        key = (code, data0, data1)
        text = self._simples.get(key)
        if text is None:
            if len(self._simples) >= _REMEMBERED:
                self._simples.clear()
            words = zip(_type_of(code).fields, key[1:], strict=False)
            text = self._simples[key] = " ".join(self._fields(code, words))
        return text

    def _fields(self, code: int, words: Iterable[tuple[Field, int]]) -> list[str]:
        if code in SIGNALS and self._names.has_readings:
            return self._signal(list(words))
        return [
            f"{known.name}={self._word(known, word)}"
            for known, word in words
            if known.name != "unused"
        ]

    def _signal(self, words: list[tuple[Field, int]]) -> list[str]:
        """Return the fields of a signal, with the value formatted by the type of the variable."""
        shown = [f"{known.name}={self._word(known, word)}" for known, word in words]
        if len(words) > 1:
            (_, signal), (value, word), *_ = words
            text = self._names.value(signal, word)
            shown[1] = shown[1] if text is None else f"{value.name}={text}"
        return shown

    def _special(self, event: Event) -> str:
        """Return the fields of an event with a payload or flags, or the text of a message."""
        fields = event.fields
        parts = (
            [self._message(event)]
            if is_message(event)
            else self._fields(event_code(event.cls, event.event), fields)
        )
        if event.text is not None:
            parts.append(json.dumps(event.text, ensure_ascii=False))
        elif event.payload is not None and not fields:
            parts.append(f"{len(event.payload)} bytes: {event.payload.hex(' ', -_WORD_BYTES)}")
        if event.domain:
            parts.append(f"domain={event.domain}")
        if event.host:
            parts.append("(from the host)")
        if event.truncated:
            parts.append("(truncated by the recorder)")
        return " ".join(parts)

    def _message(self, event: Event) -> str:
        message = message_of(event, self._names)
        if message.text is None:
            return without_format(message, self._names.build_id)
        return json.dumps(message.text, ensure_ascii=False)

    def _word(self, known: Field, word: int) -> str:
        names = self._names
        match kind_of(known):
            case "i32":
                shown = str(word - (1 << 32) if word & _SIGN_BIT else word)
            case "hex":
                shown = f"0x{word:x}"
            case "thread":
                shown = _numbered(thread_id(word), names.thread(word))
            case "irq":
                shown = _numbered(str(word), names.interrupt(word))
            case "object":
                shown = names.object(word) or f"0x{word:08x}"
            case "address":
                shown = names.code(word) or f"0x{word:08x}"
            case _:
                shown = str(word)
        return shown

    def _gap(self, gap: Gap) -> str:
        return self._paint(gap_line(gap), _YELLOW)

    def _paint(self, text: str, colour: str) -> str:
        return f"{colour}{text}{_RESET}" if self._options.colour else text


def _type_of(code: int) -> EventType:
    return event_type(code >> CLASS_SHIFT, code & EVENT_MASK)


def _numbered(number: str, name: str | None) -> str:
    return number if name in {None, number} else f"{number}:{name}"
