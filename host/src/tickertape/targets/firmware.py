"""Builds the firmware of this checkout with its own Makefile."""

from __future__ import annotations

import fcntl
import re
import shutil
import subprocess
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.errors import FirmwareError
from tickertape.targets.base import LINKS, STREAM, Image

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
_TRACE_LINK = re.compile(r"^TRACE_LINK *:= *(\S+)", re.MULTILINE)


def project_root() -> Path:
    """Find the checkout: the one that this package is part of, else one around the current folder.

    Raises:
        FirmwareError: there is none.
    """
    here, current = Path(__file__).resolve(), Path.cwd()
    for folder in (*here.parents, current, *current.parents):
        if (folder / "firmware" / "Makefile").is_file():
            return folder
    raise FirmwareError(
        "the sources of the firmware are not here", "run the command in a checkout of tickertape"
    )


def examples(root: Path) -> list[str]:
    """List the example applications of a checkout."""
    makers = (root / "firmware" / "examples").glob("*/main.c*")
    return sorted({path.parent.name for path in makers})


def build_image(
    example: str, board: str, compiler: str, *, elf_suffix: str = ".elf", defines: str = ""
) -> Image:
    """Build `example` for `board`; only what changed is compiled.

    Args:
        example: a folder of firmware/examples.
        board: what firmware/Makefile calls it.
        compiler: a program that has to be installed.
        elf_suffix: of the image's name.
        defines: options of recorder and kernel, as the Makefile's DEFINES; a build with options
            has a folder of its own.

    Raises:
        FirmwareError: no such example, no compiler, or the compiler complains.
    """
    root = project_root()
    known = examples(root)
    if example not in known:
        raise FirmwareError(
            f"there is no example {example!r}", f"take one of these: {', '.join(known)}"
        )
    for tool in (compiler, "make"):
        if shutil.which(tool) is None:
            raise FirmwareError(
                f"{tool} is not installed", f"type: sudo apt-get install {PACKAGES[tool]}"
            )
    command = ["make", "-C", str(root / "firmware"), f"BOARD={board}", f"EXAMPLE={example}"]
    folder = "firmware"
    if defines:
        folder = "firmware-" + re.sub(r"\W+", "-", defines).lower()
        command += [f"DEFINES={defines}", f"BUILD=../build/{folder}"]
    with _alone(root / "build"):
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, errors="replace"
        )
    if done.returncode != 0:
        raise FirmwareError(
            f"the firmware does not build: {_first_complaint(done.stderr)}",
            f"see all messages with: {' '.join(command)}",
        )
    path = root / "build" / folder / board / f"{example}{elf_suffix}"
    return Image(example, board, path, _link_of(root / "firmware/examples" / example))


def _link_of(folder: Path) -> str:
    """Return the link of an example from its example.mk; stream by default.

    Raises:
        FirmwareError: there is no such link.
    """
    path = folder / "example.mk"
    text = path.read_text(encoding="utf-8") if path.is_file() else ""
    found = _TRACE_LINK.search(text)
    link = found[1] if found else STREAM
    if link not in LINKS:
        raise FirmwareError(
            f"{path} wants a link {link!r}", f"write one of these there: {', '.join(LINKS)}"
        )
    return link


@contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Let only one program build at a time: two of them would write the same files."""
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _first_complaint(messages: str) -> str:
    """Return the line with the cause: the first error, else make's last line."""
    lines = messages.strip().splitlines() or ["make failed without a message"]
    reasons = ("error:", "undefined reference", "multiple definition")
    return next((line for line in lines if any(r in line for r in reasons)), lines[-1])
