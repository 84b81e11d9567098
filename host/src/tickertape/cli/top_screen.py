"""The screen of `tickertape top`: CPU time of threads and interrupts, classes, waits and losses."""

from __future__ import annotations

import math
import threading
import time
from collections import deque
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, ClassVar, Final

from rich.text import Text
from textual import work
from textual.app import App
from textual.binding import Binding
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import DataTable, Footer, Input, SelectionList, Static
from textual.widgets.selection_list import Selection

from tickertape.analysis.meter import Meter
from tickertape.cli.output import can_show
from tickertape.decode.ticks import NS_PER_S, clock_of
from tickertape.errors import TickertapeError
from tickertape.model.entities import Kind
from tickertape.model.transitions import State
from tickertape.protocol.events import EventClass
from tickertape.protocol.lookup import class_name
from tickertape.report.numbers import count

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.app import ComposeResult
    from textual.notifications import SeverityLevel

    from tickertape.analysis.ledger import Balance
    from tickertape.analysis.meter import CpuLoad, ProcessLoad, Reading
    from tickertape.cli.top_source import Source
    from tickertape.control import ControlClient
    from tickertape.decode.ticks import Clock

_HISTORY: Final = 20
_BAR: Final = 30
_MARKS: Final = (" ▁▂▃▄▅▆▇█", "?", "·")
_PLAIN_MARKS: Final = (" .:-=+*%#", "?", ".")
"""Characters: steps of busy time, up to all of it; unknown time; idle time."""
_SORTS: Final = ("share", "time", "name")
_SHOWN: Final = 4
_COLUMNS: Final = ("name", "number", "state", "share", "history", "time/s", "waits for")


@dataclass(frozen=True, slots=True)
class Look:
    """The figures of one look at the source.

    Attributes:
        reading: events since the previous look, counted.
        clock: clock of their boot.
        target: name of board and application; empty while unknown.
        balance: balance of records so far; None while unknown.
        ended: whether the source has ended.
    """

    reading: Reading
    clock: Clock
    target: str
    balance: Balance | None
    ended: bool

    def rate(self, events: int) -> str:
        """Return events per second of target time, or `?` if its clock or the time is unknown."""
        ns = self.clock.known_ns(self.reading.ticks)
        return f"{count(round(events * NS_PER_S / ns))}" if ns else "?"


class Classes(ModalScreen[dict[EventClass, bool] | None]):
    """Lets the user choose the classes that the target records."""

    CSS = "Classes { align: center middle } SelectionList { width: 40; height: 80% }"
    BINDINGS: ClassVar = [("escape", "dismiss(None)", "back"), ("s", "send", "send")]

    def __init__(self, selected: frozenset[int]) -> None:
        """Show the classes; preselect those in `selected`, which record all events."""
        super().__init__()
        self._before = selected

    def compose(self) -> ComposeResult:
        """Lay out the list."""
        known = [
            Selection(class_name(cls), cls, initial_state=cls in self._before) for cls in EventClass
        ]
        yield SelectionList[EventClass](*known)
        yield Footer()

    def action_send(self) -> None:
        """Close the list; return the changed classes, True to record them."""
        chosen = set(self.query_one(SelectionList).selected)
        self.dismiss(
            {cls: cls in chosen for cls in EventClass if (cls in chosen) != (cls in self._before)}
        )


class Top(App[None]):
    """Shows a source until the user quits. The screen stays when the source ends."""

    CSS = """
    #head, #cpus, #rest { height: auto }
    #find { display: none; height: 3 }
    DataTable { height: 1fr }
    """
    BINDINGS: ClassVar = [
        ("q", "quit", "quit"),
        ("space", "pause", "pause"),
        ("s", "sort", "sort"),
        ("i", "interrupts", "interrupts"),
        Binding("slash", "find", "find", key_display="/"),
        ("c", "classes", "classes"),
        Binding("escape", "clear", "clear", show=False),
    ]
    ENABLE_COMMAND_PALETTE = False

    class Failed(Message):
        """The source failed."""

    @dataclass
    class Looked(Message):
        """New figures are available."""

        look: Look

    @dataclass
    class Selected(Message):
        """The target has reported its classes; `classes` are those that record all events."""

        classes: frozenset[int]

    @dataclass
    class Said(Message):
        """A command has ended, with success or an error."""

        text: str
        is_error: bool = False

    def __init__(self, source: Source, *, stream: int | None, period_s: float) -> None:
        """Show a source.

        Args:
            source: events to show; the caller closes it.
            stream: stream whose events are shown; None for the stream of the first event.
            period_s: how often the figures change, in seconds.
        """
        super().__init__()
        self._source, self._period_s = source, period_s
        self._top = Static("waiting for the target", id="head", markup=False)
        self._cpus = Static(id="cpus", markup=False)
        self._table = DataTable[Text](cursor_type="row")
        self._rest = Static(id="rest", markup=False)
        self._find = Input(placeholder="part of a name", id="find")
        self._meter = Meter(lambda epoch: source.boots(epoch).names, stream=stream)
        self._ends = threading.Event()
        self._talking = threading.Lock()
        self._marks = _MARKS if can_show("".join(_MARKS)) else _PLAIN_MARKS
        self._sort, self._wanted = _SORTS[0], ""
        self._paused, self._with_interrupts = False, True
        self._shares: dict[tuple[Kind, int], deque[float]] = {}
        self._look: Look | None = None
        self.failure: TickertapeError | None = None

    def compose(self) -> ComposeResult:
        """Lay out the screen."""
        yield from (self._top, self._cpus, self._table, self._rest, self._find)
        yield Footer()

    def on_mount(self) -> None:
        """Start the thread that reads the source."""
        self.title = self._source.name
        for name in _COLUMNS:
            self._table.add_column(name, key=name)
        self._table.focus()
        self._follow()

    def on_unmount(self) -> None:
        """Ask the reading thread to end."""
        self._ends.set()

    @work(thread=True)
    def _follow(self) -> None:
        """Read events and post figures; only this thread uses the source and the meter."""
        tape = self._source.tape
        due_s = time.monotonic() + self._period_s
        try:
            while not (tape.ended or self._ends.is_set()):
                for columns in tape.poll():
                    self._meter.feed(columns)
                    if time.monotonic() >= due_s:
                        break
                if time.monotonic() >= due_s:
                    self._report()
                    due_s = time.monotonic() + self._period_s
                else:
                    self._ends.wait(tape.pause_s)
            self._report()
        except TickertapeError as error:
            self.failure = error
            self.post_message(self.Failed())

    def _report(self) -> None:
        reading, tape = self._meter.read(), self._source.tape
        hello = next(iter(tape.hellos.values()), None)
        clock = clock_of(tape.hellos.get(reading.epoch or 0) or hello)
        target = "" if hello is None else hello.target
        self.post_message(
            self.Looked(Look(reading, clock, target, self._source.balance(), tape.ended))
        )

    def on_top_failed(self) -> None:
        """Exit; the command reports `failure`."""
        self.exit()

    def on_top_looked(self, event: Looked) -> None:
        """Show new figures; when the source ends without events, keep the previous ones."""
        look = event.look
        if self._look is not None and look.reading.epoch != self._look.reading.epoch:
            self._shares.clear()
        if look.ended and self._look is not None and not look.reading.events:
            look = replace(self._look, ended=True, balance=look.balance)
        else:
            self._remember(look.reading)
        if not self._paused:
            self._look = look
            self._show()

    def _remember(self, reading: Reading) -> None:
        whole = reading.observed
        for one in reading.processes:
            past = self._shares.setdefault((one.kind, one.number), deque(maxlen=_HISTORY))
            past.append(one.ticks / whole if whole else 0.0)

    def _show(self) -> None:
        if self._look is None:
            return
        self._head()
        if self._look.reading.epoch is not None:
            self._cpus.update(_cpus(self._look.reading, self._marks))
            self._rest.update(_rest(self._look))
            self._fill(self._look)

    def _head(self) -> None:
        if self._look is None:
            return
        reading, balance = self._look.reading, self._look.balance
        words = [f"{self._look.target} ({self._source.name})".lstrip()]
        if reading.epoch is not None:
            words.append(f"boot {reading.epoch}")
            words.append(f"{self._look.rate(reading.events)} events/s")
        words += ["PAUSED"] * self._paused + ["ENDED"] * self._look.ended
        law = (
            "the balance is unknown so far"
            if balance is None
            else f"{count(balance.offered)} offered = {count(balance.delivered)} delivered + "
            f"{count(balance.overwritten)} overwritten + {count(balance.dropped)} dropped + "
            f"{count(balance.damaged)} damaged"
        )
        text = Text("  ".join(words), style="bold").append(f"\n{law}", style="not bold")
        if reading.lost or reading.lost_unknown:
            more = " and an unknown number" if reading.lost_unknown else ""
            text.append(f"\nLOST {count(reading.lost)} records{more} just now", style="reverse")
        self._top.update(text)

    def _fill(self, look: Look) -> None:
        table = self._table
        row, top = table.cursor_row, table.scroll_offset.y
        table.clear()
        for one in self._chosen(look.reading):
            past = self._shares[one.kind, one.number]
            table.add_row(*map(Text, _cells(one, past, look.clock, self._marks[0])))
        table.move_cursor(row=min(row, max(0, table.row_count - 1)), scroll=False)
        table.scroll_to(y=top, animate=False)

    def _chosen(self, reading: Reading) -> list[ProcessLoad]:
        chosen = [
            one
            for one in reading.processes
            if self._wanted in one.name.casefold()
            and (self._with_interrupts or one.kind is not Kind.INTERRUPT)
        ]
        if self._sort == "name":
            chosen.sort(key=lambda one: (one.name, one.number))
        elif self._sort == "time":
            chosen.sort(key=lambda one: -one.all_ticks)
        return chosen

    def action_pause(self) -> None:
        """Freeze the figures, or continue; the source is read in the meantime."""
        self._paused = not self._paused
        self._head()

    def action_sort(self) -> None:
        """Sort by the next order."""
        self._sort = _SORTS[(_SORTS.index(self._sort) + 1) % len(_SORTS)]
        self.notify(f"sorted by {self._sort}", timeout=2)
        self._show()

    def action_interrupts(self) -> None:
        """Show interrupts or hide them."""
        self._with_interrupts = not self._with_interrupts
        self._show()

    def action_find(self) -> None:
        """Show the field for a part of a name."""
        self._find.display = True
        self._find.focus()

    def action_clear(self) -> None:
        """Show all names again."""
        self._find.value, self._find.display = "", False
        self._table.focus()

    def on_input_changed(self, event: Input.Changed) -> None:
        """Show the names that contain the text of the field."""
        self._wanted = event.value.casefold()
        self._show()

    def on_input_submitted(self) -> None:
        """Go back to the table."""
        self._find.display = bool(self._wanted)
        self._table.focus()

    def action_classes(self) -> None:
        """Read the classes that the target records, to let the user choose."""
        if self._source.client is None:
            self.notify("a tape has no target to control", severity="warning")
            return
        self._ask_classes()

    @work(thread=True)
    def _ask_classes(self) -> None:
        self._command(lambda client: self.Selected(client.classes().every))

    def on_top_selected(self, event: Selected) -> None:
        """Show the list of classes."""
        self.push_screen(Classes(event.classes), self._set_classes)

    def _set_classes(self, changes: dict[EventClass, bool] | None) -> None:
        if changes:
            self._send(changes)

    @work(thread=True)
    def _send(self, changes: dict[EventClass, bool]) -> None:
        def send(client: ControlClient) -> Message:
            for cls, take in changes.items():
                client.select_class(cls, take=take)
            words = (f"{class_name(cls)} {'on' if on else 'off'}" for cls, on in changes.items())
            return self.Said(", ".join(words))

        self._command(send)

    def _command(self, carry_out: Callable[[ControlClient], Message]) -> None:
        """Send a command to the target and post its result; call it in a worker thread.

        It never waits for the screen, which may end.
        """
        client = self._source.client
        if client is None:
            return
        with self._talking:
            try:
                self.post_message(carry_out(client))
            except TickertapeError as error:
                self.post_message(self.Said(str(error), is_error=True))

    def on_top_said(self, event: Said) -> None:
        """Show the result of a command."""
        severity: SeverityLevel = "error" if event.is_error else "information"
        self.notify(event.text, severity=severity, markup=False)


def _cpus(reading: Reading, marks: tuple[str, str, str]) -> Text:
    return Text("\n").join(_cpu(cpu, marks) for cpu in reading.cpus)


def _cpu(cpu: CpuLoad, marks: tuple[str, str, str]) -> Text:
    if not cpu.observed:
        return Text(f"CPU {cpu.cpu}  no record")
    busy = cpu.tasks + cpu.interrupts + cpu.kernel
    filled = round(_BAR * busy / cpu.observed)
    unknown = min(_BAR - filled, -(-_BAR * cpu.unknown // cpu.observed))
    widths = (filled, unknown, _BAR - filled - unknown)
    bar = "".join(mark[-1] * width for mark, width in zip(marks, widths, strict=True))
    parts = {"tasks": cpu.tasks, "interrupts": cpu.interrupts, "kernel": cpu.kernel}
    words = [f"{name} {part / cpu.observed:.1%}" for name, part in parts.items()]
    text = Text(f"CPU {cpu.cpu}  {bar}  {busy / cpu.observed:6.1%}  {'  '.join(words)}")
    if cpu.unknown:
        text.append(f"  unknown {cpu.unknown / cpu.observed:.1%}", style="reverse")
    return text


def _cells(one: ProcessLoad, past: deque[float], clock: Clock, steps: str) -> tuple[str, ...]:
    line = "".join(steps[min(len(steps) - 1, math.ceil(part * (len(steps) - 1)))] for part in past)
    ns = clock.known_ns(one.all_ticks)
    waits = one.state is State.WAITING
    return (
        one.name if one.kind is Kind.TASK else f"{one.name} (interrupt)",
        str(one.number),
        one.state.name.lower(),
        f"{past[-1]:7.2%}",
        line.rjust(_HISTORY),
        "?" if ns is None else f"{ns / NS_PER_S:.6f}",
        (one.waits_for or "?") if waits else "",
    )


def _rest(look: Look) -> Text:
    reading = look.reading
    rates = [f"{name} {look.rate(events)}/s" for name, events in reading.classes.items()]
    waits = [f"{name} {times}" for name, times in reading.waits.items()]
    lines = [f"classes  {_first(rates)}"]
    if waits:
        lines.append(f"waits    {_first(waits)}")
    return Text("\n".join(lines), no_wrap=True, overflow="ellipsis")


def _first(words: list[str]) -> str:
    more = f"  and {len(words) - _SHOWN} more" if len(words) > _SHOWN else ""
    return "  ".join(words[:_SHOWN]) + more
