"""A live tape has the same events and receipts as a tape of the same link."""

from __future__ import annotations

import random
import socket
import threading
import time
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

import tickertape as library
from tests.support.target import DROP, SimulatedTarget, target_with_events
from tickertape.collector import CaptureOptions, capture
from tickertape.collector.live import LiveTape
from tickertape.errors import LinkError
from tickertape.link import MemoryLink
from tickertape.protocol.events import DICTIONARY_HASH
from tickertape.tape import TapeReader, iter_events
from tools.fuzz.originals import keys_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from tests.support.command import Command
    from tickertape.decode.events import EventColumns


def busy(seed: int, byte_order: str = "<") -> SimulatedTarget:
    """Return a target with two CPUs, lost records and a reset."""
    rng = random.Random(seed)
    target = SimulatedTarget(
        cpus=2,
        buffers=2,
        buffer_records=8,
        policy=DROP,
        boot_id=1,
        byte_order=byte_order,
        dictionary=DICTIONARY_HASH,
    )
    for boot in range(2):
        if boot:
            target.reset(boot_id=2, now=7)
        target.hello()
        for number in range(200):
            target.advance(rng.randrange(1, 50))
            ring = (0, rng.randrange(2))
            if rng.random() < 0.2:
                target.combine(ring, 6, 9, rng.randbytes(rng.randrange(40)))
            else:
                target.record(ring, 6, number % 20, number, boot)
            if rng.random() < 0.1:
                target.send_buffer(ring)
            if number == 60:
                target.hello()
        target.finish()
    return target


def keys_sorted(parts: list[EventColumns]) -> list[str]:
    return sorted(map(str, keys_of(parts)))


def gaps_of(parts: list[EventColumns]) -> list[tuple[int, int, int, int]]:
    return sorted(
        (part.epoch, gap.cpu, gap.first_ordinal, gap.lost) for part in parts for gap in part.gaps
    )


@pytest.mark.parametrize("order", ["<", ">"])
@pytest.mark.parametrize("late", [False, True])
def test_live_and_tape_are_the_same(tmp_path: Path, order: str, *, late: bool) -> None:
    target = busy(3, order)
    pieces = [sent.data for sent in target.frames]
    if late:
        # Without the first HELLO, the second one defines the byte order of the first buffers.
        pieces = pieces[1:]
    result = capture(MemoryLink(pieces), tmp_path / "t.tape", CaptureOptions(handle_signals=False))
    with TapeReader(tmp_path / "t.tape") as reader:
        expected = list(iter_events(reader))
    with LiveTape(MemoryLink(pieces)) as live:
        found: list[EventColumns] = []
        while not live.ended:
            found += live.poll()
        assert live.result is not None
        assert live.result.progress.balance == result.progress.balance
        assert live.result.progress.balance.holds
        assert live.result.progress.balance.dropped > 0
    assert keys_sorted(found) == keys_sorted(expected)
    assert gaps_of(found) == gaps_of(expected) != []


def test_nobody_polls_and_nothing_hangs() -> None:
    """The reading thread ends although its queue is full."""
    target = target_with_events()
    pieces = [sent.data for sent in target.frames] * 2000
    with LiveTape(MemoryLink(pieces)):
        pass


@pytest.fixture
def server() -> Iterator[Callable[[bytes], str]]:
    """Serve bytes to each client; return the address of the link."""
    threads = []
    listener = socket.create_server(("127.0.0.1", 0))

    def serve(data: bytes) -> str:
        def run() -> None:
            with listener.accept()[0] as peer:
                peer.sendall(data)

        threads.append(threading.Thread(target=run))
        threads[-1].start()
        return f"socket://127.0.0.1:{listener.getsockname()[1]}"

    with closing(listener):
        yield serve
        for thread in threads:
            thread.join()


@pytest.mark.parametrize("style", ["text", "csv", "jsonl", "qnx"])
def test_print_follows_a_link(
    server: Callable[[bytes], str], tickertape: Command, tape: Path, style: str
) -> None:
    target = target_with_events()
    target.finish()
    expected = tickertape("print", tape, "--style", style)
    done = tickertape("print", "--follow", server(target.sent_bytes()), "--style", style)
    assert (done.returncode, done.stderr) == (0, "")
    lines = [
        [line for line in one.stdout.splitlines() if "TRACE_" not in line]
        for one in (done, expected)
    ]
    assert lines[0] == lines[1]
    assert len(lines[0]) >= 80


def test_the_first_lines_of_a_link(server: Callable[[bytes], str], tickertape: Command) -> None:
    done = tickertape("print", "-f", "-n", "5", server(target_with_events().sent_bytes()))
    assert (done.returncode, done.stdout.count("\n")) == (0, 5)


def test_a_link_is_no_tape(tickertape: Command) -> None:
    done = tickertape("print", "socket://127.0.0.1:1")
    assert (done.returncode, done.stdout) == (2, "")
    assert "add --follow" in done.stderr
    done = tickertape("print", "-f", "/dev/no_such_device")
    assert (done.returncode, done.stdout) == (3, "")
    assert done.stderr.count("\n") == 1


def test_callbacks_on_a_link(server: Callable[[bytes], str]) -> None:
    target = target_with_events()
    target.finish()
    parser = library.Parser()
    turns: list[int] = []
    ranges: list[str] = []
    everything: list[str] = []
    parser.on("USER")(lambda event: turns.append(event.words[0]))
    parser.on("SYNC", 0, 3)(lambda event: ranges.append(event.name))
    parser.on("SCHED.CONTEXT_SWITCH")(lambda event: ranges.append(event.name))
    parser.on("*")(lambda event: everything.append(event.name))
    report = parser.listen(server(target.sent_bytes()))
    assert turns == list(range(20))
    assert len(ranges) == 60
    assert report.events == len(everything)
    assert (report.gaps, report.problems, report.stopped) == (0, (), False)


def test_a_callback_stops_listening(server: Callable[[bytes], str]) -> None:
    parser = library.Parser()
    parser.on("USER")(lambda _: parser.stop())
    begin = time.monotonic()
    assert parser.listen(server(target_with_events().sent_bytes())).stopped
    assert time.monotonic() >= begin


def test_what_is_wrong_with_a_link_is_in_the_report(server: Callable[[bytes], str]) -> None:
    report = library.Parser().listen(server(b"noise" * 100))
    assert [type(problem) for problem in report.problems] == [LinkError]
    assert report.events == 0
