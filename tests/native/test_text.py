"""The compiled text writer writes the same bytes as `TextExporter`."""

from __future__ import annotations

import os
import random
import struct
from dataclasses import replace
from itertools import permutations, product
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.native.sanitized import VARIABLE, run_sanitized
from tests.support.columns import NAME, SWITCH, Row, columns, gap, name, switch
from tickertape._native.engine import using
from tickertape.decode.bodies import Name
from tickertape.decode.ticks import Clock
from tickertape.model.boot import Boot
from tickertape.model.names import Names
from tickertape.printing.compiled_text import text_exporter
from tickertape.printing.text import TextExporter, TextOptions
from tickertape.protocol.events import EVENTS
from tickertape.protocol.wire import ByteOrder, ObjectKind
from tickertape.symbols.elf import Symbols
from tickertape.symbols.symbol import Symbol

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from ctypes import CDLL
    from pathlib import Path

    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns

    Part = tuple[EventColumns, NDArray[np.bool_] | None]

KINDS = [*EVENTS, (20, 77), (15, 1023), (31, 0)]
TEXTS = ["", "a", "motor", "ends in a blank ", 'a "b" \\c', "\x01\n", "Zündung", "x" * 90]
TEXTS += ["y" * 103, "z" * 104, "w" * 500, "blank\u2003"]
WORDS = [0, 1, 2, 3, 9, 10, 99, 100, 2**31 - 1, 2**31, 2**32 - 1, 0x100, 0x104, 0x2000_0000]


def names_of(_epoch: int) -> Names:
    known = [
        (ObjectKind.IRQ, 24, "uart"),
        (ObjectKind.THREAD, 9, "wide\u2003"),
        (ObjectKind.THREAD, 10, "long" * 40),
        (ObjectKind.MUTEX, 99, "blank "),
    ]
    said = {
        (int(kind), number): Name(kind, 0, 0, 0, number, 0, text) for kind, number, text in known
    }
    return Names(said, Symbols([Symbol(0x2000_0000, 8, "bus"), Symbol(0x100, 0x20, "main")]))


def agree(
    compiled: CDLL,
    parts: Sequence[Part],
    *,
    colour: bool = False,
    hz: int = 25_000_000,
    names: Callable[[int], Names] = names_of,
) -> None:
    options = TextOptions(colour=colour)

    def boots(epoch: int) -> Boot:
        return Boot(Clock(hz + epoch), names(epoch))

    plain = TextExporter(boots, options)
    with using(compiled):
        fast = text_exporter(boots, options)
        for part, chosen in parts:
            expected = "".join(f"{line}\n" for line in plain.lines(part, chosen)).encode()
            assert b"".join(map(bytes, fast.blocks(part, chosen))) == expected


def _first_words(payload: bytes) -> tuple[int, int]:
    return int.from_bytes(payload[:4], "little"), int.from_bytes(payload[4:8], "little")


def _row(rng: random.Random, time: int) -> Row:
    flags = rng.choice([0, 0, 0, 0x80, 0x40, 0x3F, 0xFF])
    cpu = rng.choice([0, 0, 0, 1, 63])
    choice = rng.random()
    if choice < 0.3:
        return switch(time, rng.choice(WORDS), rng.choice(WORDS), cpu=cpu)
    if choice < 0.5:
        return name(time, rng.choice(WORDS), rng.choice(TEXTS))
    payload = None
    if choice < 0.7:
        payload = rng.randbytes(rng.choice([0, 1, 3, 4, 5, 7, 8, 9, 12, 16, 20, 24, 25, 40]))
    data = (rng.choice(WORDS), rng.choice(WORDS))
    if payload is not None and len(payload) >= 8:
        data = _first_words(payload)
    kind = rng.choice([NAME, SWITCH, *KINDS])
    return Row(time, kind, data, payload, cpu, rng.choice([0, 0, 1]), flags)


def random_parts(
    rng: random.Random, steps: Sequence[int] = (0, 1, 999, 25_000_000, 10**12)
) -> list[Part]:
    """Return columns of up to three chunks, each with a random selection."""
    parts: list[Part] = []
    now, epoch = rng.choice([0, 10**9, 2**40]), 0
    for _ in range(rng.randrange(1, 4)):
        rows = []
        for _ in range(rng.randrange(30)):
            now += rng.choice(steps)
            rows.append(_row(rng, now))
        places = sorted(rng.randint(0, len(rows)) for _ in range(rng.randrange(3)))
        gaps = [gap(place, rng.randrange(1, 9)) for place in places]
        chosen = None
        if rng.random() < 0.4:
            chosen = np.array([rng.random() < 0.6 for _ in rows], bool)
        parts.append((columns(rows, gaps, epoch=epoch), chosen))
        epoch += rng.random() < 0.3
    return parts


@given(
    st.integers(0, 2**40),
    st.booleans(),
    st.sampled_from([1, 3, 32_768, 25_000_000, 168_000_000, 1_000_000_000, 2**32 - 9]),
)
def test_agrees_with_python(compiled: CDLL, seed: int, colour: bool, hz: int) -> None:  # noqa: FBT001 - hypothesis gives it by place
    agree(compiled, random_parts(random.Random(seed)), colour=colour, hz=hz)


def test_threads_whose_numbers_are_addresses(compiled: CDLL) -> None:
    """Without an ELF file, the compiled writer reads the names from events itself."""
    tids = (9, 65_535, 65_536, 0x2000_0000, 2**32 - 1)
    said = ("motor", "", "0x20000000", "0x00010000", "65535", "9", "0x2000000", "0xffffffff")
    rows = [name(at, tid, text) for at, (tid, text) in enumerate(product(tids, said))]
    rows += [switch(100 + at, *pair) for at, pair in enumerate(permutations(tids, 2))]
    for colour in (False, True):
        agree(compiled, [(columns(rows), None)], colour=colour, names=lambda _epoch: Names({}))


@pytest.mark.parametrize("word", WORDS)
def test_every_type_with_every_kind_of_word(compiled: CDLL, word: int) -> None:
    rows = [Row(at, kind, (word, word)) for at, kind in enumerate(KINDS)]
    agree(compiled, [(columns(rows), None)])


def test_times_are_exact_to_the_last_tick(compiled: CDLL) -> None:
    rows = [Row(time) for time in (0, 1, 6, 7, 2**32 - 1, 2**63, 2**64 - 2, 2**64 - 1)]
    for hz in (1, 7, 1_000_000_000, 2**32 - 2):
        agree(compiled, [(columns(rows), None)], hz=hz)


def test_time_may_step_back(compiled: CDLL) -> None:
    rows = [Row(time) for time in (100, 5, 3 * 10**7, 2 * 10**7, 99)]
    agree(compiled, [(columns(rows), None)])


def test_more_lines_than_one_block_holds(compiled: CDLL) -> None:
    rows = [switch(at, at % 7, at % 5) for at in range(5000)]
    agree(compiled, [(columns(rows, [gap(0), gap(2500), gap(5000)]), None)])


def test_a_payload_larger_than_a_block(compiled: CDLL) -> None:
    agree(compiled, [(columns([Row(0), Row(1, payload=bytes(60_000)), Row(2)]), None)])


def test_more_names_than_the_table_keeps(compiled: CDLL) -> None:
    rows = [Row(at, (3, 1), (at, 4 * at)) for at in range(70_000)]
    agree(compiled, [(columns(rows), None), (columns(rows[:9]), None)])


def test_many_threads_say_their_names(compiled: CDLL) -> None:
    rows = [name(at, at % 50, f"task {at % 50} {at // 70}") for at in range(300)]
    rows += [Row(at, (8, 3), (0x2000_0000, at - 300)) for at in range(300, 360)]
    agree(compiled, [(columns(rows), None), (columns(rows[300:]), None)])


def test_lines_that_were_written_before_get_new_names(compiled: CDLL) -> None:
    again = [switch(0, 1, 2), switch(1, 2, 1), Row(2, (8, 3), (0x2000_0000, 1))]
    rows = [*again, *again, name(3, 1, "a"), *again, *again, name(4, 1, "b"), *again, *again]
    rows += [name(5, 1, "x" * 24), *again, name(6, 1, "x" * 25), *again, name(7, 65, "c"), *again]
    rows += [name(8, 1, "y" * 99), *again, *again, name(9, 1, "b"), *again]
    agree(compiled, [(columns(rows), None), (columns(rows[::-1]), None)])
    agree(compiled, [(columns(rows), np.arange(len(rows)) % 3 > 0), (columns(rows), None)])


@pytest.mark.parametrize("length", [0, 1, 7, 8, 9, 15, 16, 17, 23, 24, 25, 31, 32, 33, 64])
def test_payloads_that_were_written_before(compiled: CDLL, length: int) -> None:
    """Repeated payloads, and payloads that differ in one byte or in length."""
    first = bytes(range(65, 65 + length))
    others = [first[:at] + b"!" + first[at + 1 :] for at in range(length)]
    payloads = [
        first,
        first,
        first[:-1],
        first,
        *[one for other in others for one in (other, first)],
    ]
    rows = [
        Row(at, kind, _first_words(payload), payload)
        for kind in (NAME, (6, 3), (6, 1023), (5, 4))
        for at, payload in enumerate(payloads)
    ]
    simple = [
        Row(at, kind, _first_words(first)) for at, kind in enumerate((NAME, (6, 3), (6, 1023)))
    ]
    agree(compiled, [(columns([*rows, *simple, *rows]), None)])
    made = columns([*rows, *simple, *rows, *simple])
    bare = replace(made, header=made.header & np.uint32(0x3FFFFFFF))  # without struct bits
    agree(compiled, [(bare, None)])


def test_names_that_were_said_before(compiled: CDLL) -> None:
    said = [name(0, 1, "a"), switch(0, 1, 2), name(0, 1, "b"), switch(0, 1, 2)]
    said += [name(0, 2, "a"), name(0, 2, "b"), name(0, 2, "b"), switch(0, 1, 2), name(0, 2, "a")]
    rows = [*said, *said[::-1], *said[::2], *said]
    agree(compiled, [(columns(rows), None), (columns(rows[::-1]), None)])


@pytest.mark.parametrize("words", range(9))
@pytest.mark.parametrize("word", WORDS)
def test_every_wide_form(compiled: CDLL, words: int, word: int) -> None:
    payload = struct.pack(f"<{words}I", *[word] * words)
    rows = [Row(at, kind, (word, word), payload) for at, kind in enumerate(EVENTS)]
    agree(compiled, [(columns(rows), None)])


def test_words_of_a_big_endian_target(compiled: CDLL) -> None:
    payload = (5).to_bytes(4, "big") + (6).to_bytes(4, "big") + b"six"
    wide = struct.pack(">6I", 0x2000_0000, 1, 2, 3, 4, 5)
    rows = [Row(0, NAME, (5, 6), payload), switch(1, 6, 5), Row(2, (2, 80), (0x2000_0000, 1), wide)]
    made = columns(rows)
    agree(compiled, [(replace(made, byte_order=ByteOrder.BIG), None)])


@pytest.mark.skipif(VARIABLE in os.environ, reason="this is the inner run")
def test_all_of_this_under_the_sanitizers(sanitized_library: Path) -> None:
    run_sanitized(__file__, sanitized_library)
