"""A simple reader of CTF 2 traces, written from CTF2-SPEC-2.0, independent of the exporter.

It uses the metadata alone and reads the fields one by one, by their classes and alignments.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Json = dict[str, Any]
MAGIC = 0xC1FC1FC1
NEEDED = {
    "fixed-length-unsigned-integer": {"length", "byte-order"},
    "fixed-length-signed-integer": {"length", "byte-order"},
    "null-terminated-string": set(),
    "dynamic-length-blob": {"length-field-location"},
    "structure": {"member-classes"},
}
ALLOWED = {
    "fixed-length-unsigned-integer": {"alignment", "roles", "preferred-display-base"},
    "fixed-length-signed-integer": {"alignment", "roles", "preferred-display-base"},
    "null-terminated-string": {"encoding"},
    "dynamic-length-blob": {"media-type"},
    "structure": {"minimum-alignment"},
}


@dataclass
class Packet:
    """A packet: the values of its context by role or name, and its event records."""

    context: Json
    events: list[tuple[str, int, Json, Json]] = field(default_factory=list)


class Bits:
    """Reads fields from a packet; `position` counts bits."""

    def __init__(self, data: bytes, position: int = 0) -> None:
        self.data, self.position = data, position
        self.roles: dict[str, int] = {}
        self.scope: Json = {}

    def align(self, bits: int) -> None:
        self.position += -self.position % bits

    def read(self, cls: Json) -> Any:  # noqa: ANN401 - what a field holds
        kind = cls["type"]
        extra = set(cls) - {"type", "attributes"} - NEEDED[kind]
        assert NEEDED[kind] <= set(cls), cls
        assert extra <= ALLOWED[kind], cls
        return getattr(self, "_" + kind.replace("-", "_"))(cls)

    def _structure(self, cls: Json) -> Json:
        self.align(alignment_of(cls))
        self.scope = found = {}
        for member in cls["member-classes"]:
            assert set(member) <= {"name", "field-class", "attributes"}
            found[member["name"]] = self.read(member["field-class"])
        return found

    def _integer(self, cls: Json) -> int:
        self.align(cls.get("alignment", 1))
        assert cls["byte-order"] == "little-endian"
        length: int = cls["length"]
        first, last = self.position // 8, (self.position + length + 7) // 8
        assert last <= len(self.data)
        whole = int.from_bytes(self.data[first:last], "little") >> self.position % 8
        self.position += length
        value = whole & ((1 << length) - 1)
        for role in cls.get("roles", []):
            self.roles[role] = value
        return value

    _fixed_length_unsigned_integer = _integer

    def _fixed_length_signed_integer(self, cls: Json) -> int:
        sign: int
        value, sign = self._integer(cls), 1 << cls["length"] - 1
        return value - 2 * sign if value & sign else value

    def _null_terminated_string(self, _cls: Json) -> bytes:
        self.align(8)
        begin = self.position // 8
        end = self.data.index(0, begin)
        self.position = 8 * (end + 1)
        return self.data[begin:end]

    def _dynamic_length_blob(self, cls: Json) -> bytes:
        self.align(8)
        where = cls["length-field-location"]
        assert where["origin"] == "event-record-payload"
        (name,) = where["path"]
        begin = self.position // 8
        end = begin + self.scope[name]
        assert end <= len(self.data)
        self.position = 8 * end
        return self.data[begin:end]


def alignment_of(cls: Json) -> int:
    """Return the alignment requirement of a field class in bits (section 6.3 and following)."""
    if cls["type"] == "structure":
        members = [alignment_of(member["field-class"]) for member in cls["member-classes"]]
        strictest: int = max([cls.get("minimum-alignment", 1), *members])
        return strictest
    own: int = cls.get("alignment", 1)
    return own if cls["type"].startswith("fixed") else 8


class Ctf2Trace:
    """A trace: its metadata, and its packets by stream file."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        text = (folder / "metadata").read_bytes()
        assert text[0] == 0x1E
        fragments = [json.loads(part) for part in text.split(b"\x1e")[1:]]
        assert fragments[0] == {"type": "preamble", "version": 2}
        by_type: dict[str, list[Json]] = {}
        for one in fragments:
            by_type.setdefault(one["type"], []).append(one)
        (self.trace,) = by_type["trace-class"]
        (self.clock,) = by_type["clock-class"]
        (self.stream,) = by_type["data-stream-class"]
        assert self.stream["default-clock-class-id"] == self.clock["id"]
        self.events = {one["id"]: one for one in by_type.get("event-record-class", [])}

    def packets(self, name: str) -> Iterator[Packet]:
        data = (self.folder / name).read_bytes()
        while data:
            packet, size = self._packet(data)
            yield packet
            data = data[size:]

    def _packet(self, data: bytes) -> tuple[Packet, int]:
        head = Bits(data)
        head.read(self.trace["packet-header-field-class"])
        assert head.roles["packet-magic-number"] == MAGIC
        assert head.roles["data-stream-class-id"] == self.stream.get("id", 0)
        context = head.read(self.stream["packet-context-field-class"])
        packet = Packet({**context, **head.roles})
        total, content = head.roles["packet-total-length"], head.roles["packet-content-length"]
        assert content <= total <= 8 * len(data)
        assert content % 8 == 0
        bits = Bits(data[: content // 8], head.position)
        clock = head.roles["default-clock-timestamp"]
        while bits.position < content:
            clock = self._event(bits, clock, packet)
        assert bits.position == content, "the content may have only event records"
        return packet, total // 8

    def _event(self, bits: Bits, clock: int, packet: Packet) -> int:
        header = self.stream["event-record-header-field-class"]
        bits.read(header)
        members = {one["name"]: one["field-class"] for one in header["member-classes"]}
        length = members["timestamp"]["length"]
        now = bits.roles["default-clock-timestamp"]
        # Section 6.4: the new value is the lowest one with these low bits that is >= the old one.
        clock += (now - clock) % (1 << length)
        context = bits.read(self.stream["event-record-common-context-field-class"])
        what = self.events[bits.roles["event-record-class-id"]]
        assert what.get("data-stream-class-id", 0) == self.stream.get("id", 0)
        packet.events.append((what["name"], clock, context, bits.read(what["payload-field-class"])))
        return clock
