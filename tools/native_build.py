"""Add the compiled part, firmware sources, man page and completion to a wheel (hatchling hook).

Any C compiler is sufficient, without Python's headers. Without a compiler, or if it fails, the
package is installed without the compiled part; it then works, but slower. TICKERTAPE_PURE=1 omits
the compiled part: that wheel is for every platform. With TICKERTAPE_PLATFORM=TAG, $CC compiles for
another platform (`tools/wheels.py`): the library is not written to the checkout's folder, and a
failure is an error.

Man page and completion are generated from the parser of the command line (`tools/shell_data.py`),
which needs the dependencies of `tickertape` and of the extra `dev`; without them, a wheel has
neither.
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
"""Sources for `tickertape run` and for new projects, with their paths in a wheel."""
SHELL_DATA: Final = Path("build/shell-data")
_COMPILERS: Final = ("cc", "gcc", "clang")
_FLAGS: Final = ("-std=c11", "-O3", "-fPIC", "-shared", "-fvisibility=default")


def compiler() -> list[str] | None:
    """Return the command of a C compiler: $CC, else one of the usual names, else None."""
    chosen = os.environ.get("CC")
    if chosen:
        return shlex.split(chosen)
    found = next(filter(None, map(shutil.which, _COMPILERS)), None)
    return None if found is None else [found]


def build(root: Path, command: Sequence[str], target: Path | None = None) -> Path | None:
    """Build the library; on failure print the compiler's output and return None.

    Args:
        root: root of the sources.
        command: the compiler with its options.
        target: path of the library; None for the folder of its sources.
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
    # Replace it atomically: a process that uses the old one keeps it.
    fresh.replace(target)
    return target


def shell_data(root: Path) -> Path | None:
    """Write man page and completion below `root`; on failure print the reason and return None."""
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


class NativeBuildHook(BuildHookInterface):  # type: ignore[type-arg] # for any builder
    """Adds the compiled part to a wheel, including that of an editable installation."""

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
        # It depends on this system, but not on the version of Python.
        platform = sysconfig.get_platform().replace("-", "_").replace(".", "_")
        build_data["tag"] = f"py3-none-{platform}"

    def _cross(self, tag: str, build_data: dict[str, Any]) -> None:
        """Compile the library for the platform of a tag with $CC, and add it."""
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
    """Build the library in the folder of its sources, for development."""
    command = compiler()
    built = build(Path(__file__).resolve().parents[1], command) if command else None
    print(built or "there is no C compiler" if not command else built)
    return 0 if built else 1


if __name__ == "__main__":
    sys.exit(main())
