"""Run tests with exactly the lowest versions that pyproject.toml allows: `make lowest`.

The dependencies of the package have these versions; pytest, hypothesis and the like have any. The
environment is kept in build/lowest until the versions change. If versions cannot be fetched, a
message reports that no test ran, and the exit code is 0.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
import venv
from pathlib import Path
from typing import Final

from packaging.requirements import Requirement

ROOT: Final = Path(__file__).resolve().parents[1]
FOLDER: Final = ROOT / "build/lowest"
RUNNER: Final = ("hypothesis", "packaging", "pytest", "pytest-timeout", "pytest-xdist")
TESTS: Final = ("analysis", "decode", "edit", "link", "model", "printing", "symbols", "tape")
"""Folders whose tests need no extra: tests of decoding, following and printing."""
_FETCH_S: Final = 300


def lowest(root: Path = ROOT) -> list[str]:
    """Return the requirements of the package, each pinned to its lower bound.

    Raises:
        ValueError: a requirement has no lower bound, or another bound as well.
    """
    with (root / "pyproject.toml").open("rb") as file:
        lines = tomllib.load(file)["project"]["dependencies"]
    return [_pinned(Requirement(line)) for line in lines]


def _pinned(one: Requirement) -> str:
    bounds = [bound for bound in one.specifier if bound.operator == ">="]
    if len(bounds) != 1 or len(one.specifier) != 1:
        raise ValueError(f"{one} needs one lower bound: NAME>=VERSION")
    # `==1.24` matches only 1.24.0, the lowest version of `>=1.24`.
    return f"{one.name}=={bounds[0].version}"


def environment(pins: list[str]) -> Path | None:
    """Make the environment; return its Python, or None if pip cannot install the versions."""
    python = FOLDER / "bin/python"
    done = FOLDER / "done"
    wanted = "\n".join([*pins, *RUNNER])
    if done.is_file() and done.read_text(encoding="utf-8") == wanted:
        return python
    venv.create(FOLDER, clear=True, symlinks=True, with_pip=True)
    pip = [str(python), "-m", "pip", "install", "--quiet", "--retries", "1"]
    try:
        fetched = subprocess.run([*pip, *pins, *RUNNER], check=False, timeout=_FETCH_S)
    except subprocess.TimeoutExpired:
        return None
    if fetched.returncode:
        return None
    done.write_text(wanted, encoding="utf-8")
    return python


def main() -> int:
    """Run the tests; return pytest's exit code."""
    pins = lowest()
    print("lowest versions:", *pins, flush=True)
    python = environment(pins)
    if python is None:
        print("not tested: these versions cannot be fetched")
        return 0
    command = [str(python), "-m", "pytest", "-q", "-n", "2", "-m", "not process"]
    command += ["--hypothesis-profile=ci", "-p", "no:cacheprovider"]
    folders = [f"tests/{name}" for name in TESTS]
    # The sources of the checkout, not an installation: undeclared dependencies are missing.
    env = {"PATH": "/usr/bin:/bin", "PYTHONPATH": "host/src", "PYTHONDONTWRITEBYTECODE": "1"}
    return subprocess.run([*command, *folders], cwd=ROOT, env=env, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
