"""Fixtures: one build and one environment for all workers of a test session."""

from __future__ import annotations

import fcntl
from typing import TYPE_CHECKING

import pytest

from tests.support.packages import Distributions, Environment, build, install

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture(scope="session")
def shared(tmp_path_factory: pytest.TempPathFactory, worker_id: str) -> Path:
    """Return a folder outside of the checkout that all workers of this session share."""
    own = tmp_path_factory.getbasetemp()
    folder = (own if worker_id == "master" else own.parent) / "packages"
    folder.mkdir(exist_ok=True)
    return folder


def _once(folder: Path, make: Callable[[Path], None]) -> Path:
    """Call `make` in the first worker only; the other workers wait for it. Return the folder."""
    with folder.with_suffix(".lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        done = folder.with_suffix(".done")
        if not done.exists():
            make(folder)
            done.touch()
    return folder


@pytest.fixture(scope="session")
def distributions(shared: Path) -> Distributions:
    """Build the sdist and the wheels."""
    return Distributions.within(_once(shared / "dist", build))


@pytest.fixture(scope="session")
def installed(shared: Path, distributions: Distributions) -> Environment:
    """Return an environment with the wheel for this platform."""
    folder = _once(shared / "env", lambda path: install(distributions.wheel, path))
    return Environment(folder, shared / "cache")


@pytest.fixture(scope="session")
def pure(shared: Path, distributions: Distributions) -> Environment:
    """Return an environment with the wheel without the compiled part."""
    folder = _once(shared / "pure_env", lambda path: install(distributions.pure, path))
    return Environment(folder, shared / "cache")
