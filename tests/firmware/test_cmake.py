"""`tickertape_add`: the project of a user, built by CMake without our Makefile, and run in QEMU."""

from __future__ import annotations

import subprocess
from collections import Counter
from pathlib import Path

import pytest

from tests.support.patience import HANG_S
from tickertape.analysis.balance import balance_of
from tickertape.collector import CaptureOptions, capture
from tickertape.link import MemoryLink
from tickertape.symbols.elf import read_symbols
from tickertape.tape import TapeReader, iter_events

pytestmark = pytest.mark.process
ROOT = Path(__file__).parents[2]
PROJECT = ROOT / "examples/superloop"
FUNCTION = ROOT / "firmware/cmake/tickertape.cmake"
SAMPLES = 200
REPORT_SAMPLES = 10


def run(*words: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        words,
        cwd=cwd,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=HANG_S,
    )


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """The example, built as its CMakeLists.txt shows."""
    build = tmp_path / "build"
    for words in (
        ("cmake", "-S", PROJECT, "-B", build, "--toolchain", PROJECT / "arm-none-eabi.cmake"),
        ("cmake", "--build", build),
    ):
        done = run(*words, cwd=tmp_path)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "warning:" not in done.stderr
    return build / "superloop.elf"


def test_a_super_loop_records_every_sample(program: Path, tmp_path: Path) -> None:
    sent, tape = tmp_path / "uart", tmp_path / "T.tape"
    done = run(
        *("qemu-system-arm", "-M", "mps2-an385", "-kernel", program),
        *("-display", "none", "-monitor", "none", "-icount", "shift=5,sleep=off"),
        *("-semihosting-config", "enable=on,target=native", "-serial", f"file:{sent}"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    capture(MemoryLink([sent.read_bytes()]), tape, CaptureOptions(handle_signals=False))
    with TapeReader(tape) as reader:
        balance = balance_of(reader)
        assert balance.final
        assert balance.total.offered == balance.total.delivered
        assert reader.hello is not None
        assert reader.hello.build_id == read_symbols(program).build_id.hex()
        names = Counter(event.name for columns in iter_events(reader) for event in columns.events())
    reports = SAMPLES // REPORT_SAMPLES
    assert names["SIGNAL.WRITE"] == SAMPLES
    assert names["RUNNABLE.BEGIN"] == names["RUNNABLE.END"] == SAMPLES + reports
    assert names["USER.USER_1"] == reports
    assert names["INT.ENTRY"] == names["INT.EXIT"] >= SAMPLES


@pytest.mark.parametrize(
    ("call", "message"),
    [
        ("TARGET app", "has no board_config.h; define"),
        ("TARGET other", "'other' is no target; call add_executable first"),
        ("TARGET app KERNEL other", "KERNEL 'other' is unknown; there is freertos"),
        ("TARGET app KERNEL freertos", "name the library of the kernel"),
        ("TARGET app PORT none", "has no tickertape/port.h"),
        ("TARGET app SOURCES x", "unknown SOURCES;x"),
    ],
)
def test_a_wrong_call_is_an_error_with_advice(tmp_path: Path, call: str, message: str) -> None:
    (tmp_path / "main.c").write_text("int main(void) { return 0; }\n")
    (tmp_path / "CMakeLists.txt").write_text(
        "cmake_minimum_required(VERSION 3.20)\nproject(wrong C)\nadd_executable(app main.c)\n"
        f'include("{FUNCTION}")\ntickertape_add({call})\n'
    )
    done = run("cmake", "-S", tmp_path, "-B", tmp_path / "build", cwd=tmp_path)
    assert done.returncode != 0
    assert message in " ".join(done.stderr.split())
