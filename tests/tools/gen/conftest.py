"""A copy of the protocol's sources in a temporary checkout, which a test may change."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.tools.gen.changes import Change

CHECKOUT = Path(__file__).parents[3]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    shutil.copytree(CHECKOUT / "protocol", tmp_path / "protocol")
    for path in (tmp_path / "protocol/released").glob("*.json"):
        path.unlink()
    return tmp_path


@pytest.fixture
def change(root: Path) -> Change:
    """Return a function that replaces a unique text in a source and returns its first line."""

    def replace(name: str, old: str, new: str) -> int:
        path = root / "protocol" / name
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{old!r} occurs {text.count(old)} times in {name}"
        path.write_text(text.replace(old, new), encoding="utf-8")
        return text[: text.index(old)].count("\n") + 1

    return replace
