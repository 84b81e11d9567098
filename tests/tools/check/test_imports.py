"""The import contracts accept the project and refuse every import that crosses a layer."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[3]
PACKAGE = ROOT / "host/src/tickertape"
LINT = Path(sys.executable).with_name("lint-imports")


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Copy the package with the project's contracts into a folder."""
    folder = tmp_path_factory.mktemp("imports")
    shutil.copytree(
        PACKAGE, folder / "tickertape", ignore=shutil.ignore_patterns("*.lib", "__pycache__")
    )
    shutil.copy(ROOT / "pyproject.toml", folder)
    assert "0 broken" in lint(folder)
    return folder


def lint(folder: Path) -> str:
    """Run lint-imports on the package in `folder`; return its output."""
    done = subprocess.run(
        [LINT, "--no-logo", "--no-cache"],
        cwd=folder,
        capture_output=True,
        text=True,
        check=False,
        env={"PYTHONPATH": str(folder), "PATH": "/usr/bin:/bin", "COLUMNS": "200"},
    )
    assert (done.returncode == 0) == ("0 broken" in done.stdout), done.stderr
    return done.stdout


@pytest.mark.parametrize(
    ("file", "line", "complaint"),
    [
        ("decode/x.py", "from tickertape.tape import reader", "decode is not allowed to import"),
        ("tape/x.py", "from .. import link", "tape is not allowed to import tickertape.link"),
        ("tape/x.py", "def f():\n    import tickertape.link", "tape is not allowed to import"),
        ("printing/x.py", "import tickertape.edit.cut", "printing is not allowed to import"),
        ("model/x.py", "import socket", "model is not allowed to import socket"),
        ("control/x.py", "import rich", "control is not allowed to import rich"),
        ("symbols/demangle.py", "import tickertape.symbols.elf", "cycles"),
        ("surprise.py", "import json", "surprise"),
    ],
)
def test_a_crossing_is_found(copy: Path, file: str, line: str, complaint: str) -> None:
    path = copy / "tickertape" / file
    before = path.read_text(encoding="utf-8") if path.exists() else None
    path.write_text(f"{before or ''}\n{line}\n", encoding="utf-8")
    try:
        assert complaint in lint(copy)
    finally:
        if before is None:
            path.unlink()
        else:
            path.write_text(before, encoding="utf-8")
