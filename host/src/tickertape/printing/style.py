"""Interface of all line-by-line exporters, so that `print` depends on none of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns


class LineExporter(Protocol):
    """Converts events to lines; a line may contain line ends, but has none at its end."""

    def head(self) -> Iterator[str]:
        """Yield the header."""
        ...

    def lines(
        self, columns: EventColumns, chosen: NDArray[np.bool_] | None = None
    ) -> Iterator[str]:
        """Yield the lines of the next events in order of time.

        Args:
            columns: the events.
            chosen: whether to print each row, one bool per row (`Selector.mask`); None for all.
        """
        ...

    def tail(self) -> Iterator[str]:
        """Yield the trailer."""
        ...
