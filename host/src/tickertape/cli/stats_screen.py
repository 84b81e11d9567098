"""Print statistics on a terminal, the first rows of each table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from rich.console import Group
from rich.table import Table as ScreenTable
from rich.text import Text

from tickertape.cli.console import PlainConsole
from tickertape.report.stats import report_of

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from rich.console import RenderableType

    from tickertape.answers.statistics import BootStats
    from tickertape.report.table import Table

_ROWS: Final = 10


def show_stats(boots: Sequence[BootStats], *, whole: bool) -> None:
    """Print the statistics of boots on standard output; all rows if `whole`."""
    parts: list[RenderableType] = []
    for boot in boots:
        if len(boots) > 1:
            parts.append(Text(f"\nboot {boot.epoch}", style="bold"))
        parts += _boot_parts(boot, None if whole else _ROWS)
    PlainConsole().print(Group(*parts))


def _boot_parts(boot: BootStats, rows: int | None) -> Iterator[RenderableType]:
    report = report_of(boot, rows)
    yield Text(report.head)
    for table in report.tables:
        yield screen_table(table)
        if table.hidden:
            yield Text(f"{table.hidden} more; --all shows them", style="dim")
    if report.notes:
        yield Text("\n" + "\n".join(report.notes))


def screen_table(table: Table) -> ScreenTable:
    """Return a table for the terminal."""
    found = ScreenTable(
        title=f"\n{table.title}",
        title_justify="left",
        title_style="bold",
        box=None,
        padding=(0, 1),
        pad_edge=False,
    )
    for index, name in enumerate(table.columns):
        # On a narrow terminal wrap a figure rather than truncate it.
        found.add_column(name, justify="right" if index else "left", overflow="fold")
    for row in table.rows:
        found.add_row(*row)
    return found
