"""Ends of lines that were written before: all behind the time, by what it was made of.

A table with one place for each key, looked up for all rows at once. Keys are compared whole, so a
line is only taken for what it was written for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

import numpy as np

from tickertape.decode.payloads import pieces_of

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import I64, U8, U64, Rows

_SLOT_BITS: Final = 14
WIDTH_BYTES: Final = 160  # of the longest end that is kept
_WORD_BYTES: Final = 8
# Of a payload the first two words are columns; so many more are part of the key.
_MORE_WORDS: Final = 3
_MORE_BYTES: Final = _MORE_WORDS * _WORD_BYTES
LONGEST_BYTES: Final = _WORD_BYTES + _MORE_BYTES  # of a payload that a key can hold
_RUNNING_BITS: Final = np.uint64(33)
_RUNNING_MASK: Final = np.int64((1 << 33) - 1)
# Odd numbers without pattern, to spread keys over the table.
_SPREAD: Final = tuple(
    np.uint64(number)
    for number in (
        0x9E3779B97F4A7C15,
        0xC2B2AE3D27D4EB4F,
        0x165667B19E3779F9,
        0xD6E8FEB86659FD93,
        0xFF51AFD7ED558CCD,
        0xA0761D6478BD642F,
    )
)


class Keys(NamedTuple):
    """What the end of each line is made of.

    Attributes:
        where: header and running thread.
        words: both data words.
        rows: rows with a payload; the arrays below have one item for each of them.
        sizes: of the payloads; too long ones are never found.
        more: shape (rows, 3), what follows the first two words.
        mixed: of each row of all; almost always different where keys are.
        slots: place of each row of all in the table.
    """

    where: U64
    words: U64
    rows: Rows
    sizes: I64
    more: U64
    mixed: U64
    slots: Rows


class TailTable:
    """Remembers ends of lines. Attributes have one item for each place.

    Attributes:
        text: shape (places, `WIDTH_BYTES`).
        lengths: bytes of each; 0 where there is none.
    """

    def __init__(self) -> None:
        """Begin empty."""
        places = 1 << _SLOT_BITS
        self.text: U8 = np.zeros((places, WIDTH_BYTES), np.uint8)
        self.lengths: I64 = np.zeros(places, np.int64)
        self._where: U64 = np.zeros(places, np.uint64)
        self._words: U64 = np.zeros(places, np.uint64)
        self._sizes: I64 = np.zeros(places, np.int64)
        self._more: U64 = np.zeros((places, _MORE_WORDS), np.uint64)

    def forget(self) -> None:
        """Forget everything."""
        self.lengths[:] = 0

    def find(self, keys: Keys) -> NDArray[np.bool_]:
        """Tell which rows are here."""
        slots = keys.slots
        found: NDArray[np.bool_] = self._where.take(slots) == keys.where
        found &= self._words.take(slots) == keys.words
        found &= self.lengths.take(slots) > 0
        if len(keys.rows):
            places = slots[keys.rows]
            same = (self._sizes.take(places) == keys.sizes) & (keys.sizes <= LONGEST_BYTES)
            more = self._more.take(places, axis=0)
            for number in range(_MORE_WORDS):
                same &= more[:, number] == keys.more[:, number]
            found[keys.rows] &= same
        return found

    def keep(self, keys: Keys, row: int, text: bytes) -> None:
        """Keep the end of a row's line, in place of what was there; one that is too long is not."""
        place = int(keys.slots[row])
        at = int(np.searchsorted(keys.rows, row))
        has_payload = at < len(keys.rows) and keys.rows[at] == row
        if len(text) > WIDTH_BYTES or (has_payload and keys.sizes[at] > LONGEST_BYTES):
            return
        self._where[place], self._words[place] = keys.where[row], keys.words[row]
        if has_payload:
            self._sizes[place], self._more[place] = keys.sizes[at], keys.more[at]
        self.text[place, : len(text)] = np.frombuffer(text, np.uint8)
        self.lengths[place] = len(text)


def keys_of(columns: EventColumns, running: NDArray[np.int64], payload: U8) -> Keys:
    """Make the keys of events and of the threads that ran.

    Args:
        columns: the events.
        running: the thread of each.
        payload: of the columns, `decode.payloads.padded` for `LONGEST_BYTES`.
    """
    where = columns.header.astype(np.uint64) << _RUNNING_BITS
    where |= (running & _RUNNING_MASK).astype(np.uint64)
    words = columns.data1.astype(np.uint64) << np.uint64(32)
    words |= columns.data0
    mixed = where * _SPREAD[0]
    mixed += words * _SPREAD[1]
    rows = np.flatnonzero(columns.payload_offset >= 0)
    sizes = columns.payload_bytes[rows].astype(np.int64)
    more = np.zeros((len(rows), _MORE_WORDS), np.uint64)
    if len(rows):
        begins = columns.payload_offset[rows] + _WORD_BYTES
        more = pieces_of(payload, begins, sizes - _WORD_BYTES, _MORE_WORDS)
        parts = (*more.T, sizes.astype(np.uint64))
        mixed[rows] += sum(part * odd for part, odd in zip(parts, _SPREAD[2:], strict=True))
    slots = (mixed >> np.uint64(64 - _SLOT_BITS)).astype(np.intp)
    return Keys(where, words, rows, sizes, more, mixed, slots)
