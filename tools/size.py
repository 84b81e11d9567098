"""Code size of the recorder, and its change since a revision: `python -m tools.size [REVISION]`.

Compiles every file of firmware/core for the Cortex-M4 with -Os, in the working tree and in another
revision: by default the merge base with main, or on main itself the previous commit. The sum counts
whole objects; the linked code is smaller (make bench, core_code_bytes).
"""

from __future__ import annotations

import argparse
import io
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Final

from rich.console import Console
from rich.table import Table

ROOT: Final = Path(__file__).resolve().parents[1]
_FLAGS: Final = (
    *("-mcpu=cortex-m4", "-mthumb", "-std=c11", "-Os", "-ffunction-sections"),
    *("-I", "include", "-I", "ports/cortex_m", "-I", "core", "-I", "boards/mps2"),
)


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def _revision_before() -> str:
    """Return the revision to compare with: the merge base with main, or on main the parent."""
    head = _git("rev-parse", "HEAD")
    for main in ("origin/main", "main"):
        try:
            base = _git("merge-base", main, "HEAD")
        except subprocess.CalledProcessError:
            continue
        if base != head:
            return base
    return _git("rev-parse", "HEAD^")


def _sizes(firmware: Path) -> dict[str, int]:
    """Return the bytes of code and constants of each file of the core."""
    sizes: dict[str, int] = {}
    with tempfile.TemporaryDirectory() as folder:
        for source in sorted((firmware / "core").glob("*.c")):
            compiled = Path(folder) / f"{source.stem}.o"
            subprocess.run(
                ["arm-none-eabi-gcc", *_FLAGS, "-c", f"core/{source.name}", "-o", str(compiled)],
                cwd=firmware,
                check=True,
            )
            listing = subprocess.run(
                ["arm-none-eabi-size", str(compiled)], check=True, capture_output=True, text=True
            ).stdout
            sizes[source.stem] = int(listing.splitlines()[1].split()[0])
    return sizes


def _sizes_at(revision: str) -> dict[str, int]:
    archive = subprocess.run(
        ["git", "archive", revision, "firmware"], cwd=ROOT, check=True, capture_output=True
    ).stdout
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(archive)) as files:
            files.extractall(folder, filter="data")
        return _sizes(Path(folder) / "firmware")


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(prog="python -m tools.size", description=__doc__)
    parser.add_argument("revision", nargs="?", help="compare with this one")
    try:
        revision = parser.parse_args().revision or _revision_before()
        before = _sizes_at(revision)
    except subprocess.CalledProcessError:
        print(
            "tools.size: there is nothing to compare with; give a revision that has firmware/core"
        )
        before, revision = {}, "nothing"
    now = _sizes(ROOT / "firmware")
    table = Table("file", title=f"firmware/core, bytes of code at -Os, against {revision[:12]}")
    for column in ("before", "now", "delta"):
        table.add_column(column, justify="right")
    for name in sorted(before.keys() | now.keys()):
        old, new = before.get(name, 0), now.get(name, 0)
        table.add_row(name, str(old), str(new), f"{new - old:+d}" if new != old else "")
    old, new = sum(before.values()), sum(now.values())
    table.add_section()
    table.add_row("all", str(old), str(new), f"{new - old:+d}")
    Console().print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
