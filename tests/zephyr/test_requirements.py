"""Reasons to skip tests of a real Zephyr; a stale CMake cache is not one."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.support.zephyr_boards import (
    APPS,
    BUILD,
    BUILD_SECONDS,
    ROOT,
    TOOLS,
    build,
    needs_zephyr,
)

if TYPE_CHECKING:
    from pathlib import Path

# The running Python, but without the packages that Zephyr needs.
BARE_PYTHON = '#!/bin/sh\nexec {python} -S -E "$@"\n'
READY_PYTHON = "#!/bin/sh\nexit 0\n"
VARIANT = {"ZEPHYR_TOOLCHAIN_VARIANT": "some"}


def reason_of(folder: Path, **environment: str) -> str:
    """Return the reason that a new process reports, with only this environment."""
    code = "from tests.support import zephyr_boards as boards; print(boards.missing())"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={"PATH": str(folder), **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """Make a folder that looks like a Zephyr tree."""
    (tmp_path / "tree/kernel").mkdir(parents=True)
    (tmp_path / "tree/kernel/sched.c").touch()
    return tmp_path / "tree"


@pytest.fixture
def tools(tmp_path: Path) -> Path:
    """Make a folder with fakes of all required programs; each exits with 0."""
    folder = tmp_path / "tools"
    folder.mkdir()
    for name in TOOLS:
        (folder / name).write_text(READY_PYTHON)
        (folder / name).chmod(0o755)
    return folder


def test_a_missing_tree_is_the_reason(tmp_path: Path, tools: Path) -> None:
    assert reason_of(tools).startswith("ZEPHYR_BASE names no Zephyr tree: set it, and")
    reason = reason_of(tools, ZEPHYR_BASE=str(tmp_path))
    assert reason == f"ZEPHYR_BASE is {tmp_path}, which is not a Zephyr tree"


def test_a_missing_toolchain_is_the_reason(tree: Path, tools: Path) -> None:
    reason = reason_of(tools, ZEPHYR_BASE=str(tree))
    assert reason.startswith("no toolchain: set ZEPHYR_TOOLCHAIN_VARIANT")


@pytest.mark.parametrize("tool", TOOLS)
def test_a_missing_tool_is_the_reason(tool: str, tree: Path, tools: Path) -> None:
    (tools / tool).unlink()
    reason = reason_of(tools, ZEPHYR_BASE=str(tree), **VARIANT)
    assert reason == f"{tool} is not installed"


def test_missing_packages_of_python_are_the_reason(tree: Path, tools: Path) -> None:
    assert reason_of(tools, ZEPHYR_BASE=str(tree), **VARIANT) == "None"
    (tools / "python3").write_text(BARE_PYTHON.format(python=sys.executable))
    reason = reason_of(tools, ZEPHYR_BASE=str(tree), **VARIANT)
    assert reason == "python3 of Zephyr: ModuleNotFoundError: No module named 'elftools'"


@needs_zephyr
@pytest.mark.timeout(2 * BUILD_SECONDS)
def test_a_build_folder_of_another_python_is_used_again(tmp_path: Path) -> None:
    """CMake keeps the Python that it found first, even if that one lacks the packages."""
    bare = tmp_path / "python3"
    bare.write_text(BARE_PYTHON.format(python=sys.executable))
    bare.chmod(0o755)
    board, name = "mps2_an385", "other-python"
    shutil.rmtree(BUILD / f"{board}-{name}", ignore_errors=True)
    cache = build(APPS / "names", board, name=name) / "CMakeCache.txt"
    entries = re.compile(r"^(\w*PYTHON\w*EXECUTABLE\w*:\w+)=.*$", re.MULTILINE | re.IGNORECASE)
    text, count = entries.subn(rf"\1={bare}", cache.read_text())
    assert count
    cache.write_text(text)
    assert (build(APPS / "names", board, name=name) / "zephyr/zephyr.elf").is_file()
