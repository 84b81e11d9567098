"""A user's project, built with our build files instead of our Makefile, and run in QEMU.

`tickertape_add` is for CMake, `library.json` for PlatformIO: a small reader of it builds like
PlatformIO.
"""

from __future__ import annotations

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.patience import HANG_S
from tickertape.analysis.balance import balance_of
from tickertape.collector import CaptureOptions, capture
from tickertape.link import MemoryLink
from tickertape.symbols.elf import read_symbols
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from collections.abc import Callable

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


def built_by_cmake(build: Path) -> Path:
    """Build the example as its CMakeLists.txt shows."""
    for words in (
        ("cmake", "-S", PROJECT, "-B", build, "--toolchain", PROJECT / "arm-none-eabi.cmake"),
        ("cmake", "--build", build),
    ):
        done = run(*words, cwd=PROJECT)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "warning:" not in done.stderr
    return build / "superloop.elf"


def built_by_manifest(build: Path) -> Path:
    """Build the example as library.json lists it, by PlatformIO's documentation."""
    manifest = json.loads((ROOT / "library.json").read_text())
    how = manifest["build"]
    taken: set[Path] = set()
    sources = ROOT / how["srcDir"]
    for rule in how["srcFilter"]:
        files = set(sources.rglob("*") if rule[2:-1] == "*" else sources.glob(rule[2:-1]))
        taken = taken | files if rule[0] == "+" else taken - files
    exported = [ROOT / folder for folder in manifest["export"]["include"]]
    assert all(any(one.is_relative_to(folder) for folder in exported) for one in taken)
    assert (ROOT / how["includeDir"] / manifest["headers"]).is_file()
    build.mkdir()
    done = run(
        *("arm-none-eabi-gcc", "-mcpu=cortex-m3", "-mthumb", "-Os", "-std=c11"),
        *("-nostartfiles", "--specs=nosys.specs", "-Wl,--gc-sections", "-Wl,--build-id=sha1"),
        *("-Wall", "-Wextra", "-Werror", "-DTT_CONFIG_BUFFERS=4", f"-I{PROJECT}"),
        *(f"-I{ROOT / how['includeDir']}", *how["flags"]),
        *sorted(one for one in taken if one.suffix == ".c"),
        *PROJECT.glob("*.c"),
        f"-T{PROJECT / 'mps2_an385.ld'}",
        *("-o", build / "superloop.elf"),
        cwd=ROOT,
    )
    assert done.returncode == 0, done.stderr
    return build / "superloop.elf"


@pytest.fixture(params=[built_by_cmake, built_by_manifest])
def program(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    build: Callable[[Path], Path] = request.param
    return build(tmp_path / "build")


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
        ("TARGET other", "'other' is not a target; call add_executable first"),
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
