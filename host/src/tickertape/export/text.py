"""Events as lines of text for people, one line an event.

    0.001234560  0  sensor        SCHED  CONTEXT_SWITCH  prev_tid=2:sensor next_tid=0:idle

Time is in seconds since the target's clock began, with nanoseconds; then the CPU, the thread that
ran there (`?` where a loss hides it), class, event, and its fields as the dictionary describes
them. Where records are missing, a line that begins with `--` says how many and why.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from tickertape.model.kernel import THREAD_NAME
from tickertape.model.names import Names
from tickertape.model.running import RunningThreads
from tickertape.protocol.lookup import event_type

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tickertape.decode.events import Event, EventColumns, Gap
    from tickertape.protocol.event_type import EventType, Field

_NS_PER_S: Final = 1_000_000_000
_SIGN_BIT: Final = 1 << 31
_WORD_BYTES: Final = 4

# Escape sequences of ECMA-48, "select graphic rendition".
_RESET, _DIM, _CYAN, _BOLD, _YELLOW = "\x1b[0m", "\x1b[2m", "\x1b[36m", "\x1b[1m", "\x1b[33m"


@dataclass(frozen=True)
class TextOptions:
    """What to print and how.

    Attributes:
        classes: names of event classes to print; empty for all.
        tasks: print what happened while one of these threads ran; empty for all.
        colour: mark the columns with colours, for a terminal.
    """

    classes: frozenset[str] = field(default_factory=frozenset)
    tasks: frozenset[str] = field(default_factory=frozenset)
    colour: bool = False


def seconds(ticks: int, tick_hz: int) -> str:
    """Write a time as seconds with nine digits, rounded down."""
    whole, part = divmod(ticks * _NS_PER_S // tick_hz, _NS_PER_S)
    return f"{whole}.{part:09d}"


class TextExporter:
    """Turns events into lines, chunk after chunk."""

    def __init__(
        self,
        names_of: Callable[[int], Names],
        tick_hz_of: Callable[[int], int],
        options: TextOptions | None = None,
    ) -> None:
        """Get ready.

        Args:
            names_of: names within a boot, by epoch.
            tick_hz_of: clock rate of a boot, by epoch.
            options: what to print; everything when None.
        """
        self._names_of = names_of
        self._tick_hz_of = tick_hz_of
        self._options = options or TextOptions()
        self._running = RunningThreads()
        self._epoch = -1
        self._names = Names({})
        self._tick_hz = 1

    def lines(self, columns: EventColumns) -> Iterator[str]:
        """Yield the lines of the next events, without line ends."""
        if columns.epoch != self._epoch:
            if self._epoch >= 0:
                yield self._paint("-- the target was reset", _YELLOW)
            self._epoch = columns.epoch
            self._names = self._names_of(columns.epoch)
            self._tick_hz = self._tick_hz_of(columns.epoch)
        gaps = sorted(columns.gaps, key=lambda gap: gap.row)
        shown = 0
        for row, (event, tid) in enumerate(
            zip(columns.events(), self._running.column(columns).tolist(), strict=True)
        ):
            while shown < len(gaps) and gaps[shown].row <= row:
                yield self._gap(gaps[shown])
                shown += 1
            if event.cls << 10 | event.event == THREAD_NAME:
                self._learn(event)
            line = self._line(event, tid)
            if line is not None:
                yield line
        for gap in gaps[shown:]:
            yield self._gap(gap)

    def _learn(self, event: Event) -> None:
        if event.text and len(event.words) > 1:
            self._names.learn_thread(event.words[1], event.text)

    def _line(self, event: Event, tid: int) -> str | None:
        what = event_type(event.cls, event.event)
        options = self._options
        if options.classes and what.class_name not in options.classes:
            return None
        task = "?" if tid < 0 else self._names.thread(tid) or f"thread {tid}"
        if options.tasks and task not in options.tasks:
            return None
        paint = self._paint
        return (
            f"{paint(f'{seconds(event.time_ticks, self._tick_hz):>15}', _DIM)}  {event.cpu}  "
            f"{paint(f'{task:<12}', _CYAN)}  {what.class_name:<8} "
            f"{paint(f'{what.name:<24}', _BOLD)}  {self._details(event, what)}"
        ).rstrip()

    def _details(self, event: Event, what: EventType) -> str:
        parts = [
            f"{known.name}={self._word(known, word)}"
            for known, word in zip(what.fields, event.words, strict=False)
            if known.name != "unused" and (event.payload is None or what.payload)
        ]
        if event.text is not None:
            parts.append(json.dumps(event.text, ensure_ascii=False))
        elif event.payload is not None:
            parts.append(f"{len(event.payload)} bytes: {event.payload.hex(' ', -_WORD_BYTES)}")
        if event.domain:
            parts.append(f"domain={event.domain}")
        if event.host:
            parts.append("(from the host)")
        if event.truncated:
            parts.append("(cut when recorded)")
        return " ".join(parts)

    def _word(self, known: Field, word: int) -> str:
        names = self._names
        match known.type:
            case "i32":
                shown = str(word - (1 << 32) if word & _SIGN_BIT else word)
            case "hex":
                shown = f"0x{word:x}"
            case "thread":
                shown = _numbered(word, names.thread(word))
            case "irq":
                shown = _numbered(word, names.interrupt(word))
            case "object":
                shown = names.object(word) or f"0x{word:08x}"
            case "address":
                shown = names.code(word) or f"0x{word:08x}"
            case _:
                shown = str(word)
        return shown

    def _gap(self, gap: Gap) -> str:
        count = gap.end_ordinal - gap.first_ordinal
        text = (
            f"-- {count} records missing on cpu {gap.cpu}, stream {gap.stream}: "
            f"{gap.dropped} dropped, {gap.overwritten} overwritten, {gap.damaged} damaged"
        )
        return self._paint(text, _YELLOW)

    def _paint(self, text: str, colour: str) -> str:
        return f"{colour}{text}{_RESET}" if self._options.colour else text


def _numbered(number: int, name: str | None) -> str:
    return str(number) if name is None else f"{number}:{name}"
