"""Find the fault of a recording of a board."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tickertape.collector import StopReason
from tickertape.errors import LinkError, LinkLost, LinkSilent, TargetError

if TYPE_CHECKING:
    from tickertape.collector import CaptureResult
    from tickertape.errors import TickertapeError


@dataclass(frozen=True, slots=True)
class Wanted:
    """Requirements for a recording.

    Attributes:
        board: name of the board, for messages.
        link: address of its link, for messages.
        max_resets: number of resets that are allowed.
        until_final: whether the target has to announce its end in time.
    """

    board: str
    link: str
    max_resets: int
    until_final: bool


def fault_of(result: CaptureResult, wanted: Wanted, *, stopped: bool) -> TickertapeError | None:
    """Return why a recording cannot be judged; None if it can.

    Args:
        result: result of the capture; its tape is kept in any case.
        wanted: requirements for the recording.
        stopped: whether the caller ended it, not the link.
    """
    progress = result.progress
    lost = [one for one in result.problems if isinstance(one, LinkLost)]
    if lost or (result.reason is StopReason.END and not stopped):
        return LinkLost(
            f"the link of {wanted.board} ended after {progress.elapsed_s:.1f} s",
            "check cable, power and exporter, then record again",
        )
    # Before the problems of the capture: for an empty tape they do not name the board.
    nothing = _nothing(result, wanted)
    if nothing is not None:
        return nothing
    if result.problems:
        return result.problems[0]
    if progress.epoch > wanted.max_resets:
        return TargetError(
            f"{wanted.board} was reset {progress.epoch} times in {progress.elapsed_s:.1f} s",
            f"find out why, or allow it: max_resets: {progress.epoch}",
        )
    if wanted.until_final and result.reason is not StopReason.FINAL:
        return TargetError(
            f"{wanted.board} did not announce its end within {progress.elapsed_s:.1f} s",
            "give it more time, or record without until_final",
        )
    return None


def _nothing(result: CaptureResult, wanted: Wanted) -> TickertapeError | None:
    """Return the error for a link that delivered no frame, or no HELLO; else None."""
    counters, elapsed = result.progress.counters, f"{result.progress.elapsed_s:.1f} s"
    look = f"see: tickertape doctor {wanted.link}"
    if counters.frames and result.progress.hello is None:
        return LinkError(
            f"{wanted.board} sent {counters.frames} frames in {elapsed} and no HELLO, so its "
            "firmware is unknown",
            "record for longer",
        )
    if counters.frames:
        return None
    if counters.bytes:
        return LinkError(
            f"{wanted.board} sent {counters.bytes} bytes in {elapsed} and no frame",
            f"check baud rate and image; {look}",
        )
    return LinkSilent(
        f"{wanted.board} sent nothing in {elapsed}", f"check power, cable and image; {look}"
    )
