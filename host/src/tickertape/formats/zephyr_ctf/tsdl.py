"""Parses the subset of CTF 1.8 metadata that Zephyr writes: fields of fixed size, one stream.

A stream may have packets with a header and a context, and each event a context.

The parser refuses an unsupported construct instead of skipping it, because a skipped field would
shift all bytes after it.
"""

from __future__ import annotations

import re
import struct
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from tickertape.errors import ForeignFile

if TYPE_CHECKING:
    from collections.abc import Mapping

_LONGEST: Final = 1 << 20
_COMMENT: Final = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_BLOCK: Final = re.compile(
    r"\s*(?:(?P<kind>trace|clock|env|event|stream)|struct\s+(?P<struct>\w+))\s*\{"
)
_ALIAS: Final = re.compile(
    r"\s*typealias\s+integer\s*\{(?P<body>[^{}]*)\}\s*:=\s*(?P<name>\w+)\s*;"
)
_ASSIGNED: Final = re.compile(r'\s*(?P<key>[\w.]+)\s*:?=\s*(?P<value>"[^"]*"|[^;{}]+?)\s*;')
_FIELDS: Final = re.compile(r"\s*(?P<key>[\w.]+)\s*:=\s*struct\s*\{(?P<body>[^{}]*)\}\s*;")
_FIELD: Final = re.compile(r"\s*(?P<type>\w+)\s+(?P<name>\w+)\s*(?:\[\s*(?P<count>\d+)\s*\])?\s*;")
_CODES: Final = {(8, False): "B", (8, True): "b", (16, False): "H", (16, True): "h"} | {
    (32, False): "I",
    (32, True): "i",
    (64, False): "Q",
    (64, True): "q",
}
_ADVICE: Final = "give the metadata of the Zephyr that recorded this: subsys/tracing/ctf/tsdl"


@dataclass(frozen=True, slots=True)
class Layout:
    """Fields of fixed size, in order.

    Attributes:
        names: names of the fields.
        form: format of the fields, integers and texts.
    """

    names: tuple[str, ...]
    form: struct.Struct

    @property
    def size(self) -> int:
        """Size in bytes."""
        return self.form.size


@dataclass(frozen=True, slots=True)
class EventClass:
    """An event type: its number, name and fields."""

    id: int
    name: str
    fields: Layout


@dataclass(frozen=True, slots=True)
class Metadata:
    """Contents of the metadata.

    Attributes:
        header: header of each event, with the field `id`, and `timestamp` except in a stream
            without times; fields of the context of events follow.
        events: event types by number.
        tick_hz: clock rate; 1 GHz by default, because Zephyr writes nanoseconds.
        time_bits: size of the time stamp in bits; 0 without time stamps.
        packet: header and context of a packet, one after the other; None for a stream without
            packets.
    """

    header: Layout
    events: Mapping[int, EventClass]
    tick_hz: int
    time_bits: int
    packet: Layout | None = None


def parse_metadata(text: str, name: str) -> Metadata:
    """Parse the metadata of a trace.

    Args:
        text: text of the file.
        name: name of the file, for messages.

    Raises:
        ForeignFile: the text is not CTF 1.8 metadata, or contains an unsupported construct.
    """
    if len(text) > _LONGEST or "CTF 1.8" not in text[:100]:
        raise ForeignFile(f"{name} is not metadata of CTF 1.8", _ADVICE)
    return _Parser(_COMMENT.sub(" ", text), name).run()


class _Parser:
    """Parses the text block by block."""

    def __init__(self, text: str, name: str) -> None:
        self._text = text
        self._name = name
        self._order = ""
        self._types: dict[str, str] = {}
        self._structs: dict[str, str] = {}
        self._events: list[str] = []
        self._header = ""
        self._event_context = ""
        self._packet_header: str | None = None
        self._packet_context = ""
        self._tick_hz = 1_000_000_000

    def run(self) -> Metadata:
        at = 0
        while self._text[at:].strip():
            alias = _ALIAS.match(self._text, at)
            if alias:
                self._alias(alias["name"], alias["body"])
                at = alias.end()
                continue
            block = _BLOCK.match(self._text, at)
            if not block:
                raise self._strange(self._text[at:].split()[0])
            body, at = self._body(block.end())
            if block["struct"]:
                self._structs[block["struct"]] = body
            else:
                self._block(block["kind"], body)
        return self._metadata()

    def _strange(self, what: str) -> ForeignFile:
        return ForeignFile(f"{self._name} contains {what[:40]!r}, which is not supported", _ADVICE)

    def _body(self, begin: int) -> tuple[str, int]:
        """Return the contents of braces, and the end of the block."""
        depth, at = 1, begin
        while depth:
            found = re.compile(r"[{}]").search(self._text, at)
            if not found:
                raise ForeignFile(f"{self._name} ends within a block", "copy it again, whole")
            depth += 1 if found[0] == "{" else -1
            at = found.end()
        rest = re.compile(r"\s*;").match(self._text, at)
        return self._text[begin : at - 1], rest.end() if rest else at

    def _alias(self, name: str, body: str) -> None:
        values = self._values(body + ";" if not body.rstrip().endswith(";") else body)
        bits = self._number(values.get("size", ""))
        signed = values.get("signed", "false") in {"true", "1", "TRUE"}
        code = "s" if "encoding" in values else _CODES.get((bits, signed), "")
        if not code or self._number(values.get("align", "8")) > bits or bits % 8:
            raise self._strange(f"integer {body.strip()}")
        if self._number(values.get("align", "8")) != 8 and code != "s":  # noqa: PLR2004 - bits
            raise self._strange(f"integer {body.strip()}")
        self._types[name] = code

    def _block(self, kind: str, body: str) -> None:
        if kind == "event":
            self._events.append(body)
        elif kind == "clock":
            self._tick_hz = self._number(self._values(body).get("freq", "1000000000"))
        elif kind == "trace":
            values = self._values(body)
            self._order = values.get("byte_order", "")
            if "packet.header" in values:
                self._packet_header = self._struct(values["packet.header"])
        elif kind == "stream":
            self._stream(body)

    def _stream(self, body: str) -> None:
        values = self._values(body)
        unknown = values.keys() - {"id", "event.header", "event.context", "packet.context"}
        if unknown or "event.header" not in values:
            raise self._strange(f"stream {body.strip()}")
        self._header = self._struct(values["event.header"])
        self._event_context = self._struct(values.get("event.context", ""))
        self._packet_context = self._struct(values.get("packet.context", ""))

    def _struct(self, text: str) -> str:
        """Return the fields of a structure: the structure `struct NAME`, or the fields itself."""
        found = re.fullmatch(r"struct\s+(\w+)", text.strip())
        if found is None:
            return text
        if found[1] not in self._structs:
            raise self._strange(text)
        return self._structs[found[1]]

    def _values(self, body: str) -> dict[str, str]:
        found: dict[str, str] = {}
        at = 0
        while body[at:].strip():
            fields = _FIELDS.match(body, at)
            one = fields or _ASSIGNED.match(body, at)
            if not one:
                raise self._strange(body[at:].split(maxsplit=1)[0])
            found[one["key"]] = one["body"] if fields else one["value"].strip('"')
            at = one.end()
        return found

    def _number(self, text: str) -> int:
        try:
            return int(text, 0)
        except ValueError:
            raise self._strange(text or "nothing where a number belongs") from None

    def _layout(self, body: str) -> Layout:
        order = {"le": "<", "be": ">"}.get(self._order)
        if order is None:
            raise self._strange(f"byte order {self._order}")
        names, codes, at = [], [], 0
        while body[at:].strip():
            field = _FIELD.match(body, at)
            if not field or field["type"] not in self._types:
                raise self._strange(body[at:].strip().split(";")[0])
            code = self._types[field["type"]]
            if (code == "s") != bool(field["count"]):
                raise self._strange(field[0].strip())
            names.append(field["name"])
            codes.append(f"{field['count'] or ''}{code}")
            at = field.end()
        return Layout(tuple(names), struct.Struct(order + "".join(codes)))

    def _metadata(self) -> Metadata:
        if not self._header:
            raise self._strange("nothing of the head of an event")
        header = self._layout(self._header + self._event_context)
        own = self._layout(self._header).names
        if "id" not in own or not set(own) <= {"timestamp", "id"}:
            raise self._strange(" ".join(own))
        events = {}
        for body in self._events:
            values = self._values(body)
            number = self._number(values.get("id", ""))
            layout = self._layout(self._struct(values.get("fields", "")))
            events[number] = EventClass(number, values.get("name", f"event {number}"), layout)
        bits = 0
        if "timestamp" in own:
            code = header.form.format.lstrip("<>")[header.names.index("timestamp")]
            bits = 8 * struct.calcsize("<" + code)
        packet = None
        if self._packet_header is not None:
            packet = self._layout(self._packet_header + self._packet_context)
            if not {"magic", "content_size", "packet_size"} <= set(packet.names):
                raise self._strange("a packet without magic, content_size and packet_size")
        return Metadata(header, events, self._tick_hz, bits, packet)
