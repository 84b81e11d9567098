"""The events of a tape as CTF 1.8, so that babeltrace2 can do the same work in the same run.

Only what the comparison needs: one stream, two words an event, a string where there is one. An
event is `id` u16, its time as 64 bits, then its fields; packets hold so many bytes as they like.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.protocol.lookup import event_type
from tickertape.tape import TapeReader, iter_events

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.decode.events import EventColumns

_MAGIC: Final = 0xC1FC1FC1
_HEAD: Final = struct.Struct("<IIQQQQ")  # magic, stream, begin, end, content bits, packet bits
_CLASS_SHIFT: Final = 10
_EVENT_MASK: Final = 1023
_FIXED: Final = np.dtype([("id", "<u2"), ("time", "<u8"), ("w0", "<u4"), ("w1", "<u4")])
_METADATA: Final = """/* CTF 1.8 */
typealias integer { size = 8; align = 8; signed = false; } := uint8_t;
typealias integer { size = 16; align = 8; signed = false; } := uint16_t;
typealias integer { size = 32; align = 8; signed = false; } := uint32_t;
typealias integer { size = 64; align = 8; signed = false; } := uint64_t;
trace {
    major = 1; minor = 8; byte_order = le;
    packet.header := struct { uint32_t magic; uint32_t stream_id; };
};
clock { name = ticks; freq = %d; };
typealias integer { size = 64; align = 8; map = clock.ticks.value; } := time_t;
stream {
    id = 0;
    packet.context := struct {
        time_t timestamp_begin; time_t timestamp_end;
        uint64_t content_size; uint64_t packet_size;
    };
    event.header := struct { uint16_t id; time_t timestamp; };
};
"""


def export(tape: Path, folder: Path) -> int:
    """Write a tape as a CTF trace in `folder`; return the number of events."""
    folder.mkdir(parents=True, exist_ok=True)
    codes: set[int] = set()
    texts: set[int] = set()
    count = 0
    with TapeReader(tape) as reader, (folder / "stream").open("wb") as out:
        hz = reader.hello.tick_hz if reader.hello else 1
        for columns in iter_events(reader):
            if len(columns):
                out.write(_packet(columns))
                codes |= set(np.unique(columns.code).tolist())
                texts |= set(np.unique(columns.code[columns.payload_offset >= 0]).tolist())
                count += len(columns)
    described = "".join(_event(code, text=code in texts) for code in sorted(codes))
    (folder / "metadata").write_text(_METADATA % hz + described, encoding="utf-8")
    return count


def _event(code: int, *, text: bool) -> str:
    kind = event_type(code >> _CLASS_SHIFT, code & _EVENT_MASK)
    fields = " ".join(f"uint32_t {field.name};" for field in kind.fields)
    name = f"{kind.class_name}_{kind.name}"
    string = " string text;" if text else ""
    return (
        f'event {{ id = {code}; name = "{name}"; stream_id = 0; '
        f"fields := struct {{ {fields}{string} }}; }};\n"
    )


def _packet(columns: EventColumns) -> bytes:
    """Give one packet: fixed parts and strings laid side by side."""
    fixed = np.empty(len(columns), _FIXED)
    fixed["id"], fixed["time"] = columns.code, columns.time
    fixed["w0"], fixed["w1"] = columns.data0, columns.data1
    has = columns.payload_offset >= 0
    # Of a string the payload's two words are left out, and one zero ends it.
    sizes = np.where(has, columns.payload_bytes.astype(np.int64) - 8 + 1, 0)
    ends = np.cumsum(sizes + _FIXED.itemsize)
    starts = ends - sizes - _FIXED.itemsize
    body = np.zeros(int(ends[-1]), np.uint8)
    body[starts[:, None] + np.arange(_FIXED.itemsize)] = fixed.view(np.uint8).reshape(
        -1, _FIXED.itemsize
    )
    rows = np.flatnonzero(has)
    lengths = sizes[rows] - 1
    within = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    source = np.repeat(columns.payload_offset[rows] + 8, lengths) + within
    body[np.repeat(starts[rows] + _FIXED.itemsize, lengths) + within] = columns.payload[source]
    bits = 8 * (_HEAD.size + len(body))
    first, last = int(columns.time[0]), int(columns.time[-1])
    return _HEAD.pack(_MAGIC, 0, first, last, bits, bits) + body.tobytes()
