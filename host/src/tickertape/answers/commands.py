"""Words of commands that show a place of a tape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tickertape.decode.ticks import NS_PER_S

if TYPE_CHECKING:
    from tickertape.decode.ticks import Clock

_MARGIN: Final = 5  # a fifth of the length on both sides
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
        clock: of the boot.
        ticks: begin and end; the cursor is at the begin.
        epoch: the boot.
        task: whose row is selected; empty for none.
        stream: as the option; None for the default.
    """
    begin, end = clock.ns(ticks[0]), clock.ns(ticks[1])
    margin = (end - begin) // _MARGIN or _OF_MOMENT_NS
    words = ["view", tape, "--from", seconds(max(begin - margin, 0)), "--to", seconds(end + margin)]
    words += ["--at", seconds(begin), "--boot", str(epoch)]
    words += ["--task", task] if task else []
    return words + ([] if stream is None else ["--stream", str(stream)])


def seconds(ns: int) -> str:
    """Return a time as options of commands take it."""
    return f"{ns // NS_PER_S}.{ns % NS_PER_S:09d}"
