"""Makes a tape of a kernel trace file of QNX Neutrino (`.kev`). docs/kev.md has the mapping.

    report = import_kev(Path("trace.kev"), Path("trace.tape"))

Memory does not depend on the size of the file.
"""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.formats.hello import build_hello
from tickertape.formats.kev.clock import CpuClock
from tickertape.formats.kev.file import KevFile
from tickertape.formats.kev.marks import FOREIGN_VALUE, KEV_META, OWN_KEY
from tickertape.formats.kev.read_records import Converter
from tickertape.protocol.wire import (
    CPU_MASK,
    CPU_SHIFT,
    MAX_CPUS,
)
from tickertape.tape.writer import TapeWriter

if TYPE_CHECKING:
    from collections.abc import Callable

    from tickertape.formats.kev.file import KevHeader
    from tickertape.formats.kev.read_records import Converted

_UNKNOWN_HZ: Final = 1_000_000_000


@dataclass(frozen=True, slots=True)
class ImportReport:
    """What was imported.

    Attributes:
        records: records read from the file.
        cpus: CPUs that they came from.
        losses: how many times the file tells that buffers are missing.
        rest_bytes: bytes of a cut record at its end, left out.
        rate_known: the file says how fast its clock goes; else a tick is shown as 1 ns.
    """

    records: int
    cpus: int
    losses: int
    rest_bytes: int
    rate_known: bool


def import_kev(
    source: Path | str, tape: Path | str, *, on_progress: Callable[[int], None] | None = None
) -> ImportReport:
    """Make a tape of a trace file.

    Args:
        source: the file.
        tape: the tape to write; one of that name is replaced.
        on_progress: is called now and then with the number of records read.

    Raises:
        TapeMissing: the file is not there or may not be read.
        ForeignFile: it is something else, or ends before its records begin.
        TapeWriteFailed: the tape cannot be written; what was written is readable.
    """
    with KevFile(source) as file:
        meta: dict[str, object] = {"imported_from": Path(source).name}
        if not _is_marked(file.header):
            meta[KEV_META] = _kept(file.header)
        with TapeWriter(tape, meta=meta) as writer:
            writer.hello(_hello(file.header))
            return _Import(file, writer).run(on_progress)


class _Import:
    """Moves the records of a file onto a tape, CPU by CPU."""

    def __init__(self, file: KevFile, writer: TapeWriter) -> None:
        self._file = file
        self._writer = writer
        self._converter = Converter(
            file.header.byte_order,
            own=OWN_KEY in file.header.values,
            marked=_is_marked(file.header),
        )
        self._clocks: dict[int, CpuClock] = {}

    def run(self, on_progress: Callable[[int], None] | None) -> ImportReport:
        records = 0
        for block in self._file.blocks():
            records += len(block)
            self._write(self._converter.feed(block))
            if on_progress is not None:
                on_progress(records)
        self._write(self._converter.finish())
        rest, losses = self._file.rest_bytes, self._converter.losses
        if rest:
            self._writer.note(f"the file ended {rest} bytes after its last whole record")
        if losses:
            self._writer.note(f"the file tells of lost buffers {losses} times, not of how much")
        return ImportReport(
            records, len(self._clocks), losses, rest, _tick_hz(self._file.header) is not None
        )

    def _write(self, part: Converted) -> None:
        cpu = (part.records["header"].astype(np.uint32) >> np.uint32(CPU_SHIFT)) & CPU_MASK
        for number in np.unique(cpu).tolist():
            rows = np.flatnonzero(cpu == number)
            near = max((clock.time for clock in self._clocks.values()), default=None)
            clock = self._clocks.setdefault(number, CpuClock())
            for body in clock.buffers(part.take(rows), near):
                self._writer.buffer(0, number, body)


def _is_marked(header: KevHeader) -> bool:
    """Tell whether our exporter made the file of a tape that was never such a file before."""
    return header.values.get(OWN_KEY, FOREIGN_VALUE) != FOREIGN_VALUE


def _kept(header: KevHeader) -> dict[str, object]:
    """Give what an export needs to make the same header again."""
    values = {key: value for key, value in header.values.items() if key != OWN_KEY}
    return {"header": values, "syspage": base64.b64encode(header.syspage).decode()}


def _tick_hz(header: KevHeader) -> int | None:
    """Give the clock rate, None when the file does not say one that fits 32 bits."""
    rate = header.number("CYCLES_PER_SEC")
    return rate if rate is not None and 0 < rate < 1 << 32 else None


def _dictionary(header: KevHeader) -> int:
    """Give the hash of the list of events that our exporter wrote down; 0 for other files."""
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
