"""The CTF that babeltrace2 is measured with holds the events of the tape."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

from tools.bench import ctf, mix

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.skipif(shutil.which("babeltrace2") is None, reason="babeltrace2 is not installed")
def test_babeltrace2_reads_every_event(tmp_path: Path) -> None:
    mix.write_tape(tmp_path / "mix.tape", 3000)
    assert ctf.export(tmp_path / "mix.tape", tmp_path / "ctf") == 2160
    line = ["babeltrace2", str(tmp_path / "ctf")]
    done = subprocess.run(line, check=True, capture_output=True, text=True)
    lines = done.stdout.splitlines()
    assert len(lines) == 2160
    assert lines[1].endswith("SYNC_MUTEX_LOCK_GRANTED: { mutex = 1, tid = 2 }")
    assert lines[3].endswith('THREAD_NAME: { pid = 0, tid = 2, text = "sensor 1" }')
