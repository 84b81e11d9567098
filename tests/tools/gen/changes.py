"""Type of the fixture `change`, which changes a source of the protocol."""

from __future__ import annotations

from collections.abc import Callable

Change = Callable[[str, str, str], int]
