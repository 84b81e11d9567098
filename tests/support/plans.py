"""Events in random order, drawn by hypothesis, for tests of code that follows the system state."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hypothesis import strategies as st

from tests.support.columns import Row, columns, gap
from tickertape.decode.bodies import Name
from tickertape.model.entities import Entities
from tickertape.model.follower import Follower
from tickertape.model.names import Names
from tickertape.protocol.wire import ObjectKind

if TYPE_CHECKING:
    from tickertape.decode.events import EventColumns

CODES = sorted(Follower(Entities()).handlers)
THREAD_NAME = 4 << 10 | 320
WORDS = [0, 1, 2, 3, 4, 0x100, 0x200, 2**32 - 1]
TEXTS = ["", "a", "b", "c", "a, b", "Käse"]
ROWS = st.lists(
    st.tuples(
        st.sampled_from([*CODES, *[9 << 10] * 10, *[THREAD_NAME] * 5, *range(4 << 10, 4099), 7]),
        st.sampled_from([0, 0, 0, 1, 5]),
        st.sampled_from(WORDS),
        st.sampled_from(WORDS),
        st.sampled_from(TEXTS),
        st.sampled_from([False] * 15 + [True]),
    ),
    max_size=60,
)
Plan = list[list[tuple[int, int, int, int, str, bool]]]


def names(_epoch: int) -> Names:
    limits = {0x100: 1, 0x200: 3}
    semaphore = ObjectKind.SEMAPHORE
    said = [Name(semaphore, 0, 0, 0, id_, limit, "sem") for id_, limit in limits.items()]
    said.append(Name(ObjectKind.THREAD, 0, 0, 0, 3, 0, "c"))
    return Names({(one.kind, one.id): one for one in said})


def columns_of(part: list[tuple[int, int, int, int, str, bool]], epoch: int) -> EventColumns:
    rows, gaps = [], []
    for time, (code, cpu, data0, data1, text, lost) in enumerate(part):
        if lost:
            gaps.append(gap(time, cpu=cpu))
        payload = None
        if code == THREAD_NAME and text:
            payload = data0.to_bytes(4, "little") + data1.to_bytes(4, "little") + text.encode()
        kind = code >> 10, code & 0x3FF
        rows.append(Row(10 * time, kind, (data0, data1), payload, cpu, flags=data0 & 3))
    return columns(rows, gaps[::-1], epoch=epoch)
