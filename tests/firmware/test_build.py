"""What a build refuses, because the program could not do what it is there for."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.firmware.workbench import FIRMWARE

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("board", "records"), [("mps2-an386", 1024), ("native", 4000)])
def test_a_buffer_that_never_fits_into_the_link(tmp_path: Path, board: str, records: int) -> None:
    words = [f"BOARD={board}", f"BUILD={tmp_path}", f"DEFINES=TT_CONFIG_BUFFER_RECORDS={records}"]
    done = subprocess.run(
        ["make", "-s", "-C", str(FIRMWARE), *words], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "a buffer does not fit: make TT_CONFIG_BUFFER_RECORDS smaller" in done.stderr
