"""Clocks past 2^63 ticks: both engines refuse them in one line."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING

import pytest

from tests.support.command import assert_complaint
from tests.support.golden import INVERSION
from tests.support.target import SimulatedTarget
from tickertape._native.engine import using
from tickertape.analysis.balance import balance_of
from tickertape.collector import CaptureOptions, capture
from tickertape.link import MemoryLink
from tickertape.protocol.events import DICTIONARY_HASH
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.command import Command


def tape_at(path: Path, begin: int) -> Path:
    target = SimulatedTarget(buffers=99, buffer_records=4, now=begin, dictionary=DICTIONARY_HASH)
    target.hello()
    for row in INVERSION:
        target.advance(begin + row.time - target.now)
        if row.payload is None:
            target.record((0, 0), *row.kind, *row.data)
        else:
            target.combine((0, 0), *row.kind, row.payload)
    target.finish()
    data = b"".join(frame.data for frame in target.frames)
    capture(MemoryLink([data]), path, CaptureOptions(handle_signals=False))
    with TapeReader(path) as reader:
        total = balance_of(reader).total
        assert total.offered == total.delivered > 0
    return path


@pytest.mark.parametrize("engine", ["compiled", "plain"])
@pytest.mark.parametrize("words", ["stats", "check --spec t.yaml", "findings", "why --task high"])
def test_a_clock_past_63_bits_is_refused(
    tickertape_inside: Command, tmp_path: Path, words: str, engine: str
) -> None:
    spec = tmp_path / "t.yaml"
    spec.write_text("requirements: [{response: high, max: 1 s}]\n")
    line = [str(spec) if one == "t.yaml" else one for one in words.split()]
    late = tape_at(tmp_path / "L.tape", (1 << 63) - 50)
    with nullcontext() if engine == "compiled" else using(None):
        assert_complaint(tickertape_inside(*line, late), 2, "past 2^63 ticks", "tickertape cut")
