# ruff: noqa: PLR2004, S311 - probabilities; random damage needs no cryptography
"""Fuzz targets for names and boards: SYMBOLS, BOARD, and tapes of several boards."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import numpy as np

from tickertape.decode.bodies import BadBodyError
from tickertape.edit.cut import Range, cut
from tickertape.edit.merge import merge_tapes
from tickertape.errors import TickertapeError
from tickertape.protocol.wire import SYMBOL_BYTES
from tickertape.tape import TapeReader
from tickertape.tape.board import Board, build_board, parse_board
from tickertape.tape.common import iter_common
from tickertape.tape.symbol_table import SymbolRow, build_symbols, parse_symbols
from tools.fuzz.mutate import mutated
from tools.fuzz.originals import keys_of, with_anchors
from tools.fuzz.rules import Broken, forged

if TYPE_CHECKING:
    from pathlib import Path

_BODIES_A_BATCH = 128


class Symbols:
    """Bodies of SYMBOLS with a valid CRC: never more bytes of names than bytes of body."""

    def __init__(self, folder: Path) -> None:
        """Make tables of names."""
        del folder
        rng = Random(3)
        rows = [
            [
                SymbolRow(rng.randrange(2**32), rng.randrange(99), f"käfig_{at}")
                for at in range(count)
            ]
            for count in (0, 1, 7, 40)
        ]
        self._bodies = [build_symbols(rng.randbytes(20), table) for table in rows]

    def feed(self, rng: Random) -> int:
        """Parse mutated bodies."""
        for _ in range(_BODIES_A_BATCH):
            body = mutated(rng.choice(self._bodies), self._bodies, rng)
            try:
                table = parse_symbols(body)
            except BadBodyError:
                continue
            # A byte that is not UTF-8 becomes one character, so names cannot have more characters.
            held = len(table.rows) * SYMBOL_BYTES + sum(len(row.name) for row in table.rows)
            if held > len(body):
                raise Broken(f"{held} bytes of names in {len(body)} bytes")
        return _BODIES_A_BATCH


class Boards:
    """Bodies of BOARD with a valid CRC: a board with the same numbers, or BadBodyError."""

    def __init__(self, folder: Path) -> None:
        """Make two boards, one with an unknown bound."""
        del folder
        self._bodies = [
            build_board(Board(0, number, f"board {number}", 10**9, 10**18, 40 << 32, bound))
            for number, bound in ((0, 1000), (1, None))
        ]

    def feed(self, rng: Random) -> int:
        """Parse mutated bodies."""
        for _ in range(_BODIES_A_BATCH):
            body = mutated(rng.choice(self._bodies), self._bodies, rng)
            try:
                board = parse_board(body)
            except BadBodyError:
                continue
            if build_board(board)[8:40] != body[8:40]:
                raise Broken("a board has other numbers than its chunk")
            board.utc_of(np.array([0, board.ticks, rng.randrange(2**64)], np.uint64))
        return _BODIES_A_BATCH


class Merged:
    """Damaged tapes of several boards, and merging of damaged tapes: no event is invented."""

    def __init__(self, folder: Path) -> None:
        """Make two captures with anchors and merge them."""
        self._folder = folder
        self._singles = with_anchors(folder)
        self._paths = [folder / f"m{number}.tape" for number in range(2)]
        for path, one in zip(self._paths, self._singles, strict=True):
            path.write_bytes(one.tape)
        self._damaged, self._out = folder / "d.tape", folder / "o.tape"
        merge_tapes(self._paths, self._out)
        self._merged = self._out.read_bytes()
        with TapeReader(self._out) as reader:
            self._sent = frozenset(keys_of(run.columns for run in iter_common(reader)))

    def feed(self, rng: Random) -> int:
        """Damage the merged tape, with valid CRCs or not, or a tape before merging."""
        if rng.random() < 0.3:
            return self._merge_damaged(rng)
        forge = rng.random() < 0.5
        others = [self._merged]
        data = forged(self._merged, others, rng) if forge else mutated(self._merged, others, rng)
        self._damaged.write_bytes(data)
        try:
            with TapeReader(self._damaged) as reader:
                found = keys_of(run.columns for run in iter_common(reader))
                if not forge and not self._sent.issuperset(found):
                    raise Broken(f"events never sent: {set(found) - self._sent}")
                if rng.random() < 0.2:
                    cut(reader, self._out, Range(1000, None))
        except TickertapeError:
            pass
        return 1

    def _merge_damaged(self, rng: Random) -> int:
        self._damaged.write_bytes(mutated(self._singles[0].tape, [self._merged], rng))
        try:
            merge_tapes([self._damaged, self._paths[1]], self._out)
        except TickertapeError:
            return 1
        with TapeReader(self._out) as reader:
            found = {key[1:] for key in keys_of(run.columns for run in iter_common(reader))}
        if not found <= {key[1:] for one in self._singles for key in one.events}:
            raise Broken("merging a damaged tape invents events")
        return 1
