"""Messages of Zephyr's log (CONFIG_TICKERTAPE_LOG), which the Zephyr module records as SYSTEM LOG.

They differ from messages of tt_logf() in two ways. The last word identifies the source. Arguments
without types have the memory layout of a va_list of the target (docs/log.md).
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_SOURCES: Final = ("log_const_", "log_dynamic_")
_ADDRESS_BITS: Final = 0x7FFF_FFFC
_LEVEL_BITS: Final = 3
_ODD_FORMAT_BIT: Final = 31
_LEVELS: Final = ("err", "wrn", "inf", "dbg")
_REALS: Final = frozenset("fFeEgGaA")
_WIDE: Final = frozenset({"ll", "j"})


class Source(NamedTuple):
    """Source of a message.

    Attributes:
        module: module name in Zephyr's log; empty for printk() and LOG_RAW().
        level: level as Zephyr prints it: err, wrn, inf, dbg.
        odd_format: 1 if the format string is at the recorded address plus 1, else 0.
    """

    module: str
    level: str
    odd_format: int

    @property
    def prefix(self) -> str:
        """Prefix that Zephyr prints before the message; empty without a module."""
        return f"<{self.level}> {self.module}: " if self.module else ""


def source_of(word: int, name_of: Callable[[int], str | None]) -> Source | None:
    """Return the source that the last word of a message encodes; None if it is an argument.

    Args:
        word: last word of the message.
        name_of: returns the name of the variable at an address.
    """
    name = name_of(word & _ADDRESS_BITS) or ""
    for begin in _SOURCES:
        if name.startswith(begin) and "+" not in name:
            level = _LEVELS[word & _LEVEL_BITS]
            return Source(name.removeprefix(begin), level, word >> _ODD_FORMAT_BIT)
    return None


def list_values(
    words: Sequence[int], kinds: Sequence[tuple[str, str]], order: str
) -> list[tuple[int | float, int]]:
    """Read the arguments of a va_list.

    Args:
        words: the va_list in memory; it begins at an address that is a multiple of 8.
        kinds: printf() length modifier and conversion letter of each argument.
        order: byte order of 64-bit values, as in the `struct` module.

    Returns:
        Value and number of bits per argument; 0 bits for floating point. Fewer than `kinds` if the
        list is truncated.
    """
    found: list[tuple[int | float, int]] = []
    at = 0
    for length, letter in kinds:
        is_real = letter in _REALS
        if is_real or length in _WIDE:
            at += at & 1
            pair = words[at : at + 2]
            if len(pair) < 2:  # noqa: PLR2004 - a pair
                break
            raw = struct.pack(f"{order}II", *pair)
            (value,) = struct.unpack(f"{order}{'d' if is_real else 'Q'}", raw)
            found.append((value, 0 if is_real else 64))
            at += 2
        elif at < len(words):
            found.append((words[at], 32))
            at += 1
    return found
