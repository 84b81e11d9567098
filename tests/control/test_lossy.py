"""Real targets on a line that drops, repeats and flips bytes: no command is executed twice.

Every inserted event has its own number, and the target counts the records of its class: so both
the tape and the target count the executions of a command.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

import numpy as np
import pytest

from tests.support.lossy_link import LossyLink
from tickertape.analysis.balance import balance_of
from tickertape.broker import ControlServer
from tickertape.collector import Collector
from tickertape.control import ControlClient
from tickertape.control.channel import LinkChannel
from tickertape.errors import CommandRefused, LinkSilent
from tickertape.link import open_link
from tickertape.protocol.events import EventClass
from tickertape.protocol.wire import Command, Policy
from tickertape.tape import TapeReader, TapeWriter, iter_events
from tickertape.targets import find_target

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tickertape.decode.events import Event
    from tickertape.targets.base import Run

BOARDS = ("native", "qemu", "qemu-dual")
# Event class of this test; other code records none of it.
OURS = 20
LONG_S = 100_000.0
RETRY_S = 0.05
INSERTS = 11
LEAST_ACCIDENTS = 5


@contextmanager
def running(board: str) -> Iterator[Run]:
    """Run the example until the end of the context.

    A native target uses real time: in virtual time it would be as fast as its reader, and every
    reply would follow all bytes that wait in the line.
    """
    target = find_target(board)
    image = target.build("first_tape")
    with target.start(image, duration_s=LONG_S, realtime=board == "native") as run:
        yield run


class Teller:
    """Inserts numbered events; lists those that were certainly or possibly executed."""

    def __init__(self, client: ControlClient, first: int) -> None:
        self._client = client
        self._next = first
        self.done: list[int] = []
        self.unknown: list[int] = []

    def insert(self, count: int) -> None:
        for _ in range(count):
            number, self._next = self._next, self._next + 1
            try:
                streams = self._client.insert(OURS, number % 1024, [number, ~number & 0xFFFF_FFFF])
            except LinkSilent as error:
                assert "unknown whether the command took effect" in error.problem  # noqa: PT017 - may happen
                self.unknown.append(number)
            else:
                assert streams == 1
                self.done.append(number)


def carried_out(client: ControlClient) -> int:
    """Stop the stream; return the number of offered records of our class."""
    client.stop()
    status = client.status()
    for _ in range(50):
        if all(ring.final for ring in status.rings.values()):
            break
        status = client.status()
    rings = status.rings.values()
    assert all(ring.final for ring in rings)
    ours = [ring.classes[OURS] for ring in rings]
    return sum(one.sent + one.dropped + one.overwritten for one in ours)


@pytest.mark.parametrize("board", BOARDS)
@pytest.mark.parametrize("seed", [1, 2])
def test_alone_on_a_bad_line(board: str, seed: int) -> None:
    with running(board) as run:
        line = LossyLink(run.link, seed, write_rate=0.5, read_rate=1 / 4000)
        client = ControlClient(LinkChannel(line), patience_s=30.0, retry_s=RETRY_S)
        teller = Teller(client, 1000 * seed)
        for turn in range(6):
            teller.insert(5)
            client.select_class(EventClass.INT, take=turn % 2 == 1)
            with pytest.raises(CommandRefused, match="stop it first"):
                client.set_policy(Policy.OVERWRITE)
        assert line.accidents[0] > 10
        line.repair()
        assert EventClass.INT in client.classes().every
        assert len(teller.done) <= carried_out(client) <= len(teller.done) + len(teller.unknown)
    # More frames than commands: some were repeated.
    assert len(line.written) > 6 * 7 + 5


def calling(socket: str, first: int, tellers: list[Teller]) -> threading.Thread:
    """Start a thread that inserts events through a socket."""

    def call() -> None:
        with closing(open_link(f"unix:{socket}")) as link:
            teller = Teller(ControlClient(LinkChannel(link), patience_s=60.0), first)
            tellers.append(teller)
            teller.insert(INSERTS)

    thread = threading.Thread(target=call)
    thread.start()
    return thread


@contextmanager
def collecting(line: LossyLink, tape: Path, socket: str) -> Iterator[None]:
    """Capture from a line in another thread, and share the line at a socket."""
    with (
        TapeWriter(tape) as writer,
        ControlServer(line, socket, patience_s=30.0, retry_s=RETRY_S) as server,
    ):
        collector = Collector(line, writer, on_frame=server.take)
        thread = threading.Thread(target=collector.run)
        thread.start()
        try:
            yield
        finally:
            collector.stop()
            thread.join()


@pytest.mark.parametrize("board", BOARDS)
def test_three_callers_share_a_bad_line_with_a_capture(board: str, tmp_path: Path) -> None:
    tape, socket = tmp_path / "t.tape", str(tmp_path / "s")
    tellers: list[Teller] = []
    with running(board) as run:
        line = LossyLink(run.link, 7, write_rate=0.4, read_rate=1 / 6000)
        with collecting(line, tape, socket):
            callers = [calling(socket, 1000 * number, tellers) for number in (1, 2, 3)]
            for caller in callers:
                caller.join(100)
                assert not caller.is_alive()
            while line.accidents[1] <= LEAST_ACCIDENTS:
                time.sleep(0.05)  # a slow board needs more time to send enough bytes
            assert line.accidents[0] > LEAST_ACCIDENTS
            line.repair()
            with closing(open_link(f"unix:{socket}")) as link:
                count = carried_out(ControlClient(LinkChannel(link), patience_s=60.0))
    done = [number for teller in tellers for number in teller.done]
    unknown = [number for teller in tellers for number in teller.unknown]
    assert len(done) + len(unknown) == 3 * INSERTS
    assert len(done) <= count <= len(done) + len(unknown)
    check_tape(tape, set(done), set(unknown), count)


def check_tape(tape: Path, done: set[int], unknown: set[int], count: int) -> None:
    """Check the tape: exact balance, no event twice, and all executed commands."""
    with TapeReader(tape) as reader:
        balance = balance_of(reader)
        told = {OURS, EventClass.TRACER}
        events: list[Event] = [
            event
            for part in iter_events(reader)
            for event in part.take(np.flatnonzero(np.isin(part.cls, list(told)))).events()
        ]
    assert balance.contradictions == ()
    assert balance.total.holds
    assert balance.final
    seen = Counter(event.words[0] for event in events if event.cls == OURS)
    assert seen.keys() <= done | unknown
    assert set(seen.values()) <= {1}
    assert all(event.host for event in events if event.cls == OURS)
    total = balance.total
    assert count - len(seen) <= total.damaged + total.dropped
    commands = Counter(event.words[0] for event in events if event.name == "TRACER.COMMAND")
    assert commands[Command.INSERT] <= count
    assert count - commands[Command.INSERT] <= total.damaged + total.dropped
