"""Check the records and the output of the example storm (firmware/examples/storm)."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tickertape.tape.stream import iter_events

if TYPE_CHECKING:
    from tickertape.tape.reader import TapeReader

SYSTEM, USER, BYTES = 5, 6, 16
CHECK_FACTOR = 2654435761
OVERWRITE, UNTIL_FULL, DROP = range(3)

Counts = dict[int, dict[int, int]]


def counts_of(console: str) -> Counts:
    """Return the record counts by CPU and class from lines "offered CPU CLASS RECORDS"."""
    counts: Counts = {}
    lines = re.findall(r"^offered (\d+) (\d+) (\d+)\r?$", console, re.MULTILINE)
    for cpu, event_class, records in lines:
        counts.setdefault(int(cpu), {})[int(event_class)] = int(records)
    return counts


def check_content(reader: TapeReader) -> None:
    """Check that every byte of each event of the storm's classes is as the storm records it."""
    seen = 0
    for columns in iter_events(reader):
        for row in range(len(columns)):
            event_class = int(columns.header[row]) >> 10 & 31
            if event_class not in {SYSTEM, USER, BYTES}:
                continue
            seen += 1
            serial, second = int(columns.data0[row]), int(columns.data1[row])
            assert serial >> 2 & 3 == int(columns.header[row]) >> 24 & 63
            begin = int(columns.payload_offset[row])
            payload = columns.payload[begin : begin + int(columns.payload_bytes[row])].tobytes()
            if event_class == USER:
                assert second == serial * CHECK_FACTOR % 2**32
            elif event_class == SYSTEM:
                assert second == (serial >> 4) % 61 == len(payload) - 8
                assert payload[8:] == bytes(97 + (serial + i) % 26 for i in range(second))
            else:
                assert int.from_bytes(payload[:4], "little") == serial
                assert payload[4:] == bytes((serial + i) % 256 for i in range(len(payload) - 4))
    assert seen
