"""Use a program that was built elsewhere as an image for a target."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tickertape.errors import FirmwareError
from tickertape.symbols.elf_file import elf_file
from tickertape.targets.base import Image
from tickertape.targets.native import NativeTarget

if TYPE_CHECKING:
    from tickertape.targets.base import Target

LINKERS_OUTPUT: Final = "give the linker's output, not a .bin or .hex"


def image_of(program: Path, target: Target, tape: Path | None) -> Image:
    """Return a program as an image; its console file is beside the tape.

    Raises:
        FirmwareError: there is no such file, or it is not a program for the target's processor.
    """
    wanted = processor_of(Path(sys.executable)) if isinstance(target, NativeTarget) else "ARM"
    processor = processor_of(program)
    if processor != wanted:
        raise FirmwareError(
            f"{program} is for {processor}, not for {wanted}", f"build it for {target.name}"
        )
    console = None if tape is None else tape.with_suffix(".console.txt")
    return Image(program.stem, target.name, program.resolve(), console=console)


def processor_of(program: Path) -> str:
    """Return the processor of an ELF file, as pyelftools names it: ARM, x64, AArch64.

    Raises:
        FirmwareError: there is no such file, or it is not an ELF file.
    """
    with elf_file(program, LINKERS_OUTPUT) as elf:
        return str(elf.get_machine_arch())
