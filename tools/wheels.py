"""Build a wheel with the compiled part for each platform: `make wheels`, or for given platforms.

    python -m tools.wheels [linux-x86_64 macos-aarch64 ...]

The compiled part needs no header of Python, so one cross-compiler builds all wheels: Zig's (PyPI's
`ziglang`), which includes the C libraries. The first build for Windows takes minutes, because Zig
first builds the library of that system. The build checks that the library in a wheel is for its
platform. A test installs and uses the wheel for this machine's Linux; the wheels for macOS, Windows
and other processors have not been run.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Final
from zipfile import ZipFile

ROOT: Final = Path(__file__).resolve().parents[1]
LIBRARY: Final = "tickertape/_native/native.lib"


@dataclass(frozen=True)
class Platform:
    """A platform of a wheel.

    Attributes:
        zig: target name of Zig, with the oldest version of the system.
        tag: tag of the wheel (PEP 600, 656, 425).
        head: first bytes of the library: ELF, Mach-O or PE.
        machine: offset and value of the field of the processor; in a PE file the offset is from the
            COFF header, to which the word at 0x3c points.
    """

    zig: str
    tag: str
    head: bytes
    machine: tuple[int, bytes]


_ELF, _MACH_O, _PE = b"\x7fELF\x02\x01", b"\xcf\xfa\xed\xfe", b"MZ"
_ELF_X86_64, _ELF_AARCH64 = (18, b"\x3e\0"), (18, b"\xb7\0")
PLATFORMS: Final = {
    "linux-x86_64": Platform("x86_64-linux-gnu.2.17", "manylinux_2_17_x86_64", _ELF, _ELF_X86_64),
    "linux-aarch64": Platform(
        "aarch64-linux-gnu.2.17", "manylinux_2_17_aarch64", _ELF, _ELF_AARCH64
    ),
    "musl-x86_64": Platform("x86_64-linux-musl", "musllinux_1_2_x86_64", _ELF, _ELF_X86_64),
    "musl-aarch64": Platform("aarch64-linux-musl", "musllinux_1_2_aarch64", _ELF, _ELF_AARCH64),
    "macos-x86_64": Platform(
        "x86_64-macos.11.0", "macosx_11_0_x86_64", _MACH_O, (4, b"\x07\0\0\x01")
    ),
    "macos-aarch64": Platform(
        "aarch64-macos.11.0", "macosx_11_0_arm64", _MACH_O, (4, b"\x0c\0\0\x01")
    ),
    "windows-x86_64": Platform("x86_64-windows-gnu", "win_amd64", _PE, (4, b"\x64\x86")),
}


def build(platform: Platform, folder: Path) -> Path:
    """Build the wheel of a platform in `folder`; return its path.

    Raises:
        subprocess.CalledProcessError: the wheel does not build.
        ValueError: its library is for another platform, or contains a path of this machine.
    """
    compiler = f"{sys.executable} -m ziglang cc -target {platform.zig} -s"
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        env={**os.environ, "CC": compiler, "TICKERTAPE_PLATFORM": platform.tag},
        check=True,
    )
    (wheel,) = folder.glob(f"tickertape-*-py3-none-{platform.tag}.whl")
    with ZipFile(wheel) as archive:
        library = archive.read(LIBRARY)
    place, value = platform.machine
    if platform.head == _PE:
        place += int.from_bytes(library[0x3C:0x40], "little")
    if not library.startswith(platform.head) or library[place : place + len(value)] != value:
        raise ValueError(f"{wheel.name} contains a library that is not for {platform.zig}")
    if os.fsencode(ROOT) in library:
        raise ValueError(f"the library in {wheel.name} contains a path of this machine")
    return wheel


def main() -> int:
    """Build the wheels of the given platforms, or all."""
    parser = argparse.ArgumentParser(prog="python -m tools.wheels", description=__doc__)
    parser.add_argument("platform", nargs="*", choices=[[], *PLATFORMS], help="all without")
    parser.add_argument("--output", type=Path, default=ROOT / "build/dist", help="folder")
    arguments = parser.parse_args()
    if importlib.util.find_spec("ziglang") is None:
        print("Zig is missing: pip install ziglang", file=sys.stderr)
        return 2
    for name in arguments.platform or PLATFORMS:
        print(build(PLATFORMS[name], arguments.output).name, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
