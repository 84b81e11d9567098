"""Rules for wire.yaml beyond the schema, each with its message."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tools.gen.complaints import refuse, twice, words

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.gen.complaints import Complaint, Where
    from tools.gen.layout import Layout, Struct, StructField
    from tools.gen.source import Source

HEADER_BITS = 32


def check(layout: Layout, source: Source) -> None:
    """Check wire.yaml.

    Raises:
        SourceError: with one line per complaint.
    """
    complaints = [*_header(layout), *_names(layout, source)]
    for struct in layout.structs:
        complaints += _struct(struct)
    refuse(source, complaints)


def _header(layout: Layout) -> Iterator[Complaint]:
    where: Where = ("record", "header_bits")
    place = 0
    for bits in sorted(layout.header, key=lambda entry: entry.first):
        if bits.first != place:
            yield (*where, bits.name), "leaves a gap or overlaps; correct first or width"
        place = bits.first + bits.width
        for name, value in bits.values:
            if value >> bits.width:
                yield (*where, bits.name), f"{name} does not fit its {bits.width} bits; correct it"
    if place != HEADER_BITS:
        yield where, f"the fields end at bit {place}; they must fill {HEADER_BITS}"


def _names(layout: Layout, source: Source) -> Iterator[Complaint]:
    for enum in layout.enums:
        for number in twice([value.value for value in enum.values]):
            last = [value.name for value in enum.values if value.value == number][-1]
            yield ("enums", enum.name, last), f"the value {number} is taken; take a free one"
    known = {enum.name for enum in layout.enums} | {struct.name for struct in layout.structs}
    for key in ("host_only", "also_in_c"):
        for index, name in enumerate(source.data[key]):
            if name not in known:
                yield (key, index), f"there is no enum or struct {name}; correct the name"


def _struct(struct: Struct) -> Iterator[Complaint]:
    where: Where = ("structs", struct.name)
    yield from words((*where, "fields"), [entry.name for entry in struct.fields])
    for index, entry in enumerate(struct.fields):
        yield from _field((*where, "fields", index), entry)
    if struct.size % struct.alignment:
        advice = "add a field at its end"
        yield where, f"has {struct.size} bytes, no multiple of {struct.alignment}; {advice}"


def _field(where: Where, entry: StructField) -> Iterator[Complaint]:
    if entry.offset % entry.alignment:
        text = f"{entry.name} lies at byte {entry.offset}, no multiple of {entry.alignment}"
        yield where, f"{text}; reorder the fields or fill up before it"
    if isinstance(entry.value, bytes) and len(entry.value) != entry.size:
        yield where, f"value has {len(entry.value)} bytes, not {entry.size}; correct it"
    if isinstance(entry.value, int) and entry.value >> (8 * entry.size):
        yield where, f"value does not fit {entry.type}; correct it"
