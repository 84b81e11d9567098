"""tools/setup and .ci/run on incomplete machines, simulated by a PATH with few commands."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).parents[2]
NEEDED = ("bash", "xargs", "echo", "cc", "make")


def script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/bash\n{text}\n")
    path.chmod(0o755)


@pytest.fixture
def machine(tmp_path: Path) -> Path:
    """Make a folder of commands: those of a user without sudo and cross compiler."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in NEEDED:
        found = shutil.which(name, path=os.defpath)  # finds the compiler itself instead of ccache
        assert found is not None
        (folder / name).symlink_to(found)
    script(folder / "id", "echo 1000")
    script(folder / "apt-get", "echo 'called without root'; exit 1")
    return folder


def setup(machine: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [ROOT / "tools/setup", *words],
        env={"PATH": str(machine), "HOME": str(machine)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        cwd=machine,
    )


def test_without_root_it_prints_the_one_command(machine: Path) -> None:
    done = setup(machine, "run", sys.executable, "venv")
    assert done.returncode == 2
    assert done.stderr == (
        "setup: missing packages; type: sudo apt-get update && sudo apt-get install -y "
        "--no-install-recommends qemu-system-arm gcc-arm-none-eabi libnewlib-arm-none-eabi\n"
    )
    assert not (machine / "venv").exists()


def test_with_root_it_installs_and_updates_the_list_once(machine: Path) -> None:
    log = machine / "log"
    script(machine / "id", "echo 0")
    (machine / "env").symlink_to("/usr/bin/env")
    script(machine / "apt-get", f'echo "$*" >> {log}; [ "$(wc -l < {log})" -ne 1 ]')
    (machine / "wc").symlink_to("/usr/bin/wc")
    script(machine / "venv-python", "exit 0")
    (machine / "venv/bin").mkdir(parents=True)
    for name in ("pip", "python"):
        script(machine / "venv/bin" / name, f'echo "{name} $*" >> {log}')
    done = setup(machine, "dev", str(machine / "venv-python"), "venv")
    assert done.returncode == 0, done.stderr
    install = (
        "install -y --no-install-recommends qemu-system-arm gcc-arm-none-eabi "
        "libnewlib-arm-none-eabi babeltrace2 nodejs chromium groff-base zsh fish "
        "pkg-config spin "
        "gdb-multiarch cmake ccache g++ "
        "gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user ser2net clang libclang-rt-dev"
    )
    calls = log.read_text().splitlines()
    assert calls[:3] == [install, "update -q", install]
    assert calls[3].endswith("--editable .[dev]")
    assert calls[4:] == ["python -m tools.lab"]  # installs labgrid into its own environment


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ((), "usage: tools/setup run|dev PYTHON VENV"),
        (("run", "no-python", "venv"), "no no-python; type: apt-get install python3"),
        (("run", "old", "venv"), "old is older than 3.11; type: make PYTHON=python3.11 setup"),
    ],
)
def test_a_wrong_python_is_one_line(machine: Path, words: tuple[str, ...], message: str) -> None:
    script(machine / "old", "exit 1")
    done = setup(machine, *words)
    assert (done.returncode, done.stderr) == (2, f"setup: {message}\n")


@pytest.mark.parametrize("broken", ["", "setup", "demo", "test", "check"])
def test_ci_runs_everything_and_ends_with_the_runner(tmp_path: Path, broken: str) -> None:
    folder = tmp_path / "bin"
    folder.mkdir()
    (tmp_path / ".ci").mkdir()
    shutil.copy(ROOT / ".ci/run", tmp_path / ".ci/run")
    closing = "======= 3 passed in 1.23s ======="
    script(
        folder / "make",
        f'echo "made $1"; [ "$1" = test ] && echo "$COVERAGE $PROFILE $DURATIONS" && '
        f'echo "{closing}"; [ "$1" != "{broken}" ]',
    )
    done = subprocess.run(
        [tmp_path / ".ci/run"],
        env={**os.environ, "PATH": f"{folder}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    lines = done.stdout.splitlines()
    assert [line for line in lines if line.startswith("made")] == [
        f"made {step}" for step in ("setup", "demo", "test", "lowest", "check", "size")
    ]
    assert "1 ci 20" in lines  # $COVERAGE, $PROFILE and $DURATIONS
    assert lines[-1] == closing
    assert done.returncode == (1 if broken else 0)


def test_ci_has_the_same_examples_in_every_run_and_another_profile_explores() -> None:
    names = ("quick", "default", "ci", "explore")
    quick, usual, ci, explore = map(settings.get_profile, names)
    assert quick.max_examples < usual.max_examples == ci.max_examples < explore.max_examples
    assert quick.derandomize
    assert ci.derandomize
    assert not explore.derandomize
    assert explore.print_blob
