"""Configurations of the recorder that cover all pairs of options, compared with a truth table.

matrix/truth.c is the table, matrix/driver.c performs operations, matrix/world.c interrupts them.
"""

from __future__ import annotations

import subprocess
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.firmware.core.options import CORE, INCLUDES, WARNINGS, allowed, compile_for_arm, defines
from tests.support.covering import covering_array, pairs_of, possible_pairs
from tests.support.link_reader import BEGIN, SIMPLE, LinkReader
from tests.support.patience import HANG_S
from tests.support.programs import compiled

if TYPE_CHECKING:
    from collections.abc import Mapping

HERE = Path(__file__).parent
DRIVER = sorted((HERE / "matrix").glob("*.c"))
SEEDS = (1, 2, 3)
STEPS = 12000

AXES: dict[str, tuple[str, ...]] = {
    "TT_CONFIG_STREAMS": ("1", "2", "3", "8"),
    "TT_CONFIG_CPUS": ("1", "2"),
    "TT_CONFIG_PACKING": ("0", "1"),
    "TT_CONFIG_FINALIZE": ("0", "1"),
    "TT_CONFIG_READERS": ("0", "1"),
    "TT_CONFIG_PROBE": ("0", "1"),
    "TT_CONFIG_STREAM_NAMES": ("0", "1"),
    "TT_CONFIG_DEFINITIONS": ("0", "4"),
    "TT_CONFIG_EVENT_MASKS": ("0", "4"),
    "TT_CONFIG_POLICY": tuple(
        f"TT_POLICY_{name}"
        for name in ("DROP", "OVERWRITE", "UNTIL_FULL", "FINALIZE", "FINALIZE_FREE")
    ),
    "TT_CONFIG_BUFFERS": ("2", "3", "8"),
    "TT_CONFIG_BUFFER_RECORDS": ("16", "32", "128"),
    "TT_CONFIG_HIGH_WATER_PERCENT": ("1", "80", "100"),
    "TT_CONFIG_DRAIN_SLICE": ("0", "1", "7", "16"),
    "MATRIX_HANDLERS": ("0", "1"),
    "MATRIX_WIDE": ("0", "1"),
    "MATRIX_SHEDDING": ("0", "1"),
    "MATRIX_SWITCHING": ("0", "1"),
}


def configuration_id(row: Mapping[str, str]) -> str:
    """Return a short name of a configuration, unique in the matrix."""
    return "-".join(value.removeprefix("TT_POLICY_").lower() for value in row.values())


MATRIX = covering_array(AXES, allowed)


def check_link(link: Path, lines: str, seed: int) -> None:
    """Read one ring from the link; check the law of loss, the order and the number of records."""
    rings = [tuple(map(int, line.split())) for line in lines.splitlines()]
    stream, cpu, offered, sent = rings[seed % len(rings)]
    reader = LinkReader(stream=stream, cpu=cpu)
    reader.read(link.read_bytes())
    ordinal, dropped, settled = reader.receipts[-1]
    assert reader.final
    assert (ordinal, settled, len(reader.records)) == (offered, sent, sent)
    assert dropped + sent <= offered  # all others were overwritten
    assert all(a.ordinal < b.ordinal for a, b in pairwise(reader.records))
    stamped = [r.time for r in reader.records if r.struct_bits in (SIMPLE, BEGIN)]
    assert stamped == sorted(stamped)


def build(compiler: str, row: Mapping[str, str]) -> Path:
    return compiled(
        [
            *(compiler, "-std=gnu11", "-g1", "-O1", *WARNINGS, *INCLUDES, *defines(row)),
            *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
            *map(str, (*DRIVER, *CORE)),
        ]
    )


def drive(program: Path, folder: Path, seed: int) -> None:
    link = folder / "link"
    done = subprocess.run(
        [program, str(seed), str(STEPS), link],
        capture_output=True,
        text=True,
        timeout=HANG_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, ""), f"seed {seed}: {done.stdout}{done.stderr}"
    check_link(link, done.stdout, seed)


def test_the_matrix_has_every_pair() -> None:
    missing = possible_pairs(AXES, allowed)
    for row in MATRIX:
        assert allowed(row)
        missing -= pairs_of(row)
    assert missing == set()
    assert len(MATRIX) < 40


@pytest.mark.parametrize("row", MATRIX, ids=configuration_id)
def test_a_configuration_does_what_the_table_says(tmp_path: Path, row: dict[str, str]) -> None:
    program = build("gcc", row)
    for seed in SEEDS:
        drive(program, tmp_path, seed)


@pytest.mark.parametrize("row", MATRIX[::6], ids=configuration_id)
def test_a_second_compiler_builds_the_same(tmp_path: Path, row: dict[str, str]) -> None:
    program = build("clang", row)
    drive(program, tmp_path, SEEDS[0])


@pytest.mark.parametrize("row", MATRIX[1::6], ids=configuration_id)
def test_a_configuration_compiles_for_a_target(row: dict[str, str]) -> None:
    for source in CORE:
        done = compile_for_arm(row, source)
        assert (done.returncode, done.stderr) == (0, "")
