"""Output that a page shows, beside what a command prints now."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def shape(line: str) -> str:
    """Return a line without numbers, units and spaces: these differ with each change of code.

    So does whether a figure is marked as uncertain (~): that depends on single ticks.
    """
    return re.sub(r"0x[0-9a-fA-F]+|~?[\d.]+( ?(ns|us|µs|ms))?", "#", " ".join(line.split()))


def missing(shown: Iterable[str], printed: str) -> list[str]:
    """Return the lines that were not printed in this order."""
    lines = iter(map(shape, printed.splitlines()))
    return [line for line in shown if line.strip() != "..." and shape(line) not in lines]
