"""Packets of ITM and DWT in streams that begin anywhere and lack bytes."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.examples import examples
from tests.support.itm import encoded
from tests.support.itm_streams import PACKETS, STREAMS, mixture, samples, stream, words
from tickertape.decode.alignment import AlignedItm
from tickertape.decode.itm import (
    LocalTimestamp,
    Packet,
    Relation,
    Skipped,
    Sync,
)

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_LOST_BYTES = 64


def decoded(data: bytes) -> tuple[list[Packet], int]:
    decoder = AlignedItm()
    decoder.receive(data)
    decoder.finish()
    return list(decoder.packets()), decoder.skipped.total()


def lost_bytes(sent: list[Packet], found: list[Packet]) -> int:
    """Return the size of the packets between the common begin and the common end of two lists."""
    most = min(len(sent), len(found))
    begin = next((at for at in range(most) if sent[at] != found[at]), most)
    rest = range(most - begin)
    end = next((at for at in rest if sent[-1 - at] != found[-1 - at]), most - begin)
    return sum(len(encoded(packet)) for packet in sent[begin : len(sent) - end])


@pytest.mark.parametrize("parts", STREAMS, ids=lambda one: one.__name__)
def test_undamaged_streams_are_unchanged(
    parts: Callable[[random.Random], list[Packet]],
) -> None:
    packets = stream(parts)
    assert decoded(b"".join(map(encoded, packets))) == (packets, 0)


@given(PACKETS)
@settings(max_examples=examples(100))
def test_any_packets_are_unchanged(packets: list[Packet]) -> None:
    assert decoded(b"".join(map(encoded, packets))) == (packets, 0)


@pytest.mark.parametrize("parts", STREAMS, ids=lambda one: one.__name__)
@pytest.mark.parametrize("missing", [1, 2, 3])
def test_a_lost_byte_costs_few_packets(
    parts: Callable[[random.Random], list[Packet]], missing: int
) -> None:
    packets = stream(parts)
    data = b"".join(map(encoded, packets))
    chance = random.Random(missing)
    for _ in range(examples(15)):
        at = chance.randrange(len(data) - missing)
        found, _ = decoded(data[:at] + data[at + missing :])
        assert lost_bytes(packets, found) <= MOST_LOST_BYTES, at


@pytest.mark.parametrize("parts", STREAMS, ids=lambda one: one.__name__)
def test_a_stream_begins_anywhere(parts: Callable[[random.Random], list[Packet]]) -> None:
    packets = stream(parts)
    data = b"".join(map(encoded, packets))
    for cut in range(1, 12):
        found, _ = decoded(data[cut:])
        assert lost_bytes(packets, found) <= cut + 16, cut


def test_skipped_bytes_are_reported_where_they_are() -> None:
    before, after = samples_with_stamps(), samples_with_stamps()
    data = b"".join(map(encoded, before))
    data = data[:302] + data[303:] + encoded(Sync()) + b"".join(map(encoded, after))
    found, skipped = decoded(data)
    places = [at for at, packet in enumerate(found) if isinstance(packet, Skipped)]
    assert len(places) == 1
    assert skipped
    assert found[: places[0]] == before[: places[0]]
    assert found[-200:] == after


def samples_with_stamps() -> list[Packet]:
    chance = random.Random(1)
    four = LocalTimestamp(4, Relation.EXACT)
    return [packet for _ in range(100) for packet in (*samples(chance), four)]


def test_noise_in_a_stream_is_skipped() -> None:
    packets = stream(words)
    data = b"".join(map(encoded, packets))
    noise = random.Random(9).randbytes(5000)
    found, skipped = decoded(data + noise + data)
    assert skipped > 0.9 * len(noise)
    assert found[: len(packets) - 2] == packets[:-2]
    assert found[-len(packets) + 4 :] == packets[4:]


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=4))
def test_any_bytes_and_any_cuts(data: bytes, cuts: list[int]) -> None:
    decoder = AlignedItm()
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    for begin, end in pairwise(places):
        decoder.receive(data[begin:end])
    decoder.finish()
    found = list(decoder.packets())
    assert (found, decoder.skipped.total()) == decoded(data)
    runs = sum(packet.count for packet in found if isinstance(packet, Skipped))
    assert runs == decoder.skipped.total() <= len(data)


@pytest.mark.parametrize("size", [1, 100, 5000])
def test_blocks_change_little(size: int) -> None:
    packets = stream(mixture, 1000)
    data = b"".join(map(encoded, packets))
    decoder = AlignedItm()
    found: list[Packet] = []
    for begin in range(0, len(data), size):
        decoder.receive(data[begin : begin + size])
        found += decoder.packets()
    decoder.finish()
    assert [*found, *decoder.packets()] == packets
