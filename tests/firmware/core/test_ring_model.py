"""SPIN checks the model of the ring (firmware/core/model/ring.pml) over all interleavings."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
CORE = ROOT / "firmware/core"
MODEL = CORE / "model/ring.pml"
DROP, OVERWRITE, UNTIL_FULL, FINALIZE, FINALIZE_FREE = range(5)

# Names of the model only: fates of records, and a shorthand.
OWN_NAMES = {"meet", "tag_of"}
OWN_VARIABLES = {
    *("buffers", "header", "data", "fate", "sent", "masked", "final_ordinal"),
    *("settled_ordinal", "settled_dropped"),
    *("final_dropped", "final_overwritten", "control_done", "thread_done", "interrupt_done"),
}

# Sizes of the model that are searched completely.
WHOLE = [
    {"POLICY": DROP, "EMITS": 4},
    {"POLICY": DROP, "EMITS": 6, "INTERRUPTS": 0},
    {"POLICY": DROP, "EMITS": 3, "INTERRUPTS": 0, "FLUSHES": 1},
    {"POLICY": DROP, "EMITS": 2, "STARTS": 2, "INTERRUPTS": 0},
    {"POLICY": OVERWRITE, "EMITS": 5, "INTERRUPTS": 0},
    {"POLICY": OVERWRITE, "EMITS": 6, "BUFFERS": 3, "INTERRUPTS": 0},
    {"POLICY": OVERWRITE, "EMITS": 2, "RECORDS": 1},
    {"POLICY": UNTIL_FULL, "EMITS": 5, "INTERRUPTS": 0},
    {"POLICY": UNTIL_FULL, "EMITS": 3, "STARTS": 2, "INTERRUPTS": 0, "RECORDS": 1},
    {"POLICY": FINALIZE, "EMITS": 4, "FINISHES": 2, "INTERRUPTS": 0},
    {"POLICY": FINALIZE_FREE, "EMITS": 2, "FINISHES": 1},
    {"POLICY": FINALIZE, "NEXT_POLICY": DROP, "EMITS": 2, "STARTS": 2, "INTERRUPTS": 0},
    {"POLICY": UNTIL_FULL, "EMITS": 2, "INTERRUPTS": 0, "PROBES": 1, "RECORDS": 1},
    # One buffer of one record drops the second record. Two buffers and three emits have 47.8
    # million states and passed in November 2026; that takes a minute and a half and 2.5 GB.
    {"POLICY": DROP, "BUFFERS": 1, "EMITS": 2, "INTERRUPTS": 0, "PROBES": 1, "RECORDS": 1},
]

# Without the precaution, the model of this size fails.
PRECAUTIONS = {
    "SEARCH_ONCE": {"POLICY": OVERWRITE, "EMITS": 5, "INTERRUPTS": 0},
    "SWAP_STATE_ONLY": {"POLICY": OVERWRITE, "EMITS": 6, "INTERRUPTS": 0},
    "NOT_DECIDING": {"POLICY": DROP, "EMITS": 2},
    "CPU_BEFORE_MASKING": {"POLICY": DROP, "EMITS": 2},
    "NOT_SETTLED": {"POLICY": OVERWRITE, "EMITS": 6, "INTERRUPTS": 0},
    "NOT_STRAIGHTENED": {"POLICY": FINALIZE, "EMITS": 4, "INTERRUPTS": 0},
    "POLICY_ANY_TIME": {
        "POLICY": FINALIZE,
        "NEXT_POLICY": OVERWRITE,
        "EMITS": 6,
        "STARTS": 2,
        "INTERRUPTS": 0,
    },
    "STARTS_READ_LATE": {"POLICY": DROP, "EMITS": 2, "STARTS": 2, "INTERRUPTS": 0},
    "COUNTED_BEFORE_RUNNING": {"POLICY": DROP, "EMITS": 3, "STARTS": 2, "INTERRUPTS": 0},
    "LOSE_UNCOUNTED": {"POLICY": FINALIZE, "EMITS": 3, "FINISHES": 2, "INTERRUPTS": 0},
    "CLAIM_UNSEEN": {"POLICY": OVERWRITE, "EMITS": 5, "INTERRUPTS": 0},
    "CLAIM_SENDING": {"POLICY": OVERWRITE, "EMITS": 5, "INTERRUPTS": 0},
    "CLOSED_EMPTY": {"POLICY": DROP, "EMITS": 3, "INTERRUPTS": 0, "RECORDS": 1},
    "FLUSH_UNSETTLED": {"POLICY": OVERWRITE, "EMITS": 5, "INTERRUPTS": 0},
    "LOOK_TWICE": {"POLICY": OVERWRITE, "EMITS": 5, "INTERRUPTS": 0},
    "MISSED_UNSETTLED": {"POLICY": DROP, "EMITS": 6, "INTERRUPTS": 0},
    "CANCEL_UNPUBLISHED": {"POLICY": OVERWRITE, "EMITS": 5, "INTERRUPTS": 0},
    "ASKED_ONLY": {"POLICY": DROP, "EMITS": 2, "INTERRUPTS": 0, "PROBES": 1, "RECORDS": 1},
    "LOOK_ONCE": {"POLICY": DROP, "EMITS": 3, "INTERRUPTS": 0, "PROBES": 1},
    "ENDS_WITH_ROOM": {"POLICY": FINALIZE, "EMITS": 1, "FINISHES": 1, "RECORDS": 3},
}


def errors(folder: Path, sizes: dict[str, int], without: str = "") -> int:
    """Check the model; return the number of violated assertions that SPIN reports.

    `without` names a precaution to leave out. The emitters then run first, so that the search finds
    the failure soon.
    """
    defines = [f"-D{name}={value}" for name, value in sizes.items()]
    defines += [f"-D{without}"] if without else []
    subprocess.run(["spin", "-a", *defines, str(MODEL)], cwd=folder, check=True)
    subprocess.run(
        [
            "gcc",
            *(("-O0", "-DREVERSE") if without else ("-Og",)),
            "-w",
            "-DSAFETY",
            "-DCOLLAPSE",
            "-DVECTORSZ=2048",
            "-o",
            "pan",
            "pan.c",
        ],
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


@pytest.mark.parametrize("sizes", WHOLE, ids=str)
def test_nothing_is_lost_without_receipt_doubled_or_torn(
    tmp_path: Path, sizes: dict[str, int]
) -> None:
    assert errors(tmp_path, sizes) == 0


@pytest.mark.parametrize("without", PRECAUTIONS)
def test_each_precaution_is_needed(tmp_path: Path, without: str) -> None:
    """The model can fail: it does without any one of the precautions."""
    assert errors(tmp_path, PRECAUTIONS[without], without) > 0


def test_a_probe_cannot_drain_a_ring_that_overwrites(tmp_path: Path) -> None:
    """A probe has no compare-and-swap, so the writer can take the buffer that the probe reads."""
    sizes = {"POLICY": OVERWRITE, "EMITS": 4, "INTERRUPTS": 0, "PROBES": 1, "RECORDS": 1}
    assert errors(tmp_path, sizes, "REVERSED") > 0


def test_the_model_has_the_names_of_the_code() -> None:
    model = re.sub(r"/\*.*?\*/", "", MODEL.read_text(), flags=re.DOTALL)
    code = "".join(file.read_text() for file in sorted(CORE.glob("*.[ch]")))
    functions = set(re.findall(r"^inline (\w+)\(", model, re.MULTILINE))
    functions |= set(re.findall(r"^#define ([a-z]\w+)", model, re.MULTILINE)) - OWN_NAMES
    declarations = re.findall(
        r"^(?: {4})?(?:byte|bool) ([^;(]+);", model.split("\ninline")[0], re.MULTILINE
    )
    variables = {
        re.split(r"[=\[]", name)[0].strip() for line in declarations for name in line.split(",")
    }
    assert {"tt_ring_advance", "tt_finalize", "flush_step"} <= functions
    assert {"next_ordinal", "deciding", "first_slot"} <= variables
    for name in functions - OWN_NAMES:
        assert re.search(rf"\b{name}\(", code), f"ring.pml has {name}(), the code has not"
    for name in variables - OWN_VARIABLES:
        assert re.search(rf"[ *]{name}[;\[]", code), f"ring.pml has {name}, the code has not"


def test_every_precaution_of_the_model_is_tried() -> None:
    switches = set(re.findall(r"^#if(?:n?def) (\w+)", MODEL.read_text(), re.MULTILINE))
    sizes = {name for each in WHOLE for name in each} | {"FINISHES", "RECORDS"}
    assert switches - sizes == PRECAUTIONS.keys()
