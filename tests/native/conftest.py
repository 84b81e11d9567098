"""Fixtures: the compiled part, built as it is shipped, and with sanitizers."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.native.sanitized import VARIABLE
from tests.support.programs import compiled as compiled_once
from tickertape._native.engine import load
from tools.check.c_compile import WARNINGS
from tools.native_build import FOLDER, compiler

if TYPE_CHECKING:
    from ctypes import CDLL

ROOT = Path(__file__).resolve().parents[2]
SANITIZERS = ("-fsanitize=address,undefined", "-fno-sanitize-recover=all")
SOURCES = sorted(map(str, (ROOT / FOLDER).glob("*.c")))


@pytest.fixture(scope="session")
def compiled() -> CDLL:
    """Build the library from the sources with all warnings, and load it."""
    ready = os.environ.get(VARIABLE)
    loaded = load(Path(ready) if ready else _built("-O3"))
    assert loaded is not None
    return loaded


@pytest.fixture(scope="session")
def sanitized_library() -> Path:
    """Build the library with sanitizers; a process that loads it must preload libasan."""
    return _built("-O1", "-g", *SANITIZERS, "-Wno-error")


def _built(*flags: str) -> Path:
    command = compiler()
    assert command is not None
    return compiled_once([*command, *WARNINGS, *flags, "-fPIC", "-shared", *SOURCES])
