"""Converts events to the words of a CTF stream, with numpy.

    word 0  low half of the time
    word 1  ID in bits 0-23, then as in a record: domain (6), host (1), truncated (1)
    word 2  first word, or the length of the bytes
    word 3  second word, or the first bytes
    …       rest of a combine event

All words are little-endian. Every event has a row of four words; further words of an event are
inserted after its row.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.formats.ctf.types import (
    BYTES,
    CODES,
    FORM_SHIFT,
    MOST_WORDS,
    SIMPLE,
    TEXT,
    WIDE,
    form_by_code,
)
from tickertape.protocol.wire import ByteOrder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns
    from tickertape.decode.records import I64, U8, U32, U64, Rows

    Bools = NDArray[np.bool_]

_ROW_WORDS: Final = 4
_WORD_BYTES: Final = 4
_PAIR_BYTES: Final = 8
_CODE_MASK: Final = np.uint32(CODES - 1)
_CONTEXT_SHIFT: Final = np.uint32(8)
_CONTEXT_MASK: Final = np.uint32(0xFF000000)
_ALL: Final = np.uint32(0xFFFFFFFF)
# A word has a zero byte if and only if this test leaves a bit (Mycroft, 1987).
_ONES: Final = np.uint32(0x01010101)
_TOPS: Final = np.uint32(0x80808080)
# Masks of the first 0, 1, 2, 3 bytes of a word.
_KEPT: Final = np.array([0, 0xFF, 0xFFFF, 0xFFFFFF], np.uint32)


class Ids:
    """Set of the event IDs that occur in a trace."""

    def __init__(self) -> None:
        """Create an empty set."""
        self._simple = np.zeros(CODES, np.bool_)
        self._other: set[int] = set()

    def note(self, code: U32) -> None:
        """Add codes of simple events."""
        if not self._simple.take(code).all():  # eight times as fast as setting all again
            self._simple[code] = True

    def note_forms(self, ids: U32) -> None:
        """Add IDs of any form."""
        self._other |= set(np.unique(ids).tolist())

    def __iter__(self) -> Iterator[int]:
        """Yield the IDs."""
        yield from {*np.flatnonzero(self._simple).tolist(), *self._other}


def event_words(columns: EventColumns, time: U64, ids: Ids) -> U32:
    """Convert events without a gap between them to words.

    Args:
        columns: the events.
        time: time of each event in ticks.
        ids: collects the IDs that occur.

    Returns:
        All words in order, u32.
    """
    rows = np.empty((len(columns), _ROW_WORDS), np.dtype("<u4"))
    code = columns.header & _CODE_MASK
    rows[:, 0] = time
    rows[:, 1] = columns.header << _CONTEXT_SHIFT & _CONTEXT_MASK | code
    rows[:, 2] = columns.data0
    rows[:, 3] = columns.data1
    combined = np.flatnonzero(columns.payload_offset >= 0)
    if not len(combined):
        ids.note(code)
        return rows.reshape(-1)
    ids.note(code[columns.payload_offset < 0])
    return _with_payloads(columns, rows, combined, ids)


def padding_bytes(columns: EventColumns) -> int:
    """Return the number of padding bytes in the last word of the last event."""
    size = int(columns.payload_bytes[-1])
    if columns.payload_offset[-1] < 0 or not size:
        return 0
    payload = _Payloads(columns, np.array([len(columns) - 1]))
    ends = {TEXT: size + 1, BYTES: size}
    return -ends.get(int(payload.form[0]), 0) % _WORD_BYTES


def _with_payloads(columns: EventColumns, rows: U32, combined: Rows, ids: Ids) -> U32:
    payload = _Payloads(columns, combined)
    rows[combined, 1] |= payload.form.astype(np.uint32) << np.uint32(FORM_SHIFT)
    ids.note_forms(rows[combined, 1] & ~_CONTEXT_MASK)
    opaque = np.flatnonzero(payload.form == BYTES)
    rows[combined[opaque], 2] = payload.size[opaque]
    rows[combined[opaque], 3] = payload.first_words(opaque)
    words_of = np.full(len(rows), _ROW_WORDS)
    words_of[combined] += payload.count
    ends = np.cumsum(words_of)
    words = np.empty(int(ends[-1]), np.dtype("<u4"))
    is_row = np.ones(len(words), np.bool_)
    before = ends[combined] - payload.count
    _mark_off(is_row, before, payload.count)
    words[is_row] = rows.reshape(-1)
    payload.place(words, ends[combined])
    empty = opaque[payload.size[opaque] == 0]
    # No word follows a length of 0.
    return words if not len(empty) else np.delete(words, ends[combined[empty]] - 1)


def _mark_off(marks: Bools, begin: I64, count: I64) -> None:
    """Clear the marks of `count[i]` places from `begin[i]` on, for each i."""
    for number in range(int(count.max(initial=0))):
        longer = count > number
        if not longer.all():
            begin, count = begin[longer], count[longer]
        marks[begin + number] = False


class _Payloads:
    """Words of combine events after the first four.

    Attributes:
        form: form of each event, see `types`.
        size: size of each payload in bytes, i64.
        count: number of words after the first four of each event, i64.
    """

    def __init__(self, columns: EventColumns, combined: Rows) -> None:
        room = np.zeros(_WORD_BYTES, np.uint8)  # one word even without any payload
        whole_words = columns.payload[: len(columns.payload) // _WORD_BYTES * _WORD_BYTES]
        self._source: U32 = (whole_words if len(whole_words) else room).view("<u4")
        self._swap = columns.byte_order is ByteOrder.BIG
        self.size: I64 = columns.payload_bytes.take(combined).astype(np.int64)
        self._begin: I64 = columns.payload_offset.take(combined) // _WORD_BYTES
        wanted = form_by_code().take(columns.code.take(combined))
        self.form, self._kept = self._forms(wanted)
        opaque = self.form == BYTES
        self._begin += 2 - opaque
        words = (self.size + _WORD_BYTES - 1) // _WORD_BYTES - 2 + opaque
        # A text that fills its last word needs another word for its terminating zero.
        words += (self.form == TEXT) & (self.size % _WORD_BYTES == 0)
        self.count: I64 = np.maximum(words, 0)

    def _forms(self, wanted: U8) -> tuple[I64, U32]:
        """Return the form of each event, and a mask of the valid bytes in its last word."""
        words, rest = np.divmod(self.size, _WORD_BYTES)
        kept = _KEPT.take(rest)
        form = np.full_like(words, BYTES)
        is_wide = (wanted == WIDE) & (rest == 0) & (words >= WIDE) & (words <= MOST_WORDS)
        form[is_wide] = words[is_wide]
        text = np.flatnonzero((wanted == TEXT) & (self.size > _PAIR_BYTES))
        form[text[self._is_text(text, kept)]] = TEXT
        # For an empty text babeltrace2 2.0.4 prints the previous one: write two words only.
        form[(wanted == TEXT) & (self.size == _PAIR_BYTES)] = SIMPLE
        kept[(rest == 0) & (form != TEXT)] = _ALL
        return form, kept

    def _is_text(self, chosen: Rows, kept: U32) -> Bools:
        """Return which payloads contain no zero byte, which would end the text for a reader."""
        found = np.ones(len(chosen), np.bool_)
        count = self.size.take(chosen) // _WORD_BYTES - 1
        for length in np.flatnonzero(np.bincount(count)).tolist():
            here = np.flatnonzero(count == length)
            rows = chosen.take(here)
            words = self._words(self._begin.take(rows) + 2, length)
            words[:, -1] |= ~kept.take(rows)
            found[here] = ~((words - _ONES) & ~words & _TOPS).any(axis=1)
        return found

    def _words(self, begin: I64, length: int) -> U32:
        """Return `length` words of each payload from `begin` on, one row per payload."""
        return self._source.take(begin[:, None] + np.arange(length), mode="clip")

    def first_words(self, chosen: Rows) -> U32:
        """Return the first four bytes of each payload, padded with zeros."""
        first = self._source.take(self._begin.take(chosen) - 1, mode="clip")
        is_short = self.size.take(chosen) < _WORD_BYTES
        return np.where(is_short, first & self._kept.take(chosen), first)

    def place(self, words: U32, ends: I64) -> None:
        """Store the words after the first four of each event so that they end at `ends`."""
        for length in np.flatnonzero(np.bincount(self.count)).tolist():
            if not length:
                continue
            here = np.flatnonzero(self.count == length)
            found = self._words(self._begin.take(here), length)
            found[:, -1] &= self._kept.take(here)
            if self._swap:
                wide = self.form.take(here) >= WIDE
                found[wide] = found[wide].byteswap()
            words[ends.take(here)[:, None] + np.arange(-length, 0)] = found
