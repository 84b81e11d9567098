"""Prints tapes imported from FTrace in its text formats, `list` and `pwcet`.

`list` has one line per record, like the S.Ha.R.K. tool of that name. `pwcet` is the input of its
statistics tool (`.pwc`): a code, the time stamp and the parameters of the code; records without a
code are left out. Both preserve the contents and the order of the records in the file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.errors import UsageError
from tickertape.formats.ftrace.events import FTRACE_CLASS, FTRACE_META, PAR1_SHIFT

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns

_PAR1_MASK: Final = (1 << PAR1_SHIFT) - 1
_IPOINT: Final = 0x01

# Line of each event, with a trailing blank where the original tool writes one.
_PWCET: Final = {
    0x20: "0 {tsc} {par1} {par2} ",
    0x30: "1 {tsc} ",
    0x2B: "2 {tsc} 0 ",
    0x03: "2 {tsc} {par1} ",
    0x3B: "3 {tsc} {par1} ",
    0x13: "3 {tsc} {par1} ",
    0x15: "4 {tsc} {par1} ",
    0x02: "5 {tsc} {par1} {par2}",
    0x12: "6 {tsc} {par1} ",
    0x42: "7 {tsc} {par1} ",
    0x62: "8 {tsc} {par1} ",
    0x60: "9 {tsc} {par1} {par2}",
    0x10: "10 {tsc} {par2} ",
    0x58: "16 {tsc} {par1} {par2}",
    0xB2: "20 {tsc} {par1} {par2}",
    0xC2: "21 {tsc} {par1} {par2}",
    _IPOINT: "{par1} {tsc} ",
}


class FtraceListExporter:
    """Writes one line per chosen record; line numbers count all records."""

    def __init__(self) -> None:
        """Start with number 0."""
        self._number = 0

    def head(self) -> Iterator[str]:
        """Return no lines: the format has no header."""
        return iter(())

    def lines(
        self, columns: EventColumns, chosen: NDArray[np.bool_] | None = None
    ) -> Iterator[str]:
        """Yield the lines of the next events, without line ends."""
        for row, kind, tsc, par1, par2 in _records(columns, chosen):
            high, low = tsc >> 32, tsc & 0xFFFFFFFF
            yield (
                f"{self._number + row:08d} Type = {kind:02x} TSC = {tsc} ({high:08x}:{low:08x}) "
                f"Par1 = {par1:11d} Par2 = {par2:11d}"
            )
        self._number += len(columns)

    def tail(self) -> Iterator[str]:
        """Return no lines: the format has no trailer."""
        return iter(())


class PwcetExporter:
    """Writes the records that the statistics tool reads."""

    def head(self) -> Iterator[str]:
        """Return no lines: the format has no header."""
        return iter(())

    def lines(
        self, columns: EventColumns, chosen: NDArray[np.bool_] | None = None
    ) -> Iterator[str]:
        """Yield the lines of the next events, without line ends."""
        for _, kind, tsc, par1, par2 in _records(columns, chosen):
            form = _PWCET.get(kind & 0xFF)
            if form is not None:
                yield form.format(tsc=tsc, par1=par1, par2=par2)

    def tail(self) -> Iterator[str]:
        """Return no lines: the format has no trailer."""
        return iter(())


def check_is_ftrace(path: Path, meta: Mapping[str, object]) -> None:
    """Check that a tape was imported from FTrace.

    Raises:
        UsageError: it was not.
    """
    if FTRACE_META not in meta:
        raise UsageError(
            f"{path} was not imported from FTrace, only such tapes have this style",
            "use --style text, or 'tickertape import ftrace' first",
        )


def _records(
    columns: EventColumns, chosen: NDArray[np.bool_] | None
) -> Iterator[tuple[int, int, int, int, int]]:
    """Yield row, type, time stamp, par1 and par2 (signed) of the chosen records of FTrace."""
    wanted = columns.cls == FTRACE_CLASS
    rows = np.flatnonzero(wanted if chosen is None else wanted & chosen)
    data0 = columns.data0[rows]
    yield from zip(
        rows.tolist(),
        (data0 >> np.uint32(PAR1_SHIFT)).tolist(),
        columns.time[rows].tolist(),
        (data0 & np.uint32(_PAR1_MASK)).tolist(),
        columns.data1[rows].view(np.int32).tolist(),
        strict=True,
    )
