"""Adds the compiled part, firmware sources, man page and completion to a wheel (hatchling hook).

Any C compiler will do; Python's headers are not needed. Without a compiler, or when it fails, the
package is installed without the compiled part and works all the same, only slower. With
TICKERTAPE_PURE=1 it is left out on purpose: that wheel is for every platform. With
TICKERTAPE_PLATFORM=TAG, $CC compiles for another platform (`tools/wheels.py`): its library stays
out of the checkout's folder, and a failure is an error.

Man page and completion are made from the parser of the command line (`tools/shell_data.py`), which
needs what `tickertape` and the extra `dev` require; without it, a wheel has none of them.
"""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

if TYPE_CHECKING:
    from collections.abc import Sequence

FOLDER: Final = Path("host/src/tickertape/_native")
FILE_NAME: Final = "native.lib"
SOURCES: Final = {
    name: f"tickertape/sources/{name}"
    for name in ("firmware", "renode", "examples/superloop", "library.json")
}
"""What `tickertape run` builds and starts, what a project needs to begin with, and their places in
a wheel."""
SHELL_DATA: Final = Path("build/shell-data")
_COMPILERS: Final = ("cc", "gcc", "clang")
_FLAGS: Final = ("-std=c11", "-O3", "-fPIC", "-shared", "-fvisibility=default")


def compiler() -> list[str] | None:
    """Find a C compiler: $CC, else one of the usual names; None when there is none."""
    chosen = os.environ.get("CC")
    if chosen:
        return shlex.split(chosen)
    found = next(filter(None, map(shutil.which, _COMPILERS)), None)
    return None if found is None else [found]


def build(root: Path, command: Sequence[str], target: Path | None = None) -> Path | None:
    """Build the library; None, and the compiler's output, when that fails.

    Args:
        root: of the sources.
        command: the compiler, with options of its own.
        target: the library; beside its sources without.
    """
    folder = root / FOLDER
    target = target or folder / FILE_NAME
    fresh = target.with_suffix(".new")
    sources = sorted(map(str, folder.glob("*.c")))
    line = [*command, *_FLAGS, *sources, "-o", str(fresh)]
    try:
        done = subprocess.run(line, check=False, capture_output=True, text=True)
    except OSError as error:
        print(f"tickertape is installed without its compiled part: {error}", file=sys.stderr)
        return None
    if done.returncode:
        print(f"tickertape is installed without its compiled part:\n{done.stderr}", file=sys.stderr)
        fresh.unlink(missing_ok=True)
        return None
    # Replaced in one step: a process that uses the old one keeps it.
    fresh.replace(target)
    return target


def shell_data(root: Path) -> Path | None:
    """Make man page and completion below `root`; None, and the reason, when that fails."""
    folder = root / SHELL_DATA
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join([str(root / "host/src"), str(root)])}
    line = [sys.executable, "-m", "tools.shell_data", str(folder)]
    done = subprocess.run(
        line, check=False, capture_output=True, text=True, cwd=root, env=variables
    )
    if done.returncode:
        reason = (done.stderr.splitlines() or ["it failed"])[-1]
        print(f"the wheel has no man page and no completion: {reason}", file=sys.stderr)
        return None
    return folder


class NativeBuildHook(BuildHookInterface):  # type: ignore[type-arg] # of whichever builder
    """Adds the compiled part to a wheel, also to that of an editable installation."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build before the files of the wheel are collected."""
        # An editable installation has the checkout itself.
        if version != "editable":
            build_data["force_include"].update(SOURCES)
            data = shell_data(Path(self.root))
            if data is not None:
                build_data["shared_data"][str(data)] = "share"
        tag = os.environ.get("TICKERTAPE_PLATFORM")
        if tag:
            self._cross(tag, build_data)
            return
        command = None if os.environ.get("TICKERTAPE_PURE") == "1" else compiler()
        target = build(Path(self.root), command) if command else None
        if target is None:
            return
        build_data["artifacts"].append(str(FOLDER / FILE_NAME))
        build_data["pure_python"] = False
        # It belongs to this system, but to no version of Python.
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"

    def _cross(self, tag: str, build_data: dict[str, Any]) -> None:
        """Add the library for the platform of a tag, which $CC compiles."""
        place = Path(self.root) / "build/native" / tag
        place.mkdir(parents=True, exist_ok=True)
        command = compiler() or ["cc"]
        if tag.startswith("macosx"):  # otherwise a library contains the path where it was built
            command.append(f"-Wl,-install_name,@rpath/{FILE_NAME}")
        target = build(Path(self.root), command, place / FILE_NAME)
        if target is None:
            raise RuntimeError(f"the compiled part for {tag} was not built")
        build_data["force_include"][str(target)] = f"tickertape/_native/{FILE_NAME}"
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{tag}"


def main() -> int:
    """Build beside the sources, for those who change them."""
    command = compiler()
    built = build(Path(__file__).resolve().parents[1], command) if command else None
    print(built or "there is no C compiler" if not command else built)
    return 0 if built else 1


if __name__ == "__main__":
    sys.exit(main())
