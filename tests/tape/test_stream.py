from __future__ import annotations

import random
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.support import wire_bytes
from tests.support.rings import plain_events
from tests.support.tapes import busy, keep, write
from tests.support.target import SimulatedTarget
from tests.support.wire_bytes import SIMPLE, RawRecord, hello_body
from tickertape.decode.events import DecodeCounters
from tickertape.tape import TapeReader, TapeWriter, iter_events

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.decode.events import EventColumns


@given(st.integers(0, 2**32), st.integers(1, 4), st.integers(1, 2))
def test_rings_are_merged_by_time(
    tmp_path_factory: pytest.TempPathFactory, seed: int, cpus: int, streams: int
) -> None:
    rng = random.Random(seed)
    target = busy(rng, cpus=cpus, streams=streams)
    path = tmp_path_factory.mktemp("merge") / "t.tape"
    write(target, path, rng)
    counters = DecodeCounters()
    with TapeReader(path) as reader:
        parts = list(iter_events(reader, counters=counters))
        alone = {
            (ring.epoch, ring.stream, ring.cpu): plain_events(
                [
                    part
                    for part in iter_events(reader, stream=ring.stream)
                    if part.epoch == ring.epoch
                ]
            )
            for ring in reader.rings
        }
    assert [part.epoch for part in parts] == sorted(part.epoch for part in parts)
    merged = [
        (part.epoch, int(stream), event)
        for part in parts
        for stream, event in zip(part.stream, plain_events([part]), strict=True)
    ]
    keys = [(epoch, event.time, stream, event.cpu) for epoch, stream, event in merged]
    assert keys == sorted(keys)
    for (epoch, stream, cpu), events in alone.items():
        mine = [event for boot, own, event in merged if (boot, own) == (epoch, stream)]
        assert mine == events
        ordinals = [event.ordinal for event in mine if event.cpu == cpu]
        assert ordinals == sorted(ordinals)
    assert counters.events == len(merged)
    check_gaps(target, parts)


def check_gaps(target: SimulatedTarget, parts: list[EventColumns]) -> None:
    """Check that every loss between two buffers is a gap before the next event of its ring."""
    found = 0
    for number, part in enumerate(parts):
        for gap in part.gaps:
            state = target.boots[part.epoch][gap.stream, gap.cpu]
            fates = [str(fate) for fate in state.fates[gap.first_ordinal : gap.end_ordinal]]
            assert gap.dropped == fates.count("dropped")
            assert gap.overwritten == fates.count("overwritten")
            assert gap.dropped + gap.overwritten == gap.lost == len(fates)
            found += gap.lost
            later = [
                int(one.ordinal[row])
                for at, one in enumerate(parts[number:])
                if one.epoch == part.epoch
                for row in range(gap.row if at == 0 else 0, len(one))
                if (one.stream[row], one.cpu[row]) == (gap.stream, gap.cpu)
            ]
            assert all(ordinal >= gap.end_ordinal for ordinal in later)
            earlier = [
                int(part.ordinal[row])
                for row in range(gap.row)
                if (part.stream[row], part.cpu[row]) == (gap.stream, gap.cpu)
            ]
            assert all(ordinal < gap.first_ordinal for ordinal in earlier)
    expected = 0
    for boot in target.boots:
        for state in boot.values():
            sent = [number for number, fate in enumerate(state.fates) if isinstance(fate, int)]
            if sent:
                inside = state.fates[sent[0] : sent[-1]]
                expected += sum(isinstance(fate, str) for fate in inside)
    assert found == expected


def test_a_ring_keeps_its_order_though_its_clock_steps_back(tmp_path: Path) -> None:
    def buffer(first: int, ticks: list[int]) -> bytes:
        records = b"".join(RawRecord(SIMPLE, 0, 6, 0, time, 0, 0).pack("<") for time in ticks)
        return wire_bytes.buffer_body((first, 0, first), ticks[0], 0, records)

    with TapeWriter(tmp_path / "t.tape") as writer:
        writer.buffer(0, 0, buffer(0, [100, 110]))
        writer.buffer(0, 0, buffer(2, [50, 60]))
        writer.buffer(0, 1, buffer(0, [55, 105]))
    counters = DecodeCounters()
    with TapeReader(tmp_path / "t.tape") as reader:
        events = [
            (int(part.ordinal[row]), int(part.time[row]))
            for part in iter_events(reader, counters=counters)
            for row in range(len(part))
        ]
    assert [event for event in events if event[1] not in {55, 105}] == [
        (0, 100),
        (1, 110),
        (2, 50),
        (3, 60),
    ]
    assert counters.time_faults == 1


def test_one_stream_of_several(tmp_path: Path) -> None:
    target = SimulatedTarget(streams=2)
    target.record((0, 0), 6, 1)
    target.record((1, 0), 6, 2)
    target.finish()
    write(target, tmp_path / "t.tape", random.Random(0))
    with TapeReader(tmp_path / "t.tape") as reader:
        (only,) = iter_events(reader, stream=1)
        assert only.event.tolist() == [2]
        assert list(iter_events(reader, stream=7)) == []


# VmHWM instead of ru_maxrss, which includes the memory of this process before exec().
MEASURE = """
import re, sys
from pathlib import Path
from tickertape.analysis.balance import balance_of
from tickertape.tape import TapeReader, iter_events
with TapeReader(sys.argv[1]) as reader:
    count = sum(len(columns) for columns in iter_events(reader))
    assert balance_of(reader).total.lost == 0
peak_kib = re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]
print(count, peak_kib)
"""


def test_memory_does_not_grow_with_the_tape(tmp_path: Path) -> None:
    """Decoding a tape of 160 MiB takes less than 150 MiB, including numpy and Python."""
    records = b"".join(RawRecord(SIMPLE, 0, 6, 0, 1, 0, 0).pack("<") for _ in range(4096))
    chunks = 80
    with TapeWriter(tmp_path / "t.tape") as writer:
        for number in range(chunks * 16):
            for cpu in range(2):
                first = number * 4096
                writer.buffer(0, cpu, wire_bytes.buffer_body((first, 0, first), 0, number, records))
    command = [sys.executable, "-c", MEASURE, str(tmp_path / "t.tape")]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    count, peak_kib = map(int, done.stdout.split())
    assert count == chunks * 65_536 * 2
    assert peak_kib < 150 * 1024


@pytest.mark.parametrize("rings", [1, 2])
def test_a_gap_of_a_ring_of_all_cpus_is_one_of_each(tmp_path: Path, rings: int) -> None:
    """A stream that the target reads has one ring for both CPUs; its losses are gaps of both."""
    target = SimulatedTarget(cpus=2, buffers=2)
    for _ in range(100):
        target.now += 1
        for cpu in range(rings):
            target.record((0, cpu), 6, 1)
    for cpu in range(rings):
        while target.send_buffer((0, cpu)):
            pass
        target.record((0, cpu), 6, 1)
        target.flush((0, cpu))
        target.send_buffer((0, cpu))
        for _ in range(100):
            target.now += 1
            target.record((0, cpu), 6, 1)
        while target.send_buffer((0, cpu)):
            pass
    with TapeWriter(tmp_path / "t.tape") as writer:
        writer.hello(hello_body(cpus=2))
        for sent in target.frames:
            keep(writer, sent)
    with TapeReader(tmp_path / "t.tape") as reader:
        gaps = [gap for part in iter_events(reader) for gap in part.gaps]
    lost = {cpu: [gap.lost for gap in gaps if gap.cpu == cpu] for cpu in (0, 1)}
    assert lost[0]
    assert min(lost[0]) > 0
    assert lost[1] == (lost[0] if rings == 2 else [0] * len(lost[0]))
