"""The interface of every line-by-line exporter, so that `print` does not depend on one of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    import numpy as np
    from numpy.typing import NDArray

    from tickertape.decode.events import EventColumns


class LineExporter(Protocol):
    """Turns events into lines; a line may hold line ends, and has none at its end."""

    def head(self) -> Iterator[str]:
        """Yield the header."""
        ...

    def lines(
        self, columns: EventColumns, chosen: NDArray[np.bool_] | None = None
    ) -> Iterator[str]:
        """Yield the lines of the next events in order of time.

        Args:
            columns: the events.
            chosen: one bool for each row, as `Selector.mask` gives it; None for all.
        """
        ...

    def tail(self) -> Iterator[str]:
        """Yield the trailer."""
        ...
