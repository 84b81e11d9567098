"""The route table under concurrent changes, with interrupts between any two of its steps."""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING

import pytest

from tests.support.core_driver import FIRMWARE, HERE, WARNINGS, run_driver
from tests.support.patience import HANG_S
from tests.support.programs import compiled

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize(("streams", "masks"), [(1, 0), (3, 0), (8, 0), (1, 8), (3, 300), (8, 20)])
def test_every_route_follows_from_what_was_asked_for(
    tmp_path: Path, streams: int, masks: int
) -> None:
    run_driver(
        tmp_path,
        "route_driver.c",
        f"TT_CONFIG_STREAMS={streams}",
        f"TT_CONFIG_EVENT_MASKS={masks}",
        "TT_CONFIG_BUFFERS=2",
        "TT_CONFIG_BUFFER_RECORDS=16",
    )


@pytest.mark.parametrize("masks", [0, 6])
@pytest.mark.parametrize("sanitizer", ["thread", "address,undefined"])
def test_cpus_that_change_it_at_once_agree(sanitizer: str, masks: int) -> None:
    program = compiled(
        [
            *("gcc", "-std=c11", "-g1", "-O1", "-pthread", "-Wno-tsan", *WARNINGS),
            *(f"-fsanitize={sanitizer}", "-fno-sanitize-recover=all"),
            *("-DTT_CONFIG_CPUS=3", "-DTT_CONFIG_STREAMS=3", "-DTT_CONFIG_BUFFERS=2"),
            *("-DTT_CONFIG_BUFFER_RECORDS=16", "-DTT_CONFIG_POLICY=TT_POLICY_OVERWRITE"),
            f"-DTT_CONFIG_EVENT_MASKS={masks}",
            *(f"-I{folder}" for folder in (FIRMWARE / "include", FIRMWARE / "core")),
            f"-I{HERE / 'stress_port'}",
            str(HERE / "route_stress_driver.c"),
            *map(str, sorted((FIRMWARE / "core").glob("*.c"))),
        ]
    )
    suppressions = HERE / "stress_suppressions.txt"
    done = subprocess.run(
        [str(program), "1000"],
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
        env={**os.environ, "TSAN_OPTIONS": f"halt_on_error=1:suppressions={suppressions}"},
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "0\n", "")
