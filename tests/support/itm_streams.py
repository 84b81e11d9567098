"""Streams of packets of ITM and DWT, at random and as targets send them."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from tickertape.decode.itm import (
    DataPart,
    DataTrace,
    ExceptionTrace,
    Instrumentation,
    LocalTimestamp,
    Overflow,
    Packet,
    PcSample,
    Relation,
    Step,
    Sync,
)

if TYPE_CHECKING:
    from collections.abc import Callable

WORDS = st.integers(0, 2**32 - 1)
PACKETS = st.lists(
    st.one_of(
        st.just(Sync()),
        st.just(Overflow()),
        st.builds(LocalTimestamp, st.integers(0, 2**28 - 1), st.sampled_from(Relation)),
        st.builds(Instrumentation, st.integers(0, 31), WORDS, st.just(4)),
        st.builds(Instrumentation, st.integers(0, 31), st.integers(0, 255), st.just(1)),
        st.builds(ExceptionTrace, st.integers(0, 511), st.sampled_from(Step)),
        st.builds(PcSample, st.none() | WORDS),
        st.builds(
            DataTrace, st.integers(0, 3), st.sampled_from([*DataPart][2:]), WORDS, st.just(4)
        ),
    ),
    max_size=30,
)


def stamp(chance: random.Random) -> LocalTimestamp:
    return LocalTimestamp(chance.randrange(1, 9000), Relation.EXACT)


def samples(chance: random.Random) -> list[Packet]:
    return [PcSample(0x0800_0200 + 2 * chance.randrange(5))]


def wide_samples(chance: random.Random) -> list[Packet]:
    return [PcSample(chance.randrange(0x0800_0000, 0x0802_0000, 2))]


def exceptions(chance: random.Random) -> list[Packet]:
    steps = [ExceptionTrace(15, Step.ENTERED), ExceptionTrace(15, Step.EXITED)]
    return [steps[0], stamp(chance), steps[1], ExceptionTrace(0, Step.RETURNED), stamp(chance)]


def words(chance: random.Random) -> list[Packet]:
    return [Instrumentation(chance.choice([1, 2, 5]), chance.getrandbits(32), 4), stamp(chance)]


def mixture(chance: random.Random) -> list[Packet]:
    write = DataTrace(0, DataPart.WRITE, chance.randrange(1000), 4)
    letter = Instrumentation(0, chance.randrange(32, 127), 1)
    some = [wide_samples, exceptions, words]
    return chance.choice([[write], [letter], chance.choice(some)(chance)])


STREAMS = [samples, wide_samples, exceptions, words, mixture]


def stream(parts: Callable[[random.Random], list[Packet]], count: int = 300) -> list[Packet]:
    chance = random.Random(parts.__name__)
    return [packet for _ in range(count) for packet in parts(chance)]
