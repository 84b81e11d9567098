"""Bookmarks: remarks with a time, kept on the tape as notes.

The note of a bookmark is `bookmark at tick T of boot N: TEXT`, so that `info` shows it and other
tools may write it.
"""

from __future__ import annotations

import re
import threading
from typing import TYPE_CHECKING, Any, Final

from tickertape.errors import UsageError
from tickertape.tape.reader import TapeReader
from tickertape.view.axis import place_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from pathlib import Path

LONGEST_TEXT: Final = 200
MOST: Final = 1000
"""Number of bookmarks that are shown, the first ones of the tape."""

_OPEN: Final = "the tape was not closed properly"
_FORM: Final = re.compile(r"bookmark at tick (\d{1,19}) of boot (\d{1,9}): (.*)", re.DOTALL)


class Bookmarks:
    """Reads and adds the bookmarks of one tape."""

    def __init__(
        self,
        tape: Path,
        segments: Sequence[Mapping[str, Any]],
        *,
        refusal: str = "",
        renew: Callable[[Callable[[], None]], None] = lambda change: change(),
    ) -> None:
        """Set the tape and its boots on the axis.

        Args:
            tape: the tape.
            segments: boots of its index.
            refusal: why no bookmark can be added; empty if it can.
            renew: calls the function that changes the tape, and keeps its index valid.
        """
        self._tape, self._segments, self._renew = tape, segments, renew
        self._lock = threading.Lock()
        self._refusal = refusal

    def all(self) -> tuple[list[dict[str, Any]], str]:
        """Return the bookmarks in order of time, and why none can be added.

        Returns:
            Time on the axis, ns, and text of each; and the reason, empty if bookmarks can be added.
        """
        with TapeReader(self._tape) as reader:
            refusal = self._refusal or ("" if reader.closed else _OPEN)
            found = []
            for note in reader.notes:
                known = _FORM.fullmatch(note)
                segment = known and self._segment(int(known[2]))
                if known and segment:
                    time = place_of(reader, segment).ns_of(int(known[1]))
                    text = known[3][:LONGEST_TEXT]
                    if segment["begin"] <= time <= segment["end"]:
                        found.append({"time": time, "text": text})
        return sorted(found[:MOST], key=lambda one: int(one["time"])), refusal

    def add(self, when: int, text: str) -> None:
        """Add a bookmark to the tape.

        Args:
            when: time on the axis, ns; the bookmark is at the first tick from it on.
            text: one line.

        Raises:
            UsageError: no bookmark can be added, the text is not valid, or no boot has this time.
            TapeError: the tape cannot be read, or is not closed.
            TapeWriteFailed: the tape cannot be written.
        """
        with self._lock:
            if self._refusal:
                raise UsageError(
                    f"no bookmark can be added: {self._refusal}", "view the tape again"
                )
            text = text.strip()
            if not text or len(text) > LONGEST_TEXT or not text.isprintable():
                raise UsageError(
                    "this is not a bookmark's text", f"give one line of 1 to {LONGEST_TEXT} letters"
                )
            here = [one for one in self._segments if one["begin"] <= when <= one["end"]]
            if not here:
                raise UsageError("no boot has this time", "move the cursor to one")
            with TapeReader(self._tape) as reader:
                ticks = place_of(reader, here[0]).ticks(when)
            # Slow to import, and most views add no bookmark.
            from tickertape.edit.note import add_note  # noqa: PLC0415 - see above

            note = f"bookmark at tick {ticks} of boot {here[0]['epoch']}: {text}"
            self._renew(lambda: add_note(self._tape, note))

    def _segment(self, epoch: int) -> Mapping[str, Any] | None:
        return next((one for one in self._segments if one["epoch"] == epoch), None)
