"""A link without a device: the mock that ships with the boundary.

It hands out bytes that a test has scripted, with the damage that a real line does.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Damage:
    """One accident on the line.

    Attributes:
        kind: `drop` loses the bytes, `double` sends them twice, `flip` inverts the bits of
            `mask` in each of them.
        offset: where it begins, counted in bytes fed since the link was made.
        count: how many bytes it hits.
        mask: bits to invert, for `flip`.
    """

    kind: Literal["drop", "double", "flip"]
    offset: int
    count: int = 1
    mask: int = 0x01


class MemoryLink:
    """A `Link` in memory.

    What the target would send is fed with `feed`; what the host writes is kept in `written`.
    """

    def __init__(
        self,
        pieces: Iterable[bytes] = (),
        *,
        damage: Iterable[Damage] = (),
        ends: bool = True,
        live: bool = True,
    ) -> None:
        """Make a link that hands out `pieces`, one per `read`.

        Args:
            pieces: bytes in the portions in which they arrive.
            damage: accidents; offsets count the fed bytes, whatever the pieces are.
            ends: whether the link is at its end after the last piece, or stays open.
            live: what `live` says.
        """
        raise NotImplementedError

    def feed(self, data: bytes) -> None:
        """Let the target send `data`; the scripted damage is done to it here."""
        raise NotImplementedError

    def end(self) -> None:
        """Let the peer close: after what was fed comes the end."""
        raise NotImplementedError
