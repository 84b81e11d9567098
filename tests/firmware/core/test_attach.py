"""A host attaches to a named stream and detaches: the records that it and the next host get."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

from tests.support.core_driver import PLAIN_PORT, build_driver
from tests.support.patience import HANG_S
from tests.support.wire_bytes import frame
from tickertape.decode.bodies import parse_buffer_header, parse_status
from tickertape.decode.commands import Request, parse_reply
from tickertape.decode.frames import FrameDecoder
from tickertape.protocol.wire import Command, FrameType, ReplyStatus

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.decode.frames import Frame

COMMAND, STREAM, RECORD_BYTES, EVENTS = 5, 1, 16, 3
BUFFERS, BUFFER_RECORDS = 4, 16
SIZES = (f"TT_CONFIG_BUFFERS={BUFFERS}", f"TT_CONFIG_BUFFER_RECORDS={BUFFER_RECORDS}")
ATTACH = Request(Command.STREAM_ATTACH, payload=b"doors")
DETACH = Request(Command.STREAM_DETACH, payload=b"doors")
NOTHING = Request(Command.CLASSES)


def sent_after(folder: Path, commands: list[Request]) -> list[Frame]:
    """Return the frames that the target sends for these commands, one after the other."""
    names = ("TT_CONFIG_STREAMS=2", "TT_CONFIG_STREAM_NAMES=1", "TT_CONFIG_PACKING=0")
    program = build_driver(folder, "attach_driver.c", *names, *SIZES, sources=[PLAIN_PORT])
    line = b"".join(
        frame(COMMAND, 0, 0, number, one.body(number)) for number, one in enumerate(commands, 1)
    )
    done = subprocess.run([program], input=line, capture_output=True, timeout=HANG_S, check=False)
    assert (done.returncode, done.stderr) == (0, b"")
    decoder = FrameDecoder()
    decoder.receive(done.stdout)
    return list(decoder.frames())


def events_of(frames: list[Frame]) -> list[int]:
    """Return the numbers of the events in buffers."""
    return [
        int.from_bytes(one.body[at + 8 : at + 12], "little")
        for one in frames
        if one.type == FrameType.BUFFER
        for at in range(
            len(one.body) - parse_buffer_header(one.body).count * RECORD_BYTES,
            len(one.body),
            RECORD_BYTES,
        )
    ]


def after_reply(frames: list[Frame], number: int) -> list[Frame]:
    """Return the frames between the reply to a command and the next reply."""
    replies = [place for place, one in enumerate(frames) if one.type == FrameType.REPLY]
    return frames[replies[number - 1] + 1 : (*replies, len(frames))[number]]


def test_what_nobody_reads_stays_for_who_attaches_next(tmp_path: Path) -> None:
    commands = [NOTHING, ATTACH, NOTHING, DETACH, NOTHING, NOTHING, ATTACH]
    frames = sent_after(tmp_path, commands)
    replies = [parse_reply(one.body) for one in frames if one.type == FrameType.REPLY]
    assert [reply.status for reply in replies] == [ReplyStatus.DONE] * len(commands)
    assert {reply.value0 for reply in replies if reply.command != Command.CLASSES} == {STREAM}
    events = [events_of(after_reply(frames, number)) for number in range(1, len(commands) + 1)]
    # The driver records three events before each command, and three at the end.
    assert events == [
        [],
        [0, 1, 2, 3, 4, 5],
        [6, 7, 8],
        [],
        [],
        [],
        list(range(9, 24)),
    ]


def test_the_counters_of_the_rings_come_before_the_first_buffer(tmp_path: Path) -> None:
    waiting = 40  # commands; their events exceed the rings
    frames = sent_after(tmp_path, [NOTHING] * waiting + [ATTACH])
    begin = after_reply(frames, waiting + 1)
    first, second = [one for one in begin if one.stream == STREAM][:2]
    assert (first.type, second.type) == (FrameType.STATUS, FrameType.BUFFER)
    assert parse_status(first.body).settled.ordinal == 0
    header = parse_buffer_header(second.body)
    kept = events_of(begin)
    # An attaching host knows the earlier losses: offered = delivered + overwritten.
    offered = EVENTS * (waiting + 2)
    assert header.first_ordinal == kept[0] > 0
    assert kept == list(range(kept[0], offered))
    assert len(kept) <= BUFFERS * BUFFER_RECORDS


def test_a_stream_that_is_not_there_is_neither_attached_nor_left(tmp_path: Path) -> None:
    commands = [
        Request(Command.STREAM_ATTACH, payload=b"windows"),
        Request(Command.STREAM_DETACH, payload=b"windows"),
        Request(Command.STREAM_DETACH, payload=b""),
    ]
    frames = sent_after(tmp_path, commands)
    replies = [parse_reply(one.body) for one in frames if one.type == FrameType.REPLY]
    assert {reply.status for reply in replies} == {ReplyStatus.BAD_ARGUMENT}
    assert events_of(frames) == []
