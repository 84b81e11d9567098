"""Packets of a Cortex-M's trace unit, ITM and DWT: reader."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tickertape.formats.registry import Conversion, Option

_COMPARATORS: Final = 4
_LAST_SOURCE: Final = 111
_LAST_WORD: Final = (1 << 32) - 1


def _rate(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 0 < int(text) <= _LAST_WORD):
        raise ValueError(f"{text!r} is not a number of Hz from 1 to {_LAST_WORD}")
    return int(text)


def _source(text: str) -> int | None:
    if text in {"auto", "off"}:
        return None if text == "auto" else 0
    if not (text.isascii() and text.isdecimal() and 0 < int(text) <= _LAST_SOURCE):
        raise ValueError(f"{text!r} is not auto, off or a number from 1 to {_LAST_SOURCE}")
    return int(text)


def _watch(text: str) -> tuple[int, int]:
    number, mark, address = text.partition("=")
    try:
        which, where = int(number), int(address, 0)
    except ValueError:
        which, where = -1, -1
    if not mark or not 0 <= which < _COMPARATORS or not 0 <= where <= _LAST_WORD:
        raise ValueError(
            f"{text!r} is not a comparator from 0 to {_COMPARATORS - 1} and an address, as in "
            "0=0x20000100"
        )
    return which, where


IMPORTS: Final = {
    "itm": Conversion(
        "itm.read:import_itm",
        "packets of a Cortex-M's trace unit, ITM and DWT",
        "{packets} packets became {events} events",
        warnings={
            "overflows": "the trace unit lost packets at {overflows} places; it is unknown how "
            "many; trace less, or raise the rate of the pin",
            "unsure": "{unsure} events have a time stamp that came late",
            "unstamped": "{unstamped} events have no time stamp of their own; turn local time "
            "stamps on (TSENA)",
        },
        options=(
            Option(
                "--hz",
                "clock rate of the local time stamps: that of the processor, divided by the "
                "prescaler",
                parse=_rate,
                required=True,
            ),
            Option(
                "--watch",
                "comparator N of the DWT watches ADDRESS; may be given several times",
                "N=ADDRESS",
                default=(),
                parse=_watch,
                action="append",
            ),
            Option(
                "--tpiu",
                "read this trace source of the frames of a TPIU; off: there are no frames "
                "(default: auto)",
                "N|off|auto",
                parse=_source,
            ),
            Option(
                "--elf",
                "the firmware's ELF file: variables get their names and types from it",
                "FILE",
                parse=Path,
            ),
        ),
        file=("FILE", "the bytes of the SWO pin"),
        counted="packets",
        page="docs/itm.md",
    )
}
