"""The model of the ring (firmware/core/model/ring.pml), checked over every interleaving by SPIN."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

MODEL = Path(__file__).resolve().parents[3] / "firmware/core/model/ring.pml"
DROP, OVERWRITE, UNTIL_FULL = 0, 1, 2


def errors(folder: Path, *, policy: int, buffers: int, emits: int, without: str = "") -> int:
    """Check the model and return the number of violated assertions that SPIN reports."""
    defines = [f"-DPOLICY={policy}", f"-DBUFFERS={buffers}", f"-DEMITS={emits}"]
    defines += [f"-D{without}"] if without else []
    subprocess.run(["spin", "-a", *defines, str(MODEL)], cwd=folder, check=True)
    subprocess.run(
        ["gcc", "-O2", "-w", "-DSAFETY", "-DCOLLAPSE", "-DVECTORSZ=2048", "-o", "pan", "pan.c"],
        cwd=folder,
        check=True,
    )
    done = subprocess.run(
        ["./pan", "-m1000000"], cwd=folder, check=True, capture_output=True, text=True
    )
    assert "max search depth too small" not in done.stdout
    found = re.search(r"errors: (\d+)", done.stdout)
    assert found
    return int(found[1])


@pytest.mark.parametrize("policy", [DROP, OVERWRITE, UNTIL_FULL])
@pytest.mark.parametrize(("buffers", "emits"), [(2, 7), (3, 8)])
def test_nothing_is_lost_without_receipt_doubled_or_torn(
    tmp_path: Path, policy: int, buffers: int, emits: int
) -> None:
    assert errors(tmp_path, policy=policy, buffers=buffers, emits=emits) == 0


@pytest.mark.parametrize("without", ["SEARCH_ONCE", "SWAP_STATE_ONLY", "NOT_DECIDING"])
def test_each_precaution_is_needed(tmp_path: Path, without: str) -> None:
    """The model can fail: without one precaution it does."""
    assert errors(tmp_path, policy=OVERWRITE, buffers=2, emits=6, without=without) > 0
