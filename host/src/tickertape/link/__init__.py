"""Bytes from and to a target over any kind of link.

`open_link` turns an address into a `Link`; `memory.MemoryLink` is one without a device, for tests.
"""

from tickertape.link.base import Link
from tickertape.link.memory import Damage, MemoryLink
from tickertape.link.opener import open_link

__all__ = ["Damage", "Link", "MemoryLink", "open_link"]
