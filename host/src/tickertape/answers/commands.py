"""Words of commands that show a place of a tape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tickertape.decode.ticks import NS_PER_S

if TYPE_CHECKING:
    from tickertape.decode.ticks import Clock

_MARGIN: Final = 5  # the margin on each side is a fifth of the length
_OF_MOMENT_NS: Final = 500_000


def view_words(
    tape: str,
    clock: Clock,
    ticks: tuple[int, int],
    *,
    epoch: int,
    task: str = "",
    stream: int | None = None,
) -> list[str]:
    """Return the words of the command that shows a range in the browser.

    Args:
        tape: the tape.
        clock: clock of the boot.
        ticks: begin and end of the range; the cursor is at its begin.
        epoch: number of the boot.
        task: task whose row is selected; empty: no selection.
        stream: value of `--stream`; None for the default stream.
    """
    begin, end = clock.ns(ticks[0]), clock.ns(ticks[1])
    margin = (end - begin) // _MARGIN or _OF_MOMENT_NS
    words = ["view", tape, "--from", seconds(max(begin - margin, 0)), "--to", seconds(end + margin)]
    words += ["--at", seconds(begin), "--boot", str(epoch)]
    words += ["--task", task] if task else []
    return words + ([] if stream is None else ["--stream", str(stream)])


def seconds(ns: int) -> str:
    """Return a time in seconds with nine decimals, as command options take it."""
    return f"{ns // NS_PER_S}.{ns % NS_PER_S:09d}"
