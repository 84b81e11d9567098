"""Find names of interrupts in the vector table of a Cortex-M firmware.

The table (Armv7-M Architecture Reference Manual, B1.5.3) is an array of words: the initial stack
pointer, then the address of the handler of exception 1, 2, ... An exception gets the name of its
handler if the handler serves only this exception.
"""

from __future__ import annotations

import re
import struct
from collections import Counter
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from tickertape.symbols.symbol import Symbol

# Names in CMSIS and vendor start-up files, in Zephyr and on our boards.
_TABLES: Final = re.compile(
    r"(?:__|_|g_pfn)?(?:isr_?)?(?:[a-z0-9]+_)?(?:irq_)?vectors?(?:_table)?", re.IGNORECASE
)
_SUFFIX: Final = re.compile(r"_?(?:irq_?handler|handler|isr)$", re.IGNORECASE)
FIRST_IRQ: Final = 16
"""Exception number of interrupt 0."""
_MOST: Final = FIRST_IRQ + 480  # exceptions of Armv8-M
_WORD: Final = 4


def is_vector_table(symbol: Symbol) -> bool:
    """Return whether name and size of a variable are those of a vector table."""
    size = symbol.size_bytes
    return (
        symbol.letter in "rRdD"
        and _TABLES.fullmatch(symbol.name) is not None
        and FIRST_IRQ * _WORD <= size <= _MOST * _WORD
    )


def interrupt_names(
    table: bytes, byte_order: str, functions: Iterable[Symbol]
) -> Mapping[int, str]:
    """Return names of device interrupts by exception number.

    Args:
        table: bytes of the vector table.
        byte_order: byte order, as in the `struct` module.
        functions: symbols of code.
    """
    words = struct.unpack(f"{byte_order}{len(table) // _WORD}I", table[: len(table) // 4 * 4])
    served = Counter(words[1:])
    by_address = {symbol.address: symbol.name for symbol in functions if symbol.letter in "tT"}
    names = {}
    for exception, word in enumerate(words):
        handler = by_address.get(word & ~1)
        if exception >= FIRST_IRQ and handler is not None and served[word] == 1:
            names[exception] = _SUFFIX.sub("", handler) or handler
    return names
