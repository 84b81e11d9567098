"""Where tables and live lines go: text as it is, whatever names of tasks and files are made of."""

from __future__ import annotations

from typing import NoReturn

from rich.console import Console


class PlainConsole(Console):
    """A console that takes `[x]` and `:x:` in a text for what they are."""

    def __init__(self, *, stderr: bool = False) -> None:
        """Write to standard output, or to standard error."""
        super().__init__(stderr=stderr, highlight=False, soft_wrap=False, markup=False, emoji=False)

    def on_broken_pipe(self) -> NoReturn:
        """Leave it to `main`, which ends in order when the reader has gone.

        Raises:
            BrokenPipeError: always.
        """
        raise BrokenPipeError
