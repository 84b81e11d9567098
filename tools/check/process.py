"""Run the tools that check the project."""

from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from os import cpu_count
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

# Folder of the running interpreter, whose tools are used regardless of PATH.
TOOLS = Path(sys.executable).parent


def complaints(command: Sequence[str], root: Path) -> list[str]:
    """Run `command` in `root`; return its output as lines if it fails, else no lines."""
    try:
        done = subprocess.run(
            command, cwd=root, capture_output=True, text=True, check=False, errors="replace"
        )
    except FileNotFoundError:
        return [f"{command[0]} is not installed; type: make setup"]
    if done.returncode == 0:
        return []
    output = (done.stdout + done.stderr).strip()
    return output.splitlines() or [f"{command[0]} failed with exit code {done.returncode}"]


def complaints_of_all(commands: Iterable[Sequence[str]], root: Path) -> list[str]:
    """Run commands in parallel, one per processor; return the output of those that fail."""
    with ThreadPoolExecutor(cpu_count()) as pool:
        outputs = pool.map(lambda command: complaints(command, root), commands)
        return [line for output in outputs for line in output]


def tracked_files(root: Path, *patterns: str) -> list[Path]:
    """List files that git tracks or would add, by glob pattern, relative to `root`."""
    listing = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *patterns],
        cwd=root,
        capture_output=True,
        text=True,
        check=True,
    )
    names = sorted(set(listing.stdout.splitlines()))
    return [Path(name) for name in names if (root / name).is_file()]
