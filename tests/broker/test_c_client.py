"""The C client at a broker reads the target's records, also with faults of target and broker."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
from contextlib import suppress
from typing import TYPE_CHECKING

import pytest

from tests.broker.client import (
    NAMINGS,
    STREAM,
    STREAM_NAME,
    USER,
    Answering,
    Viewer,
    balance_of,
    finish,
    of_posix_trace,
    records_of,
)
from tests.broker.line import WAIT_S, shared
from tests.support.target import SimulatedTarget
from tests.support.wire_bytes import frame
from tickertape.decode.frames import FrameDecoder
from tickertape.protocol.wire import Command, ObjectKind

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.decode.commands import Request

TICK_HZ = 25_000_000


def record_some(target: SimulatedTarget, rng: random.Random, count: int) -> None:
    for number in range(count):
        target.advance(rng.randrange(50))
        stream = rng.randrange(target.streams)
        target.combine((stream, 0), USER, number % 5, rng.randbytes(rng.randrange(8, 60)))
        if number % 20 == 19:
            for ring in target.rings:
                target.flush(ring)
                while target.send_buffer(ring) is not None:
                    pass


@pytest.mark.parametrize(("packed", "byte_order", "readers"), [(False, ">", 1), (True, "<", 4)])
def test_a_stream_is_read_to_its_end(
    client: Path,
    tmp_path: Path,
    packed: bool,  # noqa: FBT001 - a parameter
    byte_order: str,
    readers: int,
) -> None:
    rng = random.Random(11)
    target = SimulatedTarget(
        streams=3, boot_id=7, packed=packed, byte_order=byte_order, buffer_records=64
    )
    target.hello()
    target.name(ObjectKind.EVENT, USER << 10 | 4, "user event int")
    with shared(tmp_path / "s") as line:
        answering = Answering(line, of_posix_trace)
        line.feed(target.sent_bytes())
        line.feed(target.stream_name(STREAM, NAMINGS, STREAM_NAME).data)
        viewer = Viewer(client, line.addresses[0], readers)
        assert viewer.first == "attached"
        sent = len(target.frames)
        record_some(target, rng, 1500)
        for one in target.frames[sent:]:
            line.feed(one.data)
        finish(target, line, len(target.frames))
        lines = viewer.lines()
    answering.join()
    state = target.rings[STREAM, 0]
    wanted = [
        record.row
        for fate, record in zip(state.fates, state.records, strict=True)
        if fate != "dropped"
    ]
    assert len(wanted) > 1000
    assert records_of(lines) == wanted
    assert balance_of(lines) == (len(state.fates), len(wanted), 0, state.dropped, 0)
    assert lines.count("end EINVAL") == readers
    assert "type 4 user event int" in lines
    assert f"about {STREAM} {NAMINGS} {TICK_HZ} 1" in lines


def test_a_target_that_has_not_said_yet_who_it_is(client: Path, tmp_path: Path) -> None:
    """Buffers before the first HELLO are kept, and decoded with the clock of HELLO."""
    target = SimulatedTarget(streams=3, boot_id=7, buffers=8)
    for number in range(40):
        target.record((STREAM, 0), USER, 1, number)
        target.advance(10)
    with shared(tmp_path / "s") as line:

        def answer(request: Request) -> tuple[int, int, int]:
            if request.command == Command.STREAM_ATTACH:
                target.flush((STREAM, 0))
                while (sent := target.send_buffer((STREAM, 0))) is not None:
                    line.feed(sent.data)
                line.feed(target.status((STREAM, 0)).data)
            if request.command == Command.HELLO:
                line.feed(target.hello().data)
            return of_posix_trace(request)

        answering = Answering(line, answer)
        viewer = Viewer(client, line.addresses[0])
        assert viewer.first == "attached"
        finish(target, line, len(target.frames))
        lines = viewer.lines()
    answering.join()
    assert [record[2] for record in records_of(lines)] == list(range(40))
    assert balance_of(lines) == (40, 40, 0, 0, 0)
    assert f"about {STREAM} {NAMINGS} {TICK_HZ} 1" in lines


def test_several_readers_of_one_stream_lose_and_double_nothing(
    client: Path, tmp_path: Path
) -> None:
    rng = random.Random(12)
    target = SimulatedTarget(streams=3, boot_id=7, packed=True, buffer_records=64)
    target.hello()
    with shared(tmp_path / "s") as line:
        answering = Answering(line, of_posix_trace)
        line.feed(target.sent_bytes())
        viewers = [Viewer(client, line.addresses[0]) for _ in range(8)]
        sent = len(target.frames)
        record_some(target, rng, 1000)
        for number, one in enumerate(target.frames[sent:]):
            line.feed(one.data)
            if number == 5:
                viewers.pop().kill()
        finish(target, line, len(target.frames))
        results = [viewer.lines() for viewer in viewers]
    answering.join()
    assert len({tuple(lines) for lines in results}) == 1
    assert balance_of(results[0])[-1] == 0


def test_eight_streams_with_eight_readers(client: Path, tmp_path: Path) -> None:
    rng = random.Random(15)
    target = SimulatedTarget(streams=8, boot_id=7, packed=True, buffer_records=64)
    target.hello()
    with shared(tmp_path / "s") as line:
        answering = Answering(line, of_posix_trace)
        line.feed(target.sent_bytes())
        viewers = [Viewer(client, line.addresses[0], name=f"number {n}") for n in range(8)]
        sent = len(target.frames)
        record_some(target, rng, 2000)
        for number in range(8):
            target.stream_name(number, NAMINGS, "")
        target.finish()
        for one in target.frames[sent:]:
            line.feed(one.data)
        results = [viewer.lines() for viewer in viewers]
    answering.join()
    for number, lines in enumerate(results):
        state = target.rings[number, 0]
        kept = zip(state.fates, state.records, strict=True)
        assert records_of(lines) == [record.row for fate, record in kept if fate != "dropped"]
        assert balance_of(lines)[-1] == 0
        assert balance_of(lines)[0] == len(state.fates)


def test_a_reader_that_stopped_knows_what_it_lost(client: Path, tmp_path: Path) -> None:
    rng = random.Random(13)
    target = SimulatedTarget(streams=3, boot_id=7, buffer_records=256, buffers=60)
    target.hello()
    with shared(tmp_path / "s", most_bytes=1 << 16) as line:
        answering = Answering(line, of_posix_trace)
        line.feed(target.sent_bytes())
        viewer = Viewer(client, line.addresses[0])
        process = viewer.process
        process.send_signal(signal.SIGSTOP)
        sent = len(target.frames)
        record_some(target, rng, 30_000)
        for one in target.frames[sent:]:
            line.feed(one.data)
        # When the broker passes this frame on, it has received all earlier frames.
        with socket.socket(socket.AF_UNIX) as other:
            other.connect(str(tmp_path / "s"))
            line.feed(target.status((0, 0)).data)
            decoder = FrameDecoder()
            while not any(came.type == 4 for came in decoder.frames()):
                decoder.receive(other.recv(65_536))
        process.send_signal(signal.SIGCONT)
        finish(target, line, len(target.frames))
        lines = viewer.lines()
    answering.join()
    offered, delivered, overwritten, dropped, damaged = balance_of(lines)
    state = target.rings[STREAM, 0]
    assert damaged > 1000
    assert (offered, dropped, overwritten) == (len(state.fates), state.dropped, 0)
    assert len(records_of(lines)) == delivered
    lost = sum(int(one.split()[3]) for one in lines if one.startswith("buffer "))
    assert lost <= damaged + dropped


@pytest.mark.parametrize("how", ["reset", "end", "renamed"])
def test_what_else_ends_a_stream(client: Path, tmp_path: Path, how: str) -> None:
    target = SimulatedTarget(streams=3, boot_id=7)
    target.hello()
    with shared(tmp_path / "s") as line:
        answering = Answering(line, of_posix_trace)
        line.feed(target.sent_bytes())
        viewer = Viewer(client, line.addresses[0])
        assert viewer.first == "attached"
        if how == "reset":
            target.reset(boot_id=8)
            line.feed(target.hello().data)
        elif how == "renamed":
            line.feed(target.stream_name(STREAM, NAMINGS + 1, STREAM_NAME).data)
            line.feed(target.status((STREAM, 0), final=True).data)
        else:
            line.close()
        assert "end EINVAL" in viewer.lines()
    answering.join()


def run(client: Path, *words: str) -> tuple[int, list[str]]:
    done = subprocess.run(
        [client, *words], capture_output=True, text=True, check=False, timeout=WAIT_S
    )
    assert done.stderr == ""
    return done.returncode, done.stdout.splitlines()


def test_events_of_many_threads_are_carried_out_once_each(client: Path, tmp_path: Path) -> None:
    with shared(tmp_path / "s", port=0) as line:
        answering = Answering(line, of_posix_trace)
        code, lines = run(client, "emit", line.addresses[1], "an event", "50", "8", "32")
        assert (code, lines) == (0, [f"type {USER << 10 | 3} again", "taken 400"])
        code, lines = run(client, "emit", line.addresses[0], "an event", "1", "1", "500")
        assert code == 0
        code, lines = run(client, "emit", line.addresses[0], "unknown", "1", "1", "4")
        assert (code, lines) == (1, ["open: Invalid argument"])
        value = run(client, "attribute", line.addresses[0], "2", str(NAMINGS), "3")
        assert value == (0, ["value 4294967303"])
        assert run(client, "attribute", line.addresses[0], "2", "4", "3")[0] == 1
    answering.join()
    emitted = [one for one in answering.requests if one.command == Command.INSERT_BYTES]
    numbers = [int.from_bytes(one.payload[24:28], "little") for one in emitted[:-1]]
    assert sorted(numbers) == list(range(400))
    assert {(one.args[:3], len(one.payload)) for one in emitted[:-1]} == {((USER, 3, 0), 56)}
    # Too long data are truncated and flagged.
    assert (emitted[-1].args[:3], len(emitted[-1].payload)) == ((USER, 3, 1), 192)


def test_nobody_is_there(client: Path, tmp_path: Path) -> None:
    nowhere = f"unix:{tmp_path / 'none'}"
    assert run(client, "emit", nowhere, "x", "1", "1", "4") == (
        1,
        ["connect: No such file or directory"],
    )
    assert run(client, "view", nowhere, "x", "1") == (1, ["attach: No such file or directory"])
    for address in (
        "nonsense",
        "socket://192.0.2.1:9",
        "socket://127.0.0.1:0",
        "unix:" + "x" * 200,
    ):
        assert run(client, "view", address, "x", "1") == (1, ["attach: Invalid argument"])
    with shared(tmp_path / "s") as line:
        answering = Answering(line, of_posix_trace)
        code, lines = run(client, "view", line.addresses[0], "no such stream", "1")
        assert (code, lines) == (1, ["attach: No such file or directory"])
    answering.join()


def test_the_broker_is_found_where_the_environment_says(client: Path, tmp_path: Path) -> None:
    driver = [str(client), "emit", "", "x", "1", "1", "4"]
    done = subprocess.run(driver, capture_output=True, text=True, check=False, timeout=WAIT_S)
    assert done.stdout == "connect: Invalid argument\n"
    with shared(tmp_path / "tickertape.sock") as line:
        answering = Answering(line, of_posix_trace)
        for name, value in (
            ("TICKERTAPE_BROKER", line.addresses[0]),
            ("XDG_RUNTIME_DIR", str(tmp_path)),
        ):
            environment = {**os.environ, name: value}
            done = subprocess.run(
                [client, "emit", "-", "an event", "1", "1", "4"],
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=WAIT_S,
            )
            assert done.stdout.endswith("taken 1\n")
    answering.join()


def test_nonsense_from_a_broker_is_no_event(client: Path, tmp_path: Path) -> None:
    rng = random.Random(14)
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(path)
        server.listen()
        for _ in range(20):
            process = subprocess.Popen(
                [client, "view", f"unix:{path}", "x", "1"], stdout=subprocess.PIPE
            )
            connection, _ = server.accept()
            with connection, suppress(BrokenPipeError, ConnectionResetError):
                for kind in range(9):  # the client may disconnect before the end
                    body = rng.randbytes(rng.randrange(200))
                    connection.sendall(frame(kind, rng.randrange(9), rng.randrange(70), 0, body))
                connection.sendall(rng.randbytes(rng.randrange(300_000)))
            out, _ = process.communicate(timeout=WAIT_S)
            assert (process.returncode, out) == (1, b"attach: No such file or directory\n")
