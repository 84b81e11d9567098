"""`recover` finds true records in images of the recorder's memory at random instructions.

stop_driver.c saves the images and the bytes that the recorder sends afterwards; a reader written
only from the specification finds the records in these bytes.
"""

from __future__ import annotations

import platform
import struct
import subprocess
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support.core_driver import FIRMWARE, HERE, WARNINGS
from tests.support.link_reader import LinkReader
from tests.support.patience import HANG_S
from tests.support.programs import compiled
from tickertape.analysis.balance import balance_of
from tickertape.errors import ForeignFile
from tickertape.formats.image.memory import Cpu, MemoryImage
from tickertape.formats.image.recorder import Recorder
from tickertape.formats.image.recover import RecoveredRing, recover
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.tape.format import RingKey

pytestmark = pytest.mark.skipif(
    platform.machine() != "x86_64", reason="the driver steps through x86-64 instructions"
)

OVERWRITE, DROP, FINALIZE, FINALIZE_FREE = 0, 2, 3, 4
LIVES = 4  # the number of records to recover differs more between lives than within one
STOPS = 40  # per life
HEAD = struct.Struct("<QQQQQ")
HASH = 2654435761
BUFFER_RECORDS = 16


@dataclass(frozen=True)
class Stop:
    """An image and the truth about it."""

    policy: int
    pc: int
    image: MemoryImage
    offered: tuple[int, ...]
    returned: bytes  # for each begun record: 1 if its call has returned
    before: bytes
    link: bytes


def read_stop(folder: Path, number: int, policy: int, rings: int) -> Stop:
    data = (folder / f"{number}.image").read_bytes()
    pc, address, data_bytes, link_bytes, records = HEAD.unpack_from(data)
    offered = struct.unpack_from(f"<{rings}Q", data, HEAD.size)
    returned = data[HEAD.size + 8 * rings :][:records]
    memory = data[-data_bytes:]
    link = (folder / f"{number}.link").read_bytes()
    image = MemoryImage([(address, memory)])
    return Stop(policy, pc, image, offered, returned, link[:link_bytes], link)


def build(*defines: str) -> Path:
    return compiled(
        [
            *("gcc", "-std=gnu11", "-g", "-O2", "-no-pie", "-fno-pie", *WARNINGS),
            *("-DTT_CONFIG_BUFFERS=4", "-DTT_CONFIG_BUFFER_RECORDS=16"),
            *(f"-DTT_CONFIG_{define}" for define in defines),
            *(
                f"-I{path}"
                for path in (FIRMWARE / "include", FIRMWARE / "core", HERE / "stop_port")
            ),
            HERE / "stop_driver.c",
            *sorted((FIRMWARE / "core").glob("*.c")),
        ]
    )


def whole_frames(link: bytes) -> bytes:
    """Return the bytes up to the end of the last whole frame."""
    return link[: link.rfind(b"\0") + 1]


def records_of(tape: TapeReader, ring: RingKey) -> dict[int, tuple[int, int, int]]:
    """Return header and words of each record by its ordinal."""
    found = {}
    for chunk in tape.records_chunks(ring):
        rows = iter(chunk.records.tolist())
        for buffer in chunk.buffers.tolist():
            for ordinal in range(buffer[0], buffer[0] + buffer[5]):
                header, _, *words = next(rows)
                found[ordinal] = (header, *words)
    return found


def check(
    stop: Stop, result: RecoveredRing, tape: TapeReader, number: int, most_damaged: int
) -> int:
    """Compare a ring with the truth; return the number of recovered records."""
    assert result.balance is not None, result.unclear
    balance = result.balance
    (kept,) = (
        one
        for one in balance_of(tape).rings
        if (one.ring.stream, one.ring.cpu) == (result.stream, result.cpu)
    )
    ring = kept.ring
    truth, earlier = LinkReader(ring.cpu, ring.stream), LinkReader(ring.cpu, ring.stream)
    truth.read(stop.link)
    earlier.read(whole_frames(stop.before))
    found = records_of(tape, ring)
    later = {record.ordinal: record for record in truth.records}
    for ordinal, (_, index, hashed) in found.items():
        assert hashed == index * HASH % 2**32, f"a torn record at {ordinal}"
        assert ordinal not in later or later[ordinal].data == (index, hashed)
    # Records that the drain sends after the stop, without those of interrupted calls.
    sent = {record.ordinal for record in earlier.records}
    under_way = {index for index, returned in enumerate(stop.returned) if not returned}
    due = {
        ordinal
        for ordinal, record in later.items()
        if ordinal not in sent and record.data[0] < len(stop.returned)
    }
    missed = {ordinal for ordinal in due - set(found) if later[ordinal].data[0] not in under_way}
    assert len(missed) <= balance.damaged, f"{missed} were missed"
    # The law of loss, by the counts of the driver and the last counters of the recorder.
    (status,) = tape.statuses(ring)
    offered, dropped, all_sent = truth.receipts[-1]
    assert truth.final
    assert balance.holds
    assert balance.delivered == len(found)
    assert balance.damaged <= most_damaged
    assert status.offered == status.dropped + status.overwritten + status.settled.sent
    assert 0 <= status.offered - stop.offered[number] <= len(under_way)
    # One more call may begin after the stop, if the driver has just decided not to end.
    assert 0 <= offered - status.offered <= len(under_way) + 1
    assert 0 <= dropped - status.dropped <= len(under_way) + 1
    given_up = offered - dropped - all_sent - status.overwritten
    assert 0 <= given_up <= BUFFER_RECORDS * len(under_way | {None})
    assert not (stop.policy == DROP and given_up)
    assert (kept.balance, kept.contradictions, kept.final) == (balance, (), True)
    return len(found)


RAW = ("PACKING=0",)
CASES = [
    (RAW, DROP),
    (RAW, OVERWRITE),
    (("PACKING=0", "STREAMS=2", "CPUS=2"), DROP),
    (("PACKING=0", "STREAMS=2", "CPUS=2"), OVERWRITE),
    (("PACKING=0", "FINALIZE=1"), FINALIZE),
    (("PACKING=0", "FINALIZE=1"), FINALIZE_FREE),
    (("PACKING=0", "DRAIN_SLICE=7"), OVERWRITE),
    (("PACKING=1",), DROP),
]


def run_driver(program: Path, folder: Path, policy: int, stops: int, life: int = 0) -> None:
    command = [str(program), str(policy + 1 + 100 * life), str(policy), str(stops), str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=HANG_S, check=False)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize(("defines", "policy"), CASES)
def test_what_is_recovered_is_true(tmp_path: Path, defines: tuple[str, ...], policy: int) -> None:
    program = build(*defines)
    recorder = Recorder(program)
    streams, cpus, _, _ = recorder.shape
    # The drain changes records if it packs them or orders a finalized trace, and descriptors if
    # it sends parts.
    sending = 0 if defines == RAW or "CPUS=2" in defines else BUFFER_RECORDS
    recovered = unclear = 0
    for life, number in product(range(LIVES), range(1, STOPS + 1)):
        if number == 1:
            run_driver(program, tmp_path, policy, STOPS, life)
        stop = read_stop(tmp_path, number, policy, streams * cpus)
        is_proven = number % 2 == 0
        if is_proven:
            stop.image.cpus += [Cpu(stop.pc, 0)] * cpus
        results = recover(stop.image, recorder, tmp_path / "T.tape", source="image")
        in_doubt = not is_proven or recorder.may_store(stop.pc)
        with TapeReader(tmp_path / "T.tape") as tape:
            for index, result in enumerate(results):
                if result.unclear:  # allowed: the compiler decides which moments look alike
                    unclear += 1
                    continue
                recovered += check(stop, result, tape, index, in_doubt + sending)
    assert recovered > 10 * LIVES * STOPS
    assert unclear <= LIVES * STOPS // 40


@pytest.fixture(scope="module")
def last(tmp_path_factory: pytest.TempPathFactory) -> tuple[Recorder, bytes, int, Path]:
    """Return recorder, memory and its address at a stop of a run, and a path for a tape."""
    folder, program = tmp_path_factory.mktemp("last"), build(*CASES[2][0])
    run_driver(program, folder, DROP, 5)
    ((address, memory),) = read_stop(folder, 5, DROP, 4).image.pieces
    return Recorder(program), memory, address, folder / "T.tape"


@given(data=st.data())
def test_damaged_memory_gives_balanced_receipts_or_a_refusal(
    last: tuple[Recorder, bytes, int, Path], data: st.DataObject
) -> None:
    recorder, memory, address, tape = last
    rings = recorder.variable("ring.c", "tt_rings")
    begin = rings.address - address
    damaged = bytearray(memory)
    offset = st.integers(begin, begin + rings.type.size_bytes - 1)
    for place, value in data.draw(st.lists(st.tuples(offset, st.integers(0, 255)), max_size=6)):
        damaged[place] = value
    try:
        results = recover(MemoryImage([(address, bytes(damaged))]), recorder, tape, source="image")
    except ForeignFile:
        return
    with TapeReader(tape) as reader:
        kept = {(one.ring.stream, one.ring.cpu): one for one in balance_of(reader).rings}
    for result in results:
        assert (result.balance is None) == bool(result.unclear)
        if result.balance is not None:
            assert result.balance.holds
            assert kept[result.stream, result.cpu].balance == result.balance
