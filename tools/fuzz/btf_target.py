# ruff: noqa: PLR2004 - probabilities of damage
"""Fuzz target for system traces in BTF; `targets` describes targets."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.analysis.balance import balance_of
from tickertape.decode.ticks import Clock
from tickertape.errors import TapeError
from tickertape.formats.btf.check import check_btf
from tickertape.formats.btf.read import import_btf
from tickertape.formats.btf.write import export_btf
from tickertape.formats.source import Source
from tickertape.model.boot import Boot
from tickertape.model.names import Names
from tickertape.tape import TapeReader
from tools.fuzz.mutate import mutated
from tools.fuzz.rules import Broken

if TYPE_CHECKING:
    from random import Random

ROOT = Path(__file__).resolve().parents[2]


class Btf:
    """Damaged system traces: check and import succeed, or raise TapeError; the tape exports.

    Attributes:
        originals: small system traces.
    """

    def __init__(self, folder: Path) -> None:
        """Read the system traces of the tests."""
        data = ROOT / "tests" / "data" / "btf"
        self.originals = [path.read_bytes() for path in sorted(data.glob("*.btf"))]
        self._path, self._tape = folder / "t.btf", folder / "btf.tape"

    def feed(self, rng: Random) -> int:
        """Damage one file, check it, and import it."""
        data = mutated(rng.choice(self.originals), self.originals, rng)
        self.check(data, strict=rng.random() < 0.5)
        return 1

    def check(self, data: bytes, *, strict: bool = True) -> None:
        """Check a file, import it, and export its tape.

        Raises:
            Broken: the tape has lost records.
        """
        self._path.write_bytes(data)
        try:
            check_btf(self._path, strict=strict)
            import_btf(self._path, self._tape)
        except TapeError:
            return
        with TapeReader(self._tape) as reader:
            total = balance_of(reader, by_class=False).total
            names = {epoch: Names(reader.names(epoch)) for epoch in reader.epochs}
            export_btf(Source(reader, lambda epoch: Boot(Clock(None), names[epoch])), self._path)
        if total.offered != total.delivered:
            raise Broken(f"{total} of a file")
