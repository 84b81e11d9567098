"""The S.Ha.R.K. queues as a user runs them: overfilled, natively and in QEMU.

The tests check kept and lost events, the balance, and the CPU time of the on-line queue's task.
"""

from __future__ import annotations

import socket
import struct
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tickertape.analysis.balance import balance_of
from tickertape.cli.main import main
from tickertape.formats.shark.write import export_shark
from tickertape.formats.source import Source
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.decode.events import Event

pytestmark = pytest.mark.process  # these tests build and run programs

SIZE, BUFFER = 256, 64
PERIOD_MS, SLICE_MS = 100, 2
UDP_PERIOD_MS, UDP_SLICE_MS = 250, 10  # the defaults
OWN_SIZE = 32  # size in examples/shark_own/sample_queue.h
BEEP, HONK = 0x17, 0x18
SEEK, CYLINDER = 0x17, 0x18
ACTIVATE, INTACTIVATION = 0x03, 0x09
CYLINDERS_A_TICK, TICK_US = 40, 1000
DUMMY, REST = 0, 1  # the queues of shark_dummy
LOGGED_A_SECOND = 200 + 50  # events of the two tasks of examples/common/trc_load.c
SEM_EVENTS, UNKNOWN_TASK = {20, 21, 22}, 0xFFFF
TARGETS = ("native", "qemu")
SERVER = 2  # thread number: the first thread created after the drain


@dataclass(frozen=True)
class Ran:
    """The results of a run."""

    offered: int
    delivered: int
    overwritten: int
    dropped: int
    events: list[Event]
    ns_per_tick: int
    file: bytes
    exported: bytes
    notes: list[str]


@pytest.fixture(params=TARGETS)
def target(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def run(
    target: str, example: str, folder: Path, *options: str, duration: str = "1", files: bool = True
) -> Ran:
    """Run an example in `folder`; read its tape, and the file of its queue if there is one."""
    words = ["run", "--target", target, "--example", example, "--duration", duration, "-q"]
    words += ["-o", "t.tape"]
    for option in (f"size={SIZE}", f"files={int(files)}", *options):
        words += ["--option", option]
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        assert main(words) == 0
    with TapeReader(folder / "t.tape") as reader:
        events = [event for part in iter_events(reader) for event in part.events()]
        total = balance_of(reader).total
        assert reader.hello is not None
        tick_hz = reader.hello.tick_hz
        notes = list(reader.notes)
        export_shark(Source(reader), folder / "exported")
    assert total.damaged == 0
    assert total.offered == total.delivered + total.overwritten + total.dropped
    found = [path for path in folder.iterdir() if path.name in {"fix1", "cir1"}]
    return Ran(
        *(total.offered, total.delivered, total.overwritten, total.dropped),
        events=events,
        ns_per_tick=1_000_000_000 // tick_hz,
        file=b"".join(path.read_bytes() for path in found),
        exported=(folder / "exported").read_bytes(),
        notes=notes,
    )


def check_file(ran: Ran) -> None:
    """Compare the target's own file with the tape: the same events at the same microseconds."""
    records = list(struct.iter_unpack("<IHHI", ran.file))
    assert len(records) == len(ran.events)
    times = [event.time_ticks * ran.ns_per_tick // 1000 for event in ran.events]
    assert [time for time, *_ in records] == times
    users = {0x0B: 0, 0x0C: 1}
    told = [(users[number], info) for _, number, _, info in records if number in users]
    kept = [
        (event.event - 0x0B, event.words[0])
        for event in ran.events
        if event.name[:9] == "TRC.USER_"
    ]
    assert told == kept
    assert told
    assert_same_records(ran.file, ran.exported)


def assert_same_records(of_target: bytes, exported: bytes) -> None:
    """Check that the target's own file equals the host's export of the tape."""
    pairs = zip(
        struct.iter_unpack("<IHHI", of_target), struct.iter_unpack("<IHHI", exported), strict=True
    )
    for mine, theirs in pairs:
        assert _without_unknown(mine, mine) == _without_unknown(mine, theirs)


def _without_unknown(target: tuple[int, ...], record: tuple[int, ...]) -> tuple[int, ...]:
    """Remove the task of a semaphore event if the target does not know the running task.

    This happens before the first switch and after a loss; the host learns it from the next switch.
    """
    *rest, info = record
    is_unknown = target[1] in SEM_EVENTS and target[3] & UNKNOWN_TASK == UNKNOWN_TASK
    return (*rest, info & ~UNKNOWN_TASK if is_unknown else info)


def test_a_fixed_queue_keeps_the_first_events(target: str, tmp_path: Path) -> None:
    ran = run(target, "shark_fixed", tmp_path)
    assert (ran.delivered, ran.overwritten) == (SIZE, 0)
    assert ran.dropped == ran.offered - SIZE > SIZE
    assert [event.ordinal for event in ran.events] == list(range(SIZE))
    check_file(ran)


def test_a_circular_queue_keeps_the_last_events(target: str, tmp_path: Path) -> None:
    ran = run(target, "shark_circular", tmp_path)
    assert SIZE <= ran.delivered <= SIZE + BUFFER
    assert (ran.dropped, ran.overwritten) == (0, ran.offered - ran.delivered)
    last = range(ran.offered - ran.delivered, ran.offered)
    assert [event.ordinal for event in ran.events] == list(last)
    check_file(ran)


def test_an_on_line_queue_keeps_period_and_budget(target: str, tmp_path: Path) -> None:
    options = (f"period_us={PERIOD_MS * 1000}", f"slice_us={SLICE_MS * 1000}")
    ran = run(target, "shark_online", tmp_path, *options)
    assert ran.dropped > 0
    assert ran.overwritten == 0
    check_told_losses(ran)
    check_period_and_budget(ran, PERIOD_MS, SLICE_MS)
    check_file(ran)


def test_a_udp_queue_sends_a_packet_a_period(target: str, tmp_path: Path) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as listener:
        listener.bind(("127.0.0.1", 0))
        port = listener.getsockname()[1]
        ran = run(target, "shark_udp", tmp_path, f"packets_port={port}", duration="3")
        packets = received(listener)
    assert ran.notes == []  # no datagram of the trace was lost or late
    assert ran.dropped > ran.delivered > SIZE
    assert ran.overwritten == 0
    check_told_losses(ran)
    check_period_and_budget(ran, UDP_PERIOD_MS, UDP_SLICE_MS)
    # Once the queue is full, each period releases exactly one buffer. The task's first turn
    # only sets the period; the second one sends, and records the losses and its end in the room
    # that it has made.
    kept = [len(group) for group in by_activation(ran)]
    assert kept[0] + kept[1] == SIZE + 2
    assert set(kept[2:-1]) == {BUFFER}
    assert len(kept) > 8
    # The packets of that tracer: a count, then the records; together all records of the tape.
    assert len(packets) == -(-ran.delivered // BUFFER)
    for packet in packets:
        assert len(packet) == 2 + 12 * int.from_bytes(packet[:2], "little") <= 1472
    assert_same_records(b"".join(packet[2:] for packet in packets), ran.exported)


def test_a_dummy_takes_nothing(target: str, tmp_path: Path) -> None:
    ran = run(target, "shark_dummy", tmp_path)
    assert {event.stream for event in ran.events} == {REST}
    assert not [event for event in ran.events if event.name.startswith("TRC.USER_")]
    assert (ran.delivered, ran.dropped) == (SIZE, ran.offered - SIZE)
    with TapeReader(tmp_path / "t.tape") as reader:
        rings = {ring.ring.stream: ring.balance for ring in balance_of(reader).rings}
    dummy = rings[DUMMY]
    assert (dummy.offered, dummy.delivered, dummy.dropped) == (0, 0, 0)
    # The tasks log events nevertheless, as another queue shows.
    (tmp_path / "all").mkdir()
    everything = run(target, "shark_udp", tmp_path / "all", "size=512", "period_us=15000")
    assert everything.delivered == everything.offered
    assert len([e for e in everything.events if e.name.startswith("TRC.USER_")]) == LOGGED_A_SECOND


@pytest.mark.parametrize("target", [*TARGETS, "qemu-dual"])
def test_what_is_the_users_own(target: str, tmp_path: Path) -> None:
    """Check the application's own events, class and type of queue (docs/shark.md)."""
    ran = run(target, "shark_own", tmp_path)
    told = {event.name: event.words[0] for event in ran.events if event.words}
    logged, kept, lost = (told[name] for name in ("TRC.USER_6", "TRC.USER_7", "TRC.HOOPS"))
    assert logged == kept + lost > 2 * OWN_SIZE
    assert kept == OWN_SIZE
    beeps = [(BEEP, n) for n in range(1, logged)]
    offered = [one for _, n in beeps for one in ((BEEP, n), (HONK, n))[: 1 + (n % 10 == 0)]]
    records = list(struct.iter_unpack("<IHHi", (tmp_path / "own").read_bytes()))
    assert [(number, info) for _, number, _, info in records] == offered[::2][:OWN_SIZE]
    times = [time for time, *_ in records]
    assert times == sorted(times)
    assert times[0] < 2_000 < times[-1]  # in us: the first beep is logged after start-up
    assert not [event for event in ran.events if event.stream == 0]


def test_a_device_is_traced(target: str, tmp_path: Path) -> None:
    """The disk head moves without jumps, and needs a tick per 40 cylinders or part of them."""
    ran = run(target, "shark_disk", tmp_path)
    moves = [event for event in ran.events if event.stream == 1]
    records = list(struct.iter_unpack("<IHHHH", (tmp_path / "fix2").read_bytes()))
    assert [(number, start | end << 16) for _, number, _, start, end in records] == [
        (event.event, event.words[0]) for event in moves
    ]
    assert len(records) == SIZE
    head = 0
    for seek, arrival in zip(records[::2], records[1::2], strict=True):
        assert (seek[1], arrival[1]) == (SEEK, CYLINDER)
        assert seek[3:] == arrival[3:]
        assert seek[3] == head
        head = seek[4]
        ticks = -(-abs(head - seek[3]) // CYLINDERS_A_TICK)
        assert (ticks - 1) * TICK_US <= arrival[0] - seek[0] < (ticks + 1) * TICK_US


def received(listener: socket.socket) -> list[bytes]:
    """Return the datagrams that wait in a socket; the sender has ended."""
    listener.settimeout(0)
    packets = []
    with suppress(BlockingIOError):
        while True:
            packets.append(listener.recv(1 << 16))
    return packets


def check_told_losses(ran: Ran) -> None:
    """Check that the task reports earlier drops at each activation, at most all drops."""
    told = [event for event in ran.events if event.name == "TRC.HOOPS"]
    assert told
    assert 0 < sum(event.words[0] for event in told) <= ran.dropped


def is_server(event: Event, name: str, word: int) -> bool:
    return event.name == name and event.words[word] == SERVER


def by_activation(ran: Ran) -> list[list[Event]]:
    """Divide the events at the end of each activation of the server."""
    groups: list[list[Event]] = [[]]
    for event in ran.events:
        groups[-1].append(event)
        if is_server(event, "SCHED.COMPLETION", 0):
            groups.append([])
    return groups


def check_period_and_budget(ran: Ran, period_ms: int, slice_ms: int) -> None:
    """Check period and run time of the server in the trace."""
    ends = [e.time_ticks for e in ran.events if is_server(e, "SCHED.COMPLETION", 0)]
    assert len(ends) >= 3
    for first, second in pairwise(ends[1:]):
        late_ns = (second - first) * ran.ns_per_tick - period_ms * 1_000_000
        assert abs(late_ns) < slice_ms * 1_000_000
    turns = own_times_ns(ran)
    assert all(turn <= slice_ms * 1_000_000 for turn in turns)


def test_a_server_shows_its_whole_budget_where_nothing_is_lost(target: str, tmp_path: Path) -> None:
    """A full queue cannot record the beginning of its server's turn; this queue is never full."""
    for example in ("shark_online", "shark_udp"):
        folder = tmp_path / example
        folder.mkdir()
        ran = run(target, example, folder, "size=512", "period_us=15000", "slice_us=2000")
        assert ran.delivered == ran.offered
        ends = [event for event in ran.events if is_server(event, "SCHED.COMPLETION", 0)]
        turns = own_times_ns(ran)
        assert len(turns) == len(ends) >= 1000 // 15 - 1
        assert 0 < max(turns) <= 2_000_000
        check_period_and_budget(ran, 15, 4)


def own_times_ns(ran: Ran) -> list[int]:
    """Return the processor time of each complete activation of the server."""
    turns: list[int] = []
    own, since, whole = 0, None, False
    before = -1
    for event in ran.events:
        if event.ordinal != before + 1:
            since, whole = None, False
        before = event.ordinal
        if is_server(event, "SCHED.CONTEXT_SWITCH", 1):
            since = event.time_ticks
            if not whole:
                own, whole = 0, True
        elif is_server(event, "SCHED.CONTEXT_SWITCH", 0) and since is not None:
            own, since = own + event.time_ticks - since, None
        elif is_server(event, "SCHED.COMPLETION", 0) and since is not None:
            turns.append((own + event.time_ticks - since) * ran.ns_per_tick)
            whole = False
    return turns


@pytest.mark.parametrize("example", ["shark_circular", "shark_fixed"])
def test_interrupts_activate_a_task_and_a_task_is_disabled(
    target: str, example: str, tmp_path: Path
) -> None:
    ran = run(target, example, tmp_path, "sporadic=1")
    by_interrupt = [event for event in ran.events if event.name == "TRC.INTACTIVATION"]
    (task,) = {event.words[0] for event in by_interrupt}
    activations = {
        event.words[1]: event.time_ticks
        for event in ran.events
        if event.name == "SCHED.ACTIVATION" and event.words[0] == task
    }
    shown = by_interrupt[-len(activations) :]  # the ring may begin between the two events
    assert [event.words[1] for event in shown] == [
        1 << 31 | (instance & 0x7FFF) << 16 for instance in activations
    ]
    disabled = [event.words for event in ran.events if event.name == "TRC.DISABLE"]
    assert disabled == ([(task, 0)] if example == "shark_circular" else [])  # at the end of the run
    records = list(struct.iter_unpack("<IHHI", ran.exported))
    assert (ACTIVATE, task) not in {(number, info) for _, number, _, info in records}
    assert sum(number == INTACTIVATION for _, number, *_ in records) == len(by_interrupt)
    assert sum(number == ACTIVATE for _, number, *_ in records) > 0
    with TapeReader(tmp_path / "t.tape") as reader:
        counts = export_shark(Source(reader), tmp_path / "again").counts
    assert counts["records"] + counts["repeated"] == len(ran.events)
    assert len(activations) - 1 <= counts["repeated"] <= len(activations)
    assert_same_records(ran.file, ran.exported)
