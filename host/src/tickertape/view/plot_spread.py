"""Draw distributions: a lane per task and interrupt, on one axis of time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape.report.numbers import count, counted, duration
from tickertape.view.queries import Queries, histogram

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tickertape.decode.records import I64, Structured
    from tickertape.view.index import Index

KINDS: Final[Mapping[str, tuple[str, ...]]] = {
    "response": ("task", "interrupt"),
    "ready": ("task",),
}
"""Kinds of rows per figure; the names of figures are those of `figures.FIGURES`."""

TITLES: Final = {
    "response": "response: from activation to completion",
    "ready": "latency: from ready to running",
}
_BARS: Final = 80
_WIDTH, _LANE, _MARGIN = 9.0, 0.55, 1.5  # inches
_INK, _BAR, _LOSS = "#1d2430", "#5b83c0", "#9b1c2c"
_MARKS: Final = (
    ("median", "median", "#2e9d4b"),
    ("p95", "95 % are below", "#b0510f"),
    ("p99", "99 % are below", "#cc2f3c"),
)


def draw(index: Index, figure: str, begin: int, end: int) -> Any:  # noqa: ANN401 - of matplotlib
    """Draw a histogram per row of the values of a figure within a range.

    Args:
        index: index of a tape.
        figure: a name in KINDS.
        begin: begin of the range on the axis, ns.
        end: end of the range on the axis, ns.
    """
    from matplotlib.figure import Figure  # noqa: PLC0415 - slow to load

    queries = Queries(index)
    rows = [row for row in index.about["rows"] if row["kind"] in KINDS[figure]]
    rows.sort(key=lambda row: (row["kind"] != "task", -row.get("priority", -1), row["name"]))
    found = queries.values_of_rows([row["row"] for row in rows], figure, (begin, end))
    shown = [
        (row, values, left_out)
        for row, (values, left_out) in zip(rows, found, strict=True)
        if len(values) or left_out
    ]
    edges = _edges([values for _, values, _ in shown])
    height = _LANE * max(len(shown), 2) + _MARGIN
    picture = Figure(figsize=(_WIDTH, height), layout="constrained")
    chart: Any = picture.add_subplot()
    for place, (_, values, left_out) in enumerate(shown):
        _lane(chart, place, histogram(values["value"], left_out, edges), edges)
    _axes(chart, edges, [row["name"] for row, _, _ in shown])
    facts = _facts(figure, queries.losses(begin, end), sum(one[2] for one in shown))
    chart.set_title("\n".join([*facts, *(["no instance is known"] if not shown else [])]))
    _legend(picture)
    return picture


def _edges(columns: Sequence[Structured]) -> I64:
    """Return the edges of bars for all lanes; bar widths increase by a constant factor."""
    values = np.concatenate([np.zeros(0, np.int64), *(one["value"] for one in columns)])
    least, most = (int(values.min()), int(values.max()) + 1) if len(values) else (1, 2)
    edges = np.geomspace(max(least, 1), max(most, 2), _BARS + 1).astype(np.int64)
    edges[0], edges[-1] = least, max(most, 2)
    found: I64 = np.unique(edges)
    return found


def _lane(chart: Any, place: int, known: Mapping[str, Any], edges: I64) -> None:  # noqa: ANN401
    """Draw a histogram, with the figures of the row above it."""
    base = place + 0.95
    if "median" in known:
        share = np.array(known["counts"]) / max(known["counts"])
        at = np.maximum(edges, 0.5)  # a logarithmic axis has no 0
        chart.stairs(base - 0.55 * share, at, baseline=base, fill=True, color=_BAR)
        for name, _, colour in _MARKS:
            chart.plot([max(known[name], 0.5)] * 2, [base - 0.6, base], color=colour, linewidth=1.2)
        text = (
            f"{count(known['count'])} times: median {duration(known['median'])}, "
            f"99 % {duration(known['p99'])}, longest {duration(known['most'])}"
        )
    else:
        text = "unknown"
    if known["left_out"]:
        text += f"; {count(known['left_out'])} left out"
    where = chart.get_yaxis_transform()
    style = {"fontsize": 7, "color": _LOSS if known["left_out"] else _INK}
    chart.text(1.0, place + 0.3, text, transform=where, horizontalalignment="right", **style)


def _axes(chart: Any, edges: I64, names: Sequence[str]) -> None:  # noqa: ANN401
    chart.set_xscale("log")
    chart.set_xlim(max(int(edges[0]), 0.5), int(edges[-1]))
    chart.xaxis.set_major_formatter(lambda ns, _place: duration(round(ns)))
    chart.xaxis.set_minor_formatter(lambda _ns, _place: "")
    chart.set_ylim(max(len(names), 1), -0.05)
    chart.set_yticks([place + 0.7 for place in range(len(names))])
    chart.set_yticklabels([name.replace("$", r"\$") for name in names])
    chart.tick_params(axis="y", length=0)
    for side in ("top", "right", "left"):
        chart.spines[side].set_visible(False)


def _facts(figure: str, losses: Sequence[Mapping[str, Any]], left_out: int) -> list[str]:
    """Return the lines of the title: the figure, the losses, and the instances left out."""
    lines = [TITLES[figure]]
    missing = sum(one["count"] for one in losses)
    if losses:
        reasons = "; ".join(dict.fromkeys(one["reason"] for one in losses[:2]))
        more = " and others" if len(losses) > 2 else ""  # noqa: PLR2004 - the two that are named
        lines.append(f"{counted(missing, 'record')} missing: {reasons}{more}")
    if left_out:
        lines.append(f"{count(left_out)} instances touch unknown time and are left out")
    return lines


def _legend(picture: Any) -> None:  # noqa: ANN401
    from matplotlib.lines import Line2D  # noqa: PLC0415 - slow to load

    lines = [Line2D([], [], color=colour, label=label) for _, label, colour in _MARKS]
    picture.legend(handles=lines, loc="outside lower center", ncols=len(lines), frameon=False)
