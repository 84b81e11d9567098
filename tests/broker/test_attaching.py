"""Attaching to a stream and detaching: received records, earlier losses, remaining records."""

from __future__ import annotations

import threading
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from tests.broker.client import (
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
from tests.broker.line import WAIT_S, Line, shared
from tests.support.target import DROP, OVERWRITE, SimulatedTarget
from tickertape.control import ControlClient
from tickertape.control.channel import LinkChannel
from tickertape.errors import CommandRefused
from tickertape.link import open_link
from tickertape.protocol.wire import Command

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.decode.commands import Request


def send_all(target: SimulatedTarget, line: Line) -> list[bytes]:
    """Send the buffers in the stream's ring; return their frames."""
    target.flush((STREAM, 0))
    sent = []
    while (one := target.send_buffer((STREAM, 0))) is not None:
        line.feed(one.data)
        sent.append(one.data)
    return sent


@pytest.mark.parametrize("fate", ["overwritten", "damaged"])
def test_what_is_lost_before_the_first_buffer_is_counted(
    client: Path, tmp_path: Path, fate: str
) -> None:
    """Counters and buffers arrive before the reply to STREAM_ATTACH; the first buffers are lost."""
    target = SimulatedTarget(
        streams=3,
        boot_id=7,
        buffers=4,
        buffer_records=16,
        policy=OVERWRITE if fate == "overwritten" else DROP,
    )
    for number in range(200 if fate == "overwritten" else 60):
        target.record((STREAM, 0), USER, 1, number)
        target.advance(10)
    with shared(tmp_path / "s") as line:

        def answer(request: Request) -> tuple[int, int, int]:
            if request.command == Command.STREAM_ATTACH:
                line.feed(target.hello().data)
                line.feed(target.status((STREAM, 0)).data)
                if fate == "damaged":
                    target.send_buffer((STREAM, 0))
                    target.send_buffer((STREAM, 0))
                send_all(target, line)
                line.feed(target.status((STREAM, 0)).data)
            return of_posix_trace(request)

        answering = Answering(line, answer)
        viewer = Viewer(client, line.addresses[0])
        assert viewer.first == "attached"
        finish(target, line, len(target.frames))
        lines = viewer.lines()
    answering.join()
    offered, delivered, overwritten, dropped, damaged = balance_of(lines)
    state = target.rings[STREAM, 0]
    assert (offered, dropped) == (len(state.fates), state.dropped)
    assert overwritten == state.overwritten
    assert damaged == (32 if fate == "damaged" else 0)
    assert len(records_of(lines)) == delivered
    assert overwritten + damaged > 0
    first = next(one for one in lines if one.startswith("buffer "))
    assert int(first.split()[3]) == overwritten + damaged


def test_who_leaves_last_leaves_the_stream_to_the_target(client: Path, tmp_path: Path) -> None:
    target = SimulatedTarget(streams=3, boot_id=7)
    target.hello()
    left = threading.Event()

    def answer(request: Request) -> tuple[int, int, int]:
        if request.command == Command.STREAM_DETACH:
            left.set()
        return of_posix_trace(request)

    with shared(tmp_path / "s") as line:
        answering = Answering(line, answer)
        line.feed(target.sent_bytes())
        viewers = [Viewer(client, line.addresses[0]) for _ in range(3)]
        for viewer in viewers:
            viewer.kill()
        assert left.wait(WAIT_S)
        again = Viewer(client, line.addresses[0])
        assert again.first == "attached"
        finish(target, line, len(target.frames))
        again.lines()
    answering.join()
    streams = {Command.STREAM_ATTACH, Command.STREAM_DETACH}
    commands = [one.command for one in answering.requests if one.command in streams]
    # The last reader leaves when the link ends, so the last command may be missing.
    assert commands[:5] == [Command.STREAM_ATTACH] * 3 + [
        Command.STREAM_DETACH,
        Command.STREAM_ATTACH,
    ]


def test_what_was_attached_for_good_stays_so(client: Path, tmp_path: Path) -> None:
    target = SimulatedTarget(streams=3, boot_id=7)
    target.hello()
    with shared(tmp_path / "s") as line:
        answering = Answering(line, of_posix_trace)
        line.feed(target.sent_bytes())
        with closing(open_link(line.addresses[0])) as link:
            control = ControlClient(LinkChannel(link), patience_s=WAIT_S)
            assert control.attach(STREAM_NAME) == STREAM
            viewer = Viewer(client, line.addresses[0])
            assert viewer.first == "attached"
            control.detach(STREAM_NAME)  # takes effect when the last reader has gone
            before = [one.command for one in answering.requests]
            viewer.kill()
            while Command.STREAM_DETACH not in [one.command for one in answering.requests]:
                control.call(Command.HELLO)
            assert Command.STREAM_DETACH not in before
            with pytest.raises(CommandRefused, match="no stream of this name"):
                control.detach("no such stream")
    answering.join()
