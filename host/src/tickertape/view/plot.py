"""Draw pictures of a tape for reports: SVG, PNG or PDF by matplotlib (extra `plot`).

Data comes from the same index as for the page of `view`, so figures and colours agree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from tickertape.files import replacing
from tickertape.formats.extras import load
from tickertape.model.transitions import State
from tickertape.protocol.events import ThreadEvent
from tickertape.report.numbers import counted
from tickertape.view import plot_spread
from tickertape.view.queries import Queries, edges_of
from tickertape.view.rows import INTERRUPT, KERNEL, POINT

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

    from tickertape.view.index import Index

FORMATS: Final = ("svg", "png", "pdf")
_PIXELS: Final = 1600
_BINS: Final = 200
_NS: Final = 1e9
_WIDTH, _LANE, _MARGIN = 9.0, 0.3, 1.1  # inches
_LOSS, _INK = "#9b1c2c", "#1d2430"
_BLOCKED: Final = ("#cc2f3c", 0.6, "////")
_LOOKS: Final[Mapping[int, tuple[str, float, str]]] = {
    State.UNKNOWN: ("#a6adb7", 0.8, "////"),
    State.ACTIVE: ("#e0a100", 0.2, ""),
    State.RUNNING: ("#2e9d4b", 0.8, ""),
    State.READY: ("#e0a100", 0.2, ""),
    State.WAITING: ("#8fa3ba", 0.1, ""),
    State.SUSPENDED: ("#9566c4", 0.2, ""),
    State.USED: ("#5b83c0", 0.5, ""),
    State.FULL: ("#5b83c0", 0.5, ""),
    State.OVERFULL: ("#cc2f3c", 0.6, "////"),
    State.POLLING: ("#2e9d4b", 0.8, "////"),
    State.PARKING: ("#e0a100", 0.2, "////"),
    KERNEL: ("#7a5c9e", 0.6, ""),
    INTERRUPT: ("#1f7ac0", 0.8, ""),
    POINT: ("#b0510f", 0.7, ""),
}
"""Per state: colour, share of the lane's height, and hatch; as on the page."""

_SHORT: Final = {State.RUNNING, State.POLLING, INTERRUPT, POINT, State.OVERFULL}
_GROUPS: Final = {
    "timeline": ("cpu", "task", "interrupt", "lock", "inheritance", "user event"),
    "gantt": ("task", "inheritance"),
}
_TASKS: Final = (
    ("running", _LOOKS[State.RUNNING]),
    ("ready", _LOOKS[State.READY]),
    ("blocked by a lock", _BLOCKED),
    ("waiting", _LOOKS[State.WAITING]),
    ("unknown", _LOOKS[State.UNKNOWN]),
)
_LEGENDS: Final = {
    "gantt": _TASKS,
    "timeline": (*_TASKS, ("lock held", _LOOKS[State.FULL]), ("interrupt", _LOOKS[INTERRUPT])),
}
_SHARES: Final = (
    (State.RUNNING, "tasks"),
    (INTERRUPT, "interrupts"),
    (KERNEL, "kernel"),
    (State.UNKNOWN, "unknown"),
)


@dataclass(frozen=True, slots=True)
class Picture:
    """Kind and range of a picture.

    Attributes:
        what: a name in PICTURES.
        begin: begin on the axis, ns.
        end: end on the axis, ns; above `begin`.
    """

    what: str
    begin: int
    end: int


def plot(index: Index, picture: Picture, output: Path) -> None:
    """Draw a picture to a file; its suffix chooses the format.

    Args:
        index: index of a tape.
        picture: kind and range.
        output: path of the file; an existing file is replaced when the new one is complete.

    Raises:
        UsageError: matplotlib is not installed.
        TapeWriteFailed: the file cannot be written.
    """
    load("matplotlib", extra="plot", what="pictures")
    # matplotlib is slow to load: import it on demand.
    from matplotlib import rc_context  # noqa: PLC0415 - see above

    kind = output.suffix[1:].lower()
    fixed: dict[Any, Any] = {
        "svg.hashsalt": "tickertape",
        "svg.fonttype": "none",
        "hatch.linewidth": 0.6,
    }
    with rc_context(fixed), replacing(output) as place:
        figure = PICTURES[picture.what](index, picture)
        metadata = {"Date": None} if kind == "svg" else {}
        metadata |= {"CreationDate": None} if kind == "pdf" else {}
        figure.savefig(place, format=kind, dpi=150, metadata=metadata)


def _figure(lanes: int, index: Index, picture: Picture) -> tuple[Any, Any]:
    """Return a figure with one chart, tall enough for a number of lanes, and that chart."""
    from matplotlib.figure import Figure  # noqa: PLC0415 - see plot()

    figure = Figure(figsize=(_WIDTH, _LANE * max(lanes, 3) + _MARGIN), layout="constrained")
    chart: Any = figure.add_subplot()
    offset = next((one["offset"] for one in index.about["segments"]), 0)
    unit, length = next(
        (unit, length)
        for unit, length in (("s", 1e9), ("ms", 1e6), ("µs", 1e3), ("ns", 1.0))
        if picture.end - picture.begin >= length or length == 1
    )
    chart.set_xlim((picture.begin - offset) / length, (picture.end - offset) / length)
    chart.set_xlabel(f"time in {unit}", color=_INK)
    for side in ("top", "right", "left"):
        chart.spines[side].set_visible(False)
    chart.place = lambda ns: (np.asarray(ns) - offset) / length
    return figure, chart


def _lanes(index: Index, picture: Picture) -> Any:  # noqa: ANN401 - a figure of matplotlib
    """Draw a lane per row, with states as bars."""
    groups = _GROUPS[picture.what]
    queries = Queries(index)
    rows = [row for row in index.about["rows"] if row["kind"] in groups]
    rows.sort(key=lambda row: (groups.index(row["kind"]), -row.get("priority", -1), row["name"]))
    edges = edges_of(picture.begin, picture.end, min(_PIXELS, picture.end - picture.begin))
    shown = [(row, queries.tile(row["row"], edges)) for row in rows]
    shown = [(row, tile) for row, tile in shown if _has_something(tile, picture.begin)]
    figure, chart = _figure(len(shown), index, picture)
    chart.set_ylim(len(shown), -0.2)
    chart.set_yticks([place + 0.5 for place in range(len(shown))])
    chart.set_yticklabels([row["name"].replace("$", r"\$") for row, _ in shown])
    chart.tick_params(axis="y", length=0)
    for place, (_, tile) in enumerate(shown):
        _draw_lane(chart, place, tile, edges)
    _draw_losses(chart, queries.losses(picture.begin, picture.end))
    _legend(figure, _LEGENDS[picture.what])
    return figure


def _legend(figure: Any, looks: Sequence[tuple[str, tuple[str, float, str]]]) -> None:  # noqa: ANN401
    from matplotlib.patches import Patch  # noqa: PLC0415 - see plot()

    patches = [
        Patch(
            label=name,
            facecolor="none" if hatch else colour,
            edgecolor=colour if hatch else "none",
            hatch=hatch or None,
        )
        for name, (colour, _, hatch) in looks
    ]
    figure.legend(handles=patches, loc="outside lower center", ncols=len(patches), frameon=False)


def _has_something(tile: Mapping[str, Any], begin: int) -> bool:
    """Return whether a row has a known state, or a moment, in the picture."""
    nothing = {int(State.TERMINATED), int(State.UNKNOWN)}
    if "tile" in tile:
        return bool(set(tile["tile"]["states"]) - nothing)
    columns = tile["slices"]
    return any(
        state not in nothing and (state != POINT or since >= begin)
        for state, since in zip(columns["state"], columns["begin"], strict=True)
    )


def _draw_lane(chart: Any, place: int, tile: Mapping[str, Any], edges: Any) -> None:  # noqa: ANN401
    """Draw the bars of a row, with one call per look."""
    bars: dict[tuple[str, float, str], list[tuple[float, float]]] = {}
    least = float(np.diff(chart.get_xlim())[0]) / _PIXELS
    for state, cause, begin, end in _intervals(tile, edges):
        blocked = state == State.WAITING and cause == ThreadEvent.MUTEX
        look = _BLOCKED if blocked else _LOOKS.get(state)
        if look is not None and (state != POINT or begin >= edges[0]):
            left = float(chart.place(begin))
            width = 0.0 if state == POINT else float(chart.place(end)) - left
            bars.setdefault(look, []).append((left, max(width, least)))
    for (colour, height, hatch), spans in bars.items():
        style = {"facecolor": "none" if hatch else colour, "edgecolor": colour if hatch else "none"}
        lane = (place + 0.9 - height, height)
        chart.broken_barh(spans, lane, hatch=hatch or None, linewidth=0, **style)


def _intervals(tile: Mapping[str, Any], edges: Any) -> list[tuple[int, int, int, int]]:  # noqa: ANN401
    """Return state, cause, begin and end of bars; a pixel gets the state of the greatest share."""
    if "slices" in tile:
        columns = tile["slices"]
        names = ("state", "cause", "begin", "end")
        return list(zip(*(columns[name] for name in names), strict=True))
    states, shares = tile["tile"]["states"], np.array(tile["tile"]["shares"])
    # Running has priority over states without a processor, so that a short run is drawn.
    wins = [1000 if state in _SHORT else 1 for state in states]
    most = np.argmax(shares * np.array(wins)[:, None], axis=0)
    changes = np.flatnonzero(np.concatenate([[True], most[1:] != most[:-1]]))
    ends = np.append(changes[1:], len(most))
    return [
        (states[int(most[first])], 0, int(edges[first]), int(edges[last]))
        for first, last in zip(changes.tolist(), ends.tolist(), strict=True)
    ]


def _load(index: Index, picture: Picture) -> Any:  # noqa: ANN401 - a figure of matplotlib
    """Draw the shares of tasks, interrupts and the kernel in the time of each CPU."""
    queries = Queries(index)
    edges = edges_of(picture.begin, picture.end, min(_BINS, picture.end - picture.begin))
    cpus = [row for row in index.about["rows"] if row["kind"] == "cpu"]
    figure, chart = _figure(6 * max(len(cpus), 1), index, picture)
    width = np.maximum(np.diff(edges), 1)
    for place, row in enumerate(sorted(cpus, key=lambda row: (row["board"], row["number"]))):
        spent = np.diff(index.rows.sums(row["row"], edges)[0], axis=0)
        base = np.full(len(width), float(len(cpus) - 1 - place))
        for state, _name in _SHARES:
            colour, _, hatch = _LOOKS[state]
            share = 0.9 * spent[:, state] / width
            chart.stairs(
                base + share,
                chart.place(edges),
                baseline=base,
                fill=not hatch,
                hatch=hatch or None,
                color=colour,
                linewidth=0,
            )
            base = base + share
    names = [" ".join(filter(None, (row["board"], row["name"]))) for row in cpus]
    chart.set_ylim(0, max(len(cpus), 1))
    chart.set_yticks([len(cpus) - 1 - place + 0.45 for place in range(len(cpus))])
    chart.set_yticklabels(name.replace("$", r"\$") for name in sorted(names))
    _draw_losses(chart, queries.losses(picture.begin, picture.end))
    _legend(figure, [(name, _LOOKS[state]) for state, name in _SHARES])
    return figure


def _draw_losses(chart: Any, losses: Sequence[Mapping[str, Any]]) -> None:  # noqa: ANN401
    """Draw a hatched band per loss, with its text above the chart."""
    least = float(np.diff(chart.get_xlim())[0]) / 400
    free = -np.inf
    for loss in losses:
        left, right = float(chart.place(loss["begin"])), float(chart.place(loss["end"]))
        chart.axvspan(
            left,
            max(right, left + least),
            hatch="xxx",
            facecolor="none",
            edgecolor=_LOSS,
            linewidth=0,
        )
        if left >= free:
            records = counted(loss["count"], "record")
            count = f"{records} missing: " if loss["count"] else ""
            text = chart.text(
                max(left, chart.get_xlim()[0]),
                1.0,
                count + loss["reason"],
                transform=chart.get_xaxis_transform(),
                color=_LOSS,
                fontsize=8,
                verticalalignment="bottom",
            )
            text.set_in_layout(False)
            free = left + 60 * least


PICTURES: Final[Mapping[str, Callable[[Index, Picture], Any]]] = {
    "timeline": _lanes,
    "gantt": _lanes,
    "load": _load,
    "response": lambda index, one: plot_spread.draw(index, "response", one.begin, one.end),
    "latency": lambda index, one: plot_spread.draw(index, "ready", one.begin, one.end),
}
"""Drawing function of each kind of picture."""
