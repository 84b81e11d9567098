"""firmware/include/tickertape/wire.h: enums, header bits, limits and struct layouts."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.gen.c_text import banner, call, comment, defines, finish, number

if TYPE_CHECKING:
    from tools.gen.layout import Enum, Layout, Struct, StructField

PATH = "firmware/include/tickertape/wire.h"

_TEXT = """
tickertape/wire.h - the bytes between target and host.

The structs are filled in memory and sent as they are: every target is little-endian here, and
no field needs padding, which the assertions prove. protocol/SPEC.md explains every field.
"""


def render(layout: Layout) -> str:
    """Return the text of the header."""
    major, minor = layout.protocol
    lines = banner("protocol/wire.yaml", _TEXT)
    lines += ["#ifndef TICKERTAPE_WIRE_H", "#define TICKERTAPE_WIRE_H", ""]
    lines += ["#include <stddef.h>", "#include <stdint.h>", ""]
    lines += ['#include "tickertape/language.h"', ""]
    lines += ["/* Version of this protocol; a receiver refuses another major. */"]
    lines += defines([("TT_PROTOCOL_MAJOR", number(major)), ("TT_PROTOCOL_MINOR", number(minor))])
    lines += ["", *_header(layout), "", *_limits(layout)]
    for enum in layout.enums:
        if layout.is_in_c(enum):
            lines += ["", *_enum(enum)]
    for struct in layout.structs:
        if layout.is_in_c(struct):
            lines += ["", *_struct(struct)]
    return finish([*lines, "", "#endif"])


def _header(layout: Layout) -> list[str]:
    lines = ["/* A record: header, time and two words. */"]
    lines += defines([("TT_RECORD_BYTES", number(layout.record_bytes))])
    lines += ["", "/* The fields of a record's header: lowest bit, and the bits at their place. */"]
    pairs = []
    for bits in layout.header:
        stem = f"TT_RECORD_{bits.name.upper()}"
        pairs += [
            (f"{stem}_FIRST_BIT", number(bits.first)),
            (f"{stem}_MASK", f"0x{bits.mask:08x}u"),
        ]
    lines += defines(pairs)
    for bits in layout.header:
        if bits.values:
            lines += ["", *comment(f"Values of the field {bits.name}: {bits.doc}.")]
            lines += defines([(f"TT_RECORD_{name}", number(value)) for name, value in bits.values])
    lines += ["", "/* `value` in the header field `name`; bits that do not fit are dropped. */"]
    lines += [
        "#define TT_RECORD_FIELD(name, value) \\",
        "    ((((uint32_t)(value)) << TT_RECORD_##name##_FIRST_BIT) & TT_RECORD_##name##_MASK)",
        "",
        "/* A whole header, flags truncated and host 0. Constant when its arguments are. */",
        "#define TT_RECORD_HEADER(struct_bits, cpu, domain, event_class, event) \\",
        "    (TT_RECORD_FIELD(STRUCT, struct_bits) | TT_RECORD_FIELD(CPU, cpu) | \\",
        "     TT_RECORD_FIELD(DOMAIN, domain) | TT_RECORD_FIELD(CLASS, event_class) | \\",
        "     TT_RECORD_FIELD(EVENT, event))",
    ]
    return [line if not line.endswith("\\") else f"{line[:-1].rstrip():<99}\\" for line in lines]


def _limits(layout: Layout) -> list[str]:
    lines = ["/* Limits that target and host keep. */"]
    macros = defines(
        [(f"TT_LIMIT_{limit.name.upper()}", number(limit.value)) for limit in layout.limits]
    )
    for limit, macro in zip(layout.limits, macros, strict=True):
        lines += [*comment(limit.doc[0].upper() + limit.doc[1:] + "."), macro]
    return lines


def _enum(enum: Enum) -> list[str]:
    lines = [f"typedef enum tt_{enum.name} {{"]
    for value in enum.values:
        lines += comment(value.doc, "    ")
        lines += [f"    TT_{enum.name.upper()}_{value.name} = {value.value},"]
    return [*lines, f"}} tt_{enum.name}_t;"]


def _struct(struct: Struct) -> list[str]:
    name = f"tt_wire_{struct.name}"
    lines = [*comment(struct.doc), f"typedef struct {name} {{"]
    for entry in struct.fields:
        lines += comment(entry.doc, "    ")
        lines += [f"    {_declaration(entry)};"]
    lines += [f"}} {name}_t;", ""]
    macro = f"TT_WIRE_{struct.name.upper()}_BYTES"
    lines += [*defines([(macro, number(struct.size))]), ""]
    lines += call("TT_STATIC_ASSERT", [f"sizeof({name}_t) == {macro}", '"no padding"'], ";")
    for entry in struct.fields:
        condition = f"offsetof({name}_t, {entry.name}) == {number(entry.offset)}"
        lines += call("TT_STATIC_ASSERT", [condition, f'"{entry.name}"'], ";")
    return lines


def _declaration(entry: StructField) -> str:
    if entry.type.startswith("bytes"):
        return f"uint8_t {entry.name}[{entry.size}]"
    sign = "u" if entry.type.startswith("u") else ""
    return f"{sign}int{entry.size * 8}_t {entry.name}"
