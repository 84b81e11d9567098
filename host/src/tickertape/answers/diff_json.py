"""A comparison as JSON values; docs/diff.md lists the keys."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.decode.ticks import Clock

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tickertape.answers.diff import Compared, Comparison, Side
    from tickertape.answers.diff_runs import Parting


def to_json(
    found: Sequence[Comparison], alone: Sequence[str], threshold: float | None
) -> dict[str, object]:
    """Return JSON values.

    Args:
        found: one comparison per pair of boots.
        alone: boots without a counterpart.
        threshold: relative increase above which a figure has regressed; None: no threshold.
    """
    return {
        "unmatched": list(alone),
        "threshold": threshold,
        "comparisons": [_comparison(one, threshold) for one in found],
    }


def _comparison(one: Comparison, threshold: float | None) -> dict[str, object]:
    return {
        "epochs": list(one.epochs),
        "notes": list(one.notes),
        "differs": one.differs,
        "decision": _parting(one, one.decision),
        "event": None if one.event is None else _parting(one, one.event),
        "only": [
            {
                "kind": each.kind,
                "name": each.name,
                "side": each.side,
                "count": each.count,
                "sure": each.sure,
            }
            for each in one.only
        ],
        "figures": [_figure(each, threshold) for each in one.figures],
    }


def _figure(one: Compared, threshold: float | None) -> dict[str, object]:
    return {
        "kind": one.kind,
        "name": one.name,
        "figure": one.figure,
        "unit": one.unit,
        "a": _side(one.a),
        "b": _side(one.b),
        "change": one.change.value,
        "ratio": one.ratio,
        "interval": None if one.interval is None else list(one.interval),
        "regressed": None if threshold is None else one.regressed(threshold),
    }


def _side(one: Side) -> dict[str, float | int | None]:
    return {"value": one.value, "low": one.low, "high": one.high}


def _parting(one: Comparison, found: Parting) -> dict[str, object]:
    clocks = [Clock(hz or None) for hz in one.ticks_hz]
    return {
        "differs": found.differs,
        "count": found.count,
        "cpu": found.cpu,
        "ticks": list(found.ticks),
        "ns": [
            None if ticks is None else clock.known_ns(ticks)
            for ticks, clock in zip(found.ticks, clocks, strict=True)
        ],
        "lines": list(found.lines),
        "since": [list(lines) for lines in found.since],
        "cause": list(found.cause),
        "doubt": found.doubt or None,
    }
