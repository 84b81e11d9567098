"""Write measured values into the tables of docs/benchmarks.md.

A table is between two comments, `<!-- bench: PART -->` and `<!-- bench end -->`. It has one row
per key of the part. A value that was not measured keeps its text on the page.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from tools.bench.result import BUDGETS, number

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_HEADS: Final = {
    "host": ("decode_", "print_", "info_", "import_", "babeltrace2_", "swo_"),
    "live": ("live_",),
    "exports": ("ctf_", "parquet_", "perfetto_", "chrome_", "btf_", "shark_", "jtracer_"),
    "answers": ("stats_", "check_", "why_", "trace_processor_"),
    "view": ("view_",),
    "posix": ("posix_",),
    "freertos": ("freertos_",),
    "zephyr": ("zephyr_",),
    "masked": ("masked_emit_", "masked_further_", "masked_worst_", "m33_masked_emit_"),
    "slow_link": ("slow_link_",),
    "others": ("other_",),
    "whole": ("drain_", "uart_", "whole_per_", "m4_", "ram_"),
    "target": ("",),  # all others
}
_TABLE: Final = re.compile(
    r"(?P<begin><!-- bench: (?P<part>\w+) -->\n)(?P<rows>.*?)(?P<end><!-- bench end -->)", re.DOTALL
)
_ROW: Final = re.compile(r"^\| `(?P<key>\w+)` \|[^|]*\| (?P<value>[^|]*?) \|", re.MULTILINE)
_NOT_MEASURED: Final = "-"


def part_of(key: str) -> str:
    """Return the part whose table contains a key."""
    return next(part for part, heads in _HEADS.items() if key.startswith(heads))


def _rows(part: str, values: Mapping[str, float], before: Mapping[str, str]) -> Iterator[str]:
    yield "| key | measured | value | budget | best peer |"
    yield "|---|---|---|---|---|"
    for key, budget in BUDGETS.items():
        if part_of(key) != part:
            continue
        value = before.get(key, _NOT_MEASURED)
        if key in values:
            verdict = budget.verdict(values[key])
            value = f"{number(values[key])} {budget.unit}{f', {verdict}' * bool(verdict)}"
        yield f"| `{key}` | {budget.what} | {value} | {budget.text()} | {budget.peer or '-'} |"


def filled_in(page: str, values: Mapping[str, float]) -> str:
    """Return the page with new values in its tables.

    Args:
        page: text of docs/benchmarks.md.
        values: measured values by key; other values keep their text.
    """
    before = {match["key"]: match["value"] for match in _ROW.finditer(page)}

    def table(match: re.Match[str]) -> str:
        rows = "\n".join(_rows(match["part"], values, before))
        return f"{match['begin']}{rows}\n{match['end']}"

    return _TABLE.sub(table, page)
