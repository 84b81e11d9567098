"""Statistics on a terminal: the rows that matter first."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.table import Table
from rich.text import Text

from tickertape.answers.figures import event_name, jitter_of, share_of, wait_name
from tickertape.cli.console import PlainConsole
from tickertape.cli.output import count
from tickertape.model.entities import Kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import RenderableType

    from tickertape.answers.sample import Distribution, Figure
    from tickertape.answers.statistics import BootStats, ProcessStats
    from tickertape.decode.ticks import Clock

_ROWS: Final = 10
_UNKNOWN: Final = "?"


def show_stats(boots: Sequence[BootStats], *, whole: bool) -> None:
    """Print the statistics of some boots on standard output."""
    parts: list[RenderableType] = []
    for boot in boots:
        if len(boots) > 1:
            parts.append(Text(f"\nboot {boot.epoch}", style="bold"))
        parts += boot_parts(boot, None if whole else _ROWS)
    PlainConsole().print(Group(*parts))


def boot_parts(boot: BootStats, rows: int | None) -> list[RenderableType]:
    """Return a line about a boot, and its tables with so many rows; None for all."""
    return [
        *(_head(boot), _tasks(boot, rows), _interrupts(boot, rows)),
        *(_blockings(boot, rows), _objects(boot, rows), _events(boot, rows)),
        *_notes(boot, rows),
    ]


def _head(boot: BootStats) -> Text:
    clock, whole = boot.clock, boot.observed_ticks
    parts = [
        f"{name} {ticks / whole:.2%}"
        for name, ticks in (
            ("tasks", sum(cpu.tasks_ticks for cpu in boot.cpus.values())),
            ("interrupts", sum(cpu.interrupts_ticks for cpu in boot.cpus.values())),
            ("kernel", sum(cpu.kernel_ticks for cpu in boot.cpus.values())),
            ("idle", sum(cpu.idle_ticks for cpu in boot.cpus.values())),
            ("unknown", boot.unknown_ticks),
        )
        if whole
    ]
    shares = ": " + ", ".join(parts) if parts else ""
    return Text(f"{time_text(clock, whole)} of {len(boot.cpus)} CPU observed{shares}")


def _table(title: str, *columns: str) -> Table:
    table = Table(
        title=f"\n{title}",
        title_justify="left",
        title_style="bold",
        box=None,
        padding=(0, 1),
        pad_edge=False,
    )
    for index, name in enumerate(columns):
        table.add_column(name, justify="right" if index else "left")
    return table


def _tasks(boot: BootStats, rows: int | None) -> RenderableType:
    tasks = [one for one in boot.processes if one.kind is Kind.TASK]
    more = _with_limits(tasks[:rows])
    columns = ("task", "load", "done", "p50", "p95", "max", *more, "worst", "execution", "ready")
    table = _table(
        "Response time of tasks, longest execution, longest time ready", *columns, "missed"
    )
    for one in tasks[:rows]:
        clock, response = boot.clock, one.response
        table.add_row(
            one.name,
            _share(one),
            count(int(response.count.value or 0)),
            figure_text(clock, response.percentiles[50]),
            figure_text(clock, response.percentiles[95]),
            *_maximum(clock, response, more),
            figure_text(clock, one.execution.maximum),
            figure_text(clock, one.latency.maximum),
            count(one.misses),
        )
    other = _table(
        "Activations of tasks", "task", "count", "period", "jitter", "preempted", "interrupted"
    )
    for one in tasks[:rows]:
        other.add_row(
            one.name,
            count(one.activations),
            figure_text(boot.clock, one.period.percentiles[50]),
            figure_text(boot.clock, jitter_of(one.period)),
            count(one.preemptions),
            count(one.interruptions),
        )
    return Group(_more(table, len(tasks), rows), _more(other, len(tasks), rows))


def _interrupts(boot: BootStats, rows: int | None) -> RenderableType:
    found = [one for one in boot.processes if one.kind is Kind.INTERRUPT]
    more = _with_limits(found[:rows])
    columns = ("interrupt", "load", "count", "rate", "p50", "p95", "max", *more, "worst")
    table = _table("Duration of interrupts", *columns, "nesting")
    for one in found[:rows]:
        table.add_row(
            one.name,
            _share(one),
            count(one.activations),
            _rate(boot, one.activations),
            figure_text(boot.clock, one.response.percentiles[50]),
            figure_text(boot.clock, one.response.percentiles[95]),
            *_maximum(boot.clock, one.response, more),
            count(one.nesting),
        )
    return _more(table, len(found), rows)


def _with_limits(found: Sequence[ProcessStats]) -> tuple[str, ...]:
    """Return the column of upper limits, when unknown time could move a maximum."""
    maxima = [one.response.maximum for one in found]
    exact = all(one.exact or (one.value is None and one.high is None) for one in maxima)
    return () if exact else ("at most",)


def _maximum(clock: Clock, found: Distribution, more: tuple[str, ...]) -> list[str]:
    high = found.maximum.high
    limit = [_UNKNOWN if high is None else time_text(clock, high)] if more else []
    worst = "" if found.worst is None else f"#{found.worst}"
    return [figure_text(clock, found.maximum), *limit, worst]


def _blockings(boot: BootStats, rows: int | None) -> RenderableType:
    table = _table("Waits", "task", "for", "held by", "time")
    found = [(one, each) for one in boot.processes for each in one.blockings]
    found.sort(key=lambda pair: -pair[1].ticks)
    for one, each in found[:rows]:
        owner = boot.name(each.owner)
        time = time_text(boot.clock, each.ticks)
        wanted = boot.name(each.object) or (wait_name(each.event) or _UNKNOWN).lower()
        table.add_row(one.name, wanted, owner, time)
    return _more(table, len(found), rows)


def _objects(boot: BootStats, rows: int | None) -> RenderableType:
    table = _table(
        "Objects", "object", "takes", "contended", "hold p50", "hold max", "wait p50", "wait max"
    )
    found = sorted(boot.uses.items(), key=lambda item: -item[1].waits.total)
    for entity, use in found[:rows]:
        holds, waits = use.holds.distribution(), use.waits.distribution()
        table.add_row(
            boot.name(entity),
            count(use.takes),
            count(use.contended),
            *_pair(boot.clock, holds),
            *_pair(boot.clock, waits),
        )
    return _more(table, len(found), rows)


def _events(boot: BootStats, rows: int | None) -> RenderableType:
    table = _table("Events", "event", "count", "rate", "distance p50", "max")
    found = sorted(boot.events, key=lambda one: -(one.count.value or 0))
    for one in found[:rows]:
        number = int(one.count.value or 0)
        shown = count(number) if one.count.exact else f"at least {count(number)}"
        distances = _pair(boot.clock, one.distance)
        name = event_name(one.code)
        table.add_row(name, shown, _rate(boot, number), *distances)
    return _more(table, len(found), rows)


def _notes(boot: BootStats, rows: int | None) -> list[RenderableType]:
    clock = boot.clock
    lines = [f"The tape has no event of class {one.name}." for one in boot.missing]
    if clock.tick_hz is None:
        lines.append("The rate of the clock is unknown: times are ticks.")
    for one in boot.unknown[:rows]:
        times = f"{time_text(clock, one.begin)} to {time_text(clock, one.end)}"
        where = "" if one.cpu is None else f", CPU {one.cpu}"
        lines.append(f"unknown from {times}{where}: {one.reason.value}")
    hidden = 0 if rows is None else len(boot.unknown) - rows
    if hidden > 0:
        lines.append(f"{hidden} more intervals are unknown; --all shows them")
    if boot.unknown or boot.unknown_ticks:
        lines.append("~: unknown time could move this figure; --json and --csv show its limits")
    return [Text("\n" + "\n".join(lines))] if lines else []


def _more(table: Table, number: int, rows: int | None) -> RenderableType:
    if not number:
        return Group()
    if rows is None or number <= rows:
        return table
    return Group(table, Text(f"{number - rows} more; --all shows them", style="dim"))


def time_text(clock: Clock, ticks: float) -> str:
    """Return a time with the unit that suits it."""
    if clock.tick_hz is None:
        return f"{count(round(ticks))} ticks"
    ns = clock.ns(round(ticks))
    for limit, unit in ((10**9, "s"), (10**6, "ms"), (10**3, "µs")):
        if ns >= limit:
            return f"{ns / limit:#.4g} {unit}"
    return f"{ns} ns"


def figure_text(clock: Clock, figure: Figure) -> str:
    """Return a figure as text, with ~ when unknown time could move what is shown."""
    if figure.value is None:
        return _UNKNOWN
    value = time_text(clock, figure.value)
    limits = (
        time_text(clock, figure.low),
        "" if figure.high is None else time_text(clock, figure.high),
    )
    return value if limits == (value, value) else f"~{value}"


def _share(one: ProcessStats) -> str:
    share = share_of(one.ticks, one.observed_ticks)
    if share.value is None or share.high is None:
        return _UNKNOWN
    value = f"{share.value:.2%}"
    return value if {f"{share.low:.2%}", f"{share.high:.2%}"} == {value} else f"~{value}"


def _rate(boot: BootStats, number: int) -> str:
    ticks = max((cpu.observed_ticks for cpu in boot.cpus.values()), default=0)
    if boot.clock.tick_hz is None or not ticks:
        return _UNKNOWN
    return f"{number * boot.clock.tick_hz / ticks:.1f}/s"


def _pair(clock: Clock, found: Distribution) -> tuple[str, str]:
    if found.count.value == 0:
        return "", ""
    return figure_text(clock, found.percentiles[50]), figure_text(clock, found.maximum)
