"""The compiled part, built for the tests: as it is shipped, and under the sanitizers."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tickertape._native.library import load
from tools.check.c_compile import WARNINGS
from tools.native_build import FOLDER, compiler

if TYPE_CHECKING:
    from ctypes import CDLL

ROOT = Path(__file__).resolve().parents[2]
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
SOURCES = sorted(map(str, (ROOT / FOLDER).glob("*.c")))


# A library to test in place of one that is built here.
VARIABLE = "TICKERTAPE_TEST_LIBRARY"


def examples(count: int) -> int:
    """Give how many examples hypothesis tries: fewer under the sanitizers, which are slow."""
    return count // 5 if VARIABLE in os.environ else count


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> CDLL:
    """The library, built from the sources with all warnings."""
    ready = os.environ.get(VARIABLE)
    loaded = load(Path(ready) if ready else _built(tmp_path_factory, "-O3"))
    assert loaded is not None
    return loaded


@pytest.fixture(scope="session")
def sanitized_library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The library under the sanitizers; its process has to preload libasan."""
    return _built(tmp_path_factory, "-O1", "-g", *SANITIZERS, "-Wno-error")


def run_sanitized(tests: str, library: Path) -> None:
    """Run the tests of a file in a process that uses the library under the sanitizers."""
    line = ["cc", "-print-file-name=libasan.so"]
    done = subprocess.run(line, check=True, capture_output=True, text=True)
    environment = {
        **os.environ,
        VARIABLE: str(library),
        "LD_PRELOAD": done.stdout.strip(),
        "ASAN_OPTIONS": "detect_leaks=0",  # Python itself frees not everything at its end
    }
    inner = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", tests]
    run = subprocess.run(inner, env=environment, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr


def _built(folders: pytest.TempPathFactory, *flags: str) -> Path:
    command = compiler()
    assert command is not None
    target = folders.mktemp("native") / "native.lib"
    line = [*command, *WARNINGS, *flags, "-fPIC", "-shared", *SOURCES, "-o", str(target)]
    subprocess.run(line, check=True)
    return target


@pytest.fixture(scope="session")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The driver with the same sources under -fsanitize=address,undefined."""
    command = compiler()
    assert command is not None
    target = tmp_path_factory.mktemp("native") / "driver"
    flags = ["-g", "-O1", *SANITIZERS]
    driver = ROOT / "tests/native/driver.c"
    line = [*command, *WARNINGS, "-Wno-error", *flags, f"-I{ROOT / FOLDER}", str(driver), *SOURCES]
    subprocess.run([*line, "-o", str(target)], check=True)
    return target
