"""Interleaved combine events, at one tick and over CPUs (combine_driver.c).

With both engines, the host delivers each event byte for byte as recorded, whatever the order of
the records, and counts exactly the events that cannot be joined.
"""

from __future__ import annotations

import json
import random
import subprocess
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support import reference
from tests.support.examples import examples
from tests.support.link_reader import BEGIN, LinkReader
from tests.support.patience import HANG_S
from tests.support.programs import compiled
from tests.support.rings import buffers_of, headers, plain_events, raw
from tests.support.wire_bytes import RawRecord
from tickertape._native.engine import engine, using
from tickertape.analysis.summary import summary_of
from tickertape.collector import CaptureOptions, capture
from tickertape.decode.compiled import ring_decoder
from tickertape.decode.events import DecodeCounters
from tickertape.decode.moves import Moves
from tickertape.link import MemoryLink
from tickertape.protocol.wire import ByteOrder
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.support.reference import PlainEvent
    from tickertape.decode.ring import RingDecoder

    Build = Callable[..., Path]
    Records = list[tuple[int, RawRecord]]

HERE = Path(__file__).parent
FIRMWARE = HERE.parents[2] / "firmware"
LARGE, SMALL = (16, 512), (3, 16)  # buffers, records: no losses, or many
USER, TRACER, MOVED = 6, 14, 12
SLOTS = 8


@pytest.fixture(scope="module")
def build() -> Build:
    """Return a function that builds the driver for a number of CPUs and a size of ring."""

    def make(cpus: int, size: tuple[int, int], *defines: str) -> Path:
        return compiled(
            [
                *("gcc", "-std=gnu11", "-g1", "-O1", "-Wall", "-Wextra", "-Werror"),
                *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
                *(f"-DTT_CONFIG_CPUS={cpus}", f"-DTT_CONFIG_BUFFERS={size[0]}"),
                *(f"-DTT_CONFIG_BUFFER_RECORDS={size[1]}", *defines),
                *(f"-I{FIRMWARE / name}" for name in ("include", "core")),
                f"-I{HERE / 'combine_port'}",
                str(HERE / "combine_driver.c"),
                *map(str, sorted((FIRMWARE / "core").glob("*.c"))),
            ]
        )

    return make


@dataclass
class Told:
    """One event according to the driver's output.

    Attributes:
        event_type: number of the event type.
        payload: bytes added so far.
        written: number of records that a single CPU wrote.
        cpu: CPU of the first record; None before that.
        moved: whether the thread moved to another CPU after the first record.
        ended: whether the event was ended.
    """

    event_type: int
    payload: bytes = b""
    written: int = 0
    cpu: int | None = None
    moved: bool = False
    ended: bool = False

    def write(self, records: int, cpu: int) -> None:
        if records and not self.moved:
            self.cpu = cpu if self.cpu is None else self.cpu
            self.moved = self.cpu != cpu
            self.written += records

    @property
    def whole(self) -> bool:
        return self.ended and not self.moved

    @property
    def torn(self) -> bool:
        return self.written > 0 and not self.whole


def bytes_of(event: int, first: int, count: int) -> bytes:
    return bytes((event + 37 * (first + i)) % 256 for i in range(count))


def told(lines: str) -> list[Told]:
    """Parse the driver's output; return its events in order of their numbers."""
    events: dict[int, Told] = {}
    for line in lines.splitlines():
        word, *numbers = line.split()
        number, *rest = map(int, numbers)
        if word == "b":
            events[number] = Told(rest[0])
        elif word == "p":
            events[number] = Told(rest[0], bytes_of(number, 0, rest[1]), ended=True)
        elif word == "a":
            event, (count, cpu) = events[number], rest
            before = len(event.payload)
            event.payload += bytes_of(number, before, count)
            event.write(len(event.payload) // 8 - before // 8, cpu)
        else:
            events[number].write(1, rest[0])
            events[number].ended = True
    return [events[number] for number in sorted(events)]


@dataclass
class Run:
    """A run of the driver.

    Attributes:
        events: the events of the script.
        link_bytes: the bytes of the link.
        rings: the ring of each CPU, read from the link.
    """

    events: list[Told]
    link_bytes: bytes
    rings: list[LinkReader] = field(default_factory=list)


def run(program: Path, script: str, cpus: int, folder: Path) -> Run:
    link = folder / "link"
    done = subprocess.run(
        [program, link], input=script, capture_output=True, text=True, timeout=HANG_S, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    result = Run(told(done.stdout), link.read_bytes())
    for cpu in range(cpus):
        ring = LinkReader(cpu)
        ring.read(result.link_bytes)
        balance = ring.balance()
        terms = [balance[name] for name in ("delivered", "overwritten", "dropped", "damaged")]
        assert min(terms) >= 0
        assert balance["offered"] == sum(terms)
        assert balance["damaged"] == 0
        assert ring.final
        result.rings.append(ring)
    return result


def records_of(ring: LinkReader) -> Records:
    return [
        (
            one.ordinal,
            RawRecord(
                one.struct_bits,
                one.header >> 24 & 63,
                one.event_class,
                one.header & 1023,
                one.time,
                *one.data,
                flags=one.header >> 16 & 255,
                keyed=bool(one.header >> 15 & 1),
            ),
        )
        for one in ring.records
    ]


def decode(
    rings: list[Records], rng: random.Random, *, compiled: bool
) -> tuple[list[list[PlainEvent]], DecodeCounters]:
    """Decode all rings with one engine, chunk by chunk in a random order."""
    counters, moves = DecodeCounters(), Moves()
    decoders: list[RingDecoder] = []
    work = []
    for cpu, records in enumerate(rings):
        with using(engine() if compiled else None):
            order = ByteOrder.LITTLE
            decoders.append(
                ring_decoder((0, cpu), byte_order=order, counters=counters, moves=moves)
            )
        buffers = buffers_of(records, [1, 5, 40], rng)
        work.append([(cpu, buffers[at : at + 3]) for at in range(0, len(buffers), 3)])
    found: list[list[PlainEvent]] = [[] for _ in rings]
    while left := [queue for queue in work if queue]:
        cpu, chunk = rng.choice(left).pop(0)
        found[cpu] += plain_events([decoders[cpu].feed(headers(chunk), raw(chunk))])
    for cpu, decoder in enumerate(decoders):
        found[cpu] += plain_events([decoder.finish()])
    return found, counters


def once(rng: random.Random) -> str:
    """Return the word for a call that records a whole event."""
    lengths = [0, 1, 4, 5, 8, 9, 12, 13, 16, 20, 33, 70]
    if rng.random() < 0.3:
        return f"q {rng.randrange(2)} {rng.randrange(8, 13)}"
    return f"p {rng.randrange(2)} {rng.choice(lengths)}"


def slot_word(rng: random.Random, opened: set[int]) -> str:
    """Return the word for a call of a slot; a new event may replace an open one (killed thread)."""
    slot = rng.randrange(SLOTS)
    if slot not in opened or rng.random() < 0.03:
        opened.add(slot)
        return f"b {slot} {rng.randrange(2)}"
    if rng.random() < 0.8:
        return f"a {slot} {rng.choice([1, 3, 4, 8, 8, 16, 30])}"
    opened.discard(slot)
    return f"e {slot}"


def script_of(rng: random.Random, cpus: int) -> str:
    """Return a script: events of two types in eight slots, most of them at one tick."""
    opened: set[int] = set()
    words: list[str] = []
    for _ in range(rng.randrange(5, 150)):
        inner = " ".join(once(rng) for _ in range(rng.randrange(1, 4)))
        move = f"m {rng.randrange(1, 12)} {rng.randrange(cpus)}" if cpus > 1 else ""
        rare = [
            f"t {rng.choice([1, 1, 7, 1000])}",
            f"c {rng.randrange(cpus)}",
            "s 3",
            "d",
            f"i {rng.randrange(1, 9)} {inner} r",
            f"i {rng.randrange(1, 9)} {inner} r",
            f"{move} {once(rng)} m 0 0",
            f"{move} {once(rng)} m 0 0",
        ]
        words.append(rng.choice(rare) if rng.random() < 0.3 else slot_word(rng, opened))
    return " ".join(words)


def delivered(found: list[list[PlainEvent]]) -> Counter[tuple[int, bytes]]:
    return Counter(
        (event.event, event.payload)
        for ring in found
        for event in ring
        if event.payload is not None
    )


def check(build: Build, cpus: int, size: tuple[int, int], script: str, folder: Path) -> None:
    rng = random.Random(script)
    result = run(build(cpus, size), script, cpus, folder)
    rings = [records_of(ring) for ring in result.rings]
    plain = [reference.decode(records, "<") for records in rings]
    recorded = Counter((one.event_type, one.payload) for one in result.events if one.whole)
    for by_library in (False, True):
        found, counters = decode(rings, rng, compiled=by_library)
        assert found == [one.events for one in plain]
        assert not delivered(found) - recorded
        moved = sum(event.cls == TRACER for ring in found for event in ring)
        incomplete = sum(one.incomplete for one in plain)
        assert incomplete - moved <= counters.incomplete_events <= incomplete
        assert counters.orphan_records == sum(one.orphans for one in plain)
        assert counters.lost_records == sum(one.lost_records for one in plain)
        assert counters.mismatched_events == 0
        for ring in found:
            assert all(one.time <= other.time for one, other in pairwise(ring))
        if size == LARGE:
            assert delivered(found) == recorded
            assert counters.incomplete_events == sum(one.torn for one in result.events)
            assert counters.orphan_records == 0


@pytest.mark.parametrize("cpus", [1, 2])
@pytest.mark.parametrize("size", [LARGE, SMALL], ids=["all", "lossy"])
@settings(
    max_examples=examples(150),
    suppress_health_check=[HealthCheck.function_scoped_fixture],  # examples may share it
)
@given(seed=st.integers(0, 2**32))
def test_interlaced_events_are_delivered_or_counted(
    build: Build, tmp_path: Path, cpus: int, size: tuple[int, int], seed: int
) -> None:
    check(build, cpus, size, script_of(random.Random(seed), cpus), tmp_path)


@pytest.mark.parametrize("length", [0, 3, 8, 10, 12, 13, 40])
@pytest.mark.parametrize("after", range(1, 10))
def test_an_event_that_one_call_records_is_whole_wherever_its_thread_moves(
    build: Build, tmp_path: Path, length: int, after: int
) -> None:
    script = f"p 0 9 m {after} 1 p 1 {length} m 0 0 c 0 p 0 9"
    check(build, 2, LARGE, script, tmp_path)


@pytest.mark.parametrize("after", range(1, 8))
def test_the_counters_are_whole_when_a_thread_moves_while_it_overwrites(
    build: Build, tmp_path: Path, after: int
) -> None:
    buffers, records = SMALL
    fill = "s 0 " * (buffers * records)
    program = build(2, SMALL, "-DTT_CONFIG_POLICY=TT_POLICY_OVERWRITE")
    result = run(program, f"c 1 {fill} m {after} 0 s 0", 2, tmp_path)
    offered = [ring.balance()["offered"] for ring in result.rings]
    assert sum(offered) == buffers * records + 1
    for ring in result.rings:
        assert sum(sum(counters) for counters in ring.class_counters) == ring.balance()["offered"]


VECTORS: list[dict[str, Any]] = [
    vector
    for vector in json.loads((FIRMWARE.parent / "protocol/vectors/records.json").read_text())[
        "events"
    ]
    if "key" in vector and vector["byte_order"] == "little"
]


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["name"])
def test_keyed_records_are_the_golden_ones(
    build: Build, tmp_path: Path, vector: dict[str, Any]
) -> None:
    length, event = len(bytes.fromhex(vector["payload"])), vector["event"]
    script = f"b 0 {event} a 0 8 p {event} {length} e 0"
    ring = run(build(1, LARGE), script, 1, tmp_path).rings[0]
    inner = [record for _, record in records_of(ring)][1:-1]
    assert [record.pack("<").hex() for record in inner] == vector["records"]


TO_LAST_TICK = "t 15"  # the driver's clock starts at 0xfffffff0


@pytest.mark.parametrize(
    ("script", "keyed"),
    [
        ("p 0 10", [False, False]),
        ("b 0 0 a 0 8 p 0 10 e 0", [False, True, True, True, False]),
        ("p 0 10 p 0 10", [False, False, False, False]),
        ("q 0 10 q 0 10", [False, False, False, False]),
        ("b 0 0 a 0 8 q 0 10 e 0", [False, True, True, True, False]),
    ],
    ids=["alone", "inside of another", "after another", "as pairs", "a pair inside of another"],
)
def test_only_an_event_inside_of_another_gets_a_key_at_the_last_tick_of_the_counter(
    build: Build, tmp_path: Path, script: str, keyed: list[bool]
) -> None:
    [ring] = run(build(1, LARGE), f"{TO_LAST_TICK} {script}", 1, tmp_path).rings
    begins = [record.time % 2**32 for record in ring.records if record.struct_bits == BEGIN]
    assert set(begins) == {0xFFFFFFFF}
    assert [record.keyed for record in ring.records] == keyed


INTERLACED = "b 0 1 b 1 1 a 0 20 a 1 20 a 0 9 a 1 9 e 0 e 1"
MOVED_WITHIN_A_CALL = "p 1 9 m 2 1 p 1 30 c 0 p 1 9"
MOVED_BETWEEN_CALLS = "b 0 1 b 1 1 c 1 b 2 1 c 0 a 0 9 a 1 9 c 1 a 2 9 a 0 9 e 0 e 2 c 0 e 1"
NEVER_ENDED = "b 0 1 a 0 9 b 1 1 a 1 9 e 1"


@pytest.mark.parametrize(
    ("script", "cpus", "lengths", "torn"),
    [
        (INTERLACED, 1, [29, 29], 0),
        (MOVED_WITHIN_A_CALL, 2, [9, 30, 9], 0),
        (MOVED_BETWEEN_CALLS, 2, [9, 9], 1),
        (NEVER_ENDED, 1, [9], 1),
    ],
    ids=["interlaced", "moved_within_a_call", "moved_between_calls", "never_ended"],
)
def test_a_tape_is_complete_when_every_event_was_put_together(
    build: Build, tmp_path: Path, script: str, cpus: int, lengths: list[int], torn: int
) -> None:
    result = run(build(cpus, LARGE), script, cpus, tmp_path)
    path = tmp_path / "x.tape"
    capture(MemoryLink([result.link_bytes]), path, CaptureOptions(handle_signals=False))
    with TapeReader(path) as reader:
        found = [event for columns in iter_events(reader) for event in columns.events()]
        summary = summary_of(reader)
    payloads = [event.payload for event in found if event.payload is not None]
    assert sorted(map(len, payloads)) == sorted(lengths)
    assert summary.decode.incomplete_events == torn
    assert summary.decode.orphan_records == 0
    assert summary.complete is (torn == 0)
    assert summary.balance.total.lost == 0
