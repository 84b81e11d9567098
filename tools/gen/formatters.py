"""Format generated files with the tools that format the other files."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Final

_ROOT: Final = Path(__file__).parents[2]
_TOOLS: Final = Path(sys.executable).parent


def c_format(text: str) -> str:
    """Format C with clang-format."""
    style = f"--style=file:{_ROOT / '.clang-format'}"
    return _piped((str(_TOOLS / "clang-format"), style), text)


def python_format(text: str) -> str:
    """Format Python with ruff; sort imports and remove unused ones."""
    ruff, config = str(_TOOLS / "ruff"), f"--config={_ROOT / 'pyproject.toml'}"
    fixed = _piped((ruff, "check", "--fix-only", "--quiet", "--select=I,F401", config, "-"), text)
    return _piped((ruff, "format", "--quiet", config, "-"), fixed)


@cache  # tests generate the same files many times
def _piped(command: tuple[str, ...], text: str) -> str:
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=True)
    return done.stdout if done.stdout.endswith("\n") else f"{done.stdout}\n"
