"""The bytes of a stimulus port, with packets cut, damaged or joined in the middle."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.itm import encoded, written
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
from tickertape.decode.stimulus import StimulusPort

PORT = 1

others = st.sampled_from(
    [
        Sync(),
        Overflow(),
        LocalTimestamp(5, Relation.EXACT),
        LocalTimestamp(70_000, Relation.LATE_BOTH),
        Instrumentation(0, 0x41, 1),
        Instrumentation(31, 0xDEADBEEF, 4),
        DataTrace(2, DataPart.WRITE, 7, 4),
    ]
)
ours = st.binary(min_size=1, max_size=9)


@given(st.lists(ours | others), st.lists(st.integers(0, 200)))
def test_every_cut_gives_the_bytes_of_the_port(
    pieces: list[bytes | Packet], cuts: list[int]
) -> None:
    data = b"".join(
        written(PORT, piece) if isinstance(piece, bytes) else encoded(piece) for piece in pieces
    )
    port = StimulusPort(PORT)
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    found = b"".join(port.receive(data[begin:end]) for begin, end in pairwise(places))
    port.finish()
    assert found == b"".join(piece for piece in pieces if isinstance(piece, bytes))
    assert port.skipped == 0
    assert port.overflows == pieces.count(Overflow())
    assert port.other_ports[0] == pieces.count(Instrumentation(0, 0x41, 1))


@pytest.mark.parametrize("stamped", [False, True])
@pytest.mark.parametrize("missing", range(12))
def test_joined_in_the_middle_it_finds_where_packets_begin(missing: int, *, stamped: bool) -> None:
    text = random.Random(missing).randbytes(400)
    words = [text[place : place + 4] for place in range(0, len(text), 4)]
    stamp = encoded(LocalTimestamp(300, Relation.EXACT)) if stamped else b""
    data = b"".join(written(PORT, word) + stamp for word in words)
    port = StimulusPort(PORT)
    found = port.receive(data[missing:])
    port.finish()
    assert found.endswith(text[200:])
    assert port.skipped < 100


@given(st.binary(max_size=300), st.lists(st.integers(0, 300), max_size=3))
def test_what_is_no_packet_is_skipped_and_never_held(noise: bytes, cuts: list[int]) -> None:
    port = StimulusPort(PORT)
    places = sorted({0, len(noise), *(cut for cut in cuts if cut < len(noise))})
    found = b"".join(port.receive(noise[begin:end]) for begin, end in pairwise(places))
    assert len(found) + port.skipped <= len(noise)
    row = b"after the noise, words again: " * 2
    # A packet begun by noise takes at most six more bytes, an unassigned packet five.
    found = port.receive(b"\xff" * 13 + written(PORT, row))
    assert found.endswith(row)


def test_damage_costs_what_is_damaged() -> None:
    text = random.Random(1).randbytes(4000)
    data = bytearray(written(PORT, text))
    del data[2501:2503]
    port = StimulusPort(PORT)
    found = port.receive(bytes(data))
    assert found.startswith(text[:2000])
    assert found.endswith(text[2400:])
    assert 0 < port.skipped < 200


known = st.one_of(
    others,
    st.builds(LocalTimestamp, st.integers(0, 2**28 - 1), st.sampled_from(Relation)),
    st.builds(ExceptionTrace, st.integers(1, 511), st.sampled_from(Step)),
    st.builds(PcSample, st.none() | st.integers(0, 2**32 - 1)),
    st.builds(Instrumentation, st.just(PORT), st.integers(0, 2**32 - 1), st.just(4)),
)


def seen(pieces: list[bytes]) -> tuple[bytes, list[Packet], int]:
    """Return bytes and other packets of a port, with successive time stamps merged."""
    port = StimulusPort(PORT, keeps_packets=True)
    found = b"".join(map(port.receive, pieces))
    port.finish()
    packets: list[Packet] = []
    for packet in port.packets:
        before = packets[-1] if packets else None
        if isinstance(packet, LocalTimestamp) and isinstance(before, LocalTimestamp):
            packets[-1] = LocalTimestamp(before.ticks + packet.ticks, before.relation)
        else:
            packets.append(packet)
    return found, packets, port.skipped


@given(st.lists(known, max_size=60))
def test_rows_of_packets_are_what_their_bytes_are(packets: list[Packet]) -> None:
    data = b"".join(map(encoded, packets))
    assert seen([data]) == seen([data[place : place + 1] for place in range(len(data))])
