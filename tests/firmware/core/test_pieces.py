"""Frames sent in pieces over a link with less room than a buffer needs (pieces_driver.c)."""

from __future__ import annotations

import subprocess
import zlib
from typing import TYPE_CHECKING

import pytest
from cobs import cobs

from tests.support.core_driver import FIRMWARE, PLAIN_PORT, build_driver
from tests.support.link_reader import HELLO, LinkReader
from tests.support.patience import HANG_S
from tests.support.wire_bytes import BUFFER, PACKED, STATUS
from tickertape.analysis.balance import balance_of
from tickertape.collector import capture
from tickertape.link import MemoryLink
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from pathlib import Path

SOURCES = [PLAIN_PORT, FIRMWARE / "links/byte_ring.c", FIRMWARE / "links/ring_link.c"]
SEEDS = range(1, 6)
REPLY = 6
BUILDS = {
    "default": ["TT_CONFIG_STREAMS=1"],
    "streams of two CPUs": ["TT_CONFIG_STREAMS=3", "TT_CONFIG_CPUS=2"],
    "slices": ["TT_CONFIG_STREAMS=2", "TT_CONFIG_DRAIN_SLICE=50"],
    "unpacked": ["TT_CONFIG_STREAMS=2", "TT_CONFIG_PACKING=0", "TT_CONFIG_CRC_TABLE=64"],
}


def run(program: Path, link: Path, *arguments: int) -> tuple[bytes, list[int]]:
    """Run the driver; return the bytes of the link and the printed numbers."""
    done = subprocess.run(
        [program, *map(str, arguments), link],
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    return link.read_bytes(), [int(line) for line in done.stdout.split()]


def kind(encoded: bytes) -> int | None:
    """Return the type of a frame; None if it is damaged."""
    try:
        plain = cobs.decode(encoded)
    except cobs.DecodeError:
        return None
    return plain[0] if zlib.crc32(plain[:-4]).to_bytes(4, "little") == plain[-4:] else None


def kinds(link: bytes) -> list[int | None]:
    """Return the types of the frames on a link."""
    return [kind(encoded) for encoded in link.split(b"\0")[:-1]]


@pytest.mark.parametrize("lends", [0, 1])
@pytest.mark.parametrize("build", BUILDS)
def test_every_event_is_delivered_or_counted(tmp_path: Path, build: str, lends: int) -> None:
    program = build_driver(tmp_path, "pieces_driver.c", *BUILDS[build], sources=SOURCES)
    losses = dict.fromkeys(("dropped", "overwritten"), 0)
    for seed in SEEDS:
        link, (*offered, commands) = run(program, tmp_path / "link", seed, lends, 0)
        for stream, count in enumerate(offered):
            reader = LinkReader(stream=stream)
            reader.read(link)
            balance = reader.balance()
            assert reader.final
            assert balance["offered"] == count > 0
            assert balance["damaged"] == 0
            assert sum(sent for _, _, sent in reader.class_counters) == balance["delivered"]
            assert count == sum(balance.values()) - balance["offered"]
            for name in losses:
                losses[name] += balance[name]
        assert commands > 0
        assert kinds(link).count(REPLY) == commands
    assert losses["dropped"] > 0
    assert losses["overwritten"] > 0 or len(offered) == 1


@pytest.mark.parametrize("lends", [0, 1])
def test_a_recorder_that_begins_anew_in_a_frame_damages_no_other(
    tmp_path: Path, lends: int
) -> None:
    program = build_driver(tmp_path, "pieces_driver.c", sources=SOURCES)
    for seed in SEEDS:
        link, _ = run(program, tmp_path / "link", seed, lends, 1)
        found = kinds(link)
        assert found.count(None) == 1
        assert HELLO in found[found.index(None) + 1 :]


def test_a_moment_without_room_does_not_let_a_buffer_precede_the_first_receipt(
    tmp_path: Path,
) -> None:
    """Otherwise the balance would lack records that were overwritten before the first receipt."""
    sizes = ("TT_CONFIG_STREAMS=2", "TT_CONFIG_BUFFERS=2", "TT_CONFIG_BUFFER_RECORDS=16")
    program = build_driver(tmp_path, "first_receipt_driver.c", *sizes, sources=[PLAIN_PORT])
    for moment in range(12):
        link, _ = run(program, tmp_path / "link", moment)
        came = kinds(link)
        buffers = [place for place, kind in enumerate(came) if kind in {BUFFER, PACKED}]
        assert came[0] == HELLO
        assert buffers
        assert came[: buffers[0]].count(STATUS) == 2
        capture(MemoryLink([link]), tmp_path / "T.tape")
        with TapeReader(tmp_path / "T.tape") as reader:
            balance = balance_of(reader)
        assert balance.final
        assert [one.first_ordinal for one in balance.rings] == [0, 0]
        assert balance.total.offered == balance.total.delivered + balance.total.overwritten
