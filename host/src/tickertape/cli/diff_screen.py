"""Print a comparison of tapes on a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.table import Table
from rich.text import Text

from tickertape.answers.diff import Change
from tickertape.cli.console import PlainConsole
from tickertape.report.numbers import count, duration

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from tickertape.answers.diff import Compared, Comparison, Side
    from tickertape.answers.diff_runs import Parting

_ROWS: Final = 20
_QUIET: Final = {Change.SAME, Change.UNKNOWN}


def show(
    found: Sequence[Comparison], alone: Sequence[str], *, threshold: float | None, whole: bool
) -> None:
    """Print comparisons on standard output."""
    console = PlainConsole()
    for one in found:
        if len(found) > 1:
            console.print(Text(f"boot {one.epochs[0]} of A, boot {one.epochs[1]} of B"))
        for line in (*one.notes, *_partings(one), *_only(one)):
            console.print(Text(line), soft_wrap=True)
        _figures(console, one.figures, whole=whole)
        if threshold is not None:
            for line in _regressions(one.figures, threshold):
                console.print(Text(line), soft_wrap=True)
        if not one.differs:
            console.print(Text("no difference is known"))
    for line in alone:
        console.print(Text(line), soft_wrap=True)


def _partings(one: Comparison) -> Iterator[str]:
    yield from _parting("scheduling decision", one.decision)
    if one.decision.differs and one.decision.cause != (None, None):
        yield "    its cause, the first line since the last common decision that differs:"
        yield from _lines(one.decision.cause)
    if one.event is not None:
        yield from _parting("event", one.event)


def _parting(what: str, found: Parting) -> Iterator[str]:
    if found.differs:
        cpu = "" if found.cpu is None else f" on CPU {found.cpu}"
        yield f"first different {what}{cpu}, after {count(found.count)} equal ones:"
        yield from _lines(found.lines)
    elif found.doubt:
        yield f"{count(found.count)} {what}s are equal; later ones are unknown: {found.doubt}"
    else:
        yield f"all {count(found.count)} {what}s are equal"


def _lines(lines: tuple[str | None, str | None]) -> Iterator[str]:
    for side, line in zip("AB", lines, strict=True):
        yield f"    {side}: {'nothing more' if line is None else line}"


def _only(one: Comparison) -> Iterator[str]:
    for each in one.only:
        number = f" ({count(each.count)})" if each.count else ""
        other = "B" if each.side == "A" else "A"
        doubt = "" if each.sure else f"; {other} may have lost it"
        yield f"only in {each.side}: {each.kind} {each.name}{number}{doubt}"


def _figures(console: PlainConsole, figures: Sequence[Compared], *, whole: bool) -> None:
    chosen = [one for one in figures if whole or one.change not in _QUIET]
    if not whole:
        chosen.sort(key=_rank)
    hidden = 0 if whole else len(chosen) - _ROWS
    table = Table(box=None, padding=(0, 1), pad_edge=False)
    for index, name in enumerate(("figure", "A", "B", "change", "interval")):
        table.add_column(name, justify="right" if index else "left", overflow="fold")
    for one in chosen if whole else chosen[:_ROWS]:
        table.add_row(
            Text(f"{one.name} {one.figure}"),
            _value(one, one.a),
            _value(one, one.b),
            _change(one),
            _interval(one),
        )
    if chosen:
        console.print(table)
    if hidden > 0:
        console.print(Text(f"{count(hidden)} more; --all shows them"))
    unknown = sum(one.change is Change.UNKNOWN for one in figures)
    if unknown:
        console.print(Text(f"{count(unknown)} of {count(len(figures))} figures are not comparable"))


def _rank(one: Compared) -> tuple[bool, bool, float]:
    """Return the sort key: chance last, figures with an interval first, then by size of change."""
    return one.change is Change.CHANCE, one.interval is None, -abs(one.ratio or 0.0)


def _change(one: Compared) -> str:
    if one.change in {Change.UNKNOWN, Change.SAME}:
        return one.change.value
    text = one.change.value if one.ratio is None else f"{one.ratio:+.1%}"
    return f"{text} (chance)" if one.change is Change.CHANCE else text


def _value(one: Compared, side: Side) -> str:
    if side.value is None:
        return "?"
    mark = "" if side.exact else "~"
    return f"{mark}{_number(one.unit, side.value)}"


def _number(unit: str, value: float) -> str:
    sign = "-" if value < 0 else ""
    match unit:
        case "ns":
            return f"{sign}{duration(round(abs(value)))}"
        case "share":
            return f"{value:.3%}"
        case "ticks":
            return f"{value:.0f} ticks"
    return f"{value:g}"


def _interval(one: Compared) -> str:
    if one.interval is None:
        return "too few values" if one.tested else ""
    return f"{_number(one.unit, one.interval.low)} to {_number(one.unit, one.interval.high)}"


def _regressions(figures: Sequence[Compared], threshold: float) -> Iterator[str]:
    for one in figures:
        answer = one.regressed(threshold)
        if answer:
            yield f"REGRESSION {one.name} {one.figure}: {_change(one)}"
        elif answer is None:
            yield f"UNKNOWN    {one.name} {one.figure}: too few values, or records are missing"
