"""The compiled running threads equal those of `RunningThreads`, row by row and chunk by chunk."""

from __future__ import annotations

import os
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.native.sanitized import VARIABLE, run_sanitized
from tests.support.columns import Row, columns, gap, switch
from tickertape._native.engine import using
from tickertape.model.compiled_running import CompiledRunningThreads
from tickertape.model.running import RunningThreads

if TYPE_CHECKING:
    from ctypes import CDLL
    from pathlib import Path

# A row: CPU, stream, threads of a switch (from, to), whether records are missing before it.
_ROWS = st.lists(
    st.tuples(
        st.sampled_from([0, 0, 0, 0, 1]),
        st.sampled_from([0, 0, 0, 0, 1]),
        st.none() | st.tuples(*[st.sampled_from([0, 1, 2, 2**32 - 1])] * 2),
        st.booleans(),
    ),
    max_size=25,
)


@given(st.lists(_ROWS, max_size=4), st.booleans(), st.booleans())
def test_agrees_with_numpy(
    compiled: CDLL,
    plan: list[list[tuple[int, int, tuple[int, int] | None, bool]]],
    one_ring: bool,  # noqa: FBT001 - given
    ends_in_gap: bool,  # noqa: FBT001 - given
) -> None:
    plain, fast = RunningThreads(), CompiledRunningThreads()
    for number, part in enumerate(plan):
        rows, gaps = [], []
        for time, (cpu, stream, switched, lost) in enumerate(part):
            ring = (0, 0) if one_ring else (cpu, stream)
            if lost:
                gaps.append(gap(time, cpu=ring[0], stream=ring[1]))
            if switched is None:
                rows.append(Row(time, cpu=ring[0], stream=ring[1]))
            else:
                rows.append(switch(time, *switched, cpu=ring[0], stream=ring[1]))
        if ends_in_gap:
            gaps.append(gap(len(rows)))
        made = columns(rows, gaps[::-1], epoch=number // 2)
        with using(compiled):
            assert fast.column(made).tolist() == plain.column(made).tolist()


def test_a_part_keeps_what_was_found_for_the_whole() -> None:
    """A part keeps the running thread even if the switch that reveals it follows the part."""
    whole = columns([Row(0), switch(1, 4, 5), Row(2)])
    whole = replace(whole, running=RunningThreads().column(whole))
    first = whole.take(np.array([0]))
    for threads in (RunningThreads(), CompiledRunningThreads()):
        assert threads.column(first).tolist() == [4]


@pytest.mark.skipif(VARIABLE in os.environ, reason="this is the inner run")
def test_all_of_this_under_the_sanitizers(sanitized_library: Path) -> None:
    run_sanitized(__file__, sanitized_library)
