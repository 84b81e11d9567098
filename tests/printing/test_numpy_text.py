"""Text by numpy alone is what `TextExporter` writes, byte for byte."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.model.columns import NAME, Row, columns, gap, name, switch
from tests.native.test_text import WORDS, names_of, random_parts
from tickertape.decode.payloads import padded, pieces_of
from tickertape.printing.numpy_text import NumpyTextExporter
from tickertape.printing.text import TextExporter
from tickertape.protocol.events import EVENTS
from tickertape.protocol.wire import ByteOrder

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.native.test_text import Part


def agree(parts: Sequence[Part], *, hz: int = 25_000_000, short_rows: int = 1) -> None:
    plain = TextExporter(names_of, lambda epoch: hz + epoch)
    fast = NumpyTextExporter(names_of, lambda epoch: hz + epoch, short_rows=short_rows)
    for part, chosen in parts:
        expected = "".join(f"{line}\n" for line in plain.lines(part, chosen)).encode()
        assert b"".join(map(bytes, fast.blocks(part, chosen))) == expected


@settings(max_examples=150)
@given(
    st.integers(0, 2**40),
    st.sampled_from([1, 3, 32_768, 25_000_000, 168_000_000, 1_000_000_000, 2**32 - 9]),
    st.sampled_from([0, 1, 4, 64]),
)
def test_agrees_with_python(seed: int, hz: int, short_rows: int) -> None:
    agree(random_parts(random.Random(seed), steps=(0, 1, 999, 70_001)), hz=hz, short_rows=0)
    agree(random_parts(random.Random(seed)), hz=hz, short_rows=short_rows)


@pytest.mark.parametrize("word", WORDS)
def test_every_type_with_every_kind_of_word(word: int) -> None:
    rows = [Row(at, kind, (word, word)) for at, kind in enumerate(EVENTS)]
    agree([(columns(rows), None)])


def test_more_lines_than_a_block_holds() -> None:
    rows = [switch(900 * at, at % 7, at % 5) for at in range(20_000)]
    agree([(columns(rows, [gap(0), gap(9000), gap(20_000)]), None)])
    agree([(columns(rows), np.arange(20_000) % 3 == 0)])


def test_more_kinds_of_lines_than_the_table_keeps() -> None:
    many = [Row(at, (3, 1), (at % 1900, at // 2)) for at in range(9000)]
    few = [Row(at, (3, 1), (at % 190, at % 7)) for at in range(40_000)]
    kinds = [*EVENTS, (20, 77), (15, 1023), NAME]
    mixed = [
        Row(900 * at, kinds[at // 9 % len(kinds)], (at, 9 * at), flags=0x40 * (at % 50 == 0))
        for at in range(9000)
    ]
    agree(
        [
            (columns(mixed), None),
            (columns(many), None),
            (columns(few), None),
            (columns(many[:900]), None),
        ]
    )


def test_names_change_within_a_block() -> None:
    rows = [switch(at, at % 4, (at + 1) % 4) for at in range(400)]
    for at in (100, 101, 250):
        rows[at] = name(at, 2, f"named at {at}")
    rows[300] = name(300, 2, "named at 250")
    agree([(columns(rows), None), (columns(rows), np.arange(400) % 50 > 2)])


def test_times_in_all_widths() -> None:
    for begin in (0, 9 * 10**4, 10**5 - 1, 10**5, 2**34 - 9):
        rows = [Row(25_000_000 * begin + 7_000_001 * at) for at in range(9)]
        agree([(columns(rows), None)])
    agree([(columns([Row(2**64 - 1), Row(2**64 - 1)]), None)], hz=2**32 - 2)


def test_payloads_of_all_lengths() -> None:
    rows = [Row(at, NAME, (1, 0), bytes(4) + bytes([at]) * at) for at in range(70)]
    rows += [Row(at, (6, 3), (1, 2), bytes(at)) for at in range(70)]
    agree([(columns(rows), None), (replace(columns(rows), byte_order=ByteOrder.BIG), None)])


def test_pieces_end_where_a_payload_ends() -> None:
    data = np.arange(1, 20, dtype=np.uint8)
    begins, sizes = np.array([0, 3, 18, 0]), np.array([0, 9, 1, 40])
    found = pieces_of(padded(data, 16), begins, sizes, 2).view(np.uint8)
    expected = [data[begin : begin + size][:16] for begin, size in zip(begins, sizes, strict=True)]
    assert [row.tobytes() for row in found] == [one.tobytes().ljust(16, b"\0") for one in expected]
