"""Tapes of every kind, made once."""

from __future__ import annotations

import pytest

from tests.api.tapes import Tapes


@pytest.fixture(scope="session")
def tapes(tmp_path_factory: pytest.TempPathFactory) -> Tapes:
    """Return what makes a tape of each kind."""
    return Tapes(tmp_path_factory.mktemp("kinds"))
