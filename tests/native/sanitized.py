"""Run tests again with the sanitized compiled part."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

# Environment variable with the path of a library to test instead of a new build.
VARIABLE = "TICKERTAPE_TEST_LIBRARY"


def run_sanitized(tests: str, library: Path) -> None:
    """Run the tests of a file in a process that uses the sanitized library."""
    line = ["cc", "-print-file-name=libasan.so"]
    done = subprocess.run(line, check=True, capture_output=True, text=True)
    # Coverage measures the same lines in the run without sanitizers.
    inherited = {k: v for k, v in os.environ.items() if not k.startswith("COVERAGE_")}
    environment = {
        **inherited,
        VARIABLE: str(library),
        "LD_PRELOAD": done.stdout.strip(),
        "ASAN_OPTIONS": "detect_leaks=0",  # Python itself does not free all memory at its end
    }
    inner = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider"]
    inner += ["--hypothesis-profile=quick", tests]
    run = subprocess.run(inner, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
