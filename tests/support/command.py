"""The command `tickertape` as a process: its path, its result, and its error line."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

COMMAND = Path(sys.executable).with_name("tickertape")

Done = subprocess.CompletedProcess[str]
Command = Callable[..., Done]
"""The type of the fixture `tickertape`."""


def assert_complaint(done: Done, code: int, *parts: str) -> None:
    """Check that a command failed with this exit code and one line that contains `parts`."""
    assert done.returncode == code, done
    lines = done.stderr.splitlines()
    assert len(lines) == 1, done.stderr
    assert lines[0].startswith("tickertape: ")
    assert "; " in lines[0]
    for part in parts:
        assert part in lines[0]
