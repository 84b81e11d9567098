# ruff: noqa: S311 - random damage needs no cryptography
"""Fuzz target for the importer of QNX trace files."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Final

from tickertape.errors import TickertapeError
from tickertape.formats.kev.read import import_kev
from tickertape.tape import TapeReader, iter_events
from tools.fuzz.mutate import mutated

if TYPE_CHECKING:
    from pathlib import Path

_HEADER: Final = {
    "HEADER_BEGIN": "",
    "FILE_NAME": "/fs/tracebuffer.kev",
    "VER_MAJOR": "1",
    "VER_MINOR": "01",
    "LITTLE_ENDIAN": "TRUE",
    "ENCODING": "16 byte events",
    "CYCLES_PER_SEC": "1000000000",
    "CPU_NUM": "2",
    "SYSPAGE_LEN": "0",
    "HEADER_END": "",
}


class Kev:
    """Damaged QNX trace files: the import succeeds, or raises TickertapeError.

    Attributes:
        original: a small trace file.
    """

    def __init__(self, folder: Path) -> None:
        """Make a small trace file."""
        head = "".join(f"TRACE_{key}::{value}" for key, value in _HEADER.items())
        rng = Random(1)
        records = b"".join(
            (
                rng.randrange(32) << 10 | rng.randrange(50) | rng.choice([0, 0, 0, 1, 2, 3]) << 30
            ).to_bytes(4, "little")
            + number.to_bytes(4, "little")
            + rng.randbytes(8)
            for number in range(200)
        )
        self.original = head.encode() + records
        self._path, self._out = folder / "k.kev", folder / "k.tape"

    def feed(self, rng: Random) -> int:
        """Import a damaged file."""
        self.check(mutated(self.original, [self.original], rng))
        return 1

    def check(self, data: bytes) -> None:
        """Import a file and read its tape."""
        self._path.write_bytes(data)
        try:
            import_kev(self._path, self._out)
            with TapeReader(self._out) as reader:
                for _ in iter_events(reader):
                    pass
        except TickertapeError:
            pass
