"""Find names of interrupts in the tables of a Zephyr image for Cortex-M.

Zephyr's vectors call one dispatcher, `_isr_wrapper`, which reads handler and argument from
`_sw_isr_table`: two words per interrupt, the argument first (include/zephyr/sw_isr_table.h).
Interrupts that are connected directly have their handler in `_irq_vector_table`. Both tables begin
with interrupt 0, which is exception 16.

An interrupt gets the name of its handler. If a handler serves several interrupts, such as a driver
for several devices, the name includes the device: `uart_cmsdk_apb_isr(uart@40004000)`.
"""

from __future__ import annotations

import struct
from collections import Counter
from typing import TYPE_CHECKING, Final

from tickertape.symbols.vectors import FIRST_IRQ, interrupt_names

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from tickertape.symbols.symbol import Symbol

HANDLERS: Final = "_sw_isr_table"
VECTORS: Final = "_irq_vector_table"
_DEVICE: Final = "__device_"
_WORD: Final = 4
_ENTRY: Final = 2 * _WORD


def zephyr_interrupts(
    symbols: Sequence[Symbol],
    byte_order: str,
    read: Callable[[int, int], bytes],
    text: Callable[[int], str | None],
) -> Mapping[int, str]:
    """Return names of device interrupts by exception number; empty if the tables are missing.

    Args:
        symbols: symbols of the image.
        byte_order: byte order, as in the `struct` module.
        read: returns the bytes of the image at an address; arguments are address and size.
        text: returns the constant text at an address.
    """
    tables = {one.name: one for one in symbols if one.name in {HANDLERS, VECTORS}}
    names: dict[int, str] = {}
    if VECTORS in tables:
        table = tables[VECTORS]
        # Zeros for the 16 exceptions of the processor, which are in another table.
        words = bytes(_WORD * FIRST_IRQ) + read(table.address, table.size_bytes)
        names |= interrupt_names(words, byte_order, symbols)
    if HANDLERS in tables:
        table = tables[HANDLERS]
        content = read(table.address, table.size_bytes)
        names |= _handlers(content, byte_order, symbols, _devices(symbols, byte_order, read, text))
    return names


def _handlers(
    table: bytes, byte_order: str, symbols: Sequence[Symbol], devices: Mapping[int, str]
) -> Mapping[int, str]:
    entries = list(struct.iter_unpack(f"{byte_order}II", table[: len(table) // _ENTRY * _ENTRY]))
    served = Counter(handler for _, handler in entries)
    functions = {symbol.address: symbol.name for symbol in symbols if symbol.letter in "tT"}
    names = {}
    for irq, (argument, handler) in enumerate(entries):
        name = functions.get(handler & ~1)
        if name is not None and served[handler] == 1:
            names[FIRST_IRQ + irq] = name
        elif name is not None and argument in devices:
            names[FIRST_IRQ + irq] = f"{name}({devices[argument]})"
    return names


def _devices(
    symbols: Sequence[Symbol],
    byte_order: str,
    read: Callable[[int, int], bytes],
    text: Callable[[int], str | None],
) -> Mapping[int, str]:
    """Return the names of devices by address; the first member of a device points to its name."""
    found = {}
    for symbol in symbols:
        word = read(symbol.address, _WORD) if symbol.name.startswith(_DEVICE) else b""
        name = text(struct.unpack(f"{byte_order}I", word)[0]) if len(word) == _WORD else None
        if name:
            found[symbol.address] = name
    return found
