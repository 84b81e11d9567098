"""Packets of ITM and DWT: each form of the architecture, every cut, and random bytes."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.itm import encoded
from tests.support.itm_streams import PACKETS
from tickertape.decode.itm import (
    DataPart,
    DataTrace,
    EventCounters,
    ExceptionTrace,
    Extension,
    GlobalTimestamp,
    Instrumentation,
    ItmDecoder,
    LocalTimestamp,
    OtherHardware,
    Overflow,
    Packet,
    PcSample,
    Relation,
    Step,
    Sync,
)

SYNC = "00 00 00 00 00 80"

# Bytes written by hand from the tables of appendix D4.
VECTORS = {
    SYNC: Sync(),
    "00 00 00 00 00 00 00 80": Sync(),
    "70": Overflow(),
    "10": LocalTimestamp(1, Relation.EXACT),
    "60": LocalTimestamp(6, Relation.EXACT),
    "c0 05": LocalTimestamp(5, Relation.EXACT),
    "d0 81 01": LocalTimestamp(129, Relation.LATE_STAMP),
    "e0 00": LocalTimestamp(0, Relation.LATE_PACKET),
    "f0 ff ff ff 7f": LocalTimestamp(0xFFF_FFFF, Relation.LATE_BOTH),
    "94 05": GlobalTimestamp(5, 0, 7),
    "94 85 01": GlobalTimestamp(133, 0, 14),
    "94 ff ff ff 1f": GlobalTimestamp(0x3FF_FFFF, 0, 26),
    "94 80 80 80 20": GlobalTimestamp(0, 0, 26, clock_changed=True),
    "94 80 80 80 40": GlobalTimestamp(0, 0, 26, wrapped=True),
    "b4 81 80 80 00": GlobalTimestamp(1 << 26, 26, 28),
    "b4 80 80 80 80 80 01": GlobalTimestamp(1 << 61, 26, 42),
    "18": Extension(1, is_hardware=False),
    "0c": Extension(0, is_hardware=True),
    "88 01": Extension(8, is_hardware=False),
    "01 41": Instrumentation(0, 0x41, 1),
    "1a 34 12": Instrumentation(3, 0x1234, 2),
    "fb ef be ad de": Instrumentation(31, 0xDEADBEEF, 4),
    "05 21": EventCounters(0x21),
    "0e 0f 10": ExceptionTrace(15, Step.ENTERED),
    "0e 10 20": ExceptionTrace(16, Step.EXITED),
    "0e 00 30": ExceptionTrace(0, Step.RETURNED),
    "0e 01 11": ExceptionTrace(257, Step.ENTERED),
    "0e 01 01": OtherHardware(1, 0x101, 2),
    "17 00 01 00 08": PcSample(0x0800_0100),
    "15 00": PcSample(None),
    "67 10 00 00 08": DataTrace(2, DataPart.PC, 0x0800_0010, 4),
    "6e 34 12": DataTrace(2, DataPart.ADDRESS, 0x1234, 2),
    "85 07": DataTrace(0, DataPart.READ, 7, 1),
    "9f 01 02 03 04": DataTrace(1, DataPart.WRITE, 0x0403_0201, 4),
    "ff 01 02 03 04": OtherHardware(31, 0x0403_0201, 4),
}


def decoded(data: bytes, *, synchronized: bool = True) -> tuple[list[Packet], dict[str, int]]:
    decoder = ItmDecoder(synchronized=synchronized)
    decoder.receive(data)
    decoder.finish()
    return list(decoder.packets()), dict(decoder.skipped)


@pytest.mark.parametrize("text", VECTORS)
def test_each_form_is_what_the_architecture_says(text: str) -> None:
    data = bytes.fromhex(text)
    assert decoded(data) == ([VECTORS[text]], {})
    assert decoded(data + data) == ([VECTORS[text]] * 2, {})


def test_every_cut_gives_the_same() -> None:
    data = b"".join(bytes.fromhex(text) for text in VECTORS)
    wanted = list(VECTORS.values())
    for cut in range(len(data) + 1):
        decoder = ItmDecoder()
        found: list[Packet] = []
        for part in (data[:cut], data[cut:]):
            decoder.receive(part)
            found += decoder.packets()
        assert found == wanted
    decoder = ItmDecoder()
    for byte in data:
        decoder.receive(bytes([byte]))
        assert decoder.held_bytes <= 7
    assert list(decoder.packets()) == wanted


@given(PACKETS, st.lists(st.integers(0, 200), max_size=5))
def test_what_was_sent_arrives_however_it_is_cut(packets: list[Packet], cuts: list[int]) -> None:
    data = b"".join(map(encoded, packets))
    decoder = ItmDecoder()
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    for begin, end in pairwise(places):
        decoder.receive(data[begin:end])
    decoder.finish()
    assert list(decoder.packets()) == packets
    assert not decoder.skipped


@pytest.mark.parametrize(
    ("text", "skipped"),
    [
        ("04", {"reserved packets": 1}),
        ("80 01", {"reserved packets": 2}),
        ("c0 ff ff ff ff 01", {"reserved packets": 6}),
        ("94 ff ff ff ff 01", {"reserved packets": 6}),
        ("b4 01", {"reserved packets": 2}),
        ("f0 ff ff ff ff ff ff", {"reserved packets": 7}),
        ("00 00 00 41", {"zeros without synchronization": 4}),
        ("00 00 00 00 80", {"zeros without synchronization": 5}),
    ],
)
def test_behind_what_is_no_packet_all_is_skipped_up_to_a_synchronization(
    text: str, skipped: dict[str, int]
) -> None:
    (why,) = skipped
    between = bytes.fromhex("0e 0f 10 00 00 41")
    data = bytes.fromhex(text) + between + bytes.fromhex(SYNC + "10")
    packets, found = decoded(data)
    assert packets == [Sync(), LocalTimestamp(1, Relation.EXACT)]
    assert found == {why: skipped[why] + len(between)}


def test_a_file_that_begins_anywhere_is_read_from_the_first_synchronization() -> None:
    data = bytes.fromhex("12 34 00" + SYNC + "70")
    packets, skipped = decoded(data, synchronized=False)
    assert packets == [Sync(), Overflow()]
    assert skipped == {"before the first synchronization": 3}


@pytest.mark.parametrize("text", ["0e 0f", "c0 81", "00 00 00"])
def test_a_packet_that_is_cut_at_the_end_is_counted(text: str) -> None:
    data = bytes.fromhex(text)
    assert decoded(data) == ([], {"cut at the end": len(data)})


@given(st.binary(max_size=300))
def test_whatever_comes_is_a_packet_or_counted(data: bytes) -> None:
    packets, skipped = decoded(data)
    assert len(packets) + sum(skipped.values()) <= len(data)
    if data:
        assert packets or skipped


@given(st.binary(max_size=200))
def test_any_bytes_at_once_are_what_they_are_one_by_one(data: bytes) -> None:
    at_once, one_by_one = ItmDecoder(), ItmDecoder()
    at_once.receive(data)
    for byte in data:
        one_by_one.receive(bytes([byte]))
    for decoder in (at_once, one_by_one):
        decoder.finish()
    assert list(at_once.packets()) == list(one_by_one.packets())
    assert at_once.skipped == one_by_one.skipped
