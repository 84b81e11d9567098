"""Recordings of a board that cannot be judged, and the reasons."""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tickertape.analysis.balance import Balance
from tickertape.collector import CaptureResult, Progress, StopReason
from tickertape.decode.frames import LinkCounters
from tickertape.errors import LinkLost, TapeWriteFailed, TickertapeError

if TYPE_CHECKING:
    from types import ModuleType

FULL = TapeWriteFailed("the disk is full", "make room")
GONE = LinkLost("x went away", "plug it in")
PACKAGE = Path(__file__).parents[2] / "host/src/tickertape/lab"


def module() -> ModuleType:
    """Load the module without its package, which needs labgrid; labgrid is not installed here."""
    spec = importlib.util.spec_from_file_location("lab_fault", PACKAGE / "fault.py")
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = made  # dataclasses need this entry
    spec.loader.exec_module(made)
    return made


FAULT = module()
WANTED = FAULT.Wanted("motor", "/dev/ttyACM0", max_resets=1, until_final=False)
# Only the presence of a HELLO matters.
SEEN = Progress(2.5, 9, 0, 0, Balance(), LinkCounters(bytes=90, frames=9), 0, hello=object())  # type: ignore[arg-type]
GOOD = CaptureResult(StopReason.DURATION, SEEN, final=True, problems=())


def after(**changes: object) -> CaptureResult:
    return replace(GOOD, progress=replace(SEEN, **changes))  # type: ignore[arg-type]


NO_BYTES, NO_FRAMES = LinkCounters(), LinkCounters(bytes=90)


@pytest.mark.parametrize(
    ("result", "fault"),
    [
        (GOOD, None),
        (after(epoch=1), None),
        (after(epoch=2), "motor was reset 2 times in 2.5 s; find out why, or allow it: max_resets"),
        (
            after(counters=NO_BYTES),
            "motor sent nothing in 2.5 s; check power, cable and image; see",
        ),
        (after(counters=NO_FRAMES), "motor sent 90 bytes in 2.5 s and no frame; check baud rate"),
        (
            after(hello=None),
            "motor sent 9 frames in 2.5 s and no HELLO, so its firmware is unknown",
        ),
        (replace(GOOD, problems=(FULL,)), "the disk is full; make room"),
        # The capture's own message for an empty tape does not name the board.
        (replace(after(counters=NO_BYTES), problems=(FULL,)), "motor sent nothing"),
        (replace(GOOD, problems=(FULL, GONE)), "the link of motor ended after 2.5 s; check cable"),
        (replace(GOOD, reason=StopReason.END), "the link of motor ended after 2.5 s; check cable"),
    ],
)
def test_the_fault_of_a_recording(result: CaptureResult, fault: str | None) -> None:
    found: TickertapeError | None = FAULT.fault_of(result, WANTED, stopped=False)
    assert (found is None) == (fault is None)
    assert found is None or str(found).startswith(fault or "")


def test_a_recording_that_was_stopped_has_not_lost_its_link() -> None:
    ended = replace(GOOD, reason=StopReason.END)
    assert FAULT.fault_of(ended, WANTED, stopped=True) is None


def test_an_end_that_was_awaited_has_to_come() -> None:
    wanted = replace(WANTED, until_final=True)
    found = FAULT.fault_of(GOOD, wanted, stopped=False)
    assert str(found).startswith("motor did not announce its end within 2.5 s; give it more time")
    final = replace(GOOD, reason=StopReason.FINAL)
    assert FAULT.fault_of(final, wanted, stopped=False) is None


def test_without_labgrid_the_package_says_what_to_do() -> None:
    with pytest.raises(TickertapeError) as caught:
        importlib.import_module("tickertape.lab")
    assert str(caught.value).startswith(
        "labgrid is not installed here; make an environment for it: python3 -m venv lab;"
    )
