"""Compile C programs for tests, each program once for all tests.

A program is stored in `build/programs` under a hash of its command line, its compiler and all C
sources of the project. Two pytest workers that need the same program at the same time build it
once. Later runs use it until a source changes.

Different programs share most of their sources. `use_object_cache` makes ccache store their objects,
including those of firmware/Makefile and host/posix/Makefile: a source with the same preprocessed
text is compiled once.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import shutil
import subprocess
import tempfile
import time
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "build/programs"
_SOURCES = ("firmware", "host", "tests", "protocol")
_KEEP_S = 7 * 24 * 3600
_OBJECTS = ROOT / "build/ccache"
_COMPILERS = Path("/usr/lib/ccache")
"""Folder in which Debian's ccache has a link for each compiler."""


def use_object_cache() -> None:
    """Run the compilers of this process and of its children through ccache, if it is installed.

    The debug information is limited to lines and functions (-g1), because macros in it would make
    equal objects differ.
    """
    words = os.environ["PATH"].split(os.pathsep)
    if _COMPILERS.is_dir() and str(_COMPILERS) not in words:
        os.environ["PATH"] = os.pathsep.join([str(_COMPILERS), *words])
    os.environ.setdefault("CCACHE_DIR", str(_OBJECTS))
    os.environ.setdefault("DEBUG_FLAGS", "-g1")


def compiled(command: Sequence[str | Path]) -> Path:
    """Compile and link a program and return its path; the command does not name the output.

    All sources and include folders in the command must be below the root of the project.

    Raises:
        subprocess.CalledProcessError: the compiler failed; it has printed the reason.
    """
    words = list(map(str, command))
    for word in words[1:]:
        path = word.removeprefix("-I")
        assert not path.startswith("/") or path.startswith(str(ROOT)), (
            f"{path} is outside of the project"
        )
    what = (_version_of(words[0]), words, _digest_of_sources())
    folder = FOLDER / hashlib.sha256(repr(what).encode()).hexdigest()[:32]
    program = folder / "program"
    if not folder.is_dir():
        _forget_old()
        folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            half = folder / "half"
            _build(words, half)
            half.rename(program)
    return program


def _build(words: list[str], program: Path) -> None:
    """Compile each source to an object, which ccache can store, and link the objects."""
    libraries = [word for word in words if word.startswith("-l")]
    flags = [word for word in words if not word.endswith(".c") and word not in libraries]
    of_sources = [word for word in flags if word != "-shared" and not word.startswith("-Wl,")]
    with tempfile.TemporaryDirectory(dir=program.parent) as folder:
        objects = []
        for number, source in enumerate(word for word in words if word.endswith(".c")):
            objects.append(f"{folder}/{number}.o")
            _run([*of_sources, "-c", source, "-o", objects[-1]])
        _run([*flags, *objects, *libraries, "-o", str(program)])


def _run(command: list[str]) -> None:
    subprocess.run(command, check=True, start_new_session=True)


@cache
def _version_of(compiler: str) -> str:
    """Return the output of `compiler --version`."""
    line = [compiler, "--version"]
    return subprocess.run(line, check=True, capture_output=True, text=True).stdout


@cache
def _digest_of_sources() -> str:
    """Return a hash of the names and contents of all C sources and headers of the project."""
    digest = hashlib.sha256()
    for part in _SOURCES:
        for path in sorted((ROOT / part).rglob("*.[ch]")):
            data = path.read_bytes()
            digest.update(f"{path.relative_to(ROOT)} {len(data)}\n".encode())
            digest.update(data)
    return digest.hexdigest()


def _forget_old() -> None:
    """Remove programs that were not used for a week."""
    for lock in FOLDER.glob("*/lock"):
        if lock.stat().st_mtime < time.time() - _KEEP_S:
            shutil.rmtree(lock.parent, ignore_errors=True)
