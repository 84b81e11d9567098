"""The console of tables and live lines: prints names literally, without markup."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, NoReturn

from rich.console import Console
from rich.segment import Segment

from tickertape.text import escaped_lines

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import ConsoleOptions, RenderableType


_FILE_WIDTH: Final = 1000
"""Width of a file or pipe, larger than any line: programs read one row per line."""


class PlainConsole(Console):
    """A console that prints `[x]` and `:x:` literally, not as markup and emoji.

    It wraps no line of a file or pipe. The variable COLUMNS sets the width, as for other programs.
    """

    def __init__(self, *, stderr: bool = False) -> None:
        """Write to standard output, or to standard error."""
        super().__init__(stderr=stderr, highlight=False, soft_wrap=False, markup=False, emoji=False)
        if not self.is_terminal and "COLUMNS" not in os.environ:
            self.width = _FILE_WIDTH

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render with control characters escaped: texts of targets and tapes may contain any."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else escaped_lines(text), style, control)

    def on_broken_pipe(self) -> NoReturn:
        """Leave the error to `main`, which exits without a message when the reader has gone.

        Raises:
            BrokenPipeError: always.
        """
        raise BrokenPipeError
