"""Trace times equal kernel times if QEMU skips idle time, as under Zephyr's own `run` target."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import pytest

from tests.support.zephyr_boards import (
    APPS,
    BUILD_SECONDS,
    RUN_SECONDS,
    build,
    needs_zephyr,
    run,
)
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from pathlib import Path

BOARD = "mps2_an385"
# A turn of apps/contended sleeps for 10 ms, which end with the second tick of 10 ms. The first turn
# does not begin at a tick and is left out.
TURN_S = 0.020
TICK_S = 0.010

pytestmark = [needs_zephyr, pytest.mark.timeout(BUILD_SECONDS + 2 * RUN_SECONDS)]


def seconds_of_turns(folder: Path, tape: Path) -> list[float]:
    events = run(folder, BOARD, tape).events
    with TapeReader(tape) as reader:
        assert reader.hello is not None
        tick_hz = reader.hello.tick_hz
    begins = [event.time_ticks for event in events if event.name == "USER.USER_0"]
    return [(end - begin) / tick_hz for begin, end in pairwise(begins[1:])]


def test_the_default_clock_is_that_of_the_kernel(tmp_path: Path) -> None:
    folder = build(APPS / "contended", BOARD, name="clock")
    turns = seconds_of_turns(folder, tmp_path / "T.tape")
    assert sum(turns) / len(turns) == pytest.approx(TURN_S, abs=TICK_S / 100)


def test_the_register_of_the_board_runs_ahead_there(tmp_path: Path) -> None:
    """If QEMU skips time, the register counts too much; therefore it is not the default clock."""
    register = "-DCONFIG_TICKERTAPE_CLOCK_REGISTER=y"
    folder = build(APPS / "contended", BOARD, register, name="clock-register")
    turns = seconds_of_turns(folder, tmp_path / "T.tape")
    assert sum(turns) / len(turns) > 1.5 * TURN_S
