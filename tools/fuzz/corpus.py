# ruff: noqa: PLR2004, S311 - sizes of small tapes; random damage needs no cryptography
"""Write tests/data/damaged: small tapes with one kind of damage each, and their readable contents.

`python -m tools.fuzz.corpus` writes the same bytes each time. The code here follows
protocol/SPEC.md, and the expected contents come from a simulated target that knows the fate of
every record. It does not use the product's code.
"""

from __future__ import annotations

import json
import struct
import sys
import zlib
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Any

from tests.support import reference
from tests.support.target import OVERWRITE, Oracle, SimulatedTarget
from tests.support.wire_bytes import BUFFER, HELLO, NAME, STATUS

if TYPE_CHECKING:
    from collections.abc import Sequence

FOLDER = Path(__file__).resolve().parents[2] / "tests" / "data" / "damaged"
_CHUNK = {HELLO: 2, BUFFER: 3, STATUS: 4, NAME: 5}
_INDEX, _END, _SYMBOLS, _EPOCH, _BOARD = 10, 11, 12, 13, 14
_CREATED_NS = 1_700_000_000_000_000_000
_UUID = bytes(range(16))


@dataclass
class Chunk:
    """A chunk, and the numbers of the target's frames in it."""

    data: bytes
    frames: list[int] = field(default_factory=list)


def header(minor: int = 1) -> bytes:
    """Return the first 64 bytes of a tape."""
    magic = bytes.fromhex("89 54 41 50 45 0D 0A 1A")
    head = magic + struct.pack("<HHB3xQ16s20x", 1, minor, 1, _CREATED_NS, _UUID)
    return head + struct.pack("<I", zlib.crc32(head))


def chunk(
    kind: int, body: bytes, *, cpu: int = 0, epoch: int = 0, counts: tuple[int, int] = (0, 0)
) -> bytes:
    """Return a chunk with its padding."""
    head = struct.pack(
        "<4sHHIIBBHII", b"TTCK", kind, 0, len(body), zlib.crc32(body), 0, cpu, epoch, *counts
    )
    return head + struct.pack("<I", zlib.crc32(head)) + body + bytes(-len(body) % 16)


def target() -> SimulatedTarget:
    """Return a target with two CPUs that has lost some records and was reset once."""
    rng = Random(7)
    made = SimulatedTarget(cpus=2, buffers=2, buffer_records=6, policy=OVERWRITE, boot_id=1)
    for boot in range(2):
        made.hello()
        made.name(1, 1, "motor")
        for number in range(60):
            ring = (0, number % 2)
            made.advance(rng.randrange(1, 50))
            if number % 9 == 4:
                made.combine(ring, 6, 3, bytes(range(number % 17)))
            else:
                made.record(ring, 6, number % 8, number, boot)
            if rng.random() < 0.2:
                made.send_buffer(ring)
            if number % 25 == 24:
                made.status(ring)
        made.finish()
        if boot == 0:
            made.reset(boot_id=2, now=3)
    return made


def chunks_of(made: SimulatedTarget) -> list[Chunk]:
    """Return the chunks of a tape, one for each frame that a target sent."""
    found = []
    epoch = 0
    for sent in made.frames:
        kind, body = _frame(sent.data)
        if sent.boot != epoch:
            epoch = sent.boot
            found.append(Chunk(chunk(_EPOCH, b"", epoch=epoch)))
        cpu = sent.ring[1] if sent.ring else 0
        counts = (0, 0)
        if kind == BUFFER:
            counts = (1, (len(body) - 40) // 16)
            body = body[:40] + bytes(8) + body[40:]
        data = chunk(_CHUNK[kind], body, cpu=cpu, epoch=epoch, counts=counts)
        found.append(Chunk(data, [sent.number]))
    return found


def _frame(data: bytes) -> tuple[int, bytes]:
    """Return type and body of a frame."""
    out = bytearray()
    place = 0
    while place < len(data) - 1:
        size = data[place]
        out += data[place + 1 : place + size]
        place += size
        if size < 0xFF and place < len(data) - 1:
            out.append(0)
    return out[0], bytes(out[8:-4])


def board(number: int) -> bytes:
    """Return the body of BOARD: a clock of 25 MHz, known within 1 ms."""
    name = ("wheel", "arm")[number]
    return struct.pack("<IIQQQQ", number, 0, 0, _CREATED_NS, 40 << 32, 10**6) + name.encode()


def symbols() -> bytes:
    """Return the body of SYMBOLS: two names of a build."""
    names = ("main", "käfig")
    rows = b""
    behind = 0
    for number, name in enumerate(names):
        rows += struct.pack("<IIII", 0x1000 * number, 16, behind, len(name.encode()))
        behind += len(name.encode())
    return (
        struct.pack("<I20sI", len(names), bytes(range(1, 21)), 0) + rows + "".join(names).encode()
    )


def closing(chunks: Sequence[bytes]) -> bytes:
    """Return the INDEX and END that follow these chunks."""
    rows, place = b"", 64
    for data in chunks:
        rows += struct.pack("<Q", place) + data[:32]
        place += len(data)
    body = rows + bytes(-(len(rows) + 8) % 16) + struct.pack("<Q", place)
    return chunk(_INDEX, body, epoch=1) + chunk(_END, b"", epoch=1)


class Corpus:
    """All tapes by name, each with its expected contents."""

    def __init__(self) -> None:
        """Make all tapes."""
        self.made = target()
        self.chunks = chunks_of(self.made)
        self.datas = [one.data for one in self.chunks]
        self.tapes: dict[str, bytes] = {}
        self.expected: dict[str, dict[str, Any]] = {}
        self._make()

    def _make(self) -> None:
        body, end = b"".join(self.datas), closing(self.datas)
        whole = header() + body + end
        everything = set(range(len(self.chunks)))
        records = [at for at, data in enumerate(self.datas) if data[4] == 3]
        first, middle, last = records[0], records[len(records) // 2], records[-1]
        self._add("whole", whole, everything, closed=True, sound=True)
        self._add("newer_minor", header(9) + body + end, everything, closed=True, sound=True)
        self._add("index_lost", header() + body, everything)
        self._add("end_cut", whole[:-5], everything)
        self._add(
            "index_damaged", _flipped(whole, len(whole) - 60), everything, closed=True, sound=True
        )
        self._add(
            "power_failed",
            header() + b"".join(self.datas[:middle]) + bytes(3000),
            set(range(middle)),
        )
        self._add("cut_in_a_chunk", whole[: self._place(middle) + 50], set(range(middle)))
        for name, at in (("first", first), ("middle", middle), ("last", last)):
            left = everything - {at}
            self._add(
                f"body_of_the_{name}", _flipped(whole, self._place(at) + 45), left, closed=True
            )
        data = _flipped(header() + body, self._place(middle) + 9)
        self._add("header_of_a_chunk", data, everything - {middle})
        several = {first, middle, records[-2]}
        data = whole
        for at in several:
            data = _flipped(data, self._place(at) + 45)
        self._add("three_bodies", data, everything - several, closed=True)
        self._with_other_chunks(middle, everything)
        self._of_boards(everything)

    def _with_other_chunks(self, middle: int, everything: set[int]) -> None:
        """Add tapes with noise between chunks, and repeated, unknown or missing chunks."""
        before, after = self.datas[:middle], self.datas[middle:]
        noise = Random(3).randbytes(48)
        self._add("noise_between", header() + b"".join([*before, noise, *after]), everything)
        doubled = [*before, self.datas[middle], *after]
        self._add(
            "chunk_twice",
            header() + b"".join(doubled) + closing(doubled),
            everything,
            closed=True,
            sound=True,
        )
        stranger = [*before, chunk(900, b"of a newer version"), *after]
        self._add(
            "unknown_chunk",
            header() + b"".join(stranger) + closing(stranger),
            everything,
            closed=True,
        )
        no_records = [at for at, data in enumerate(self.datas) if data[4] != 3]
        kept = [self.datas[at] for at in no_records]
        self._add(
            "no_records",
            header() + b"".join(kept) + closing(kept),
            set(no_records),
            closed=True,
            sound=True,
        )
        remark = chunk(9, b"added later", epoch=1)
        whole = header() + b"".join(self.datas) + closing(self.datas)
        self._add("note_cut", whole + remark + b"TTCK", everything, closed=True)

    def _of_boards(self, everything: set[int]) -> None:
        """Add tapes with a board per boot, and with names."""
        boards = [chunk(_BOARD, board(number), epoch=number) for number in range(2)]
        reset = next(at for at, data in enumerate(self.datas) if data[4] == _EPOCH)
        names = chunk(_SYMBOLS, symbols())
        datas = [
            *(boards[0], names),
            *self.datas[: reset + 1],
            *(boards[1], *self.datas[reset + 1 :]),
        ]
        whole = header(2) + b"".join(datas) + closing(datas)
        self._add("two_boards", whole, everything, closed=True, sound=True)
        self._add("board_damaged", _flipped(whole, 64 + 40), everything, closed=True)
        place = 64 + len(boards[0]) + 70
        self._add("symbols_damaged", _flipped(whole, place), everything, closed=True)

    def _place(self, number: int) -> int:
        return 64 + sum(len(data) for data in self.datas[:number])

    def _add(
        self, name: str, data: bytes, left: set[int], *, closed: bool = False, sound: bool = False
    ) -> None:
        """Add a tape; `left` are the numbers of its intact chunks."""
        self.tapes[name] = data
        arrived = {number for at in left for number in self.chunks[at].frames}
        oracle = Oracle(self.made, arrived)
        rings = []
        for boot, (_, cpu) in oracle.rings():
            expected = oracle.balance(boot, (0, cpu))
            events = reference.decode(oracle.delivered(boot, (0, cpu)), "<").events
            rings.append(
                {
                    "epoch": boot,
                    "cpu": cpu,
                    "first_ordinal": expected.first,
                    "end_ordinal": expected.end,
                    **expected.terms,
                    "events": len(events),
                }
            )
        self.expected[name] = {"closed": closed, "sound": sound, "rings": rings}


def _flipped(data: bytes, place: int) -> bytes:
    damaged = bytearray(data)
    damaged[place] ^= 0x10
    return bytes(damaged)


def main() -> int:
    """Write the corpus."""
    corpus = Corpus()
    FOLDER.mkdir(parents=True, exist_ok=True)
    for old in FOLDER.glob("*.tape"):
        old.unlink()
    for name, data in corpus.tapes.items():
        (FOLDER / f"{name}.tape").write_bytes(data)
    text = json.dumps(corpus.expected, indent=1) + "\n"
    (FOLDER / "expected.json").write_text(text, encoding="utf-8")
    size = sum(len(data) for data in corpus.tapes.values())
    print(f"{len(corpus.tapes)} tapes with {size} bytes in {FOLDER}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
