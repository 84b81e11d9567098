"""`Library  tickertape.robot` on native and every QEMU machine, and its messages on failure."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tickertape.targets import TARGETS

SUITE = Path(__file__).with_name("targets.robot")
HERE = [name for name in TARGETS if not name.startswith("renode")]


def robot(output: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "robot", "-d", str(output), *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("target", HERE)
def test_the_suite_is_green(target: str, tmp_path: Path) -> None:
    done = robot(tmp_path, "--variable", f"TARGET:{target}", SUITE)
    assert done.returncode == 0, done.stdout
    skips = target == "qemu:mps2-an521"  # a target with two CPUs
    counts = "4 tests, 3 passed, 0 failed, 1 skipped" if skips else "4 tests, 4 passed, 0 failed"
    assert counts in done.stdout


FAILURES = {
    "Events Should Match  ${OUTPUT_DIR}/a.tape  ${OUTPUT_DIR}/b.tape  USER.*": "event 1 differs",
    "Events Should Match  ${OUTPUT_DIR}/a.tape  ${OUTPUT_DIR}/a.tape  NO.SUCH": "no event of NO.",
    "Boots Should Be  ${OUTPUT_DIR}/a.tape  2": "has 1 boots, not 2",
    "Counts Should Be  ${OUTPUT_DIR}/a.tape  offered 0 6 1": "counted by the program",
    "Counts Should Be  ${OUTPUT_DIR}/a.tape  nothing": "the console has no line",
    "No Event Should Be Lost  ${OUTPUT_DIR}/cut.tape": "records were lost",
    "Start Target  qemu:none  first_tape": "no target is called",
    "Send Control  status": "no capture runs",
    "Stop Target": "no target runs",
    "Wait For Capture": "no capture runs",
    "Print Tape  ${OUTPUT_DIR}/none.tape": "none.tape",
}  # fmt: skip


def test_a_keyword_that_fails_says_what_it_found(tmp_path: Path) -> None:
    for name, words in {
        "a": ["--example", "messages"],
        "b": ["--example", "first_tape", "--duration", "0.2"],
        "cut": ["--example", "messages"],
    }.items():
        tape = tmp_path / f"{name}.tape"
        command = [sys.executable, "-c", "from tickertape.cli.main import main; main()", "run"]
        subprocess.run([*command, "-q", "--target", "native", "-o", str(tape), *words], check=True)
    whole = (tmp_path / "cut.tape").read_bytes()
    (tmp_path / "cut.tape").write_bytes(whole[: len(whole) // 2])
    suite = tmp_path / "wrong.robot"
    tests = "".join(f"Test {n}\n    {step}\n" for n, step in enumerate(FAILURES))
    suite.write_text(f"*** Settings ***\nLibrary  tickertape.robot\n*** Test Cases ***\n{tests}")
    done = robot(tmp_path, suite)
    assert done.returncode == len(FAILURES), done.stdout
    for number, problem in enumerate(FAILURES.values()):
        _, _, found = done.stdout.partition(f"Test {number} ")
        assert problem in found.split("-----")[0].replace("\n", " ")
