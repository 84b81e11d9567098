"""Conditions for any input to a decoder; `guided` searches for a counterexample."""

from __future__ import annotations

import json
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.decode.bodies import BadBodyError, parse_body
from tickertape.decode.frames import Frame, FrameDecoder
from tickertape.decode.packed import UnpackedBuffer, unpack
from tickertape.errors import TapeError
from tickertape.tape import TapeReader, iter_events
from tickertape.tape.board import Board, build_board, parse_board
from tickertape.tape.symbol_table import SymbolRow, build_symbols, parse_symbols
from tools.fuzz.btf_target import Btf
from tools.fuzz.itm_target import Itm
from tools.fuzz.kev_target import Kev
from tools.fuzz.originals import keys_of, originals
from tools.fuzz.rules import Broken
from tools.fuzz.targets import read_everything

if TYPE_CHECKING:
    from collections.abc import Sequence

_ROOT = Path(__file__).resolve().parents[2]
_TYPES = 10


class GuidedChecks:
    """Valid inputs, and a check for each decoder; an exception that it does not declare fails."""

    def __init__(self, folder: Path) -> None:
        """Set the folder for files; valid inputs are made on demand."""
        self._folder = folder
        self._path = folder / "guided.tape"
        self.kev, self.btf, self.itm = Kev(folder), Btf(folder), Itm(folder)
        rows = [SymbolRow(0x1000 * at, at, f"function_{at}") for at in range(5)]
        self.symbol_bodies = [build_symbols(bytes(20), rows), build_symbols(b"\1", [])]
        self.board_bodies = [build_board(Board(0, 1, "arm", 7, 10**18, 40 << 32, 1000))]

    @cached_property
    def pieces(self) -> Sequence[bytes]:
        """Frames as sent over a link, with delimiters."""
        return [piece for one in originals(self._folder) for piece in one.frames[:12]]

    @cached_property
    def sent(self) -> frozenset[Frame]:
        """All sent frames."""
        decoder = FrameDecoder()
        decoder.receive(b"".join(piece for one in originals(self._folder) for piece in one.frames))
        return frozenset(decoder.frames())

    @cached_property
    def frame_bodies(self) -> Sequence[bytes]:
        """Bodies of frames after a byte with the type."""
        chosen = sorted(self.sent, key=lambda frame: frame.body)[::9]
        return [bytes([frame.type]) + frame.body for frame in chosen]

    @cached_property
    def packed_bodies(self) -> Sequence[bytes]:
        """Bodies of the golden vectors of packed buffers."""
        text = (_ROOT / "protocol" / "vectors" / "packed.json").read_text()
        return [bytes.fromhex(one["body"]) for one in json.loads(text)["bodies"]]

    @cached_property
    def tapes(self) -> Sequence[bytes]:
        """Undamaged tapes."""
        return [one.tape for one in originals(self._folder)[:2]]

    @cached_property
    def events(self) -> frozenset[object]:
        """All sent events."""
        return frozenset(key for one in originals(self._folder) for key in one.events)

    def frames(self, data: bytes) -> None:
        """Check that the decoder delivers only sent frames."""
        decoder = FrameDecoder()
        decoder.receive(data)
        for frame in decoder.frames():
            if frame not in self.sent:
                raise Broken(f"a frame that was never sent: {frame}")

    def bodies(self, data: bytes) -> None:
        """Check that a body gives a value or BadBodyError."""
        kind = data[0] % _TYPES if data else 0
        try:
            parse_body(Frame(kind, 0, 0, 0, data[1:], 0))
        except BadBodyError:
            return

    def packed(self, data: bytes) -> None:
        """Check that a packed buffer has no more records than bytes."""
        (result,) = unpack([data])
        if isinstance(result, UnpackedBuffer) and len(result.records) > len(data):
            raise Broken(f"{len(result.records)} records of {len(data)} bytes")

    def symbols(self, data: bytes) -> None:
        """Check that SYMBOLS has no more characters of names than bytes."""
        try:
            table = parse_symbols(data)
        except BadBodyError:
            return
        if sum(len(row.name) for row in table.rows) > len(data):
            raise Broken("names are longer than their chunk")

    def boards(self, data: bytes) -> None:
        """Check that BOARD keeps its numbers."""
        try:
            board = parse_board(data)
        except BadBodyError:
            return
        if build_board(board)[8:40] != data[8:40]:
            raise Broken("a board has other numbers than its chunk")
        board.utc_ns_of(board.ticks)

    def tape(self, data: bytes) -> None:
        """Check that a tape opens or raises TapeError, and contains only sent events."""
        self._path.write_bytes(data)
        try:
            with TapeReader(self._path) as reader:
                found = keys_of(iter_events(reader))
                if not self.events.issuperset(found):
                    raise Broken(f"events never sent: {set(found) - self.events}")
                read_everything(reader)
        except TapeError:
            return
