"""Where tables and live lines go: text as it is, whatever names of tasks and files are made of."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

from rich.console import Console
from rich.segment import Segment

from tickertape.decode.bodies import escaped

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import ConsoleOptions, RenderableType


class PlainConsole(Console):
    """A console that takes `[x]` and `:x:` in a text for what they are."""

    def __init__(self, *, stderr: bool = False) -> None:
        """Write to standard output, or to standard error."""
        super().__init__(stderr=stderr, highlight=False, soft_wrap=False, markup=False, emoji=False)

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Render with control characters escaped: texts of targets and tapes may contain any."""
        for text, style, control in super().render(renderable, options):
            lines = (
                text if control or text.isprintable() else "\n".join(map(escaped, text.split("\n")))
            )
            yield Segment(lines, style, control)

    def on_broken_pipe(self) -> NoReturn:
        """Leave it to `main`, which ends in order when the reader has gone.

        Raises:
            BrokenPipeError: always.
        """
        raise BrokenPipeError
