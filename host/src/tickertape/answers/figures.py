"""Statistics as JSON values and rows: times in ns, or in ticks when the rate is unknown."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from tickertape.answers.sample import PERCENTILES, Figure
from tickertape.decode.ticks import NS_PER_S
from tickertape.model.entities import Kind
from tickertape.protocol.events import ThreadEvent
from tickertape.protocol.lookup import class_name, event_label, event_type
from tickertape.protocol.wire import CLASS_SHIFT, EVENT_MASK

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tickertape.answers.sample import Distribution
    from tickertape.answers.statistics import BootStats, EventStats, ProcessStats, UseStats
    from tickertape.decode.ticks import Clock


def unit_of(clock: Clock) -> str:
    """Return the unit of times: `ns`, or `ticks` when the rate of the clock is unknown."""
    return "ticks" if clock.tick_hz is None else "ns"


def time_of(clock: Clock, ticks: float | None) -> float | int | None:
    """Return ticks in the unit of times: integers rounded down, means unrounded."""
    if ticks is None or clock.tick_hz is None:
        return ticks
    return clock.ns(ticks) if isinstance(ticks, int) else ticks * NS_PER_S / clock.tick_hz


def times_of(clock: Clock, figure: Figure) -> Figure:
    """Return a figure in ticks, converted to the unit of times."""
    low = time_of(clock, figure.low)
    return Figure(time_of(clock, figure.value), low or 0, time_of(clock, figure.high))


def share_of(figure: Figure, whole: int) -> Figure:
    """Return a figure as a fraction of `whole`; unknown if `whole` is 0."""
    if not whole:
        return Figure(None, 0, None)
    value, low, high = (None if one is None else one / whole for one in figure)
    return Figure(value, low or 0, None if high is None else min(high, 1.0))


def jitter_of(found: Distribution) -> Figure:
    """Return the difference of the greatest and the smallest value."""
    if found.minimum.value is None or found.maximum.value is None:
        return Figure(None, 0, found.maximum.high)
    value = found.maximum.value - found.minimum.value
    high = found.maximum.high
    return Figure(value, value, None if high is None else high - found.minimum.low)


def event_name(code: int) -> str:
    """Return the name of an event type by its code."""
    return event_label(event_type(code >> CLASS_SHIFT, code & EVENT_MASK))


def wait_name(event: int) -> str | None:
    """Return the name of a wait by its number in class THREAD; None for an unknown one."""
    if event == ThreadEvent.STOPPED:
        return "SUSPENDED"
    return ThreadEvent(event).name if event in set(ThreadEvent) else None


def to_json(boot: BootStats) -> dict[str, object]:
    """Return the statistics of a boot as JSON values; docs/stats.md lists the keys."""
    clock = boot.clock
    return {
        "epoch": boot.epoch,
        "unit": unit_of(clock),
        "tick_hz": clock.tick_hz or 0,
        "observed": time_of(clock, boot.observed_ticks),
        "unknown": time_of(clock, boot.unknown_ticks),
        "tracing": _tracing(boot),
        **_measured(boot),
        "intervals": [
            {
                "begin": time_of(clock, one.begin),
                "end": time_of(clock, one.end),
                "reason": one.reason.value,
                "cpu": one.cpu,
                "class": None if one.cls is None else class_name(one.cls),
                "records": one.records,
            }
            for one in boot.unknown
        ],
        "missing_classes": [one.name for one in boot.missing],
    }


def _measured(boot: BootStats) -> dict[str, list[dict[str, object]]]:
    clock = boot.clock
    return {
        "cpus": [
            {
                "cpu": cpu,
                "observed": time_of(clock, time.observed_ticks),
                "tasks": time_of(clock, time.tasks_ticks),
                "interrupts": time_of(clock, time.interrupts_ticks),
                "idle": time_of(clock, time.idle_ticks),
                "kernel": time_of(clock, time.kernel_ticks),
                "unknown": time_of(clock, time.unknown_ticks),
            }
            for cpu, time in boot.cpus.items()
        ],
        "tasks": [_process(boot, one) for one in boot.processes if one.kind is Kind.TASK],
        "interrupts": [_process(boot, one) for one in boot.processes if one.kind is not Kind.TASK],
        "objects": [_object(boot, entity, use) for entity, use in boot.uses.items()],
        "events": [_event(clock, one) for one in boot.events],
    }


def _process(boot: BootStats, one: ProcessStats) -> dict[str, object]:
    clock = boot.clock
    return {
        "name": one.name,
        "number": one.number,
        "cpu_time": _figure(times_of(clock, one.ticks)),
        "load": _figure(share_of(one.ticks, one.observed_ticks)),
        "activations": _figure(one.activations),
        "uncertain": one.uncertain,
        "response": _distribution(clock, one.response),
        "response_jitter": _figure(times_of(clock, jitter_of(one.response))),
        "execution": _distribution(clock, one.execution),
        "latency": _distribution(clock, one.latency),
        "period": _distribution(clock, one.period),
        "period_jitter": _figure(times_of(clock, jitter_of(one.period))),
        "preemptions": _figure(one.preemptions),
        "interruptions": _figure(one.interruptions),
        "nesting": _figure(one.nesting),
        "deadline_misses": _figure(one.misses),
        "stack_unused": None if one.stack is None else _figure(one.stack.unused_bytes),
        "stack_size": None if one.stack is None else one.stack.size_bytes,
        "tracing": _share(boot, one.entity),
        "blocked": [
            {
                "object": boot.name(each.object) or None,
                "wait": wait_name(each.event),
                "owner": boot.name(each.owner) or None,
                "time": _figure(times_of(clock, each.ticks)),
            }
            for each in one.blockings
        ],
    }


def _tracing(boot: BootStats) -> dict[str, object]:
    clock, found = boot.clock, boot.tracing
    cost = found.cost
    return {
        "measured": cost is not None,
        "events": found.events,
        "lost": found.lost,
        "cost": _figure(times_of(clock, found.ticks)),
        "drain": {one.name: _figure(times_of(clock, one.ticks)) for one in boot.drain},
        "event": None
        if cost is None
        else {
            "low": time_of(clock, cost.low),
            "high": time_of(clock, cost.high),
            "record_high": time_of(clock, cost.record_high),
            "step_high": time_of(clock, cost.step_high),
        },
    }


def _share(boot: BootStats, entity: int) -> dict[str, object]:
    share = boot.tracing.of(entity)
    return {"events": _figure(share.events), "cost": _figure(times_of(boot.clock, share.ticks))}


def _object(boot: BootStats, entity: int, use: UseStats) -> dict[str, object]:
    return {
        "name": boot.name(entity),
        "kind": boot.entities[entity].kind.name,
        "takes": _figure(use.takes),
        "contended": _figure(use.contended),
        **{word: _figure(one) for word, one in use.others.items()},
        "hold": _distribution(boot.clock, use.holds),
        "wait": _distribution(boot.clock, use.waits),
    }


def _event(clock: Clock, one: EventStats) -> dict[str, object]:
    distance = _distribution(clock, one.distance)
    return {"name": event_name(one.code), "count": _figure(one.count), "distance": distance}


def _figure(figure: Figure) -> dict[str, float | int | None]:
    return {"value": figure.value, "low": figure.low, "high": figure.high}


def _distribution(clock: Clock, found: Distribution) -> dict[str, object]:
    return {
        "count": _figure(found.count),
        "min": _figure(times_of(clock, found.minimum)),
        "mean": _figure(times_of(clock, found.mean)),
        **{f"p{one}": _figure(times_of(clock, found.percentiles[one])) for one in PERCENTILES},
        "max": _figure(times_of(clock, found.maximum)),
        "worst_instance": found.worst,
        "exact_percentiles": found.exact,
    }


class Row(NamedTuple):
    """One figure as a row of a table; None means unknown."""

    epoch: int
    kind: str
    name: str
    figure: str
    unit: str
    value: float | int | None
    low: float | int | None
    high: float | int | None


def rows_of(boot: BootStats) -> Iterator[Row]:
    """Yield every figure of a boot."""
    unit = unit_of(boot.clock)
    for kind, found in _measured(boot).items():
        for one in found:
            name = str(one.get("name", one.get("cpu")))
            for label, value, low, high in _flat("", one):
                what = _UNITS.get(label.split(".")[-1], _UNITS.get(label, unit))
                yield Row(boot.epoch, kind.removesuffix("s"), name, label, what, value, low, high)


_UNITS = {
    "load": "share",
    "stack_size": "bytes",
    "stack_unused": "bytes",
    **dict.fromkeys(
        [
            *("count", "activations", "uncertain", "preemptions", "interruptions", "nesting"),
            *("deadline_misses", "takes", "contended", "gives", "refusals", "timeouts", "sends"),
            *("receives", "events"),
        ],
        "count",
    ),
}
_NO_FIGURES = {"name", "number", "cpu", "kind", "blocked", "worst_instance", "exact_percentiles"}

_Number = float | int | None


def _flat(prefix: str, one: dict[str, object]) -> Iterator[tuple[str, _Number, _Number, _Number]]:
    for key, value in one.items():
        if key in _NO_FIGURES:
            continue
        label = f"{prefix}{key}"
        if isinstance(value, dict) and value.keys() == {"value", "low", "high"}:
            yield label, value["value"], value["low"], value["high"]
        elif isinstance(value, dict):
            yield from _flat(f"{label}.", value)
        elif isinstance(value, int | float):
            yield label, value, value, value
