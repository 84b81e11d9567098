"""host/src/tickertape/protocol/wire.py: enums, construct structs and numpy types."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.gen.py_text import call, camel, finish, header, int_enum, prose, text

if TYPE_CHECKING:
    from tools.gen.layout import Layout, Struct, StructField

PATH = "host/src/tickertape/protocol/wire.py"

_INTEGERS = {
    f"{sign}{size}": f"Int{size}{mark}l"
    for size in (8, 16, 32, 64)
    for sign, mark in (("i", "s"), ("u", "u"))
}
# Structs that form arrays, which numpy reads.
_ARRAYS = ("buffer_header", "class_counters")

_DTYPE = '''
def record_dtype(byte_order: ByteOrder | int) -> np.dtype[np.void]:
    """Give the numpy type of a record: header, time, data0, data1, in a target's byte order.

    Args:
        byte_order: From HELLO or the tape header.

    Raises:
        ValueError: The number is not a byte order.
    """
    mark = "<" if ByteOrder(byte_order) is ByteOrder.LITTLE else ">"
    return np.dtype([(name, mark + "u4") for name in ("header", "time", "data0", "data1")])
'''


def render(layout: Layout) -> str:
    """Return the text of the module."""
    lines = header("protocol/wire.yaml", "Layouts and numbers of the link and of tapes.")
    used = {entry.type for struct in layout.structs for entry in struct.fields}
    integers = [_INTEGERS[key] for key in _INTEGERS if key in used]
    names = ["Bytes", "Const", "Default", *integers, "Struct"]
    lines += ["from enum import IntEnum", "from typing import Any, Final", "", "import numpy as np"]
    lines += [f"from construct import {', '.join(names)}", ""]
    lines += ["# Versions; a receiver or reader refuses another major."]
    for stem, version in (("PROTOCOL", layout.protocol), ("TAPE", layout.tape)):
        lines += [f"{stem}_MAJOR: Final = {version[0]}", f"{stem}_MINOR: Final = {version[1]}"]
    lines += ["", *_header(layout), "", "# Limits that target and host keep."]
    for limit in layout.limits:
        lines += [f"{limit.name.upper()}: Final = {limit.value}", *prose(limit.doc)]
    for enum in layout.enums:
        values = [(value.name, value.value, value.doc) for value in enum.values]
        name = camel(enum.name)
        lines += ["", "", *int_enum(name, f"{enum.name} in wire.yaml.", values)]
    bits = next(bits for bits in layout.header if bits.values)
    members = [(name, value, "") for name, value in bits.values]
    lines += ["", "", *int_enum("RecordStruct", f"The {bits.doc}.", members), ""]
    for struct in layout.structs:
        lines += ["", *_struct(struct)]
    lines += ["", *_DTYPE.rstrip().splitlines(), "", ""]
    for name in _ARRAYS:
        lines += _dtype(layout.struct(name))
    return finish(lines)


def _header(layout: Layout) -> list[str]:
    lines = ["# The fields of a record's header: lowest bit, mask when shifted down, bits in place"]
    lines += [f"RECORD_BYTES: Final = {layout.record_bytes}"]
    for bits in layout.header:
        stem = bits.name.upper()
        lines += [
            f"{stem}_SHIFT: Final = {bits.first}",
            f"{stem}_MASK: Final = 0x{bits.mask >> bits.first:X}",
            f"{stem}_BITS: Final = 0x{bits.mask:08X}",
        ]
    return lines


def _struct(struct: Struct) -> list[str]:
    name = struct.name.upper()
    constants = [
        f"{name}_{entry.name.upper()}: Final = {_literal(entry)}"
        for entry in struct.fields
        if entry.value
    ]
    fields = [f"{text(entry.name)} / {_subcon(struct, entry)}" for entry in struct.fields]
    return [
        *constants,
        *call(f"{name}: Final[Any] = Struct(", fields, ""),
        *prose(struct.doc),
        f"{name}_BYTES: Final = {struct.size}",
    ]


def _subcon(struct: Struct, entry: StructField) -> str:
    base = _INTEGERS.get(entry.type) or f"Bytes({entry.size})"
    if entry.value is None:
        return base
    if entry.value:
        return f"Const({struct.name.upper()}_{entry.name.upper()}, {base})"
    return f"Default({base}, {_literal(entry)})"


def _literal(entry: StructField) -> str:
    if isinstance(entry.value, bytes):
        return f'bytes.fromhex("{entry.value.hex()}")'
    if entry.type.startswith("bytes"):
        return f"bytes({entry.size})"
    return f"0x{entry.value:X}" if entry.value else "0"


def _numpy(entry: StructField) -> str:
    """Return the numpy type of a field; runs of bytes are opaque."""
    if entry.type.startswith("bytes"):
        return f"V{entry.size}"
    mark = "<" if entry.size > 1 else ""
    return f"{mark}{entry.type[0]}{entry.size}"


def _dtype(struct: Struct) -> list[str]:
    fields = [f"({text(entry.name)}, {text(_numpy(entry))})" for entry in struct.fields]
    name = f"{struct.name.upper()}_DTYPE"
    head = f"{name}: Final[np.dtype[np.void]] = np.dtype("
    return [head, *call("[", fields, "", "    "), ")"]
