"""Names of entities as a file can contain them: unique over all types, without separators."""

from __future__ import annotations

import re
from typing import Final

_NOT_ALLOWED: Final = re.compile(r"[\x00-\x20,\x7f-\x9f]+")


class UniqueNames:
    """Gives every entity a name of its own."""

    def __init__(self, *, ascii_only: bool) -> None:
        """Begin with no name taken.

        Args:
            ascii_only: names contain only ASCII (before version 2.2).
        """
        self._ascii_only = ascii_only
        self._taken: set[str] = set()

    def take(self, wanted: str) -> str:
        """Return an unused name like `wanted`."""
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
