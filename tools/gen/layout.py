"""wire.yaml as values: versions, header bits, limits, enums and struct layouts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tools.gen.source import Source

INTEGER_BYTES = {f"{sign}{8 * size}": size for size in (1, 2, 4, 8) for sign in "ui"}


@dataclass(frozen=True)
class BitField:
    """A run of bits of the record header; `first` is the lowest."""

    name: str
    first: int
    width: int
    doc: str
    values: tuple[tuple[str, int], ...]

    @property
    def mask(self) -> int:
        """The mask of the bits, in place."""
        return ((1 << self.width) - 1) << self.first


@dataclass(frozen=True)
class Limit:
    """A number that both sides keep to."""

    name: str
    value: int
    doc: str


@dataclass(frozen=True)
class EnumValue:
    """One value of an enum."""

    name: str
    value: int
    doc: str


@dataclass(frozen=True)
class Enum:
    """A set of named numbers."""

    name: str
    values: tuple[EnumValue, ...]
    host_only: bool


@dataclass(frozen=True)
class StructField:
    """One field of a struct. `value` is its constant value; None if it varies."""

    name: str
    type: str
    offset: int
    doc: str
    value: int | bytes | None

    @property
    def size(self) -> int:
        """Bytes on the wire."""
        return INTEGER_BYTES.get(self.type) or int(self.type.removeprefix("bytes"))

    @property
    def alignment(self) -> int:
        """Alignment by a compiler, in bytes."""
        return INTEGER_BYTES.get(self.type, 1)


@dataclass(frozen=True)
class Struct:
    """Bytes with named fields, little-endian, without padding."""

    name: str
    doc: str
    fields: tuple[StructField, ...]
    host_only: bool

    @property
    def size(self) -> int:
        """Bytes on the wire."""
        return sum(entry.size for entry in self.fields)

    @property
    def alignment(self) -> int:
        """Alignment by a compiler, in bytes."""
        return max(entry.alignment for entry in self.fields)


@dataclass(frozen=True)
class Layout:
    """All of wire.yaml."""

    protocol: tuple[int, int]
    tape: tuple[int, int]
    record_bytes: int
    header: tuple[BitField, ...]
    limits: tuple[Limit, ...]
    enums: tuple[Enum, ...]
    structs: tuple[Struct, ...]
    also_in_c: frozenset[str]

    def is_in_c(self, entry: Enum | Struct) -> bool:
        """Return whether C is generated for an enum or struct."""
        return not entry.host_only or entry.name in self.also_in_c

    def struct(self, name: str) -> Struct:
        """Find a struct by its name."""
        return next(entry for entry in self.structs if entry.name == name)


def build(source: Source) -> Layout:
    """Build the layout from a file that satisfies its schema; layout_rules checks more."""
    data = source.data
    host_only = set(data["host_only"])
    return Layout(
        protocol=(data["protocol"]["major"], data["protocol"]["minor"]),
        tape=(data["tape"]["major"], data["tape"]["minor"]),
        record_bytes=data["record"]["bytes"],
        header=tuple(_bits(name, item) for name, item in data["record"]["header_bits"].items()),
        limits=tuple(
            Limit(name, item["value"], item["doc"]) for name, item in data["limits"].items()
        ),
        enums=tuple(
            _enum(name, values, host_only=name in host_only)
            for name, values in data["enums"].items()
        ),
        structs=tuple(
            _struct(name, item, host_only=name in host_only)
            for name, item in data["structs"].items()
        ),
        also_in_c=frozenset(data["also_in_c"]),
    )


def _bits(name: str, item: dict[str, Any]) -> BitField:
    values = tuple(item.get("values", {}).items())
    return BitField(name, item["first"], item["width"], item.get("doc", ""), values)


def _enum(name: str, values: dict[str, Any], *, host_only: bool) -> Enum:
    return Enum(
        name,
        tuple(EnumValue(key, item["value"], item["doc"]) for key, item in values.items()),
        host_only,
    )


def _struct(name: str, item: dict[str, Any], *, host_only: bool) -> Struct:
    fields: list[StructField] = []
    offset = 0
    for entry in item["fields"]:
        value = entry.get("value")
        if isinstance(value, str):
            value = bytes.fromhex(value)
        made = StructField(entry["name"], entry["type"], offset, entry["doc"], value)
        fields.append(made)
        offset += made.size
    return Struct(name, item["doc"], tuple(fields), host_only)
