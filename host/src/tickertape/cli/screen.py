"""Print a summary of a tape on one screen."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.table import Table
from rich.text import Text

from tickertape.analysis.by_name import by_name
from tickertape.cli.console import PlainConsole
from tickertape.cli.output import can_show
from tickertape.cli.screen_boots import boots_line, boots_table
from tickertape.decode.ticks import NS_PER_S
from tickertape.model.codes import thread_id
from tickertape.protocol.wire import ClockSource, HelloFlag
from tickertape.report.numbers import count, counted, duration

if TYPE_CHECKING:
    from rich.console import RenderableType

    from tickertape.analysis.summary import Summary
    from tickertape.decode.events import DecodeCounters
    from tickertape.tape.board import Board

_TASKS_SHOWN = 12
_BAR_WIDTH = 20


_CLOCKS: Final = {
    ClockSource.CYCLE_COUNTER: "cycle counter of the processor",
    ClockSource.TIMER: "timer",
    ClockSource.KERNEL: "clock of the kernel",
}


def clock_words(flags: int) -> str:
    """Return what the flags of HELLO state about the clock; empty if they state nothing."""
    words = [_CLOCKS[ClockSource(source)]] if (source := flags >> 16 & 0xF) in _CLOCKS else []
    if flags & HelloFlag.CLOCK_STOPS:
        words.append("stops in sleep or has another rate: idle times are too short")
    elif flags & HelloFlag.CLOCK_RUNS_IN_SLEEP:
        words.append("runs in sleep")
    return ", ".join(words)


def show_summary(summary: Summary, *, boot: int | None = None, clock: str = "") -> None:
    """Print a summary on standard output.

    Args:
        summary: summary of a tape, or of one boot.
        boot: number of that boot; None for a whole tape.
        clock: `clock_words()` of the target.
    """
    tables = Table.grid(padding=(0, 4))
    tables.add_row(_tasks(summary), _classes(summary))
    parts = [_head(summary, clock), tables, _balance(summary)]
    if summary.epochs > 1 or boot is not None:
        parts.insert(1, boots_table(summary.boots))
    parts += [Text(f"note: {note}") for note in summary.notes]
    parts += [Text(f"! {issue}", style="yellow") for issue in summary.issues]
    if boot is not None and not summary.verified:
        parts.append(Text(f"boot {boot} only; --verify checks the whole tape", style="dim"))
    elif not summary.verified:
        parts.append(Text("from the tape's summary; --verify reads all of it", style="dim"))
    PlainConsole().print(Group(*parts))


def _head(summary: Summary, clock: str) -> RenderableType:
    duration = f"{summary.duration_ns / NS_PER_S:.6f} s"
    lines = [
        f"target    {summary.target or 'unknown (no HELLO was captured)'}",
        f"build id  {summary.build_id or 'none'}",
        f"events    {count(summary.events)} in {duration} of {summary.cpus} CPU",
        f"clock     {count(summary.tick_hz)} Hz{clock and ', ' + clock}"
        if summary.tick_hz
        else "clock     unknown (no HELLO was captured); a tick is shown as 1 ns",
    ]
    if summary.symbols:
        lines.append(f"symbols   {count(summary.symbols)} names are on the tape")
    lines += [
        f"board     {board.name}, boot {board.epoch}: {_when(board)}" for board in summary.boards
    ]
    if summary.epochs > 1:
        lines.append(f"boots     {boots_line(summary.boots)}")
    return Text("\n".join(lines))


def _when(board: Board) -> str:
    """Return the error bound of a boot's times as text."""
    if not board.aligned:
        return "unknown time: no anchor"
    if board.bound_ns is None:
        return "its times are off by an unknown amount"
    return f"its times are within ±{duration(board.bound_ns)}"


def _table(title: str) -> Table:
    return Table(
        title=title,
        title_justify="left",
        title_style="bold",
        box=None,
        padding=(0, 1),
        pad_edge=False,
    )


def _classes(summary: Summary) -> RenderableType:
    table = _table("\nEvents by class")
    table.add_column("class")
    table.add_column("events", justify="right")
    for name, number in summary.classes.items():
        table.add_row(name, count(number))
    return table


def _tasks(summary: Summary) -> RenderableType:
    table = _table("\nCPU time by task")
    tasks = by_name(summary)
    several_boots, several_builds = summary.epochs > 1, any(task.build for task in tasks)
    second = "boots" if several_boots else "tid"
    for name in ("task", second, "time/s", "share"):
        table.add_column(name, justify="left" if name == "task" else "right")
    table.add_column("")

    def row(name: str, number: str, run_ns: int) -> None:
        part = run_ns / summary.observed_ns if summary.observed_ns else 0.0
        share = f"{part:.2%}" if summary.observed_ns else "?"
        bar = ("█" if can_show("█") else "#") * round(min(part, 1.0) * _BAR_WIDTH)
        table.add_row(name, number, f"{run_ns / NS_PER_S:.6f}", share, bar)

    for task in tasks[:_TASKS_SHOWN]:
        name = f"{task.name} ({task.build[:12]})" if several_builds else task.name
        row(name, str(task.boots) if several_boots else thread_id(task.tids[0]), task.run_ns)
    rest = tasks[_TASKS_SHOWN:]
    if rest:
        row(f"{len(rest)} more", "", sum(task.run_ns for task in rest))
    row("interrupts", "", sum(one.run_ns for one in summary.interrupts))
    row("kernel", "", summary.kernel_ns)
    row("unknown", "", summary.unknown_ns)
    return table


def _unassembled(decode: DecodeCounters) -> list[str]:
    if not decode.lost_records:
        return []
    records = f"  {count(decode.lost_records)} delivered records belong to events "
    if decode.whole:
        return [f"{records}that were recorded again on another CPU."]
    events = decode.incomplete_events + decode.mismatched_events
    orphans = counted(decode.orphan_records, "record")
    return [
        f"{records}that could not be put together:",
        f"  {counted(events, 'event')}, and {orphans} without the begin of their event.",
    ]


def _balance(summary: Summary) -> RenderableType:
    total = summary.balance.total
    law = (
        f"{count(total.offered)} offered = {count(total.delivered)} delivered "
        f"+ {count(total.overwritten)} overwritten + {count(total.dropped)} dropped "
        f"+ {count(total.damaged)} damaged"
    )
    lines = ["", "Balance of records", f"  {law}"]
    lines += _unassembled(summary.decode)
    if summary.balance.unknown_losses:
        lines.append(
            "  The number of records lost is unknown at "
            f"{counted(summary.balance.unknown_losses, 'place')}."
        )
    if not summary.balance.final:
        lines.append("  What was offered after the last receipt is unknown.")
    return Text("\n".join(lines))
