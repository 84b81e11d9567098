"""`Seen` stores the latest announcements of a target, and forgets them after a reset."""

from __future__ import annotations

import struct

import pytest

from tests.support.wire_bytes import HELLO, NAME, STATUS, hello_body, name_body
from tickertape.control.seen import Seen
from tickertape.decode.frames import Frame
from tickertape.protocol.wire import ObjectKind


def came(kind: int, body: bytes) -> Frame:
    return Frame(kind, 0, 0, 0, body, 0)


@pytest.mark.parametrize(
    ("later", "kept"),
    [
        ({"ticks": 60, "boot_id": 7}, [4]),
        ({"ticks": 60, "boot_id": 8}, []),
        ({"ticks": 40, "boot_id": 7}, []),
    ],
)
def test_a_boot_forgets_the_names_of_the_one_before(later: dict[str, int], kept: list[int]) -> None:
    seen = Seen()
    seen.take(came(HELLO, hello_body(ticks=50, boot_id=7)))
    seen.take(came(NAME, name_body(1, 4, "motor")))
    seen.take(came(HELLO, hello_body(**later)))  # type: ignore[arg-type] # what hello_body has
    seen.take(came(HELLO, b"short"))
    assert seen.numbers(ObjectKind.THREAD, "motor") == kept
    assert seen.numbers(ObjectKind.DOMAIN, "motor") == []
    assert len(seen.introduction()) == 1 + len(kept)
    assert seen.introduction()[0].type == HELLO


def test_names_have_a_limit() -> None:
    seen = Seen()
    for number in range(5000):
        seen.take(came(NAME, name_body(2, number, "m")))
    assert len(seen.introduction()) == 4096


def test_counters_without_those_of_classes_leave_them_as_they_were() -> None:
    seen = Seen()
    seen.take(came(HELLO, hello_body()))
    head = [struct.pack("<7Q4BI", 0, 0, 0, offered, 0, 0, 0, 2, 1, 0, 0, 1) for offered in (5, 6)]
    seen.take(came(STATUS, head[0]))
    assert not seen.rings_are_known(0)  # the counters of classes are missing
    seen.take(came(STATUS, head[0][:58] + b"\1" + head[0][59:] + struct.pack("<III", 1, 2, 3)))
    seen.take(came(STATUS, head[1]))
    assert seen.rings_are_known(0)
    status = seen.statuses[0, 0]
    assert status.offered == 6
    assert status.classes[0].overwritten == 2
