"""tests/protocol/vectors.h: the golden vectors as C arrays, for tests of the firmware."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

from tools.gen.c_text import banner, finish, number
from tools.gen.reference import cobs
from tools.gen.vector_cases import Cases, cobs_cases

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tools.gen.dictionary import Dictionary
    from tools.gen.layout import Layout
    from tools.gen.vector_cases import FrameCase, RecordCase

PATH = "tests/protocol/vectors.h"

_TEXT = """
The golden vectors of protocol/vectors/ as C arrays, without the big-endian ones. Include it in
one test program; TT_VECTOR_*_COUNT is the size of each table.
"""

_TYPES = """
/* A run of bytes. `bytes` is never NULL; an empty run points to one byte that does not count. */
typedef struct tt_vector_bytes {
    const uint8_t *bytes;
    uint32_t count;
} tt_vector_bytes_t;

/* An event and its records, 16 bytes each. A simple event's payload is its two words. */
typedef struct tt_vector_event {
    const char *name;
    uint32_t event_class;
    uint32_t event;
    uint32_t cpu;
    uint32_t domain;
    uint32_t truncated;
    uint32_t host;
    uint32_t time;
    uint32_t combine; /* 1 for a combine event */
    uint32_t wide;    /* 1 for the wide form of an event: its payload is words */
    const char *text; /* NULL when the payload is not two words and a text */
    tt_vector_bytes_t payload;
    tt_vector_bytes_t records;
} tt_vector_event_t;

/* A frame: header fields and body, and the bytes on the link with the delimiter. */
typedef struct tt_vector_frame {
    const char *name;
    uint32_t type;
    uint32_t stream;
    uint32_t cpu;
    uint32_t boot_tag;
    uint32_t sequence;
    tt_vector_bytes_t body;
    tt_vector_bytes_t wire;
} tt_vector_frame_t;

/* A byte string before and after COBS, without delimiter. */
typedef struct tt_vector_cobs {
    tt_vector_bytes_t plain;
    tt_vector_bytes_t encoded;
} tt_vector_cobs_t;
"""


class _Arrays:
    """Collects byte arrays under numbered names."""

    def __init__(self) -> None:
        self.lines: list[str] = []
        self._count = 0

    def add(self, data: bytes) -> str:
        """Declare an array; return its initialiser as a tt_vector_bytes_t."""
        name = f"tt_vector_bytes_{self._count}"
        self._count += 1
        values = [f"0x{byte:02x}," for byte in data or b"\0"]
        self.lines.append(f"static const uint8_t {name}[] = {{")
        self.lines += ["    " + " ".join(values[at : at + 16]) for at in range(0, len(values), 16)]
        self.lines.append("};")
        return f"{{{name}, {number(len(data))}}}"


def render(dictionary: Dictionary, layout: Layout) -> str:
    """Return the text of the header."""
    cases = Cases(dictionary, layout)
    arrays = _Arrays()
    # Events with a key need a stopped clock: tests/firmware/core/test_combine.py records them.
    events = [
        _event(case, arrays)
        for case in cases.records()
        if not case.event.big_endian and case.event.key is None
    ]
    frames = [_frame(case, arrays) for case in cases.frames()]
    pairs = [f"{{{arrays.add(data)}, {arrays.add(cobs(data))}}}," for data in cobs_cases()]
    lines = banner("protocol/events.yaml and wire.yaml", _TEXT)
    lines += ["#ifndef TICKERTAPE_TEST_VECTORS_H", "#define TICKERTAPE_TEST_VECTORS_H", ""]
    lines += ["#include <stddef.h>", "#include <stdint.h>", *_TYPES.rstrip().splitlines()]
    lines += ["", "// clang-format off: rows of bytes", *arrays.lines]
    for name, table, rows in (
        ("event", "events", events),
        ("frame", "frames", frames),
        ("cobs", "cobs_pairs", pairs),
    ):
        count = f"TT_VECTOR_{name.upper()}_COUNT"
        lines += ["", f"#define {count} {number(len(rows))}"]
        lines += [f"static const tt_vector_{name}_t tt_vector_{table}[{count}] = {{"]
        lines += [*(f"    {row}" for row in rows), "};"]
    return finish([*lines, "// clang-format on", "", "#endif"])


def _event(case: RecordCase, arrays: _Arrays) -> str:
    event = case.event
    payload = case.payload
    if payload is None:
        payload = event.words(*(case.data or ()))
    numbers: Sequence[int] = (
        event.class_number,
        event.number,
        event.cpu,
        event.domain,
        int(event.truncated),
        int(event.host),
        event.time,
        int(case.payload is not None),
        int(bool(case.wide)),
    )
    text = "NULL" if case.text is None else _string(case.text)
    shown = ", ".join(number(value) for value in numbers)
    runs = f"{arrays.add(payload)}, {arrays.add(b''.join(case.records))}"
    return f'{{"{case.name}", {shown}, {text}, {runs}}},'


def _frame(case: FrameCase, arrays: _Arrays) -> str:
    numbers = (case.kind_number, case.stream, case.cpu, case.boot_tag, case.sequence)
    shown = ", ".join(number(value) for value in numbers)
    return f'{{"{case.name}", {shown}, {arrays.add(case.body)}, {arrays.add(case.wire)}}},'


def _string(text: str) -> str:
    """Return a C literal: letters as they are, every other byte in octal."""
    plain = string.ascii_letters.encode()
    shown = [chr(byte) if byte in plain else f"\\{byte:03o}" for byte in text.encode()]
    return f'"{"".join(shown)}"'
