"""Find variables of a firmware and their types in its debug information (DWARF).

    variables = Variables.read(Path("firmware.elf"), {"ring.c"})
    rings = variables.get("ring.c", "tt_rings")
    values = rings.type.values(data)  # nested lists and dictionaries of numbers

The layout of the recorder's structs depends on its options and on the compiler, so this program
contains no offsets of members.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from elftools.common.exceptions import DWARFError
from elftools.dwarf.descriptions import describe_form_class
from elftools.dwarf.ranges import BaseAddressEntry

from tickertape.errors import FirmwareError
from tickertape.symbols.elf_file import elf_file

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping
    from pathlib import Path

    from elftools.dwarf.compileunit import CompileUnit
    from elftools.dwarf.die import DIE
    from elftools.elf.elffile import ELFFile

Value: TypeAlias = "int | list[Value] | dict[str, Value]"
"""A number, an array or a struct."""

_ALIASES: Final = {
    "DW_TAG_typedef",
    "DW_TAG_const_type",
    "DW_TAG_volatile_type",
    "DW_TAG_atomic_type",
}
_NUMBERS: Final = {"DW_TAG_base_type", "DW_TAG_enumeration_type", "DW_TAG_pointer_type"}
_STRUCTS: Final = {"DW_TAG_structure_type", "DW_TAG_union_type"}
_ADDRESS_OPERATION: Final = 0x03  # DW_OP_addr


@dataclass(frozen=True, slots=True)
class Type:
    """A type: a number, a struct with `members`, or an array of `count` elements.

    Attributes:
        size_bytes: size of a value.
        order: byte order, "little" or "big".
        members: offset and type of each member of a struct or union, by name.
        element: type of an array's elements.
        count: number of elements.
    """

    size_bytes: int
    order: Literal["little", "big"]
    members: Mapping[str, tuple[int, Type]] | None = None
    element: Type | None = None
    count: int = 0

    def values(self, data: bytes, begin: int = 0) -> Value:
        """Return the value at offset `begin` of `data`; numbers are unsigned."""
        if self.element is not None:
            size = self.element.size_bytes
            return [self.element.values(data, begin + size * i) for i in range(self.count)]
        if self.members is not None:
            return {
                name: kind.values(data, begin + offset)
                for name, (offset, kind) in self.members.items()
            }
        part = data[begin : begin + self.size_bytes]
        return int.from_bytes(part, self.order)


@dataclass(frozen=True, slots=True)
class Variable:
    """Address and type of a variable."""

    address: int
    type: Type


class Variables:
    """Variables and code ranges of some source files.

    Attributes:
        order: byte order of the firmware, "little" or "big".
        code: code ranges by function name, including inlined copies: first address and address
            after the last.
    """

    def __init__(self, elf: ELFFile, files: Collection[str]) -> None:
        """Read the debug information of source files, given without their folder."""
        self.order: Literal["little", "big"] = "little" if elf.little_endian else "big"
        self.code: dict[str, list[tuple[int, int]]] = {}
        self._found: dict[tuple[str, str], Variable] = {}
        self._pointed: dict[tuple[str, str], Type] = {}
        self._types: dict[int, Type] = {}
        dwarf = elf.get_dwarf_info()
        self._ranges = dwarf.range_lists()
        for unit in dwarf.iter_CUs():
            top = unit.get_top_DIE()
            file = PurePath(_text(top, "DW_AT_name")).name
            if file in files:
                for die in top.iter_children():
                    if die.tag == "DW_TAG_variable":
                        self._take(file, die)
                    elif die.tag == "DW_TAG_subprogram":
                        self._take_code(unit, die)

    @classmethod
    def read(cls, path: Path, files: Collection[str]) -> Variables:
        """Read an ELF file.

        Raises:
            FirmwareError: the file does not exist, is not an ELF file, or has no debug information.
        """
        with elf_file(path) as elf:
            if not elf.has_dwarf_info():
                raise FirmwareError(f"{path} has no debug information", "build it with -g")
            return cls(elf, files)

    def get(self, file: str, name: str) -> Variable | None:
        """Return a variable of a source file; None if the file defines none of that name."""
        return self._found.get((file, name))

    def pointed(self, file: str, name: str) -> Type | None:
        """Return the type that a pointer variable points to; None if it is not a pointer."""
        return self._pointed.get((file, name))

    def _take(self, file: str, die: DIE) -> None:
        location = die.attributes.get("DW_AT_location")
        if location is None or describe_form_class(location.form) not in {"exprloc", "block"}:
            return
        declared = die
        if "DW_AT_specification" in die.attributes:
            declared = die.get_DIE_from_attribute("DW_AT_specification")
        typed = die if "DW_AT_type" in die.attributes else declared
        kind = self._type_of(typed)
        if kind is not None and location.value[0] == _ADDRESS_OPERATION:
            key = file, _text(declared, "DW_AT_name")
            address = int.from_bytes(bytes(location.value[1:]), self.order)
            self._found[key] = Variable(address, kind)
            pointer = _behind_aliases(typed)
            pointed = self._type_of(pointer) if pointer.tag == "DW_TAG_pointer_type" else None
            if pointed is not None:
                self._pointed[key] = pointed

    def _take_code(self, unit: CompileUnit, die: DIE) -> None:
        """Store the code ranges of a function and of the functions inlined in it."""
        for one in (die, *_below(die)):
            code = self._code(unit, one)
            if code is not None:
                origin = _follow(one, "DW_AT_abstract_origin")
                name = _text(origin, "DW_AT_name")
                self.code.setdefault(name, []).append(code)

    def _code(self, unit: CompileUnit, die: DIE) -> tuple[int, int] | None:
        """Return the smallest range with all code of a function; None if unknown."""
        attributes = die.attributes
        if "DW_AT_low_pc" in attributes and "DW_AT_high_pc" in attributes:
            low, high = attributes["DW_AT_low_pc"].value, attributes["DW_AT_high_pc"]
            is_address = describe_form_class(high.form) == "address"
            return low, high.value if is_address else low + high.value
        if "DW_AT_ranges" not in attributes or self._ranges is None:
            return None
        base = unit.get_top_DIE().attributes.get("DW_AT_low_pc")
        begin = base.value if base is not None else 0
        hull: list[int] = []
        place = attributes["DW_AT_ranges"].value
        for entry in self._ranges.get_range_list_at_offset(place, unit):
            if isinstance(entry, BaseAddressEntry):
                begin = entry.base_address
            else:
                skip = 0 if getattr(entry, "is_absolute", False) else begin
                hull += [skip + entry.begin_offset, skip + entry.end_offset]
        return (min(hull), max(hull)) if hull else None

    def _type_of(self, die: DIE) -> Type | None:
        """Return the type of a variable, a member or an array's elements; None if incomplete."""
        if "DW_AT_type" not in die.attributes:
            return None
        found = _behind_aliases(die)
        known = self._types.get(found.offset)
        if known is None:
            known = self._make(found)
            if known is not None:
                self._types[found.offset] = known
        return known

    def _make(self, die: DIE) -> Type | None:
        if die.tag == "DW_TAG_array_type":
            return self._array(die)
        size = die.attributes.get("DW_AT_byte_size")
        size_bytes = size.value if size is not None else die.cu["address_size"]
        if die.tag in _STRUCTS and size is not None:
            members: dict[str, tuple[int, Type]] = {}
            for member in die.iter_children():
                kind = self._type_of(member)
                if member.tag == "DW_TAG_member" and kind is not None:
                    offset = member.attributes.get("DW_AT_data_member_location")
                    members[_text(member, "DW_AT_name")] = (offset.value if offset else 0, kind)
            return Type(size_bytes, self.order, members)
        return Type(size_bytes, self.order) if die.tag in _NUMBERS else None

    def _array(self, die: DIE) -> Type | None:
        element = self._type_of(die)
        counts = []
        for part in die.iter_children():
            count, last = (
                part.attributes.get(f"DW_AT_{name}") for name in ("count", "upper_bound")
            )
            if part.tag == "DW_TAG_subrange_type" and count is not None:
                counts.append(count.value)
            elif part.tag == "DW_TAG_subrange_type" and last is not None:
                counts.append(last.value + 1)
        if element is None or not counts:
            return None
        for count in reversed(counts):
            element = Type(element.size_bytes * count, self.order, None, element, count)
        return element


def _behind_aliases(die: DIE) -> DIE:
    """Return the type of a variable or member, without typedefs and qualifiers."""
    found = die.get_DIE_from_attribute("DW_AT_type")
    return _follow(found, "DW_AT_type", _ALIASES)


def _follow(die: DIE, attribute: str, tags: Collection[str] | None = None) -> DIE:
    """Return the last entry of a chain of references; with `tags`, follow only these entries.

    Raises:
        DWARFError: the chain refers to itself.
    """
    seen: set[int] = set()
    while attribute in die.attributes and (tags is None or die.tag in tags):
        if die.offset in seen:
            raise DWARFError(f"the reference at {die.offset:#x} is part of a circle")
        seen.add(die.offset)
        die = die.get_DIE_from_attribute(attribute)
    return die


def _below(die: DIE) -> Iterator[DIE]:
    for child in die.iter_children():
        yield child
        yield from _below(child)


def _text(die: DIE, attribute: str) -> str:
    found = die.attributes.get(attribute)
    return found.value.decode("utf-8", errors="replace") if found is not None else ""
