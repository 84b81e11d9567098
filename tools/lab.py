"""Make the environment of labgrid for the tests: `python -m tools.lab`, called by tools/setup.

labgrid depends on its own build of pyserial, which conflicts with the usual one. The environment
has labgrid and its dependencies; other packages come from the environment that runs this program,
at the end of the search path.
"""

from __future__ import annotations

import subprocess
import sys
import sysconfig
import venv
from pathlib import Path
from typing import Final

FOLDER: Final = Path(sys.prefix) / "lab"
"""The folder of the environment, inside the one that tools/setup makes."""
REQUIREMENT: Final = "labgrid>=25.0"
_FETCH_S: Final = 300


def python_of(folder: Path = FOLDER) -> Path:
    """Return the interpreter of the environment."""
    return folder / "bin/python"


def make(folder: Path = FOLDER) -> int:
    """Make the environment; return pip's exit code."""
    venv.create(folder, clear=True, symlinks=True, with_pip=True)
    packages = Path(sysconfig.get_path("purelib", vars={"base": str(folder)}))
    # `addsitedir`, because it also reads the .pth files of that folder, such as our package's.
    here = sysconfig.get_path("purelib")
    line = f"import site; site.addsitedir({here!r})\n"
    (packages / "tickertape.pth").write_text(line, encoding="utf-8")
    pip = [str(python_of(folder)), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    return subprocess.run([*pip, REQUIREMENT], check=False, timeout=_FETCH_S).returncode


if __name__ == "__main__":
    sys.exit(make())
