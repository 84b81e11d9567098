"""The boots of a tape on the screen: their number and builds, when and why they ended."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import TYPE_CHECKING, Final, Literal

from rich.table import Table

from tickertape.analysis.boots import End
from tickertape.analysis.by_name import ends_of
from tickertape.decode.ticks import NS_PER_S
from tickertape.report.numbers import count

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tickertape.analysis.boots import BootSummary

_SHOWN: Final = 12
_REASON: Final[Mapping[str, str]] = {
    End.STOPPED: "stopped",
    End.RESET: "reset",
    End.CAPTURE: "end of capture",
    End.UNKNOWN: "unknown",
}
_SUMMED: Final[Mapping[str, str]] = {
    End.STOPPED: "{} by the target",
    End.RESET: "{} by a reset",
    End.CAPTURE: "{} by the end of the capture",
    End.UNKNOWN: "{} in an unknown way",
}


def boots_line(boots: Sequence[BootSummary]) -> str:
    """Return the numbers of boots and of builds, and why the boots ended, as text."""
    builds = len({(boot.board, boot.build_id) for boot in boots})
    of_builds = "one build" if builds == 1 else f"{builds} builds"
    ends = ends_of(boots)
    reasons = ", ".join(_SUMMED[end].format(count(ends[end])) for end in End if end in ends)
    return f"{count(len(boots))} of {of_builds}; ended {reasons}"


def boots_table(boots: Sequence[BootSummary]) -> Table:
    """Return a table with a row per boot; of more than `_SHOWN`, the first and the last ones."""
    table = Table(
        title="\nBoots",
        title_justify="left",
        title_style="bold",
        box=None,
        padding=(0, 1),
        pad_edge=False,
    )
    several = len({(boot.board, boot.build_id) for boot in boots}) > 1
    columns = ("boot", "build", "ended (UTC)", "time/s", "events", "lost", "end")
    for name in columns:
        if several or name != "build":
            right = name in {"boot", "time/s", "events", "lost"}
            justify: Literal["left", "right"] = "right" if right else "left"
            table.add_column(name, justify=justify, no_wrap=True)

    def row(number: str, build: str, ones: Sequence[BootSummary], end: str) -> None:
        cells = [
            number,
            *([build] if several else []),
            utc(ones[-1].end_utc_ns),
            f"{sum(one.duration_ns for one in ones) / NS_PER_S:.6f}",
            count(sum(one.events for one in ones)),
            count(sum(one.lost for one in ones)),
            end,
        ]
        table.add_row(*cells)

    half = _SHOWN // 2
    hidden = boots[half:-half] if len(boots) > _SHOWN else boots[:0]
    for place, boot in enumerate(boots):
        if hidden and half <= place < len(boots) - half:
            if place == half:
                row(f"{count(len(hidden))} more", "", hidden, "see --boot N")
            continue
        build = boot.board or boot.build_id[:12] or "no build id"
        row(str(boot.epoch), build, [boot], _REASON[boot.ended])
    return table


def utc(ns: int | None) -> str:
    """Format a time in UTC, in whole seconds; `unknown` if it is None or out of range."""
    if ns is None:
        return "unknown"
    try:
        moment = datetime.fromtimestamp(ns // NS_PER_S, UTC)
    except (OverflowError, ValueError, OSError):
        return "unknown"
    return f"{moment:%Y-%m-%d %H:%M:%S}"
