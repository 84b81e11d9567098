"""Compare the output shown on a documentation page with the present output of a command."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


def shape(line: str) -> str:
    """Return a line with numbers and units replaced: these change with each change of code.

    The mark of an uncertain figure (~) is replaced, too: it depends on single ticks.
    """
    return re.sub(r"0x[0-9a-fA-F]+|~?[\d.]+( ?(ns|us|µs|ms))?", "#", " ".join(line.split()))


def missing(shown: Iterable[str], printed: str) -> list[str]:
    """Return the shown lines that the printed text does not contain in this order."""
    lines = iter(map(shape, printed.splitlines()))
    return [line for line in shown if line.strip() != "..." and shape(line) not in lines]
