"""The compiled writer of system traces writes the same bytes as `BtfLines`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.native.sanitized import VARIABLE, run_sanitized
from tests.support.examples import examples
from tests.support.plans import ROWS, Plan, columns_of, names
from tickertape._native.btf import BtfWriter
from tickertape._native.engine import using
from tickertape._native.interface import TRANSITION, BtfJob, BtfTable
from tickertape.formats.btf.compiled_lines import btf_lines
from tickertape.formats.btf.transition_lines import BtfLines
from tickertape.model.compiled_system import system_model
from tickertape.model.system import SystemModel
from tickertape.model.transitions import Action

if TYPE_CHECKING:
    from ctypes import CDLL
    from pathlib import Path

    from tickertape.decode.events import EventColumns


def written(model: SystemModel, lines: BtfLines, parts: list[EventColumns]) -> bytes:
    """Return the bytes that the exporter writes for parts."""
    out = b""
    epoch = None
    for part in parts:
        found = model.feed(part)
        if part.epoch != epoch:
            epoch = part.epoch
            lines.begin_boot(3_000_000 + epoch, lines.time_ns)
            out += lines.start(lines.time_ns, 2)
        begin = 0
        for gap in sorted(part.gaps, key=lambda one: one.row):
            end = int(found.row.searchsorted(gap.row))
            out += b"".join(bytes(block) for block in lines.blocks(found, begin, end))
            out += lines.loss(gap.cpu, gap.lost, lines.time_ns)
            begin = end
        out += b"".join(bytes(block) for block in lines.blocks(found, begin, len(found)))
    return out + lines.stop() + f"{lines.count} {lines.without_source} {lines.time_ns}".encode()


def both(compiled: CDLL, parts: list[EventColumns], *, old: bool) -> bytes:
    plain = SystemModel(names)
    with using(compiled):
        fast = system_model(names)
        lines = btf_lines(fast.entities, old=old)
    wanted = written(plain, BtfLines(plain.entities, old=old), parts)
    assert written(fast, lines, parts).splitlines() == wanted.splitlines()
    return wanted


@settings(max_examples=examples(400))
@given(st.lists(ROWS, max_size=4), st.booleans())
def test_agrees_with_python(compiled: CDLL, plan: Plan, old: bool) -> None:  # noqa: FBT001 - hypothesis gives it by place
    both(compiled, [columns_of(part, number // 2) for number, part in enumerate(plan)], old=old)


@pytest.mark.parametrize("old", [False, True])
def test_more_than_a_block(compiled: CDLL, *, old: bool) -> None:
    part = [(9 << 10, 0, i % 3, (i + 1) % 3, "", False) for i in range(20_000)]
    text = both(compiled, [columns_of(part, 0)], old=old)
    assert len(text) > 1 << 20


def test_names_longer_than_usual(compiled: CDLL) -> None:
    name = (4 << 10 | 320, 0, 0, 1, "x" * 5000, False)
    part = [(4 << 10 | 24, 0, 0, 1, "", False), name, (9 << 10, 0, 0, 1, "", False)]
    assert b"x" * 5000 in both(compiled, [columns_of(part, 0)], old=False)


def test_misuse_is_refused(compiled: CDLL) -> None:
    writer = BtfWriter(compiled, {}, old=False)
    table = np.zeros(3, TRANSITION)
    with pytest.raises(IndexError):
        list(writer.write(table, 0, 4, BtfJob(tick_hz=1)))
    with pytest.raises(ValueError, match="not transitions"):
        list(writer.write(table[::2], 0, 1, BtfJob(tick_hz=1)))
    with pytest.raises(MemoryError):  # more entities than were added
        list(writer.write(table, 0, 3, BtfJob(tick_hz=1)))
    with pytest.raises(ValueError, match="too long"):
        BtfWriter(compiled, {BtfTable.ACTION: {Action.LOSE: "too long" * 8}}, old=False)


@pytest.mark.skipif(VARIABLE in os.environ, reason="this is the inner run")
def test_all_of_this_under_the_sanitizers(sanitized_library: Path) -> None:
    run_sanitized(__file__, sanitized_library)
