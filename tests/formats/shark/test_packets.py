"""Packets of the S.Ha.R.K. tracers: every fault is counted with its place, the rest is read."""

from __future__ import annotations

import struct
from random import Random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.shark_packets import ftrace_packet, pcap, shark_packets, shark_records
from tickertape.errors import ForeignFile, TapeMissing
from tickertape.formats.shark.packet_file import saved_packets
from tickertape.formats.shark.packets import FTRACE_HEADER, Oddity, PacketReader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

RECORD = 12
MISSING, LATE, DOUBLED = Oddity.MISSING, Oddity.LATE, Oddity.DOUBLED


def read(packets: Sequence[bytes], layout: str = "original") -> tuple[bytes, PacketReader]:
    reader = PacketReader(layout)
    return b"".join(reader.take(packet) for packet in packets), reader


def read_file(path: Path, data: bytes, port: int | None = None) -> tuple[bytes, PacketReader]:
    path.write_bytes(data)
    reader = PacketReader()
    records = [
        reader.take(part) if is_packet else reader.skip(part)
        for part, is_packet in saved_packets(path, "original", port)
    ]
    return b"".join(records), reader


def test_whole_packets() -> None:
    data, reader = read(shark_packets(5))
    assert data == shark_records(0, 100)
    assert (reader.report.tracer, reader.report.packets, reader.report.records) == ("shark", 5, 100)
    assert list(reader.report.remarks()) == []
    data, reader = read([ftrace_packet(n) for n in range(1, 4)])
    assert data == b"".join(ftrace_packet(n)[24:] for n in range(1, 4))
    assert (reader.report.tracer, reader.report.packets, reader.report.records) == ("ftrace", 3, 15)
    assert list(reader.report.remarks()) == []


def test_other_layouts() -> None:
    big = struct.pack(">H", 1) + struct.pack(">IHI", 5, 4, 7)
    data, reader = read([big], "reference")
    assert data == big[2:]
    assert reader.report.counts == {}


@pytest.mark.parametrize(
    ("packet", "oddity", "records", "left_out"),
    [
        (struct.pack("<H", 20) + shark_records(0, 20)[:-1], Oddity.HALF, 19, 11),
        (struct.pack("<H", 20), Oddity.HALF, 0, 0),
        (struct.pack("<H", 2) + shark_records(0, 3), Oddity.SURPLUS, 2, 12),
        (struct.pack("<H", 126) + shark_records(0, 20), Oddity.FOREIGN, 0, 242),
        (struct.pack("<H", 0), Oddity.FOREIGN, 0, 2),
        (b"\1", Oddity.FOREIGN, 0, 1),
        (b"", Oddity.FOREIGN, 0, 0),
        (ftrace_packet(1), Oddity.FOREIGN, 0, 104),  # a packet of the other tracer
    ],
)
def test_an_accident_is_counted_where_it_is(
    packet: bytes, oddity: Oddity, records: int, left_out: int
) -> None:
    before, *after = shark_packets(3)
    data, reader = read([before, packet, *after])
    report = reader.report
    assert len(data) == RECORD * report.records == RECORD * (60 + records)
    assert data[:240] + data[-480:] == shark_records(0, 60)
    assert (report.counts[oddity], report.first[oddity]) == (1, len(before))
    assert report.left_out == left_out
    assert set(report.counts) <= {oddity, Oddity.BACK}
    assert f"1 {oddity.value} (first at byte 242)" in report.remarks()


def test_packets_of_the_first_tracer_in_the_wrong_order() -> None:
    one, two, three = shark_packets(3)
    data, reader = read([one, three, two])
    assert data == one[2:] + three[2:] + two[2:]  # no record is moved or lost
    assert (reader.report.counts, reader.report.first) == ({Oddity.BACK: 1}, {Oddity.BACK: 484})


@pytest.mark.parametrize(
    ("numbers", "kept", "counts"),
    [
        ([1, 2, 4, 5], [1, 2, 4, 5], {MISSING: 1}),
        ([3, 4], [3, 4], {MISSING: 2}),
        ([1, 3, 2, 4], [1, 3, 2, 4], {MISSING: 0, LATE: 1}),
        ([2, 1, 3], [2, 1, 3], {MISSING: 0, LATE: 1}),
        ([1, 2, 2, 3], [1, 2, 3], {DOUBLED: 1}),
        ([1, 4, 2, 2, 5], [1, 4, 2, 5], {MISSING: 1, LATE: 1, DOUBLED: 1}),
        ([5000, 5001], [5000, 5001], {}),  # the capture began late
        ([5000, 5001, 1, 2], [5000, 5001, 1, 2], {Oddity.RESTART: 1}),
        ([1, 2, 3, 1, 2], [1, 2, 3, 1, 2], {Oddity.RESTART: 1}),
    ],
)
def test_numbers_of_ftrace(numbers: list[int], kept: list[int], counts: dict[Oddity, int]) -> None:
    data, reader = read([ftrace_packet(n) for n in numbers])
    assert data == b"".join(ftrace_packet(n)[24:] for n in kept)
    assert reader.report.counts == counts
    assert len(list(reader.report.remarks())) == sum(map(bool, counts.values())) + (
        DOUBLED in counts
    )


def test_half_packets_of_ftrace() -> None:
    data, reader = read([ftrace_packet(1)[:60], ftrace_packet(2)[:10], ftrace_packet(3)])
    assert data == ftrace_packet(1)[24:56] + ftrace_packet(3)[24:]
    assert reader.report.counts == {Oddity.HALF: 1, Oddity.FOREIGN: 1, MISSING: 1}
    assert reader.report.left_out == 4 + 10


@pytest.mark.parametrize(
    "make", [shark_packets, lambda n: [ftrace_packet(k + 1) for k in range(n)]]
)
def test_one_behind_the_other_in_a_file(tmp_path: Path, make: Callable[[int], list[bytes]]) -> None:
    packets = make(12)
    expected, _ = read(packets)
    data, reader = read_file(tmp_path / "p", b"".join(packets))
    assert (data, reader.report.counts) == (expected, {})
    # The last packet is cut; then one in the middle; then foreign bytes lie in between.
    data, reader = read_file(tmp_path / "p", b"".join(packets)[:-30])
    assert expected.startswith(data)
    assert reader.report.counts == {Oddity.HALF: 1}
    for size in (2, 33, 60, 61, 100):  # with 60, the following bytes are aligned as records are
        cut = [*packets[:5], packets[5][:size], *packets[6:]]
        data, reader = read_file(tmp_path / "p", b"".join(cut))
        whole, datagrams = read(cut)
        assert (data, reader.report.counts) == (whole, datagrams.report.counts)
    noise = bytes([0xEE]) * 999
    data, reader = read_file(tmp_path / "p", b"".join(packets[:5]) + noise + b"".join(packets[5:]))
    assert data == expected
    assert reader.report.left_out == 999
    assert reader.report.counts == {Oddity.FOREIGN: 1}


def test_one_packet_is_a_file_but_no_proof_behind_noise(tmp_path: Path) -> None:
    (packet,) = shark_packets(1)
    data, reader = read_file(tmp_path / "p", packet)
    assert (data, reader.report.counts) == (packet[2:], {})
    data, reader = read_file(tmp_path / "p", b"\xee" * 9 + packet)
    assert (data, reader.report.left_out) == (b"", 9 + len(packet))


@pytest.mark.parametrize("kinds", [3, 5, 256])
def test_noise_makes_no_packets(tmp_path: Path, kinds: int) -> None:
    noise = bytes(Random(5).choices(range(kinds), k=100_000))
    data, reader = read_file(tmp_path / "p", noise)
    assert (data, reader.report.left_out) == (b"", len(noise))


def test_a_file_of_records_holds_no_packets(tmp_path: Path) -> None:
    data, reader = read_file(tmp_path / "p", shark_records(0, 2000))
    assert (data, reader.report.packets) == (b"", 0)
    assert reader.report.left_out == reader.report.bytes == 2000 * RECORD


@pytest.mark.parametrize("link", [1, 101, 113, 276])
@pytest.mark.parametrize("order", ["<", ">"])
def test_captures_of_the_network(tmp_path: Path, order: str, link: int) -> None:
    packets = shark_packets(4)
    data, reader = read_file(tmp_path / "p", pcap(packets, order=order, link=link))
    assert data == shark_records(0, 80)
    assert reader.report.counts == {}
    capture = pcap(packets, order=order, link=link)
    assert read_file(tmp_path / "p", capture, port=9)[0] == data
    assert read_file(tmp_path / "p", capture, port=10)[1].report.packets == 0
    # A file cut anywhere is read up to its last complete packet.
    for size in range(24, len(capture), 17):
        part, _ = read_file(tmp_path / "p", capture[:size])
        assert data.startswith(part)


def test_files_that_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "p"
    for data, what in (
        (b"", "is empty"),
        (b"\x0a\x0d\x0d\x0a" + bytes(40), "editcap -F pcap"),
        (struct.pack("<IHHIIII", 0xA1B2C3D4, 2, 4, 0, 0, 65535, 105), "link of type 105"),
    ):
        with pytest.raises(ForeignFile, match=what):
            read_file(path, data)
    with pytest.raises(TapeMissing, match="there is no"):
        list(saved_packets(tmp_path / "nothing", "original"))


@given(seed=st.integers(0, 1 << 32), as_file=st.booleans(), as_pcap=st.booleans())
def test_whatever_comes(tmp_path: Path, seed: int, as_file: bool, as_pcap: bool) -> None:  # noqa: FBT001 - drawn
    """Every input byte is in a record, in a header, or reported as left out."""
    rng = Random(seed)
    packets = [*shark_packets(3), *(ftrace_packet(n) for n in (1, 2))]
    rng.shuffle(packets)
    damaged = [bytearray(packet) for packet in packets]
    for packet in damaged:
        for _ in range(rng.randrange(4)):
            packet[rng.randrange(len(packet))] = rng.randrange(256)
        del packet[rng.randrange(len(packet) * 4) :]
    if as_file:
        data = pcap([bytes(one) for one in damaged]) if as_pcap else b"".join(damaged)
        if as_pcap or data[:4] not in {b"\x0a\x0d\x0d\x0a", b""}:
            out, reader = read_file(tmp_path / "p", data)
        else:
            return
    else:
        out, reader = read([bytes(packet) for packet in damaged])
    report = reader.report
    size = 16 if report.tracer == "ftrace" else RECORD
    head = FTRACE_HEADER.size if report.tracer == "ftrace" else 2
    assert len(out) == report.records * size
    assert report.bytes == len(out) + report.left_out + report.packets * head
