"""Fixture: tapes of every kind, each made once."""

from __future__ import annotations

import pytest

from tests.api.tapes import Tapes


@pytest.fixture(scope="session")
def tapes(tmp_path_factory: pytest.TempPathFactory) -> Tapes:
    """Return the maker of tapes of each kind."""
    return Tapes(tmp_path_factory.mktemp("kinds"))
