"""Messages of Zephyr's log (CONFIG_TICKERTAPE_LOG), which the module records as event SYSTEM LOG.

They differ from messages of tt_logf() in their last word, the source, and in words without types:
these are the arguments as a variable argument list of the target has them in memory (docs/log.md).
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
    """Where a message comes from.

    Attributes:
        module: of Zephyr's log; empty for printk() and LOG_RAW().
        level: as Zephyr writes it: err, wrn, inf, dbg.
        odd_format: 1 where the format lies at the address after the recorded one, else 0.
    """

    module: str
    level: str
    odd_format: int

    @property
    def prefix(self) -> str:
        """What Zephyr writes before the message; nothing without a module."""
        return f"<{self.level}> {self.module}: " if self.module else ""


def source_of(word: int, name_of: Callable[[int], str | None]) -> Source | None:
    """Return the source that a last word is; None where it is an argument.

    Args:
        word: the last one of a message.
        name_of: returns the name of a variable by its address.
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
    """Read the arguments of a variable argument list; fewer than there are kinds where it is cut.

    Args:
        words: of the list; it begins at an address that is a multiple of 8.
        kinds: of its arguments: length and letter of each conversion of printf().
        order: of the words of 64 bits, as struct writes it.

    Returns:
        Value and number of bits of each argument; 0 bits for floating point.
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
