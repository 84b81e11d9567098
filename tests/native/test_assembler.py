"""The compiled decoder returns the same events and counts as the numpy decoder."""

from __future__ import annotations

import os
import random
from itertools import product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.native.sanitized import VARIABLE, run_sanitized
from tests.support.rings import (
    RingBuffer,
    buffers_of,
    chunks_of,
    decode_ring,
    headers,
    pieces,
    plain_events,
    raw,
    scenario,
    simple,
)
from tests.support.wire_bytes import BEGIN, CONTINUE, END, SIMPLE, RawRecord
from tickertape._native.assembler import Assembler
from tickertape._native.engine import using
from tickertape.decode.compiled import ring_decoder

if TYPE_CHECKING:
    from collections.abc import Sequence
    from ctypes import CDLL
    from pathlib import Path

    from tickertape.decode.events import DecodeCounters, EventColumns, Gap

    Chunks = Sequence[Sequence[RingBuffer]]


def _gaps(parts: Sequence[EventColumns]) -> list[tuple[int, Gap]]:
    """Return each gap with its row in the concatenation of all parts."""
    bases = np.cumsum([0, *map(len, parts)]).tolist()
    return [
        (base + gap.row, gap) for part, base in zip(parts, bases, strict=False) for gap in part.gaps
    ]


def _all(result: tuple[list[EventColumns], DecodeCounters]) -> list[object]:
    parts, counters = result
    flags = [int(header) & 0x3FFFFFFF for part in parts for header in part.header]
    return [plain_events(parts), flags, _gaps(parts), counters]


def agree(compiled: CDLL, chunks: Chunks, order: str) -> None:
    expected = decode_ring(chunks, order)
    with using(compiled):
        got = decode_ring(chunks, order, ring_decoder)
    for one, other in zip(_all(expected), _all(got), strict=True):
        assert one == other


@given(st.integers(0, 2**40), st.sampled_from("<>"))
def test_agrees_with_numpy(compiled: CDLL, seed: int, order: str) -> None:
    rng = random.Random(seed)
    records = scenario(rng, order)
    sizes = rng.choice([[1, 2, 3], [16], [1000]])
    chunks = chunks_of(buffers_of(records, sizes, rng), rng)
    agree(compiled, chunks, order)


def _noise(rng: random.Random, count: int) -> list[list[RingBuffer]]:
    """Return records that no target sends: kinds in random order, random lengths."""
    chunks: list[list[RingBuffer]] = []
    ordinal = sent = 0
    for _ in range(rng.randrange(1, 5)):
        chunk = []
        for _ in range(rng.randrange(4)):
            records = [
                RawRecord(
                    rng.choice([SIMPLE, BEGIN, BEGIN, CONTINUE, END, END]),
                    0,
                    1,
                    rng.randrange(2),
                    rng.choice([5, 5, 6, rng.randrange(2**32)]),
                    rng.randrange(2**32),
                    rng.choice([0, 7, 8, 13, rng.randrange(2**32)]),
                )
                for _ in range(rng.randrange(count))
            ]
            ordinal += rng.choice([0, 0, 0, 1, 5000])
            chunk.append(RingBuffer((ordinal, ordinal - sent, sent), rng.randrange(2**34), records))
            ordinal += len(records)
            sent += len(records)
        chunks.append(chunk)
    return chunks


@given(st.integers(0, 2**40), st.sampled_from("<>"))
def test_agrees_about_nonsense(compiled: CDLL, seed: int, order: str) -> None:
    agree(compiled, _noise(random.Random(seed), 40), order)


_LAST = 2**32 - 1


@pytest.mark.parametrize("order", "<>")
@pytest.mark.parametrize(
    "low",
    [
        [7, 7, 7, 7, 7],
        [1, 2, 3, 4, 5],
        [_LAST - 1, _LAST, 0, 1, 1],  # wraps
        [_LAST // 2, _LAST // 2 + 1, _LAST // 2 + 2, _LAST // 2 + 2, _LAST],  # changes its sign
        [9, 9, 8, 9, 9],
    ],
)
def test_agrees_about_every_order_of_five_records(
    compiled: CDLL, low: list[int], order: str
) -> None:
    """The decoder reads four records at once: all kinds at all places, and a fifth record after."""
    kinds = product([SIMPLE, BEGIN, CONTINUE, END], repeat=len(low))
    chunk = [
        RingBuffer(
            (6 * at, at, 5 * at),
            (at << 32) + low[0],
            [
                RawRecord(kind, 0, 1, 2, time, n, 4)
                for n, (kind, time) in enumerate(zip(way, low, strict=True))
            ],
        )
        for at, way in enumerate(kinds)
    ]
    agree(compiled, [chunk], order)


@pytest.mark.parametrize("between", [0, 1, 4093, 4094, 4095, 4096, 9000])
@pytest.mark.parametrize("size", [500, 20_000])
def test_agrees_about_old_events(compiled: CDLL, between: int, size: int) -> None:
    begin, middle, end = pieces(b"x" * 16, time=1)
    records = [begin, middle, *[simple(2)] * between, end, simple(3)]
    chunks = [
        [RingBuffer((at, 0, at), 1, records[at : at + size])] for at in range(0, len(records), size)
    ]
    agree(compiled, chunks, "<")


@pytest.mark.parametrize("size", [4 * 2 * 4095, 4 * 2 * 4096, 4 * 2 * 4097, 4 * 2 * 4098])
def test_agrees_about_long_events(compiled: CDLL, size: int) -> None:
    records = [simple(0), *pieces(bytes(size), time=1), simple(2)]
    agree(compiled, [[RingBuffer((0, 0, 0), 0, records)]], "<")


def test_thousands_of_begins_without_end_stay_bounded(compiled: CDLL) -> None:
    begin = pieces(b"never ends", time=1)[0]
    records = [begin] * 30_000
    agree(compiled, [[RingBuffer((0, 0, 0), 0, records)]], "<")


def test_counts_that_do_not_fit_are_refused(compiled: CDLL) -> None:
    chunk = [RingBuffer((0, 0, 0), 0, [simple(1)])]
    with pytest.raises(ValueError, match="not as many records"):
        Assembler(compiled, "little").take(headers(chunk), raw(chunk)[:0], np.empty(0, np.intp))


@pytest.mark.skipif(VARIABLE in os.environ, reason="this is the inner run")
def test_all_of_this_under_the_sanitizers(sanitized_library: Path) -> None:
    run_sanitized(__file__, sanitized_library)
