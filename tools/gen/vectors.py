"""protocol/vectors/*.json: golden vectors for tests in any language. Bytes are hex."""

from __future__ import annotations

import json
import zlib
from typing import TYPE_CHECKING, Any

from tools.gen import reference
from tools.gen.packed_cases import PackedCases
from tools.gen.vector_cases import Cases, bad_frames, cobs_cases

if TYPE_CHECKING:
    from tools.gen.dictionary import Dictionary
    from tools.gen.layout import Layout
    from tools.gen.vector_cases import FrameCase, RecordCase

FOLDER = "protocol/vectors"

_GENERATED = "Generated from protocol/events.yaml and wire.yaml by make gen; do not edit"
_CRC_INPUTS = (b"", b"\0", b"123456789", bytes(range(256)))


def render(dictionary: Dictionary, layout: Layout) -> dict[str, str]:
    """Return the text of each file, by its path."""
    cases = Cases(dictionary, layout)
    frames = cases.frames()
    records = {"generated": _GENERATED, "events": [_record(case) for case in cases.records()]}
    links = {
        "generated": _GENERATED,
        "crc": [{"bytes": data.hex(), "crc": zlib.crc32(data)} for data in _CRC_INPUTS],
        "cobs": [
            {"plain": data.hex(), "encoded": reference.cobs(data).hex()} for data in cobs_cases()
        ],
        "frames": [_frame(case) for case in frames],
        "bad_frames": [
            {"why": why, "wire": wire.hex()} for why, wire in bad_frames(frames[1].wire)
        ],
    }
    bodies = {"generated": _GENERATED, "bodies": PackedCases(dictionary, layout).cases()}
    return {
        f"{FOLDER}/records.json": _json(records),
        f"{FOLDER}/frames.json": _json(links),
        f"{FOLDER}/packed.json": _json(bodies),
    }


def _record(case: RecordCase) -> dict[str, Any]:
    event = case.event
    entry: dict[str, Any] = {
        "name": case.name,
        "byte_order": "big" if event.big_endian else "little",
        "class": event.class_number,
        "event": event.number,
        "cpu": event.cpu,
        "domain": event.domain,
        "truncated": event.truncated,
        "host": event.host,
        "time": event.time,
    }
    if event.key is not None:
        entry["key"] = event.key
    if case.payload is None:
        entry["data"] = list(case.data or ())
    else:
        entry["payload"] = case.payload.hex()
    if case.text is not None:
        entry |= {"fields": list(case.fields), "text": case.text}
    if case.wide:
        entry["wide"] = list(case.wide)
    return entry | {"records": [record.hex() for record in case.records]}


def _frame(case: FrameCase) -> dict[str, Any]:
    return {
        "name": case.name,
        "type": case.kind,
        "stream": case.stream,
        "cpu": case.cpu,
        "boot_tag": case.boot_tag,
        "sequence": case.sequence,
        "body_fields": case.body_fields,
        "body": case.body.hex(),
        "wire": case.wire.hex(),
    }


def _json(value: dict[str, Any]) -> str:
    return json.dumps(value, indent=2) + "\n"
