"""`run --target renode` with a substitute for Renode that runs the machine in QEMU.

These tests do not run Renode itself; renode/robot contains the suites for it.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.support.command import COMMAND
from tickertape.analysis.balance import balance_of
from tickertape.tape import TapeReader

if TYPE_CHECKING:
    from collections.abc import Iterator

FAKE = Path(__file__).with_name("fake_renode.py")
PATIENCE_S = 100


@pytest.fixture(name="env")
def fixture_env(tmp_path: Path) -> Iterator[dict[str, str]]:
    """Put the substitute on the PATH; at the end, check that all its processes have ended."""
    folder = tmp_path / "bin"
    folder.mkdir()
    script = folder / "renode"
    # A script that runs the program as its child, as in a Renode built from sources.
    script.write_text(f'#!/bin/sh\n"{sys.executable}" "{FAKE}" "$@"\n', encoding="utf-8")
    script.chmod(0o755)
    mark = f"TICKERTAPE_TEST={tmp_path}"
    yield {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "TICKERTAPE_TEST": str(tmp_path)}
    deadline = time.monotonic() + PATIENCE_S
    while (left := processes_with(mark)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not left


def processes_with(mark: str) -> list[str]:
    """Return the command lines of live processes whose environment contains `mark`."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "environ").read_bytes().split(b"\0"):
                found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
        except OSError:
            continue  # the process has ended or belongs to another user
    return found


def run(env: dict[str, str], tape: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [COMMAND, "run", "-o", str(tape), "--duration", "0.3", *words],
        env=env,
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


@pytest.mark.parametrize(
    "target", ["renode", "renode:mps2-an386", "renode:mps2-an521", "renode:stm32f4"]
)
def test_a_run_is_captured_whole(env: dict[str, str], tmp_path: Path, target: str) -> None:
    tape = tmp_path / "t.tape"
    done = run(env, tape, "--target", target)
    assert (done.returncode, done.stderr) == (0, "")
    with TapeReader(tape) as reader:
        balance = balance_of(reader)
    assert balance.final
    assert balance.total.holds
    assert balance.total.offered == balance.total.delivered > 1000


def test_the_exit_code_of_the_firmware_is_reported(env: dict[str, str], tmp_path: Path) -> None:
    done = run(env, tmp_path / "t.tape", "--target", "renode", "--option", "udp_port=70000")
    assert done.returncode == 7
    assert "ran a firmware that ended with code 64" in done.stderr


def test_a_profile_is_summed_up_by_stack(env: dict[str, str], tmp_path: Path) -> None:
    folded = tmp_path / "out.folded"
    done = run(env, tmp_path / "t.tape", "--target", "renode", "--profile", str(folded))
    assert (done.returncode, done.stderr) == (0, "")
    assert folded.read_text(encoding="ascii") == "main 1\nmain;drain 42\n"


def test_a_profile_needs_renode(tmp_path: Path) -> None:
    done = run(dict(os.environ), tmp_path / "t.tape", "--target", "qemu", "--profile", "x")
    assert done.returncode == 2
    assert "QEMU mps2-an386 cannot write a profile" in done.stderr


def test_a_platform_that_cannot_be_made_is_said(
    env: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "C")
    done = run(env, tmp_path / "t.tape", "--target", "renode:mps2-an999")
    assert done.returncode == 2
    assert "no target is called 'renode:mps2-an999'" in done.stderr


def test_a_renode_that_dies_ends_the_capture(env: dict[str, str], tmp_path: Path) -> None:
    tape = tmp_path / "t.tape"
    done = run({**env, "FAKE_RENODE": "crash"}, tape, "--target", "renode", "--duration", "1000")
    assert done.returncode == 7
    assert "closed the trace before the firmware ended" in done.stderr
    with TapeReader(tape) as reader:
        assert reader.closed
        assert balance_of(reader).total.holds


@pytest.mark.parametrize("mode", ["", "deaf"])
def test_ctrl_c_leaves_a_tape_and_no_process(
    env: dict[str, str], tmp_path: Path, mode: str
) -> None:
    tape = tmp_path / "t.tape"
    with started(env | {"FAKE_RENODE": mode}, tape) as process:
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=PATIENCE_S)
    assert (process.returncode, err) == (0, "")
    with TapeReader(tape) as reader:
        assert reader.closed
        assert reader.record_count > 0


def test_nothing_is_left_when_we_are_killed(env: dict[str, str], tmp_path: Path) -> None:
    with started(env, tmp_path / "t.tape") as process:
        process.kill()
        process.communicate(timeout=PATIENCE_S)


def started(env: dict[str, str], tape: Path) -> subprocess.Popen[str]:
    """Start a run without a practical end and wait until its tape has records."""
    process = subprocess.Popen(
        [COMMAND, "run", "--target", "renode", "-o", str(tape), "--duration", "100000"],
        env=env,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    deadline = time.monotonic() + PATIENCE_S
    while not (tape.is_file() and tape.stat().st_size > 10_000):
        assert time.monotonic() < deadline
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)
    return process


def test_targets_lists_what_is_missing(env: dict[str, str], tmp_path: Path) -> None:
    empty = tmp_path / "empty"
    empty.mkdir()
    words = [str(COMMAND), "targets", "--json"]
    rows = json.loads(subprocess.run(words, env=env, capture_output=True, check=True).stdout)
    assert [row["target"] for row in rows] == [
        "native",
        *(f"qemu:mps2-{name}" for name in ("an386", "an385", "an500", "an505", "an521")),
        "qemu:mps3-an547",
        "qemu:stm32f4",
        "qemu:microbit",
        *(f"renode:mps2-{name}" for name in ("an385", "an386", "an521")),
        "renode:stm32f4",
        *("board:stm32f4_discovery", "board:microbit"),
    ]
    here = [row for row in rows if not row["target"].startswith("board:")]
    assert not any(row["missing"] or row["remedy"] for row in here)
    bare = {**env, "PATH": str(empty)}
    rows = json.loads(subprocess.run(words, env=bare, capture_output=True, check=True).stdout)
    native, renode = rows[0], rows[len(here) - 1]
    assert native["missing"] == ["gcc", "make"]
    assert native["remedy"] == "sudo apt-get install gcc libc6-dev make"
    assert renode["missing"] == ["arm-none-eabi-gcc", "make", "renode"]
    assert renode["remedy"].endswith("install Renode 1.16 and put its folder on the PATH; "
                                     "see renode/README.md")  # fmt: skip


def test_an_image_that_was_built_elsewhere(env: dict[str, str], tmp_path: Path) -> None:
    first = run(env, tmp_path / "a.tape", "--target", "qemu-m3")
    assert first.returncode == 0
    elf = Path(__file__).parents[2] / "build/firmware/mps2-an385/first_tape.elf"
    copy = tmp_path / "my firmware.elf"
    copy.write_bytes(elf.read_bytes())
    for target in ("qemu-m3", "renode"):
        tape = tmp_path / f"{target}.tape"
        done = run(env, tape, "--target", target, "--image", str(copy))
        assert (done.returncode, done.stderr) == (0, "")
        with TapeReader(tape) as reader:
            assert balance_of(reader).total.delivered > 1000
    for name, problem in (("none.elf", "cannot be read"), ("a.tape", "is not an ELF file")):
        path = tmp_path / name
        done = run(env, tmp_path / "x.tape", "--target", "renode", "--image", str(path))
        assert done.returncode == 6
        assert problem in done.stderr
