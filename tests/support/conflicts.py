"""Random events of threads that share mutexes and a condition."""

from __future__ import annotations

from hypothesis import strategies as st

from tests.support.columns import Row

TIDS = st.integers(1, 4)
LIFE = st.sampled_from([0, 2, 3, 12, 13, 14, 24, 25])
LOCK = st.sampled_from([0, 1, 3, 6, 7, 8])


@st.composite
def conflicts(draw: st.DrawFn) -> list[Row]:
    """Draw events of four threads that share two mutexes and a condition."""
    time, rows = 0, []
    for _ in range(draw(st.integers(0, 60))):
        time += draw(st.integers(0, 3))
        tid, other, mutex = draw(TIDS), draw(st.integers(0, 4)), draw(st.sampled_from([8, 16]))
        cpu = draw(st.integers(0, 1))
        kind = draw(st.integers(0, 4))
        if kind == 0:
            rows.append(Row(time, (9, 5), (tid, draw(st.integers(0, 9))), cpu=cpu))
        elif kind == 1:
            rows.append(Row(time, (4, draw(LIFE)), (0, tid), cpu=cpu))
        elif kind == 2:
            rows.append(Row(time, (9, 0), (other, tid), cpu=cpu))
        else:
            rows.append(
                Row(time, (8, draw(LOCK)), (mutex, draw(st.sampled_from([0, tid]))), cpu=cpu)
            )
    return rows
