"""Build distributions of the project, and install them in environments outside of the checkout.

No package index is needed: an environment contains the wheel, and links to those distributions of
this environment that the wheel's metadata require. So an import that is not declared fails.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tarfile
import venv
from dataclasses import dataclass
from importlib.metadata import PathDistribution, distribution
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import Path as ZipPath

from packaging.requirements import Requirement

from tests.support.patience import HANG_S
from tests.support.programs import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.support.command import Done

_SITE = f"lib/python{sys.version_info.major}.{sys.version_info.minor}/site-packages"
# Extras that are not installed in the tests' environment; `lab` has its own environment.
_NOT_HERE = frozenset({"dev", "fuzz", "lab"})


@dataclass(frozen=True)
class Distributions:
    """The distributions that `python -m build` makes; the wheels are built from the sdist.

    Attributes:
        sdist: archive of the sources.
        wheel: wheel for this platform, with the compiled part.
        pure: wheel for every platform, without the compiled part.
    """

    sdist: Path
    wheel: Path
    pure: Path

    @classmethod
    def within(cls, folder: Path) -> Distributions:
        """Return the distributions that `build` has written to `folder`."""
        found = (next(folder.glob(f"{kind}/tickertape-*")) for kind in ("sdist", "wheel", "pure"))
        return cls(*found)


def build(folder: Path) -> None:
    """Build all distributions below `folder`."""
    _hatchling(ROOT, "sdist", folder / "sdist")
    sources = folder / "sources"
    with tarfile.open(next((folder / "sdist").iterdir())) as archive:
        archive.extractall(sources, filter="data")
    (unpacked,) = sources.iterdir()
    _hatchling(unpacked, "wheel", folder / "wheel")
    _hatchling(unpacked, "wheel", folder / "pure", TICKERTAPE_PURE="1")
    shutil.rmtree(sources)


def _hatchling(root: Path, target: str, folder: Path, **variables: str) -> None:
    _run(
        [sys.executable, "-m", "hatchling", "build", "-t", target, "-d", str(folder)],
        cwd=root,
        env=os.environ | variables,
        check=True,
    )


def _run(command: list[str], **options: object) -> Done:
    settings: dict[str, object] = {
        "stdin": subprocess.DEVNULL,
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "text": True,
        "timeout": HANG_S,
        **options,
    }
    done: Done = subprocess.run(command, **settings)  # type: ignore[call-overload] # noqa: PLW1510 - all is in `settings`
    return done


@dataclass(frozen=True)
class Environment:
    """A virtual environment with a wheel and its requirements only.

    Attributes:
        folder: folder of the environment.
        cache: folder for built firmware (XDG_CACHE_HOME).
    """

    folder: Path
    cache: Path

    def run(self, *words: str | Path, cwd: Path, extra: str | None = None) -> Done:
        """Run a program of the environment, with the requirements of `extra` if given."""
        program, *rest = map(str, words)
        return self._start([str(self.folder / "bin" / program), *rest], cwd, extra)

    def shell(self, line: str, *, cwd: Path) -> Done:
        """Run a line in a shell whose PATH begins with the environment."""
        return self._start(["bash", "-c", line], cwd, None)

    def _start(self, command: list[str], cwd: Path, extra: str | None) -> Done:
        paths = os.environ["PATH"].split(os.pathsep)
        ours = str(Path(sys.executable).parent)
        variables = {
            "HOME": str(cwd),
            "LANG": "C.UTF-8",
            "PATH": os.pathsep.join([str(self.folder / "bin"), *(p for p in paths if p != ours)]),
            "XDG_CACHE_HOME": str(self.cache),
        }
        if "CCACHE_DIR" in os.environ:
            variables["CCACHE_DIR"] = os.environ["CCACHE_DIR"]
        if extra is not None:
            variables["PYTHONPATH"] = str(self.folder / "extras" / extra)
        return _run(command, cwd=cwd, env=variables)


def install(wheel: Path, folder: Path) -> None:
    """Make an environment with `wheel`, and a folder of links to the requirements of each extra."""
    venv.create(folder, symlinks=True)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin/python")]
    _run(
        [*pip, "install", "--quiet", "--no-index", "--no-deps", str(wheel)],
        check=True,
    )
    (metadata,) = (
        PathDistribution(one) for one in ZipPath(wheel).iterdir() if one.name.endswith(".dist-info")
    )
    needed = [Requirement(line) for line in metadata.requires or ()]
    _link(_closure(one for one in needed if one.marker is None), folder / _SITE)
    for extra in metadata.metadata.get_all("Provides-Extra") or ():
        if extra not in _NOT_HERE:
            chosen = (one for one in needed if one.marker and one.marker.evaluate({"extra": extra}))
            _link(_closure(chosen), folder / "extras" / extra)


def _closure(requirements: Iterable[Requirement]) -> set[str]:
    """Return the names of all distributions that these requirements need on this platform."""
    open_, found = list(requirements), set[tuple[str, str]]()
    while open_:
        one = open_.pop()
        for extra in ("", *one.extras):
            if (one.name, extra) in found:
                continue
            found.add((one.name, extra))
            for line in distribution(one.name).requires or ():
                more = Requirement(line)
                if more.marker is None or more.marker.evaluate({"extra": extra}):
                    open_.append(more)
    return {name for name, _ in found}


def _link(names: Iterable[str], folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for name in names:
        one = distribution(name)
        tops = {path.parts[0] for path in one.files or ()} - {"..", "__pycache__"}
        for top in tops:
            link = folder / top
            if not link.exists():
                link.symlink_to(str(one.locate_file(top)))
