"""Build the firmware with its Makefile, in a checkout or from the sources in the package."""

from __future__ import annotations

import fcntl
import os
import re
import shutil
import subprocess
import zlib
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.errors import FirmwareError, nearest
from tickertape.targets.base import LINKS, STREAM, Image
from tickertape.version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterator

ARM_COMPILER = "arm-none-eabi-gcc"
NATIVE_COMPILER = "gcc"
PACKAGES = {
    ARM_COMPILER: "gcc-arm-none-eabi libnewlib-arm-none-eabi",
    NATIVE_COMPILER: "gcc libc6-dev",
    "make": "make",
    "qemu-system-arm": "qemu-system-arm",
}
_OPTION = re.compile(r'\bboard_option\(\s*"(\w+)"')
_TRACE_LINK = re.compile(r"^TRACE_LINK *:= *(\S+)", re.MULTILINE)


_IN_CHECKOUT = Path("host/src/tickertape/version.py")


def packaged() -> Path:
    """Return the folder of an installed package that contains a copy of the sources."""
    return Path(str(files("tickertape"))) / "sources"


def project_root() -> Path:
    """Return the folder that contains `firmware` and `renode`.

    It is the checkout that contains this package, else a checkout around the current folder, else
    the copy in the package. A checkout is recognised by its `host` folder, because other projects
    have a folder `firmware`, too.

    Raises:
        FirmwareError: there is no such folder.
    """
    package, current = Path(str(files("tickertape"))).resolve(), Path.cwd()
    own = [package.parents[2]] if len(package.parents) > 2 else []  # noqa: PLR2004 - host/src/tickertape
    for folder in (*own, current, *current.parents):
        if (folder / _IN_CHECKOUT).is_file() and (folder / "firmware/Makefile").is_file():
            return folder
    if (packaged() / "firmware/Makefile").is_file():
        return packaged()
    raise FirmwareError(
        "the sources of the firmware are not here", "install tickertape again, from its wheel"
    )


def build_folder(root: Path) -> Path:
    """Return the build folder for the sources in `root`: in a checkout, else in the user's cache.

    Raises:
        FirmwareError: the path contains white space, so make cannot build there; or the user has
            no home folder.
    """
    if root != packaged():
        return root / "build"
    chosen = Path(os.environ.get("XDG_CACHE_HOME", ""))
    cache = chosen if chosen.is_absolute() else _home() / ".cache"
    # Each installation has its own folder, because the sources of two installations may differ.
    mark = zlib.crc32(os.fsencode(root.resolve()))
    folder = cache / "tickertape" / f"{__version__}-{mark:08x}"
    if any(map(str.isspace, str(folder))):
        raise FirmwareError(
            f"make cannot build in {folder}: the path contains white space",
            "set XDG_CACHE_HOME to another folder",
        )
    return folder


def _home() -> Path:
    try:
        return Path.home()
    except RuntimeError as error:  # in a container, the user often has no entry in /etc/passwd
        raise FirmwareError(
            "this user has no home folder for what is built",
            "set XDG_CACHE_HOME to a folder that can be written",
        ) from error


def examples(root: Path) -> list[str]:
    """List the example applications of a checkout."""
    makers = (root / "firmware" / "examples").glob("*/main.c*")
    return sorted({path.parent.name for path in makers})


def build_image(
    example: str, board: str, compiler: str, *, elf_suffix: str = ".elf", defines: str = ""
) -> Image:
    """Build `example` for `board`; only changed sources are compiled.

    Args:
        example: name of a folder in firmware/examples.
        board: name of the board in firmware/Makefile.
        compiler: program name of the compiler, which must be installed.
        elf_suffix: suffix of the image's file name.
        defines: options of recorder and kernel, as the Makefile's DEFINES; a build with options
            has its own folder.

    Raises:
        FirmwareError: there is no such example or no compiler, or the build fails.
    """
    root = project_root()
    known = examples(root)
    if example not in known:
        raise FirmwareError(f"there is no example {example!r}", nearest(example, known))
    for tool in (compiler, "make"):
        if shutil.which(tool) is None:
            raise FirmwareError(
                f"{tool} is not installed", f"type: sudo apt-get install {PACKAGES[tool]}"
            )
    command = ["make", "-C", str(root / "firmware"), f"BOARD={board}", f"EXAMPLE={example}"]
    build = build_folder(root)
    folder = build / "firmware"
    if defines:
        folder = build / ("firmware-" + re.sub(r"\W+", "-", defines).lower())
        command.append(f"DEFINES={defines}")
    if defines or root == packaged():
        command.append(f"BUILD={folder}")
    with _alone(build):
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, errors="replace"
        )
    if done.returncode != 0:
        raise FirmwareError(
            f"the firmware does not build: {_first_complaint(done.stderr)}",
            f"see all messages with: {' '.join(command)}",
        )
    path = folder / board / f"{example}{elf_suffix}"
    sources = root / "firmware/examples"
    return Image(example, board, path, _link_of(sources / example), options_of(sources, example))


def options_of(sources: Path, example: str) -> frozenset[str]:
    """Return the names of options in the sources of an example, `examples/common` and the boards.

    Args:
        sources: folder of all examples.
        example: name of the example.
    """
    folders = (sources / example, sources / "common", sources.parent / "boards")
    files_ = (path for folder in folders for path in folder.rglob("*.[ch]*"))
    found = (_OPTION.findall(path.read_text(encoding="utf-8")) for path in files_)
    return frozenset(name for names in found for name in names)


def _link_of(folder: Path) -> str:
    """Return the link that example.mk in `folder` selects; stream by default.

    Raises:
        FirmwareError: example.mk names an unknown link.
    """
    path = folder / "example.mk"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    found = _TRACE_LINK.search(text)
    link = found[1] if found else STREAM
    if link not in LINKS:
        raise FirmwareError(
            f"{path} names an unknown link {link!r}", f"name one of: {', '.join(LINKS)}"
        )
    return link


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Lock the build folder: two builds at the same time would write the same files."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        lock = (folder / "lock").open("w")
    except OSError as error:
        raise FirmwareError(
            f"{folder} cannot be written ({error.strerror})",
            "set XDG_CACHE_HOME to a folder that can, or build in a checkout of your own",
        ) from error
    with lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _first_complaint(messages: str) -> str:
    """Return the line of a compiler's first error, else the last line."""
    lines = messages.strip().splitlines() or ["make failed without a message"]
    reasons = ("error:", "undefined reference", "multiple definition")
    return next((line for line in lines if any(r in line for r in reasons)), lines[-1])
