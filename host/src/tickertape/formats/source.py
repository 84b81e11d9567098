"""A tape to export."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.formats.report import no_progress
from tickertape.model.boot import Boots

if TYPE_CHECKING:
    from tickertape.formats.report import Progress
    from tickertape.model.boot import BootOf
    from tickertape.tape.reader import TapeReader


class Source:
    """A tape to export.

    Attributes:
        reader: the tape.
        boots: returns a `Boot` for an epoch.
        on_progress: called with the number of events exported so far.
    """

    def __init__(
        self, reader: TapeReader, boots: BootOf | None = None, on_progress: Progress = no_progress
    ) -> None:
        """Store a tape; `boots` defaults to the boots of the tape."""
        self.reader = reader
        self.boots = boots or Boots(reader)
        self.on_progress = on_progress
