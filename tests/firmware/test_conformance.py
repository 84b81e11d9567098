"""The records of the real core equal the golden vectors byte for byte."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.link_reader import RECORD, LinkReader, Record
from tests.support.workbench import build, run_native, run_qemu
from tickertape.protocol.events import EventClass, SystemEvent
from tickertape.targets.qemu import MACHINES

HERE = Path(__file__).parent
VECTORS = HERE.parents[1] / "protocol/vectors/records.json"
CPU_AND_FLAGS = 0x3FFF0000  # header bits that the recorder sets itself


def ways_of(vector: dict[str, Any]) -> int:
    """Return the number of ways in which conformance/main.c records a vector."""
    if "data" in vector:
        return 2
    message = (vector["class"], vector["event"]) == (EventClass.SYSTEM, SystemEvent.LOG)
    return 3 + 2 * ("text" in vector) + ("wide" in vector) + message


LARGE_RING = "TT_CONFIG_BUFFERS=8 TT_CONFIG_BUFFER_RECORDS=64 TT_CONFIG_PACKING=0"


def expected_records() -> list[tuple[int, int, int]]:
    """Return header (without CPU and flags) and both words of every record, in order."""
    expected = []
    for vector in json.loads(VECTORS.read_text())["events"]:
        if vector["byte_order"] == "little" and "key" not in vector:
            rows = [RECORD.unpack(bytes.fromhex(record)) for record in vector["records"]]
            once = [(header & ~CPU_AND_FLAGS, data0, data1) for header, _, data0, data1 in rows]
            expected += once * ways_of(vector)
    return expected


def recorded(records: list[Record]) -> list[tuple[int, int, int]]:
    return [(record.header, *record.data) for record in records]


@pytest.mark.parametrize("board", ["native", *MACHINES])
def test_records_are_the_golden_ones(board: str, tmp_path: Path) -> None:
    link = tmp_path / "link.bin"
    program = build(
        board,
        "conformance",
        SOURCE_DIR=str(HERE / "conformance"),
        INCLUDE_DIRS=str(HERE.parent / "protocol"),
        # All records of a vector must fit; a small board has small rings by default.
        DEFINES="TT_CONFIG_BUFFERS=8 TT_CONFIG_BUFFER_RECORDS=64 TT_CONFIG_PACKING=0"
        if board == "microbit"
        else "",
    )
    if board == "native":
        done = run_native(program, "--trace", f"file:{link}")
    else:
        done = run_qemu(board, program, trace=f"file:{link}")
    assert (done.returncode, done.stderr) == (0, "")
    reader = LinkReader()
    reader.read(link.read_bytes())
    assert recorded(reader.records) == expected_records()
    balance = reader.balance()
    assert reader.final
    assert balance["offered"] == balance["delivered"] == len(reader.records)
    events, incomplete = reader.combine_events()
    assert not incomplete
    payloads = [
        bytes.fromhex(vector["payload"])
        for vector in json.loads(VECTORS.read_text())["events"]
        if vector["byte_order"] == "little" and "payload" in vector and "key" not in vector
        for _ in range(ways_of(vector))
    ]
    assert [payload for _, payload in events] == payloads
