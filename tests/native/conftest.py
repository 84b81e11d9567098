"""The compiled part, built for the tests: as it is shipped, and under the sanitizers."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tickertape._native.library import load
from tools.check.c_compile import WARNINGS
from tools.native_build import FOLDER, compiler

if TYPE_CHECKING:
    from ctypes import CDLL

ROOT = Path(__file__).resolve().parents[2]
SOURCES = sorted(map(str, (ROOT / FOLDER).glob("*.c")))


@pytest.fixture(scope="session")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> CDLL:
    """The library, built from the sources with all warnings."""
    command = compiler()
    assert command is not None
    target = tmp_path_factory.mktemp("native") / "native.lib"
    flags = [*WARNINGS, "-O2", "-fPIC", "-shared"]
    subprocess.run([*command, *flags, *SOURCES, "-o", str(target)], check=True)
    loaded = load(target)
    assert loaded is not None
    return loaded


@pytest.fixture(scope="session")
def sanitized(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The driver with the same sources under -fsanitize=address,undefined."""
    command = compiler()
    assert command is not None
    target = tmp_path_factory.mktemp("native") / "driver"
    flags = ["-g", "-O1", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"]
    driver = ROOT / "tests/native/driver.c"
    line = [*command, *WARNINGS, "-Wno-error", *flags, f"-I{ROOT / FOLDER}", str(driver), *SOURCES]
    subprocess.run([*line, "-o", str(target)], check=True)
    return target
