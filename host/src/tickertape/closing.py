"""A base for context managers that release their resources at the end of a block."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import TracebackType
    from typing import Self


class Closing(ABC):
    """Calls `close` at the end of a `with` block, also after an error."""

    def __enter__(self) -> Self:
        """Return the object; it is open already."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the object."""
        self.close()

    @abstractmethod
    def close(self) -> None:
        """Release all resources."""
