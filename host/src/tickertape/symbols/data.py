"""Find names and types of data by address, from debug information (DWARF).

    data = Data.read(Path("firmware.elf"))
    data.at(0x2000_0104)  # Place("motors[1].speed", Reading(SIGNED, 2))

The name of a place includes struct members and array elements. In a union or a bit-field the
address does not determine the member: the name ends there, with the offset. Static variables of
functions are included, by their own name.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, Literal

from elftools.common.exceptions import DWARFError
from elftools.dwarf.descriptions import describe_form_class

from tickertape.symbols.elf_file import DAMAGE, elf_file
from tickertape.symbols.reading import Encoding, Reading

if TYPE_CHECKING:
    from pathlib import Path

    from elftools.dwarf.die import DIE
    from elftools.elf.elffile import ELFFile

_ADDRESS: Final = b"\x03"  # DW_OP_addr
_ADDRESS_INDEX: Final = b"\xa1"  # DW_OP_addrx
_PLUS: Final = 0x23  # DW_OP_plus_uconst
_ALIASES: Final = {
    *("DW_TAG_typedef", "DW_TAG_const_type", "DW_TAG_volatile_type", "DW_TAG_atomic_type"),
    "DW_TAG_restrict_type",
}
_STRUCTS: Final = {"DW_TAG_structure_type", "DW_TAG_class_type"}
_MEMBERS: Final = {"DW_TAG_member", "DW_TAG_inheritance"}
_BITS: Final = ("DW_AT_bit_size", "DW_AT_data_bit_offset")
_POINTERS: Final = {
    *("DW_TAG_pointer_type", "DW_TAG_reference_type", "DW_TAG_rvalue_reference_type"),
}
# DW_ATE, by DWARF 5, table 7.11.
_ENCODINGS: Final = {
    0x01: Encoding.POINTER,
    0x02: Encoding.BOOLEAN,
    0x04: Encoding.FLOAT,
    **dict.fromkeys((0x05, 0x06), Encoding.SIGNED),
    **dict.fromkeys((0x07, 0x08, 0x10), Encoding.UNSIGNED),
}
_SIZES: Final = {1, 2, 4}
_DEEPEST: Final = 64


@dataclass(frozen=True, slots=True)
class Place:
    """The data at an address.

    Attributes:
        name: name of the variable, with member and element.
        reading: format of its value; None if its type is unknown or wider than a word.
    """

    name: str
    reading: Reading | None


class Data:
    """The variables of a firmware that have an address."""

    def __init__(self, elf: ELFFile) -> None:
        """Find the variables of all source files; `at` reads their types."""
        self._order: Literal["little", "big"] = "little" if elf.little_endian else "big"
        found: dict[int, tuple[int, str, DIE]] = {}
        units = elf.get_dwarf_info().iter_CUs() if elf.has_dwarf_info() else ()
        for unit in units:
            for die in unit.iter_DIEs():
                if die.tag == "DW_TAG_variable":
                    self._take(die, found)
        self._begins = sorted(found)
        self._variables = [found[begin] for begin in self._begins]

    @classmethod
    def read(cls, path: Path) -> Data:
        """Read an ELF file; without debug information there are no variables.

        Raises:
            FirmwareError: the file does not exist or is not a valid ELF file.
        """
        with elf_file(path) as elf:
            return cls(elf)

    def at(self, address: int) -> Place | None:
        """Return the data at an address; None outside of all variables."""
        index = bisect_right(self._begins, address) - 1
        if index < 0:
            return None
        size_bytes, name, die = self._variables[index]
        offset = address - self._begins[index]
        if offset >= size_bytes:
            return None
        try:
            return _inside(die, offset, name)
        except DAMAGE:
            return Place(_with_offset(name, offset), None)

    def _take(self, die: DIE, found: dict[int, tuple[int, str, DIE]]) -> None:
        location = die.attributes.get("DW_AT_location")
        if location is None or describe_form_class(location.form) not in {"exprloc", "block"}:
            return
        try:
            address = self._address(die, bytes(location.value))
            declared = _declared(die)
            name, size_bytes = _text(declared), _size(_type(declared))
        except DAMAGE:
            return
        if address is not None and name and size_bytes:
            found.setdefault(address, (size_bytes, name, declared))

    def _address(self, die: DIE, expression: bytes) -> int | None:
        """Return the address in a location expression; None for any other kind of location."""
        kind, operand = expression[:1], expression[1:]
        if kind == _ADDRESS:
            return int.from_bytes(operand, self._order)
        if kind == _ADDRESS_INDEX:
            found: int = die.dwarfinfo.get_addr(die.cu, _uleb128(operand))
            return found
        return None


def _inside(die: DIE, offset: int, name: str) -> Place:
    """Return the place at an offset in a variable, following members and elements."""
    kind = _type(die)
    for _ in range(_DEEPEST):
        if kind.tag == "DW_TAG_array_type":
            kind, offset, indices = _element(kind, offset)
            name += indices
            continue
        member = _member(kind, offset) if kind.tag in _STRUCTS else None
        if member is None:
            break
        inner, begin = member
        text = _text(inner) if inner.tag == "DW_TAG_member" else ""
        name += f".{text}" if text else ""
        kind, offset = _type(inner), offset - begin
    return Place(_with_offset(name, offset), None if offset else _reading(kind))


def _with_offset(name: str, offset: int) -> str:
    return f"{name}+0x{offset:x}" if offset else name


def _member(kind: DIE, offset: int) -> tuple[DIE, int] | None:
    """Return the member at an offset, and its own offset; None for a bit-field or padding."""
    for one in kind.iter_children():
        if one.tag not in _MEMBERS:
            continue
        place = one.attributes.get("DW_AT_data_member_location")
        begin = _offset_of(place.value) if place is not None else 0
        if begin is not None and begin <= offset < begin + max(_size(_type(one)), 1):
            return None if any(bit in one.attributes for bit in _BITS) else (one, begin)
    return None


def _offset_of(place: int | list[int]) -> int | None:
    """Return the offset of a member; in DWARF 2 it is an expression. None if unknown."""
    if isinstance(place, int):
        return place
    return _uleb128(bytes(place[1:])) if place[:1] == [_PLUS] else None


def _uleb128(data: bytes) -> int:
    return sum((byte & 0x7F) << 7 * place for place, byte in enumerate(data))


def _element(kind: DIE, offset: int) -> tuple[DIE, int, str]:
    """Return the type of an array's element, the offset in it, and its indices as text."""
    element, counts = _type(kind), _counts(kind)
    size = _size(element)
    if not size or not counts:
        raise DWARFError("an array without a size")
    number, offset = divmod(offset, size)
    indices = ""
    for count in reversed(counts[1:]):
        number, index = divmod(number, count)
        indices = f"[{index}]{indices}"
    return element, offset, f"[{number}]{indices}"


def _counts(kind: DIE) -> list[int]:
    found = []
    for part in kind.iter_children():
        if part.tag != "DW_TAG_subrange_type":
            continue
        count, last = (part.attributes.get(f"DW_AT_{name}") for name in ("count", "upper_bound"))
        value = count.value if count is not None else last.value + 1 if last is not None else 0
        if not isinstance(value, int) or value <= 0:
            return []
        found.append(value)
    return found


def _size(kind: DIE) -> int:
    """Return the size of a type in bytes; 0 if unknown."""
    if "DW_AT_byte_size" in kind.attributes:
        value = kind.attributes["DW_AT_byte_size"].value
        return value if isinstance(value, int) else 0
    if kind.tag in _POINTERS:
        found: int = kind.cu["address_size"]
        return found
    if kind.tag != "DW_TAG_array_type":
        return 0
    size = _size(_type(kind))
    for count in _counts(kind) or [0]:
        size *= count
    return size


def _reading(kind: DIE) -> Reading | None:
    size = _size(kind)
    if size not in _SIZES:
        return None
    if kind.tag in _POINTERS:
        return Reading(Encoding.POINTER, size)
    if kind.tag == "DW_TAG_enumeration_type":
        names = {
            one.attributes["DW_AT_const_value"].value: _text(one)
            for one in kind.iter_children()
            if one.tag == "DW_TAG_enumerator"
        }
        return Reading(Encoding.ENUM, size, names, any(value < 0 for value in names))
    encoding = kind.attributes.get("DW_AT_encoding")
    known = _ENCODINGS.get(encoding.value) if encoding is not None else None
    return Reading(known, size) if known is not None else None


def _declared(die: DIE) -> DIE:
    """Return the entry that has the name and type of a variable."""
    for reference in ("DW_AT_specification", "DW_AT_abstract_origin"):
        if "DW_AT_type" not in die.attributes and reference in die.attributes:
            return die.get_DIE_from_attribute(reference)
    return die


def _type(die: DIE) -> DIE:
    """Return the type of an entry, without typedefs and qualifiers.

    Raises:
        DWARFError: the entry has no type, or the type refers to itself.
    """
    for _ in range(_DEEPEST):
        if "DW_AT_type" not in die.attributes:
            raise DWARFError(f"the entry at {die.offset:#x} has no type")
        die = die.get_DIE_from_attribute("DW_AT_type")
        if die.tag not in _ALIASES:
            return die
    raise DWARFError(f"the reference at {die.offset:#x} is part of a circle")


def _text(die: DIE) -> str:
    found = die.attributes.get("DW_AT_name")
    return found.value.decode("utf-8", errors="replace") if found is not None else ""
