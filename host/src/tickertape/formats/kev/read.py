"""Converts a kernel trace file of QNX Neutrino (`.kev`) to a tape. docs/kev.md has the mapping.

    report = import_kev(Path("trace.kev"), Path("trace.tape"))

Memory does not depend on the size of the file.
"""

from __future__ import annotations

import base64
from collections import Counter
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.files import Keep, replacing
from tickertape.formats.hello import build_hello
from tickertape.formats.kev.clock import CpuClock
from tickertape.formats.kev.file import KevFile
from tickertape.formats.kev.marks import FOREIGN_VALUE, KEV_META, OWN_KEY
from tickertape.formats.kev.read_records import Converter
from tickertape.formats.report import Report, no_progress
from tickertape.protocol.wire import (
    CPU_MASK,
    CPU_SHIFT,
    MAX_CPUS,
)
from tickertape.tape.writer import TapeWriter

if TYPE_CHECKING:
    from pathlib import Path

    from tickertape.formats.kev.file import KevHeader
    from tickertape.formats.kev.read_records import Converted
    from tickertape.formats.report import Progress

_UNKNOWN_HZ: Final = 1_000_000_000


def import_kev(file: Path, tape: Path, *, on_progress: Progress = no_progress) -> Report:
    """Convert a trace file to a tape; `on_progress` receives the number of records read.

    Returns:
        Counts of `records`; `cpus` of the records; `losses` (missing buffers that the file
        reports); `rest_bytes` (size of a truncated record at the end); `rate_unknown` (1 without a
        clock rate).
    """
    with KevFile(file) as source:
        meta: dict[str, object] = {"imported_from": file.name}
        if not _is_marked(source.header):
            meta[KEV_META] = _kept(source.header)
        with replacing(tape, Keep.OLD) as place, TapeWriter(place, meta=meta) as writer:
            writer.hello(_hello(source.header))
            return _Import(source, writer).run(on_progress)


class _Import:
    """Writes the records of a file to a tape, one ring per CPU."""

    def __init__(self, file: KevFile, writer: TapeWriter) -> None:
        self._file = file
        self._writer = writer
        self._converter = Converter(
            file.header.byte_order,
            own=OWN_KEY in file.header.values,
            marked=_is_marked(file.header),
        )
        self._clocks: dict[int, CpuClock] = {}

    def run(self, on_progress: Progress) -> Report:
        counts = Counter[str]()
        for block in self._file.blocks():
            counts["records"] += len(block)
            self._write(self._converter.feed(block))
            on_progress(counts["records"])
        self._write(self._converter.finish())
        rest = counts["rest_bytes"] = self._file.rest_bytes
        losses = counts["losses"] = self._converter.losses
        if rest:
            self._writer.note(f"the file ended {rest} bytes after its last whole record")
        if losses:
            self._writer.note(f"the file reports lost buffers {losses} times, not how many records")
        counts["cpus"] = len(self._clocks)
        counts["rate_unknown"] = _tick_hz(self._file.header) is None
        return Report(counts)

    def _write(self, part: Converted) -> None:
        cpu = (part.records["header"].astype(np.uint32) >> np.uint32(CPU_SHIFT)) & CPU_MASK
        for number in np.unique(cpu).tolist():
            rows = np.flatnonzero(cpu == number)
            near = max((clock.time for clock in self._clocks.values()), default=None)
            clock = self._clocks.setdefault(number, CpuClock())
            for body in clock.buffers(part.take(rows), near):
                self._writer.buffer(0, number, body)


def _is_marked(header: KevHeader) -> bool:
    """Return whether `export_kev` made the file from a tape that was not imported from QNX."""
    return header.values.get(OWN_KEY, FOREIGN_VALUE) != FOREIGN_VALUE


def _kept(header: KevHeader) -> dict[str, object]:
    """Return the facts that an export needs to restore the header."""
    values = {key: value for key, value in header.values.items() if key != OWN_KEY}
    return {"header": values, "syspage": base64.b64encode(header.syspage).decode()}


def _tick_hz(header: KevHeader) -> int | None:
    """Return the clock rate; None when the file has none that fits 32 bits."""
    rate = header.number("CYCLES_PER_SEC")
    return rate if rate is not None and 0 < rate < 1 << 32 else None


def _dictionary(header: KevHeader) -> int:
    """Return the hash of the list of events that `export_kev` wrote; 0 for other files."""
    try:
        return int(header.values.get(OWN_KEY, "0"), 16) % (1 << 64)
    except ValueError:
        return 0


def _hello(header: KevHeader) -> bytes:
    values, marked = header.values, _is_marked(header)
    words = [values.get(key, "").strip() for key in ("SYSNAME", "SYS_RELEASE", "NODENAME")]
    target = values.get("NODENAME", "") if marked else " ".join(filter(None, words))
    build_id = b""
    if marked:
        try:
            build_id = bytes.fromhex(values.get("SYS_VERSION", ""))
        except ValueError:
            build_id = b""
    return build_hello(
        target,
        _tick_hz(header) or _UNKNOWN_HZ,
        byte_order=header.byte_order,
        cpu_count=min(max(header.number("CPU_NUM") or 1, 1), MAX_CPUS),
        dictionary=_dictionary(header),
        build_id=build_id,
    )
