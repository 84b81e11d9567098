"""Statistics of a boot as a line, tables and notes: texts for a terminal or a page."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tickertape.answers.figures import event_name, jitter_of, share_of, wait_name
from tickertape.model.entities import Kind
from tickertape.report.numbers import count
from tickertape.report.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tickertape.answers.sample import Distribution, Figure
    from tickertape.answers.statistics import BootStats, ProcessStats
    from tickertape.decode.ticks import Clock

_UNKNOWN: Final = "?"
_MARK: Final = "~"


@dataclass(frozen=True, slots=True)
class StatsReport:
    """Statistics of a boot in words.

    Attributes:
        head: observed time of the CPUs, and its shares by owner.
        tables: tables with rows.
        notes: unknown facts, one line each.
    """

    head: str
    tables: tuple[Table, ...]
    notes: tuple[str, ...]


def report_of(boot: BootStats, rows: int | None) -> StatsReport:
    """Return the statistics of a boot in words.

    Args:
        boot: the boot.
        rows: greatest number of rows in each table, the most important first; None for all.
    """
    found = [
        *_tasks(boot, rows),
        *(_interrupts(boot, rows), _blockings(boot, rows), _objects(boot, rows)),
        *(_events(boot, rows), _stacks(boot, rows), _tracing(boot, rows)),
    ]
    tables = tuple(table for table in found if table.rows)
    notes = _notes(boot, rows)
    if any(text.startswith(_MARK) for table in tables for row in table.rows for text in row):
        notes.append(
            f"{_MARK}: unknown time could move this figure; --json and --csv show its limits"
        )
    return StatsReport(_head(boot), tables, tuple(notes))


def _head(boot: BootStats) -> str:
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
    return f"{time_text(clock, whole)} of {len(boot.cpus)} CPU observed{shares}"


def _tasks(boot: BootStats, rows: int | None) -> tuple[Table, Table]:
    tasks = [one for one in boot.processes if one.kind is Kind.TASK]
    more = _with_limits(tasks[:rows])
    columns = ("task", "load", "done", "p50", "p95", "max", *more, "worst", "execution", "ready")
    table = Table.of(
        "Response time of tasks, longest execution, longest time ready", *columns, "missed"
    )
    for one in tasks[:rows]:
        clock, response = boot.clock, one.response
        table.add(
            one.name,
            _share(one),
            count(int(response.count.value or 0)),
            figure_text(clock, response.percentiles[50]),
            figure_text(clock, response.percentiles[95]),
            *_maximum(clock, response, more),
            figure_text(clock, one.execution.maximum),
            figure_text(clock, one.latency.maximum),
            count_text(one.misses),
        )
    other = Table.of(
        "Activations of tasks", "task", "count", "period", "jitter", "preempted", "interrupted"
    )
    for one in tasks[:rows]:
        other.add(
            one.name,
            count_text(one.activations),
            figure_text(boot.clock, one.period.percentiles[50]),
            figure_text(boot.clock, jitter_of(one.period)),
            count_text(one.preemptions),
            count_text(one.interruptions),
        )
    return table.cut(len(tasks)), other.cut(len(tasks))


def _interrupts(boot: BootStats, rows: int | None) -> Table:
    found = [one for one in boot.processes if one.kind is Kind.INTERRUPT]
    more = _with_limits(found[:rows])
    columns = ("interrupt", "load", "count", "rate", "p50", "p95", "max", *more, "worst")
    table = Table.of("Duration of interrupts", *columns, "nesting")
    for one in found[:rows]:
        table.add(
            one.name,
            _share(one),
            count_text(one.activations),
            _rate(boot, one.activations),
            figure_text(boot.clock, one.response.percentiles[50]),
            figure_text(boot.clock, one.response.percentiles[95]),
            *_maximum(boot.clock, one.response, more),
            count_text(one.nesting),
        )
    return table.cut(len(found))


def _with_limits(found: Sequence[ProcessStats]) -> tuple[str, ...]:
    """Return the name of the column of upper limits, if unknown time could move a maximum."""
    maxima = [one.response.maximum for one in found]
    exact = all(one.exact or (one.value is None and one.high is None) for one in maxima)
    return () if exact else ("at most",)


def _maximum(clock: Clock, found: Distribution, more: tuple[str, ...]) -> list[str]:
    high = found.maximum.high
    limit = [_UNKNOWN if high is None else time_text(clock, high)] if more else []
    worst = "" if found.worst is None else f"#{found.worst}"
    return [figure_text(clock, found.maximum), *limit, worst]


def _blockings(boot: BootStats, rows: int | None) -> Table:
    table = Table.of("Waits", "task", "for", "held by", "time")
    found = [(one, each) for one in boot.processes for each in one.blockings]
    found.sort(key=lambda pair: -(pair[1].ticks.value or 0))
    for one, each in found[:rows]:
        owner = boot.name(each.owner)
        time = figure_text(boot.clock, each.ticks)
        wanted = boot.name(each.object) or (wait_name(each.event) or _UNKNOWN).lower()
        table.add(one.name, wanted, owner, time)
    return table.cut(len(found))


def _objects(boot: BootStats, rows: int | None) -> Table:
    table = Table.of(
        "Objects", "object", "takes", "contended", "hold p50", "hold max", "wait p50", "wait max"
    )
    found = sorted(boot.uses.items(), key=lambda item: -_total(item[1].waits))
    for entity, use in found[:rows]:
        table.add(
            boot.name(entity),
            count_text(use.takes),
            count_text(use.contended),
            *_pair(boot.clock, use.holds),
            *_pair(boot.clock, use.waits),
        )
    return table.cut(len(found))


def _events(boot: BootStats, rows: int | None) -> Table:
    table = Table.of("Events", "event", "count", "rate", "distance p50", "max")
    found = sorted(boot.events, key=lambda one: -(one.count.value or 0))
    for one in found[:rows]:
        distances = _pair(boot.clock, one.distance)
        name = event_name(one.code)
        table.add(name, count_text(one.count), _rate(boot, one.count), *distances)
    return table.cut(len(found))


def _stacks(boot: BootStats, rows: int | None) -> Table:
    table = Table.of("Stacks, as last reported", "task", "size", "never used", "of it")
    found = [(one.name, one.stack) for one in boot.processes if one.stack is not None]
    found.sort(key=lambda pair: pair[1].unused_bytes.value or 0)
    for name, stack in found[:rows]:
        unused, size = stack.unused_bytes, stack.size_bytes
        least = int(unused.value or 0)
        table.add(
            name,
            _UNKNOWN if size is None else f"{count(size)} B",
            f"{'' if unused.exact else '~'}{count(least)} B",
            f"{least / size:.0%}" if size else _UNKNOWN,
        )
    return table.cut(len(found))


def _tracing(boot: BootStats, rows: int | None) -> Table:
    table = Table.of("What tracing cost", "who", "events", "at least", "at most", "of its time")
    found = boot.tracing
    if found.cost is None:
        return table
    shares = [(one, found.of(one.entity)) for one in boot.processes if one.entity in found.shares]
    shares.sort(key=lambda pair: -(pair[1].ticks.high or pair[1].ticks.low))
    for one, share in shares[:rows]:
        cost = share.ticks
        table.add(
            one.name,
            _range(share.events.low, share.events.high, lambda number: count(int(number))),
            *_limits(boot.clock, cost),
            _part(cost, one.ticks.value),
        )
    whole = _limits(boot.clock, found.ticks)
    table.add("all", count(found.events), *whole, _part(found.ticks, boot.observed_ticks))
    for one in boot.drain:
        time = figure_text(boot.clock, one.ticks)
        table.add(f"sending: {one.name}", "", time, time, _share(one))
    return table.cut(len(shares) + 1 + len(boot.drain))


def _limits(clock: Clock, figure: Figure) -> tuple[str, str]:
    high = _UNKNOWN if figure.high is None else time_text(clock, figure.high)
    return time_text(clock, figure.low), high


def _part(cost: Figure, whole: float | None) -> str:
    """Return a cost as a share of a time."""
    share = share_of(cost, int(whole or 0))
    return _range(share.low, share.high, "{:.2%}".format)


def _range(low: float, high: float | None, text: Callable[[float], str]) -> str:
    """Return limits as text, or one value if both texts are equal."""
    if high is None:
        return f"{text(low)}-{_UNKNOWN}" if low else _UNKNOWN
    return text(low) if text(low) == text(high) else f"{text(low)}-{text(high)}"


def _notes(boot: BootStats, rows: int | None) -> list[str]:
    clock = boot.clock
    lines = [f"The tape has no event of class {one.name}." for one in boot.missing]
    if clock.tick_hz is None:
        lines.append("The rate of the clock is unknown: times are ticks.")
    if boot.tracing.cost is None:
        lines.append("What tracing cost is unknown: the target did not measure it.")
    for one in boot.unknown[:rows]:
        times = f"{time_text(clock, one.begin)} to {time_text(clock, one.end)}"
        where = "" if one.cpu is None else f", CPU {one.cpu}"
        lines.append(f"unknown from {times}{where}: {one.reason.value}")
    hidden = 0 if rows is None else len(boot.unknown) - rows
    if hidden > 0:
        lines.append(f"{hidden} more intervals are unknown; --all shows them")
    return lines


def time_text(clock: Clock, ticks: float) -> str:
    """Return a time as text in its most suitable unit."""
    if clock.tick_hz is None:
        return f"{count(round(ticks))} ticks"
    ns = clock.ns(round(ticks))
    for limit, unit in ((10**9, "s"), (10**6, "ms"), (10**3, "µs")):
        if ns >= limit:
            return f"{ns / limit:#.4g} {unit}"
    return f"{ns} ns"


def figure_text(clock: Clock, figure: Figure) -> str:
    """Return a figure as text, with ~ if unknown time could change the text."""
    if figure.value is None:
        return _UNKNOWN
    value = time_text(clock, figure.value)
    limits = (
        time_text(clock, figure.low),
        "" if figure.high is None else time_text(clock, figure.high),
    )
    return value if limits == (value, value) else f"~{value}"


def count_text(figure: Figure) -> str:
    """Return a number as text, with ~ if unknown time could change it."""
    text = count(int(figure.value or 0))
    return text if figure.exact else f"{_MARK}{text}"


def _total(found: Distribution) -> float:
    return (found.mean.value or 0) * (found.count.value or 0)


def _share(one: ProcessStats) -> str:
    share = share_of(one.ticks, one.observed_ticks)
    if share.value is None:
        return _range(share.low, share.high, "{:.2%}".format)
    if share.high is None:
        return _UNKNOWN
    value = f"{share.value:.2%}"
    return value if {f"{share.low:.2%}", f"{share.high:.2%}"} == {value} else f"~{value}"


def _rate(boot: BootStats, number: Figure) -> str:
    ticks = max((cpu.observed_ticks for cpu in boot.cpus.values()), default=0)
    if boot.clock.tick_hz is None or not ticks:
        return _UNKNOWN
    per_tick = boot.clock.tick_hz / ticks
    texts = ["" if one is None else f"{one * per_tick:.1f}/s" for one in number]
    return texts[0] if len(set(texts)) == 1 else f"{_MARK}{texts[0]}"


def _pair(clock: Clock, found: Distribution) -> tuple[str, str]:
    if found.count.value == 0:
        return "", ""
    return figure_text(clock, found.percentiles[50]), figure_text(clock, found.maximum)
