"""Random histories of the real recorder: history_driver.c runs them and reports the truth.

`CoreHistories` keeps one process per configuration and returns a `CoreLife` per seed: the offered
records, their fates and the frames on the link. It decodes the link by protocol/SPEC.md, without
code of the host package, and checks every receipt against the truth.
"""

from __future__ import annotations

import struct
import subprocess
import zlib
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Self

from cobs import cobs

from tests.support.core_driver import FIRMWARE, WARNINGS
from tests.support.programs import compiled
from tests.support.target import DROPPED, OVERWRITTEN, WAITING, Fate, Ring, RingState, SentFrame
from tests.support.wire_bytes import BUFFER, PACKED, STATUS, RawRecord

if TYPE_CHECKING:
    from types import TracebackType

HERE = Path(__file__).parents[1] / "firmware/core"
HEAD = struct.Struct("<II")
ROW = struct.Struct("<BBBBIIIQ")
OFFERED, WAITS, BOOT, READ = range(4)
MOST_STEPS = 1000
FRAME_HEADER = struct.Struct("<BBBBI")
BUFFER_HEADER = struct.Struct("<QQQQIHBB")
STATUS_BODY = struct.Struct("<QQQQQQQBBBBI")


class Configuration(NamedTuple):
    """Build options of the recorder. A ring has four buffers of 16 records.

    Readers on the target are built in, except with policy FINALIZE or a second CPU.
    """

    streams: int
    cpus: int
    finalize: bool = True
    packing: bool = True

    @property
    def name(self) -> str:
        return "-".join(str(int(value)) for value in self)


# Small configurations occur more often: a history of 16 rings takes as long as six of one ring.
CONFIGURATIONS = (
    *[Configuration(1, 1)] * 2,
    *[Configuration(1, 1, finalize=False)] * 2,
    *[Configuration(1, 2, packing=False)] * 3,
    *[Configuration(2, 2)] * 3,
    *[Configuration(3, 1)] * 2,
    *[Configuration(2, 1, finalize=False)] * 2,
    Configuration(8, 1, finalize=False),
    Configuration(8, 2),
)


class HistoryError(AssertionError):
    """The driver ended during a history."""


@dataclass
class CoreLife:
    """A history of the recorder, with the attributes of `SimulatedTarget` that `Oracle` reads."""

    frames: list[SentFrame] = field(default_factory=list)
    boots: list[dict[Ring, RingState]] = field(default_factory=list)
    boot_ids: list[int] = field(default_factory=list)
    byte_order: str = "<"


class CoreHistories:
    """The drivers of all configurations; a context that ends their processes."""

    def __init__(self, folder: Path, *, hang: bool = False) -> None:
        """Store programs in `folder`; `live` builds them. With `hang`, each history hangs."""
        self._folder = folder
        self._hang = hang
        self._running: dict[Configuration, subprocess.Popen[bytes]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        for process in self._running.values():
            process.kill()
            process.communicate()

    def live(self, seed: int, steps: int = MOST_STEPS) -> CoreLife:
        """Run one history and return it.

        Args:
            seed: seed of all random decisions, including the configuration.
            steps: end after this number of steps, to find the shortest history with a fault.

        Raises:
            HistoryError: an assertion failed, a sanitizer reported an error, or the driver hung.
            AssertionError: the frames on the link contradict the truth.
        """
        configuration = CONFIGURATIONS[seed % len(CONFIGURATIONS)]
        process = self._running.get(configuration) or self._start(configuration)
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"%d %d\n" % (seed, steps))
        process.stdin.flush()
        head = process.stdout.read(HEAD.size)
        if len(head) < HEAD.size:
            del self._running[configuration]
            _, complaint = process.communicate()
            last = complaint.decode(errors="replace").strip()[:2000]
            raise HistoryError(f"{configuration}: exit code {process.returncode}: {last}")
        row_count, link_count = HEAD.unpack(head)
        rows = process.stdout.read(row_count * ROW.size)
        return read_life(rows, process.stdout.read(link_count))

    def _start(self, configuration: Configuration) -> subprocess.Popen[bytes]:
        program = self._folder / f"history-{configuration.name}"
        if not program.exists():
            self._build(configuration, program)
        pipe = subprocess.PIPE
        # Keep Ctrl-C from the driver: the search handles it and ends gracefully.
        process = subprocess.Popen(
            [program], stdin=pipe, stdout=pipe, stderr=pipe, start_new_session=True
        )
        self._running[configuration] = process
        return process

    def _build(self, configuration: Configuration, program: Path) -> None:
        defines = {
            "STREAMS": configuration.streams,
            "CPUS": configuration.cpus,
            "READERS": int(configuration.cpus == 1 and not configuration.finalize),
            "FINALIZE": int(configuration.finalize),
            "PACKING": int(configuration.packing),
            "STREAM_NAMES": 1,
            "BUFFERS": 4,
            "BUFFER_RECORDS": 16,
        }
        core = FIRMWARE / "core"
        built = compiled(
            [
                *("gcc", "-std=gnu11", "-g1", "-O1", *WARNINGS),
                *("-fsanitize=address,undefined", "-fno-sanitize-recover=all"),
                *(f"-DTT_CONFIG_{name}={value}" for name, value in defines.items()),
                *(["-DHISTORY_HANGS"] if self._hang else []),
                *(f"-I{one}" for one in (FIRMWARE / "include", core, HERE / "history_port")),
                str(HERE / "history_driver.c"),
                *map(str, sorted(core.glob("*.c"))),
            ]
        )
        program.symlink_to(built)


def read_life(rows: bytes, link: bytes) -> CoreLife:
    """Parse the truth (`rows`) and the frames (`link`), and check every receipt."""
    life = CoreLife()
    begins = _read_rows(life, rows)
    at = 0
    *frames, rest = link.split(b"\0")
    boot = sequence = 0
    sent: dict[Ring, int] = {}
    for encoded in frames:
        while boot + 1 < len(begins) and at >= begins[boot + 1]:
            boot += 1
            sequence = 0
            sent.clear()
        end = at + len(encoded) + 1
        ended_by_next = boot + 1 < len(begins) and begins[boot + 1] < end
        # A frame may be cut before its delimiter; the delimiter of the next boot completes it.
        if ended_by_next and not (begins[boot + 1] == end - 1 and _is_whole(encoded)):
            _cut_frame(life, boot, encoded + b"\0")
        else:
            _read_frame(life, boot, sequence, encoded, sent)
        sequence += 1
        at = end
    if rest:
        _cut_frame(life, len(begins) - 1, rest)
    return life


def _is_whole(encoded: bytes) -> bool:
    try:
        plain = cobs.decode(encoded)
    except cobs.DecodeError:
        return False
    return len(plain) > 4 and zlib.crc32(plain[:-4]) == int.from_bytes(plain[-4:], "little")


def _cut_frame(life: CoreLife, boot: int, part: bytes) -> None:
    life.frames.append(SentFrame(len(life.frames), boot, part, whole=False))


def _read_rows(life: CoreLife, rows: bytes) -> list[int]:
    """Store the offered records; return the offset on the link at which each boot begins."""
    begins: list[int] = []
    rings: dict[Ring, _RingTruth] = {}
    for kind, stream, cpu, opening, header, data0, data1, time in ROW.iter_unpack(rows):
        if kind == BOOT:
            _end_boot(rings)
            begins.append(data1)
            life.boots.append(defaultdict(RingState))
            life.boot_ids.append(data0)
            continue
        state = life.boots[-1][stream, cpu]
        if (ring := rings.get((stream, cpu))) is None:
            ring = rings[stream, cpu] = _RingTruth(state)
        if kind == OFFERED:
            fields = (header >> 30, cpu, header >> 10 & 31, header & 1023, time, data0, data1)
            ring.offer(RawRecord(*fields, header >> 16 & 0xFF), opening)
        elif kind == WAITS:
            state.fates[ring.numbers[data0, data1]] = WAITING
        # A record taken by a reader on the target counts as overwritten.
    _end_boot(rings)
    return begins


def _end_boot(rings: dict[Ring, _RingTruth]) -> None:
    for ring in rings.values():
        ring.settle_dropped()
    rings.clear()


@dataclass
class _RingTruth:
    """Sorts the records of a ring by their ordinals."""

    state: RingState
    numbers: dict[tuple[int, int], int] = field(default_factory=dict)  # ordinal by data words
    _opening: int = 0
    _dropped: list[RawRecord] = field(default_factory=list)

    def offer(self, record: RawRecord, opening: int) -> None:
        if not opening:  # dropped: its ordinal follows those of the open buffer
            self._dropped.append(record)
            return
        if opening != self._opening:
            self.settle_dropped()
            self._opening = opening
        # Overwritten, unless it turns out to be sent or still waiting at the end.
        self._append(record, OVERWRITTEN)

    def settle_dropped(self) -> None:
        for record in self._dropped:
            self._append(record, DROPPED)
        self._dropped.clear()

    def _append(self, record: RawRecord, fate: Fate) -> None:
        self.numbers[record.data0, record.data1] = len(self.state.fates)
        self.state.fates.append(fate)
        self.state.records.append(record)


def _read_frame(
    life: CoreLife, boot: int, sequence: int, encoded: bytes, sent: dict[Ring, int]
) -> None:
    plain = cobs.decode(encoded)
    assert zlib.crc32(plain[:-4]) == int.from_bytes(plain[-4:], "little")
    kind, stream, cpu, _, number = FRAME_HEADER.unpack_from(plain)
    assert number == sequence
    body = plain[FRAME_HEADER.size : -4]
    ring = (stream, cpu)
    receipts: tuple[int, ...] = ()
    state = life.boots[boot][ring]
    if kind in {BUFFER, PACKED}:
        first, dropped, before, count = _buffer(kind, body)
        _check_receipt(state, first, dropped, before, sent.get(ring, 0))
        receipts = (first, first + count)
        for ordinal in range(first, first + count):
            assert state.fates[ordinal] in {OVERWRITTEN, WAITING}, (
                "sent, but dropped or sent before"
            )
            state.fates[ordinal] = len(life.frames)
        sent[ring] = sent.get(ring, 0) + count
    elif kind == STATUS:
        settled, dropped, before, offered = STATUS_BODY.unpack_from(body)[:4]
        assert settled <= offered <= len(state.fates)
        _check_receipt(state, settled, dropped, before, sent.get(ring, 0))
        receipts = (settled,)
    life.frames.append(
        SentFrame(len(life.frames), boot, encoded + b"\0", ring if receipts else None, receipts)
    )


def _check_receipt(
    state: RingState, ordinal: int, dropped: int, sent: int, sent_so_far: int
) -> None:
    assert sent == sent_so_far
    assert ordinal <= len(state.fates)
    assert dropped == state.fates[:ordinal].count(DROPPED)


def _buffer(kind: int, body: bytes) -> tuple[int, int, int, int]:
    """Return first ordinal, dropped, sent and count of a BUFFER or PACKED body."""
    if kind == BUFFER:
        values = BUFFER_HEADER.unpack_from(body)
        return (*values[:3], values[5])
    numbers: list[int] = []
    value = shift = 0
    for byte in body:
        value |= (byte & 0x7F) << shift
        shift += 7
        if byte < 0x80:
            numbers.append(value)
            value = shift = 0
            if len(numbers) == 6:
                break
    return numbers[0], numbers[1], numbers[2], numbers[5]
