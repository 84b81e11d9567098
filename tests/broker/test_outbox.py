"""The queue of a caller: a newer announcement replaces the waiting one without a loss."""

from __future__ import annotations

from tickertape.broker.outbox import Outbox
from tickertape.decode.frames import Frame
from tickertape.protocol.wire import FrameType


def frame(kind: FrameType, stream: int, body: bytes) -> Frame:
    return Frame(kind, stream, 0, 0, body, 0)


def taken(outbox: Outbox) -> list[tuple[int, int, bytes]]:
    return [(one.type, one.stream, one.body) for one in outbox.take(0.0)]


def test_counters_stay_in_front_of_the_records_that_follow_them() -> None:
    outbox = Outbox()
    status, records = FrameType.STATUS, FrameType.BUFFER
    outbox.put(frame(status, 1, b"old"))
    outbox.put(frame(status, 1, b"new"))
    outbox.put(frame(status, 2, b"other"))
    outbox.put(frame(records, 1, b"records"))
    outbox.put(frame(status, 1, b"newer"))
    outbox.put(frame(status, 2, b"other again"))
    outbox.put(frame(status, 1, b"newest"))
    assert taken(outbox) == [
        (status, 1, b"new"),
        (records, 1, b"records"),
        (status, 2, b"other again"),
        (status, 1, b"newest"),
    ]


def test_counters_of_records_that_found_no_room_take_none_themselves() -> None:
    outbox = Outbox(most_bytes=2000)
    for number in range(5000):
        outbox.put(frame(FrameType.STATUS, 1, number.to_bytes(400, "little")))
        outbox.put(frame(FrameType.BUFFER, 1, bytes(100)))
    outbox.put(frame(FrameType.REPLY, 0, b"reply"))
    kinds = [kind for kind, _, _ in taken(outbox)]
    assert kinds[-1] == FrameType.REPLY
    assert 3 < len(kinds) < 20
