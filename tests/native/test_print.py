"""`tickertape print` writes the same bytes to a file with and without the compiled part."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tickertape._native.engine import VARIABLE
from tools.bench import mix

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("options", [[], ["--class", "SCHED"], ["--task", "7"]])
def test_both_ways_agree(tmp_path: Path, options: list[str]) -> None:
    tape = tmp_path / "mix.tape"
    mix.write_tape(tape, 5000)
    code = "import sys; from tickertape.cli.main import main; sys.exit(main())"
    line = [sys.executable, "-c", code, "print", str(tape), *options]
    fast, plain = (
        subprocess.run(line, env={**os.environ, **more}, capture_output=True, check=True)
        for more in ({"PYTHONUTF8": "1"}, {"PYTHONUTF8": "1", VARIABLE: "0"})
    )
    assert fast.stdout == plain.stdout
    assert fast.stdout.count(b"\n") > 300
