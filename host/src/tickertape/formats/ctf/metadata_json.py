"""Writes the metadata of a CTF 2 trace: JSON fragments, each after a record separator (RFC 7464).

CTF2-SPEC-2.0, https://diamon.org/ctf/.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from tickertape.formats.ctf.stream import CONTEXT_FIELDS, HEAD_FIELDS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tickertape.formats.ctf.metadata_tsdl import TraceFacts
    from tickertape.formats.ctf.types import CtfField

    Json = Mapping[str, object]

_SEPARATOR: Final = b"\x1e"
_CLOCK: Final = "ticks"
_HEXADECIMAL_BASE: Final = 16
_WORD_BITS: Final = 32
_ROLES: Final = {
    "magic": "packet-magic-number",
    "stream_id": "data-stream-class-id",
    "stream_instance_id": "data-stream-id",
    "timestamp_begin": "default-clock-timestamp",
    "timestamp_end": "packet-end-default-clock-timestamp",
    "content_size": "packet-content-length",
    "packet_size": "packet-total-length",
    "packet_seq_num": "packet-sequence-number",
    "events_discarded": "discarded-event-record-counter-snapshot",
    "timestamp": "default-clock-timestamp",
    "id": "event-record-class-id",
}


def json_metadata(facts: TraceFacts) -> bytes:
    """Return the file `metadata` of a trace."""
    fragments: list[Json] = [
        {"type": "preamble", "version": 2},
        {
            "type": "trace-class",
            "environment": {
                "tracer_name": "tickertape",
                "tracer_version": facts.program,
                "target": facts.target,
                "boot": facts.boot,
            },
            "packet-header-field-class": _words(HEAD_FIELDS),
        },
        {
            "type": "clock-class",
            "id": _CLOCK,
            "name": _CLOCK,
            "description": "clock of the target, from its start",
            "frequency": facts.tick_hz,
        },
        {
            "type": "data-stream-class",
            "id": 0,
            "default-clock-class-id": _CLOCK,
            "packet-context-field-class": _words(CONTEXT_FIELDS),
            "event-record-header-field-class": _structure(
                ("timestamp", _integer(_WORD_BITS, role="timestamp")),
                ("id", _integer(24, alignment=8, role="id")),
            ),
            "event-record-common-context-field-class": _structure(
                *((name, _integer(bits, alignment=1)) for name, bits in _CONTEXT_BITS)
            ),
        },
    ]
    fragments += [
        {
            "type": "event-record-class",
            "id": event.id,
            "name": event.name,
            "payload-field-class": _structure(*map(_member, event.fields)),
        }
        for event in facts.events
    ]
    lines = [json.dumps(one, separators=(",", ":")).encode() + b"\n" for one in fragments]
    return b"".join(_SEPARATOR + line for line in lines)


_CONTEXT_BITS: Final = (("domain", 6), ("host", 1), ("truncated", 1))


def _structure(*members: tuple[str, Json]) -> Json:
    classes = [{"name": name, "field-class": class_} for name, class_ in members]
    return {"type": "structure", "member-classes": classes}


def _words(fields: tuple[tuple[str, int], ...]) -> Json:
    return _structure(*((name, _integer(bits, role=name)) for name, bits in fields))


def _integer(
    bits: int, *, alignment: int = _WORD_BITS, role: str = "", signed: bool = False
) -> Json:
    sign = "signed" if signed else "unsigned"
    found: dict[str, object] = {
        "type": f"fixed-length-{sign}-integer",
        "length": bits,
        "byte-order": "little-endian",
        "alignment": alignment,
    }
    if role in _ROLES:
        found["roles"] = [_ROLES[role]]
    return found


def _member(field: CtfField) -> tuple[str, Json]:
    match field.kind:
        case "text":
            return field.name, {"type": "null-terminated-string"}
        case "bytes":
            where = {"origin": "event-record-payload", "path": ["length"]}
            return field.name, {"type": "dynamic-length-blob", "length-field-location": where}
        case "hexadecimal":
            shown = {"preferred-display-base": _HEXADECIMAL_BASE}
            return field.name, {**_integer(_WORD_BITS), **shown}
    return field.name, _integer(_WORD_BITS, signed=field.kind == "signed")
