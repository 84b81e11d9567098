"""The recorder compared with an independent count: every loss has a receipt, no record is invented.

A driver in C (core_driver.c) runs a random load under the sanitizers and counts the records that
it offers; a reader written only from the specification counts the records that arrive.
"""

from __future__ import annotations

import json
import string
import subprocess
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from tests.support.link_reader import BEGIN, CONTINUE, END, SIMPLE, LinkReader
from tests.support.programs import compiled

if TYPE_CHECKING:
    from collections.abc import Callable

HERE = Path(__file__).parent
FIRMWARE = HERE.parents[2] / "firmware"
OVERWRITE, UNTIL_FULL, DROP = range(3)
CONTROL, SYSTEM, USER, SYNC, SCHED, TRACER = 1, 5, 6, 8, 9, 14
SIZES = [(2, 16), (4, 32), (8, 128), (3, 2000)]


@pytest.fixture(scope="module")
def driver() -> Callable[[int, int], Path]:
    """Return a function that builds the driver for a size of ring."""

    def build(buffers: int, records: int) -> Path:
        return compiled(
            [
                "gcc",
                "-std=c11",
                "-g1",
                "-O1",
                "-fsanitize=address,undefined",
                "-fno-sanitize-recover=all",
                f"-DTT_CONFIG_BUFFERS={buffers}",
                f"-DTT_CONFIG_BUFFER_RECORDS={records}",
                f"-I{FIRMWARE / 'include'}",
                f"-I{HERE / 'port'}",
                str(HERE / "core_driver.c"),
                *map(str, sorted((FIRMWARE / "core").glob("*.c"))),
            ]
        )

    return build


@dataclass(frozen=True)
class Mode:
    """Whether buffers are packed, and how far the clock jumps; far jumps force raw buffers."""

    packing: bool
    jump_ticks: int


RAW = Mode(packing=False, jump_ticks=1 << 29)
PACKED = Mode(packing=True, jump_ticks=1 << 20)
MIXED = Mode(packing=True, jump_ticks=1 << 29)


@pytest.fixture(params=[RAW, PACKED, MIXED], ids=["raw", "packed", "mixed"])
def mode(request: pytest.FixtureRequest) -> Mode:
    """Return the mode of the test."""
    assert isinstance(request.param, Mode)
    return request.param


def live(
    program: Path, seed: int, policy: int, link: Path, *, mode: Mode, flush: bool = True
) -> tuple[dict[str, Any], LinkReader]:
    """Run the driver; return its counts and a reader with the bytes of the link."""
    numbers = [seed, 8000, policy, int(flush), int(mode.packing), mode.jump_ticks]
    done = subprocess.run(
        [str(program), *map(str, numbers), str(link)],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
    )
    reader = LinkReader()
    reader.read(link.read_bytes())
    assert mode.packing or not reader.packed
    assert mode != PACKED or not reader.raw_buffers
    return json.loads(done.stdout), reader


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("policy", [OVERWRITE, UNTIL_FULL, DROP])
@pytest.mark.parametrize("seed", range(3))
def test_balance_is_exact(
    driver: Callable[[int, int], Path],
    tmp_path: Path,
    size: tuple[int, int],
    policy: int,
    seed: int,
    mode: Mode,
) -> None:
    """The host's balance from receipts equals the target's counts, term by term."""
    counted, reader = live(driver(*size), seed, policy, tmp_path / "link", mode=mode)
    balance = reader.balance()
    assert reader.final
    assert balance == {
        "offered": counted["offered"],
        "delivered": counted["sent"],
        "dropped": counted["dropped"],
        "overwritten": counted["overwritten"],
        "damaged": 0,
    }
    if policy != OVERWRITE:
        assert balance["overwritten"] == 0
    if policy == OVERWRITE:
        assert balance["dropped"] == 0


@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("policy", [OVERWRITE, DROP])
def test_balance_is_exact_for_each_class(
    driver: Callable[[int, int], Path],
    tmp_path: Path,
    size: tuple[int, int],
    policy: int,
    mode: Mode,
) -> None:
    """Offered by class, as the driver counted, is delivered + dropped + overwritten by class."""
    counted, reader = live(driver(*size), 11, policy, tmp_path / "link", mode=mode)
    for event_class in (SYSTEM, USER, SYNC, SCHED):
        delivered = sum(record.event_class == event_class for record in reader.records)
        dropped, overwritten, sent = reader.class_counters[event_class]
        assert sent == delivered
        assert delivered + dropped + overwritten == counted["by_class"][event_class]


@pytest.mark.parametrize("policy", [OVERWRITE, UNTIL_FULL, DROP])
@pytest.mark.parametrize("seed", range(20, 25))
def test_no_record_is_torn_doubled_or_late(
    driver: Callable[[int, int], Path], tmp_path: Path, policy: int, seed: int, mode: Mode
) -> None:
    """Every record is one that was emitted, once, in order of ordinals and of time."""
    _, reader = live(driver(4, 32), seed, policy, tmp_path / "link", mode=mode)
    ordinals = [record.ordinal for record in reader.records]
    assert ordinals == sorted(set(ordinals))
    simple = [r for r in reader.records if r.struct_bits == SIMPLE]
    emitted = [r for r in simple if r.event_class in (USER, SYNC, SCHED)]
    assert all(r.data[1] == r.data[0] * 2654435761 % 2**32 for r in emitted)
    assert len({r.data[0] for r in emitted}) == len(emitted)
    stamped = [r.time for r in reader.records if r.struct_bits in (SIMPLE, BEGIN)]
    assert stamped == sorted(stamped)


@pytest.mark.parametrize("seed", range(40, 48))
def test_texts_come_back_byte_for_byte(
    driver: Callable[[int, int], Path], tmp_path: Path, seed: int, mode: Mode
) -> None:
    """The host joins combine events that interrupts interleave, and counts incomplete ones."""
    _, reader = live(driver(8, 128), seed, DROP, tmp_path / "link", mode=mode)
    texts, incomplete = reader.combine_events()
    parts = sum(r.struct_bits in (BEGIN, CONTINUE, END) for r in reader.records)
    joined = 0
    for _, payload in texts:
        number = int.from_bytes(payload[:4], "little")
        length = int.from_bytes(payload[4:8], "little")
        letters = string.ascii_lowercase
        assert payload[8:].decode() == "".join(letters[(number + i) % 26] for i in range(length))
        joined += max(2, -(-(-(-len(payload) // 4) + 1) // 2))
    assert texts
    assert joined + incomplete == parts


@pytest.mark.parametrize("mode", [RAW, MIXED], ids=["raw", "mixed"])
def test_time_anchors_bridge_every_wrap(
    driver: Callable[[int, int], Path], tmp_path: Path, mode: Mode
) -> None:
    """The recorder adds TIME records to buffers that stay open; they agree with our own times."""
    _, reader = live(driver(3, 2000), 5, DROP, tmp_path / "link", mode=mode, flush=False)
    anchors = [r for r in reader.records if r.event_class == CONTROL]
    assert anchors
    for record in anchors:
        assert 0 <= record.time - (record.data[0] << 32 | record.data[1]) < 1000
    assert reader.records[-1].time > 2**33


def test_buffer_of_many_kinds_comes_in_several_bodies(
    driver: Callable[[int, int], Path], tmp_path: Path
) -> None:
    """A packed body holds 32 kinds of records; a buffer with more kinds takes several bodies."""
    _, reader = live(driver(3, 2000), 5, DROP, tmp_path / "link", mode=PACKED, flush=False)
    bodies = Counter((body.sequence, body.ring_number) for body in reader.packed)
    assert max(bodies.values()) > 1
    for before, after in pairwise(reader.packed):
        if after.sequence == before.sequence:
            assert after.first_ordinal == before.first_ordinal + before.count
            assert after.sent == before.sent + before.count
            assert after.dropped == before.dropped


def test_long_open_buffers_come_raw(driver: Callable[[int, int], Path], tmp_path: Path) -> None:
    """Buffers that span half a period of the counter are sent raw, all others packed."""
    _, reader = live(driver(4, 32), 5, DROP, tmp_path / "link", mode=MIXED)
    assert reader.raw_buffers
    assert reader.packed
