"""What is remembered of a target, and when it is forgotten."""

from __future__ import annotations

import pytest

from tests.support.wire_bytes import HELLO, NAME, hello_body, name_body
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
