"""Measure the whole cost of an event: recording, the drain, and the interrupts of the UART.

`firmware/bench/drain_cost` sends the events of `first_tape` over the board's UART, in QEMU, which
executes one instruction at a time and logs each one, or by DMA with registers in memory. The share
of the drain is the instructions from its wake-up until it has nothing to send. The share of the
interrupts is the instructions from the first one of the UART's handler to its return, without entry
and return of the exception itself.
"""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final

from tickertape.decode.bodies import BadBodyError
from tickertape.decode.frames import FrameDecoder
from tickertape.decode.packed import unpack
from tickertape.protocol.wire import FrameType
from tools.bench import target
from tools.bench.result import Result

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from tickertape.decode.packed import UnpackedBuffer

BOARDS: Final = {"": "mps2-an385", "m4_": "mps2-an386"}
_HANDLER: Final = "trace_uart_tx_handler"
_DMA_HANDLER: Final = "trace_dma_handler"
_LOOP: Final = "site_drain"  # it calls tt_drain_step()
_DURATION_MS: Final = 1000
_FIRST_BUFFER: Final = 8  # without the state dump at the start
_BUFFERS: Final = 24
_RECORD_WORDS: Final = 4
_LARGE_TABLE: Final = "TT_CONFIG_CRC_TABLE=1024"
_DMA: Final = "BOARD_TRACE_LINK=BOARD_LINK_DMA"
_MEMORY: Final = "TT_CONFIG_MEMORY_LINK=1"
_SLICE: Final = "TT_CONFIG_DRAIN_SLICE=32"
_SMALL_TABLE: Final = "TT_CONFIG_CRC_TABLE=64"
_RECORDER_OBJECTS: Final = ("core/*.o", "boards/*/trace_uart.o", "*/common/tracer.o")
_RECORDS: Final = "memory"
# Variables by part of the recorder; all others are "rest".
_PARTS: Final = {
    "packing": ("pack", "packing"),
    "link": ("tx_bytes", "rx_bytes", "uart", "span"),
    "thread": ("drain_stack", "drain_thread", "drain_turn", "drain_work"),
    "rings": ("tt_rings", "tt_streams"),
    "routes": ("tt_route", "requested", "tt_routes_late"),
    "filters": ("tt_filters", "handler_runs", "tt_filter_version"),
    "commands": ("receiver", "pending", "facade"),
}
_CALL: Final = r"^ *([0-9a-f]+):\s+blx?\s"
_RETURN: Final = r"^ *([0-9a-f]+):\s+(?:bx\s+lr|pop.*pc|ldm.*pc|ldr\S*\s+pc)"


@dataclass(frozen=True)
class Cost:
    """Cost of sending some buffers.

    Attributes:
        records: number of sent records.
        link_bytes: number of bytes sent for these records.
        drain: instructions of the drain.
        interrupts: instructions of the UART's handler.
        by_function: instructions of both, by function.
        longest_step: instructions of the longest step of the drain.
    """

    records: int
    link_bytes: int
    drain: int
    interrupts: int
    by_function: Counter[str]
    longest_step: int

    @property
    def drain_per_record(self) -> float:
        """Instructions of the drain per record."""
        return self.drain / self.records

    @property
    def interrupts_per_byte(self) -> float:
        """Instructions of the UART's handler per byte."""
        return self.interrupts / self.link_bytes

    @property
    def per_record(self) -> float:
        """Instructions of both per record."""
        return (self.drain + self.interrupts) / self.records


def measure(folder: Path) -> list[Result]:
    """Measure the events of first_tape with each variant of the drain and of the UART."""
    folder.mkdir(parents=True, exist_ok=True)
    results = [*_memory(folder)]
    for prefix, board in BOARDS.items():
        how = f"{_BUFFERS} buffers of first_tape, QEMU {board}, -O2, one instruction at a time"
        emit = target.emit_instructions(folder, board)
        packed = cost(folder, board, _LARGE_TABLE)
        small = cost(folder, board, _SMALL_TABLE)
        raw = cost(folder, board, _LARGE_TABLE, options=("packed=0",))
        memory = cost(folder, board, _MEMORY)
        single = cost(folder, board, f"{_LARGE_TABLE} TRACE_UART_BYTES_AT_ONCE=1")
        dma = cost(folder, board, f"{_LARGE_TABLE} {_DMA}")
        slices = cost(folder, board, f"{_LARGE_TABLE} {_SLICE}")
        for key, value, what in (
            ("drain_per_record", packed.drain_per_record, "CRC table of 1 KiB"),
            ("drain_per_record_small", small.drain_per_record, "CRC table of 64 bytes"),
            ("drain_per_record_raw", raw.drain_per_record, "unpacked, CRC table of 1 KiB"),
            ("uart_per_byte", packed.interrupts_per_byte, "16 bytes at most for each interrupt"),
            ("uart_per_byte_single", single.interrupts_per_byte, "one byte for each interrupt"),
            ("whole_per_event", emit + packed.per_record, "emit, drain and interrupts"),
            ("whole_per_event_single", emit + single.per_record, "one byte for each interrupt"),
            ("whole_per_event_dma", emit + dma.per_record, "DMA of the STM32F4, in memory"),
            ("whole_bytes_per_event", packed.link_bytes / packed.records, "frames included"),
            ("drain_step", packed.longest_step, "a whole buffer of 128 records"),
            ("drain_step_slice", slices.longest_step, _SLICE),
            ("drain_per_record_slice", slices.drain_per_record, _SLICE),
            ("whole_per_event_memory", emit + memory.per_record, "frames in memory"),
        ):
            results.append(Result(f"{prefix}{key}", value, f"{what}; {how}"))
    return results


def _memory(folder: Path) -> list[Result]:
    """Measure the memory of the recorder, its link and its drain thread, without the records."""
    program = target.build(folder, "first_tape", BOARDS[""], "", place="examples")
    how = "variables of recorder, UART link and drain thread in examples/first_tape, -O2"
    small = target.build(folder, "small", "microbit", "", place="examples")
    small_how = "variables of recorder and UART link in examples/small, microbit, -O2"
    return [
        *_parts(program, "beside_records", "ram_", how),
        *_parts(small, "beside_records_small", "ram_small_", small_how),
    ]


def _parts(program: Path, whole: str, prefix: str, how: str) -> list[Result]:
    """Measure the memory of the recorder in a program: in all, and per part."""
    variables = target.variable_bytes(program, _RECORDER_OBJECTS)
    del variables[_RECORDS]
    results = [Result(f"ram_{whole}", sum(variables.values()), how)]
    for part, names in _PARTS.items():
        found = [variables.pop(name) for name in names if name in variables]
        if found:
            results.append(Result(f"{prefix}{part}", sum(found), how))
    return [*results, Result(f"{prefix}rest", sum(variables.values()), how)]


def cost(
    folder: Path, board: str, defines: str = "", options: Iterable[str] = (), program: str = ""
) -> Cost:
    """Build one variant, run it and count its instructions."""
    records = write_header(folder / "tape_records.h", tape(folder))
    built = target.build(folder, program or "drain_cost", board, defines)
    link = folder / "drain_cost.link"
    counted = count(built, folder, board, options, link)
    drain, interrupts, functions, longest = counted
    return Cost(records, link.stat().st_size, drain, interrupts, functions, longest)


def count(
    program: Path,
    folder: Path,
    board: str,
    options: Iterable[str],
    link: Path,
    sites: str = _LOOP,
) -> tuple[int, int, Counter[str], int]:
    """Count the instructions of the functions whose names begin with `sites`, and of the handler.

    Returns:
        Instructions of the sites with their callees; of the handler; of both by function; of the
        longest step of the drain.
    """
    calls, returns = _calls_and_returns(program)
    functions: Counter[str] = Counter()
    drain = interrupts = step = longest = 0
    depth = 0  # depth of calls in the handler, including itself
    site, caller, previous = False, "", ""
    for address, function in target.execute(program, folder, options, board, f"file:{link}"):
        if depth == 0 and function in {_HANDLER, _DMA_HANDLER}:
            depth = 1
        if depth != 0:
            interrupts += 1
            functions[f"interrupt {function}"] += 1
            depth += (address in calls) - (address in returns)
            continue
        if site and function == caller:
            site = False
        if not site and function.startswith(sites) and not previous.startswith(sites):
            site, caller = True, previous
        if site:
            drain += 1
            functions[function] += 1
            step = 0 if function == _LOOP else step + 1
            longest = max(longest, step)
        previous = function
    return drain, interrupts, functions, longest


def _calls_and_returns(program: Path) -> tuple[set[int], set[int]]:
    """Return the addresses of call instructions, and of return instructions."""
    listing = subprocess.run(
        ["arm-none-eabi-objdump", "-d", "--no-show-raw-insn", str(program)],
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    calls, returns = (
        {int(address, 16) for address in re.findall(pattern, listing, re.MULTILINE)}
        for pattern in (_CALL, _RETURN)
    )
    return calls, returns


@cache
def tape(folder: Path) -> tuple[UnpackedBuffer, ...]:
    """Run first_tape and return `_BUFFERS` buffers of its events."""
    board = BOARDS[""]
    program = target.build(folder, "first_tape", board, "", place="examples")
    link = folder / "first_tape.link.bytes"
    arguments = f"enable=on,target=native,arg=first_tape,arg=duration_ms={_DURATION_MS}"
    subprocess.run(
        [
            *("qemu-system-arm", "-M", board, "-kernel", str(program), "-nographic"),
            *("-monitor", "none", "-serial", f"file:{link}", "-serial", "null"),
            *("-icount", "shift=0,sleep=off", "-semihosting-config", arguments),
        ],
        check=True,
        stdin=subprocess.DEVNULL,
    )
    decoder = FrameDecoder()
    decoder.receive(link.read_bytes())
    bodies = [frame.body for frame in decoder.frames() if frame.type == FrameType.PACKED]
    buffers = unpack(bodies[_FIRST_BUFFER : _FIRST_BUFFER + _BUFFERS])
    return tuple(buffer for buffer in buffers if not isinstance(buffer, BadBodyError))


def write_header(path: Path, buffers: Iterable[UnpackedBuffer]) -> int:
    """Write the buffers as a C header; return the number of their records."""
    rows: list[str] = []
    places: list[str] = []
    for buffer in buffers:
        words = buffer.records.view("<u4").reshape(-1, _RECORD_WORDS).tolist()
        low = buffer.header.ticks % 2**32
        places.append(f"    {{{len(rows)}u, {len(words)}u, {low}u}},")
        rows += [f"    {{{a}u, {b}u, {{{c}u, {d}u}}}}," for a, b, c, d in words]
    lines = [
        "#include <stdint.h>",
        '#include "tickertape/tickertape.h"',
        "typedef struct tape_buffer {",
        "    uint32_t first, count, ticks;",
        "} tape_buffer_t;",
        f"#define TAPE_BUFFERS {len(places)}u",
        "static const tape_buffer_t tape_buffers[TAPE_BUFFERS] = {",
        *places,
        "};",
        f"static const tt_record_t tape_records[{len(rows)}] = {{",
        *rows,
        "};",
        "",
    ]
    path.write_text("\n".join(lines), encoding="utf-8")
    return len(rows)
