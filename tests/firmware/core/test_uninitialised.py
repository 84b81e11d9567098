"""A recorder whose tt_init() failed, or was never called, does nothing and returns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.core_driver import PLAIN_PORT, run_driver

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(
    "defines",
    [
        (),
        ("TT_CONFIG_FINALIZE=1", "TT_CONFIG_STREAMS=2"),
        ("TT_CONFIG_READERS=1", "TT_CONFIG_STREAMS=3"),
        ("TT_CONFIG_STREAM_NAMES=1", "TT_CONFIG_DEFINITIONS=4", "TT_CONFIG_PACKING=0"),
    ],
)
def test_every_call_returns(tmp_path: Path, defines: tuple[str, ...]) -> None:
    run_driver(tmp_path, "uninitialised_driver.c", *defines, sources=[PLAIN_PORT])
