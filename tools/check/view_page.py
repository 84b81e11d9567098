"""Compare the built page of `tickertape view` with its sources in `host/view-page`.

The hash of the sources has to equal the one in the built page. With npm the page is built again and
compared byte for byte, and its sources are type-checked, linted and checked for their format. If
packages cannot be installed, only the hash is compared.
"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Final

from tools.check.process import complaints

SOURCES: Final = Path("host/view-page")
BUILT: Final = Path("host/src/tickertape/view/page")
_INSTALL_S: Final = 300
_REPAIR: Final = f"type: cd {SOURCES} && npm ci && npm run build"


def check(root: Path) -> list[str]:
    """Return the complaints about the page, one per line."""
    script = (root / BUILT / "page.js").read_text(encoding="utf-8")
    if script.splitlines()[0] != f"/* sources {hash_of(root / SOURCES / 'src')} */":
        return [f"{BUILT} was built from other sources; {_REPAIR}"]
    if not _installed(root / SOURCES):
        return []
    with tempfile.TemporaryDirectory() as name:
        found = complaints(["node", str(SOURCES / "build.mjs"), name], root)
        found += [
            f"{BUILT / one.name} is not what its sources give; {_REPAIR}"
            for one in sorted(Path(name).iterdir())
            if one.read_bytes() != (root / BUILT / one.name).read_bytes()
        ]
    return found + complaints(["npm", "run", "--silent", "check"], root / SOURCES)


def hash_of(folder: Path) -> str:
    """Return the hash of all sources, as build.mjs computes it."""
    found = hashlib.sha256()
    for path in sorted(folder.iterdir(), key=lambda one: one.name):
        found.update(path.name.encode() + b"\0")
        found.update(path.read_bytes())
    return found.hexdigest()


def _installed(folder: Path) -> bool:
    """Install the packages of the lock file; return False if that is not possible."""
    if shutil.which("npm") is None or shutil.which("node") is None:
        return False
    lock, done = folder / "package-lock.json", folder / "node_modules/.package-lock.json"
    if done.exists() and done.stat().st_mtime >= lock.stat().st_mtime:
        return True
    try:
        command = ["npm", "ci", "--silent", "--no-audit", "--no-fund"]
        subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=_INSTALL_S)
    except (subprocess.SubprocessError, OSError):
        return False
    return True
