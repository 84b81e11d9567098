"""The recorder on a chip with 16 KiB of RAM: TT_CONFIG_SMALL, and the loop of examples/small."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.workbench import build, run_qemu
from tickertape.analysis.balance import balance_of
from tickertape.collector import CaptureOptions, capture
from tickertape.link import MemoryLink
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

BOARD = "microbit"
USER, SAMPLES = 6, 300


@pytest.mark.parametrize(
    ("burst", "between", "loses"), [(0, 1, False), (2, 5, True), (7, 40, True)]
)
def test_every_record_of_the_loop_is_delivered_or_counted(
    burst: int, between: int, *, loses: bool, tmp_path: Path
) -> None:
    """The program's counts equal the counters of classes; the emulated link never waits."""
    options = (f"duration_ms={SAMPLES}", f"burst={burst}", f"between={between}")
    link = tmp_path / "link.bin"
    done = run_qemu(BOARD, build(BOARD, "small"), *options, trace=f"file:{link}")
    assert (done.returncode, done.stdout) == (0, "")
    capture(
        MemoryLink([link.read_bytes()]),
        tmp_path / "small.tape",
        CaptureOptions(handle_signals=False),
    )
    with TapeReader(tmp_path / "small.tape") as reader:
        events = [event for part in iter_events(reader) for event in part.events()]
        (ring,) = balance_of(reader).rings
    assert ring.final
    assert ring.by_class is not None
    total, user = ring.balance, ring.by_class.classes[USER]
    assert total.offered == total.delivered + total.overwritten + total.dropped + total.damaged
    assert (total.overwritten, total.damaged) == (0, 0)
    told = [event for event in events if event.type.class_name == "USER"]
    *loop, last = told
    assert (last.event, last.words) == (3, (SAMPLES * (1 + burst), 0))
    keys = [(event.words[0], event.words[1] if event.event == 2 else -1) for event in loop]
    assert keys == sorted(set(keys)), "in order, each at most once"
    assert user.delivered == len(told)
    assert user.offered == SAMPLES * (1 + burst) + 1
    assert (total.dropped > 0) == loses
    if not loses:
        assert len(told) == user.offered
        assert [event.event for event in loop] == ([1] + [2] * burst) * SAMPLES
