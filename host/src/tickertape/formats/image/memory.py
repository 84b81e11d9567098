"""Reads files with the contents of a target's memory: ELF core, Intel HEX, raw bytes."""

from __future__ import annotations

import os
import struct
from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from elftools.elf.constants import SH_FLAGS

from tickertape.errors import FirmwareError, ForeignFile, UsageError
from tickertape.formats.record_file import open_foreign
from tickertape.symbols.elf_file import DAMAGE, open_elf

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

_MOST_IMAGE_BYTES: Final = 1 << 30
_ELF_MARK: Final = b"\x7fELF"
_NOTE: Final = "tickertape"
_CPU: Final = struct.Struct("<II")
_HEX_DATA, _HEX_END, _HEX_SEGMENT, _HEX_LINEAR = 0, 1, 2, 4
_HEX_STARTS: Final = (3, 5)
_HEX_FRAME_BYTES: Final = 5  # length, address, type, checksum
_HEX_UPPER_BYTES: Final = 2


@dataclass(frozen=True, slots=True)
class Cpu:
    """State of a halted CPU.

    Attributes:
        pc: address of the next instruction.
        exception: number of the active exception; 0 for none.
    """

    pc: int
    exception: int


@dataclass(slots=True)
class MemoryImage:
    """Pieces of memory by address.

    Attributes:
        pieces: address and contents of each piece, sorted, adjacent pieces joined.
        cpus: state of each CPU; empty when the file does not contain it.
    """

    pieces: list[tuple[int, bytes]]
    cpus: list[Cpu] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Sort the pieces by address, and join adjacent ones."""
        joined: list[tuple[int, list[bytes], int]] = []
        for address, data in sorted(self.pieces, key=lambda piece: piece[0]):
            if joined and joined[-1][2] == address:
                begin, parts, end = joined.pop()
                joined.append((begin, [*parts, data], end + len(data)))
            else:
                joined.append((address, [data], address + len(data)))
        self.pieces = [(address, b"".join(parts)) for address, parts, _ in joined]

    def read(self, address: int, count: int) -> bytes | None:
        """Return `count` bytes at an address; None unless the image contains all of them."""
        index = bisect_right([begin for begin, _ in self.pieces], address) - 1
        if index < 0:
            return None
        begin, data = self.pieces[index]
        part = data[address - begin : address - begin + count]
        return part if len(part) == count else None

    def text(self, address: int, most_bytes: int = 256) -> bytes | None:
        """Return the text at an address; None if no zero ends it within `most_bytes`."""
        found = b""
        while len(found) < most_bytes:
            byte = self.read(address + len(found), 1)
            if byte is None:
                return None
            if byte == b"\0":
                return found
            found += byte
        return None


def read_image(path: Path, base: int | None) -> MemoryImage:
    """Read an image; its first bytes and `base` determine the format.

    Args:
        path: file: ELF core, Intel HEX or raw bytes.
        base: address of the first byte of raw bytes; None for other formats.

    Raises:
        TapeMissing: the file does not exist or is not readable.
        ForeignFile: the file is damaged, or contains no memory.
        UsageError: the file has raw bytes, and `base` is None.
    """
    with open_foreign(path) as file:
        data = file.read(_MOST_IMAGE_BYTES + 1)
    if len(data) > _MOST_IMAGE_BYTES:
        raise ForeignFile(
            f"{path} has more than {_MOST_IMAGE_BYTES >> 20} MiB",
            "give an image of the target's RAM",
        )
    if data.startswith(_ELF_MARK):
        image = _read_core(path)
    elif data.startswith(b":") and base is None:
        image = MemoryImage(list(_read_hex(path, data)))
    elif base is None:
        raise UsageError(
            f"{path} is not an ELF core and no Intel HEX file",
            "give the address of its first byte, e.g. --base 0x20000000",
        )
    else:
        image = MemoryImage([(base, data)])
    if not any(data for _, data in image.pieces):
        raise ForeignFile(f"{path} contains no memory", "save the RAM of the target again")
    return image


def read_constants(path: Path) -> MemoryImage:
    """Return the read-only sections of a firmware's ELF file.

    Raises:
        FirmwareError: the file cannot be read, or is not an ELF file.
    """
    try:
        with path.open("rb") as file:
            pieces = [
                (section["sh_addr"], section.data())
                for section in open_elf(file).iter_sections("SHT_PROGBITS")
                if section["sh_flags"] & SH_FLAGS.SHF_ALLOC
                and not section["sh_flags"] & SH_FLAGS.SHF_WRITE
            ]
    except (OSError, *DAMAGE) as error:
        raise FirmwareError(
            f"cannot read {path}: {error}", "name the ELF file of the firmware"
        ) from error
    return MemoryImage(pieces)


def _read_core(path: Path) -> MemoryImage:
    try:
        with path.open("rb") as file:
            elf = open_elf(file)
            size_bytes = os.fstat(file.fileno()).st_size
            if elf["e_type"] != "ET_CORE":
                raise ForeignFile(
                    f"{path} is a program, not an image of memory",
                    "save the target's RAM; the ELF file of the firmware belongs after --elf",
                )
            pieces, cpus = [], []
            for segment in elf.iter_segments():
                # A truncated core is usable up to its end.
                file.seek(min(segment["p_offset"], size_bytes))
                data = file.read(min(segment["p_filesz"], size_bytes - file.tell()))
                if segment["p_type"] == "PT_LOAD" and data:
                    pieces.append((segment["p_vaddr"] or segment["p_paddr"], data))
                elif segment["p_type"] == "PT_NOTE":
                    cpus += _cpus(data)
    except DAMAGE as error:
        raise ForeignFile(f"{path} is a damaged ELF core: {error}", "save it again") from error
    return MemoryImage(pieces, cpus)


def _cpus(notes: bytes) -> list[Cpu]:
    """Return the CPUs in the note that the command `tape save` of the GDB script writes."""
    found: list[Cpu] = []
    place = 0
    while place + 12 <= len(notes):
        name_bytes, desc_bytes = struct.unpack_from("<II", notes, place)
        name = notes[place + 12 : place + 12 + name_bytes].rstrip(b"\0")
        begin = place + 12 + -(-name_bytes // 4) * 4
        desc = notes[begin : begin + desc_bytes]
        if name == _NOTE.encode():
            whole = len(desc) // _CPU.size * _CPU.size
            found += [Cpu(pc, psr & 0x1FF) for pc, psr in _CPU.iter_unpack(desc[:whole])]
        place = begin + -(-desc_bytes // 4) * 4
    return found


def _read_hex(path: Path, data: bytes) -> Iterable[tuple[int, bytes]]:
    """Yield the pieces of an Intel HEX file.

    Raises:
        ForeignFile: a line is damaged, or the end is missing.
    """
    upper = 0
    for number, line in enumerate(data.split(), 1):
        try:
            record = bytes.fromhex(line[1:].decode("ascii")) if line[:1] == b":" else b""
        except ValueError:
            record = b""
        if (
            len(record) < _HEX_FRAME_BYTES
            or len(record) != record[0] + _HEX_FRAME_BYTES
            or sum(record) % 256
        ):
            raise ForeignFile(f"line {number} of {path} is damaged", "save the memory again")
        address, kind, body = int.from_bytes(record[1:3], "big"), record[3], record[4:-1]
        if kind == _HEX_DATA:
            yield upper + address, body
        elif kind == _HEX_END:
            return
        elif kind in (_HEX_SEGMENT, _HEX_LINEAR) and len(body) == _HEX_UPPER_BYTES:
            upper = int.from_bytes(body, "big") << (4 if kind == _HEX_SEGMENT else 16)
        elif kind not in _HEX_STARTS:
            raise ForeignFile(f"line {number} of {path} has an unknown type", "save it again")
    raise ForeignFile(f"{path} has no last line", "save the memory again")
