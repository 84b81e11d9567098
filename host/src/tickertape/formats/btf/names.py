"""Converts names of entities to names that a file can contain: unique, without separators."""

from __future__ import annotations

import re
from typing import Final

_NOT_ALLOWED: Final = re.compile(r"[\x00-\x20,\x7f-\x9f]+")


class UniqueNames:
    """Assigns a unique name to every entity, whatever its type."""

    def __init__(self, *, ascii_only: bool) -> None:
        """Create an empty set of names.

        Args:
            ascii_only: whether names are restricted to ASCII (before version 2.2).
        """
        self._ascii_only = ascii_only
        self._taken: set[str] = set()

    def take(self, wanted: str) -> str:
        """Return an unused valid name close to `wanted`, and mark it as used."""
        name = _NOT_ALLOWED.sub("_", wanted.strip())
        if self._ascii_only:
            name = name.encode("ascii", "backslashreplace").decode("ascii")
        if not name or name.startswith("#"):
            name = f"_{name}"
        unique, number = name, 2
        while unique in self._taken:
            unique, number = f"{name}_{number}", number + 1
        self._taken.add(unique)
        return unique
