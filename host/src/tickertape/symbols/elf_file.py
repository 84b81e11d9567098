"""Open ELF files that may be damaged or unusual.

pyelftools checks little of its input. For example, a name table of the wrong section type raises an
AttributeError, and a reference to itself a RecursionError (a RuntimeError). Every reader of an ELF
file treats the exceptions in `DAMAGE` as a damaged file.
"""

from __future__ import annotations

import os
import zlib
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from elftools.common.exceptions import DWARFError, ELFError
from elftools.construct import ConstructError
from elftools.elf.elffile import ELFFile

from tickertape.errors import FirmwareError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from typing import BinaryIO

DAMAGE: Final = (
    ELFError,
    DWARFError,
    ConstructError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    RuntimeError,
    TypeError,
    ValueError,
    zlib.error,
)
"""Exceptions that reading a damaged ELF file may raise, besides OSError."""


_MAGIC: Final = b"\x7fELF"
_NOTHING_BYTES: Final = 1 << 30  # limit for a section that is larger than the file


@contextmanager
def elf_file(path: Path, advice: str = "name the ELF file of the firmware") -> Iterator[ELFFile]:
    """Open an ELF file for the block of a `with` statement.

    Args:
        path: path of the file.
        advice: advice to the user if it cannot be read.

    Raises:
        FirmwareError: the file is missing, not an ELF file, or damaged where the block reads it.
    """
    try:
        with path.open("rb") as file:
            yield open_elf(file)
    except OSError as error:
        raise FirmwareError(f"{path} cannot be read: {error.strerror}", advice) from error
    except DAMAGE as error:
        with path.open("rb") as file:
            what = "damaged" if file.read(len(_MAGIC)) == _MAGIC else "not an ELF file"
        raise FirmwareError(f"{path} is {what}: {error}", advice) from error


def open_elf(file: BinaryIO) -> ELFFile:
    """Open an ELF file and check that its tables and sections are inside the file.

    After that, reading a section needs at most as much memory as the file has bytes, or 1 GiB for
    compressed and zero sections.

    Raises:
        ELFError: the file is not an ELF file, a table or section reaches past its end, or a section
            claims more than 1 GiB of zeros or of compressed bytes. Any of `DAMAGE` may be raised.
    """
    elf = ELFFile(file)
    size_bytes = os.fstat(file.fileno()).st_size
    tables = (
        (elf["e_shoff"], elf.num_sections(), elf["e_shentsize"]),
        (elf["e_phoff"], elf.num_segments(), elf["e_phentsize"]),
    )
    for begin, count, entry_bytes in tables:
        if count and (not entry_bytes or begin + count * entry_bytes > size_bytes):
            raise ELFError("a table of sections or segments reaches past the end of the file")
    for section in elf.iter_sections():
        held = section["sh_type"] not in {"SHT_NOBITS", "SHT_NULL"}
        if held and section["sh_offset"] + section["sh_size"] > size_bytes:
            raise ELFError(f"section {section.name} reaches past the end of the file")
        if section.data_size > max(size_bytes, _NOTHING_BYTES):
            raise ELFError(f"section {section.name} claims {section.data_size} bytes")
    return elf
