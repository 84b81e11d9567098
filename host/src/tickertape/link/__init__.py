"""Bytes from and to a target over any kind of link.

`open_link` opens a `Link` by its address; `memory.MemoryLink` is a link without a device, for
tests.
"""

from tickertape.link.base import Link
from tickertape.link.memory import Damage, MemoryLink
from tickertape.link.opener import open_link

__all__ = ["Damage", "Link", "MemoryLink", "open_link"]
