"""Merge the tapes of several boards into one tape with a common time.

The chunks of each tape are copied; only their epoch number changes. Every epoch gets a BOARD chunk
with its board and the relation of its clock to UTC. So the new tape contains all data of each
board, including its balance; only the common time is new.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from tickertape.decode.events import DecodeCounters
from tickertape.decode.ring import RingDecoder
from tickertape.edit.clock_fit import Assumptions, fit, uneven
from tickertape.errors import TapeError, UsageError
from tickertape.files import Keep, replacing
from tickertape.protocol.wire import RECEIPT, ChunkType
from tickertape.tape.board import UNKNOWN_BOUND, Board, build_board
from tickertape.tape.chunk_file import ChunkFile
from tickertape.tape.format import new_header
from tickertape.tape.reader import TapeReader

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tickertape.edit.clock_fit import Fit

_NOT_COPIED = {
    *(ChunkType.META, ChunkType.EPOCH, ChunkType.BOARD, ChunkType.RECEIPT),
    *(ChunkType.INDEX, ChunkType.END, ChunkType.SUMMARY),
}
_OF_THE_TAPE = {
    *(ChunkType.META, ChunkType.NOTE, ChunkType.SYMBOLS, ChunkType.RECEIPT),
    *(ChunkType.INDEX, ChunkType.END, ChunkType.SUMMARY),
}
_LAST_EPOCH = 0xFFFF
_TIMES = 1 << 63
_LEAST_TAPES = 2


@dataclass(frozen=True, slots=True)
class MergeOptions:
    """Options of `merge_tapes`.

    Attributes:
        names: names of the boards, in the order of the tapes; boards without one are named after
            their file.
        assumptions: assumptions about the clocks.
        on_progress: function called with the number of bytes copied and the total.
    """

    names: Sequence[str] = ()
    assumptions: Assumptions = field(default_factory=Assumptions)
    on_progress: Callable[[int, int], None] | None = None


@dataclass(frozen=True, slots=True)
class MergedBoot:
    """One boot of one board on the merged tape.

    Attributes:
        board: board as on the new tape.
        anchors: number of anchors of the host's clock.
        ppm: least and greatest rate of its clock as deviation from the rate in HELLO, in ppm; None
            if unknown.
        even: False if its clock had no constant rate relative to the host's clock.
        begin_ns: UTC of the first record, ns since 1970; None if unknown.
    """

    board: Board
    anchors: int
    ppm: tuple[float, float] | None
    even: bool
    begin_ns: int | None = None


@dataclass(frozen=True, slots=True)
class MergeReport:
    """Result of `merge_tapes`.

    Attributes:
        boots: all boots, in the order of the new tape.
        records: number of records on the new tape.
        left_out: defects of the tapes, with file and offset.
    """

    boots: tuple[MergedBoot, ...]
    records: int
    left_out: tuple[str, ...]


def merge_tapes(
    paths: Sequence[Path | str], output: Path | str, options: MergeOptions | None = None
) -> MergeReport:
    """Write a tape with the contents of several tapes.

    Args:
        paths: paths of at least two tapes; a tape may be a merged one with several boards.
        output: path of the new tape; an existing one is kept as `NAME.old`.
        options: None for the defaults.

    Raises:
        UsageError: there are fewer than two tapes, too many names, or a tape without an anchor.
        TapeError: a tape cannot be read, or their byte orders differ.
        TapeWriteFailed: the new tape cannot be written.
    """
    options = options or MergeOptions()
    if len(paths) < _LEAST_TAPES:
        raise UsageError("one tape cannot be merged", "give two tapes at least")
    readers: list[TapeReader] = []
    try:
        readers += (TapeReader(path) for path in paths)
        sources = _sources(readers, options)
        with replacing(Path(output), Keep.OLD) as place:
            return _Merger(sources, options).write(place)
    finally:
        for reader in readers:
            reader.close()


@dataclass(frozen=True, slots=True)
class _Source:
    """One tape to merge."""

    reader: TapeReader
    base: int  # added to the epoch numbers
    boots: Mapping[int, MergedBoot]  # by epoch of the old tape
    about: tuple[dict[str, object], ...]  # origin of each board, for META


def _sources(readers: Sequence[TapeReader], options: MergeOptions) -> list[_Source]:
    if len({reader.header.byte_order for reader in readers}) > 1:
        raise TapeError(
            "the boards have different byte orders, and a tape has one",
            "print or export each tape by itself",
        )
    found: list[_Source] = []
    names = _names(readers, options.names)
    base = first_board = 0
    for reader in readers:
        if not reader.anchors:
            raise UsageError(
                f"{reader.path} has no anchor, so the time of its events is unknown",
                "merge tapes that were captured from a live link",
            )
        if base + max(reader.epochs) > _LAST_EPOCH:
            raise TapeError("there are too many boots for one tape", "cut the tapes to a few first")
        own = sorted({board.number for board in reader.boards.values()}) or [0]
        boots = {}
        for epoch in _boots_of(reader):
            known = reader.boards.get(epoch)
            number = first_board + (own.index(known.number) if known else 0)
            board = Board(base + epoch, number, names[number])
            boots[epoch] = _boot(reader, epoch, board, options.assumptions)
        about = _about(reader, names[first_board : first_board + len(own)])
        found.append(_Source(reader, base, boots, about))
        first_board += len(own)
        base += max(reader.epochs) + 1
    return found


def _boots_of(reader: TapeReader) -> Sequence[int]:
    """Return the epochs that are boots; on a cut tape, other epochs have facts only."""
    is_boot = ~np.isin(reader.chunks["type"], list(_OF_THE_TAPE))
    return sorted(set(reader.chunks["epoch"][is_boot].tolist()))


def _names(readers: Sequence[TapeReader], given: Sequence[str]) -> list[str]:
    """Return a name for each board; the names are different."""
    known: list[str] = []
    for reader in readers:
        by_number = {board.number: board.name for board in reader.boards.values()}
        known += [by_number[number] for number in sorted(by_number)] or [reader.path.stem]
    if len(given) > len(known):
        raise UsageError(f"there are {len(known)} boards", "give each one name at most")
    known[: len(given)] = given
    found: list[str] = []
    for name in known:
        number, another = 1, name
        while another in found:
            number += 1
            another = f"{name}-{number}"
        found.append(another)
    return found


def _about(reader: TapeReader, names: Sequence[str]) -> tuple[dict[str, object], ...]:
    """Return the origin of each board: the tape and its META, or the list of a merged tape."""
    merged = reader.meta.get("merge")
    known = merged.get("boards") if isinstance(merged, dict) else None
    if not isinstance(known, list) or len(known) != len(names):
        whole = {key: value for key, value in reader.meta.items() if key != "merge"}
        known = [{"tape": str(reader.header.uuid), "meta": whole}] * len(names)
    return tuple(
        {**(one if isinstance(one, dict) else {}), "name": name}
        for one, name in zip(known, names, strict=True)
    )


def _boot(reader: TapeReader, epoch: int, board: Board, assumptions: Assumptions) -> MergedBoot:
    """Align a boot to UTC by its anchors."""
    anchors = [anchor for anchor in reader.anchors if anchor.epoch == epoch]
    hello = reader.hellos.get(epoch) or reader.hello
    if not anchors or hello is None or not hello.tick_hz:
        return MergedBoot(board, len(anchors), None, even=True)
    span = _span(reader, epoch)
    moment = anchors[0].target_ticks
    if reader.meta.get("virtual_time"):  # its anchors may fit a constant rate by chance
        found = uneven(anchors, hello.tick_hz)
    else:
        found = fit(anchors, span or (moment, moment), hello.tick_hz, assumptions)
    board = _aligned(board, found)
    begin_ns = board.utc_ns_of(span[0]) if span and board.aligned else None
    return MergedBoot(board, len(anchors), found.ppm, found.even, begin_ns)


def _aligned(board: Board, found: Fit) -> Board:
    """Return the board with a fit, or without it if its times are out of range (bad anchors)."""
    if not (0 <= found.utc_ns < _TIMES and found.tick_length < _TIMES):
        return board
    bound = found.bound_ns
    return replace(
        board,
        ticks=found.ticks,
        utc_ns=found.utc_ns,
        tick_length=found.tick_length,
        bound_ns=None if bound is None or bound >= UNKNOWN_BOUND else bound,
    )


def _span(reader: TapeReader, epoch: int) -> tuple[int, int] | None:
    """Return the first and the last tick of a boot's records; None if it has none."""
    found: list[int] = []
    for ring in (ring for ring in reader.rings if ring.epoch == epoch):
        rows = reader.record_rows(ring)
        for order in (rows, rows[::-1]):
            times = next((times for row in order if (times := _times(reader, row))), None)
            found += times or ()
    return (min(found), max(found)) if found else None


def _times(reader: TapeReader, row: np.intp) -> tuple[int, int] | None:
    """Return the first and the last tick of a chunk; None if it is damaged or empty."""
    chunk = reader.records_at(row)
    if chunk is None or not len(chunk.buffers):
        return None
    ticks = [int(chunk.buffers["ticks"].min()), int(chunk.buffers["ticks"].max())]
    order = reader.header.byte_order
    decoder = RingDecoder((0, 0), byte_order=order, counters=DecodeCounters())
    for part in (decoder.feed(chunk.buffers, chunk.records), decoder.finish()):
        ticks += [int(part.time.max())] if len(part) else []
    reader.release(row)
    return min(ticks), max(ticks)


class _Merger:
    """Writes the new tape."""

    def __init__(self, sources: Sequence[_Source], options: MergeOptions) -> None:
        self._sources = sources
        self._tell = options.on_progress or (lambda _done, _total: None)
        self._total = sum(int(one.reader.chunks["body_bytes"].sum()) for one in sources)
        self._done = 0
        self._records = 0

    def write(self, place: Path) -> MergeReport:
        """Write the new tape to `place`."""
        order = self._sources[0].reader.header.byte_order
        file = ChunkFile(place, new_header(time.time_ns(), order))
        boots = [boot for source in self._sources for boot in source.boots.values()]
        last = boots[-1].board.epoch
        try:
            file.append(ChunkType.META, [json.dumps({"merge": self._meta(boots)}).encode()])
            for source in self._sources:
                self._copy(file, source)
            counters = _sum_of_links(one.reader for one in self._sources)
            if counters is not None:
                file.append(ChunkType.RECEIPT, [counters], epoch=last)
            file.finish(last)
        finally:
            file.close()
        left_out = tuple(
            f"{one.reader.path}, at byte {issue.offset}: {issue.what}"
            for one in self._sources
            for issue in one.reader.issues
        )
        return MergeReport(tuple(boots), self._records, left_out)

    def _meta(self, boots: Sequence[MergedBoot]) -> dict[str, object]:
        begins = [boot.begin_ns for boot in boots if boot.begin_ns is not None]
        return {
            "origin_ns": min(begins, default=0),
            "boards": [one for source in self._sources for one in source.about],
            "boots": [
                {"epoch": boot.board.epoch, "anchors": boot.anchors, "ppm": boot.ppm}
                for boot in boots
            ],
        }

    def _copy(self, file: ChunkFile, source: _Source) -> None:
        reader = source.reader
        begun: set[int] = set()
        first = min(source.boots)
        for row, chunk in enumerate(reader.chunks):
            kind = int(chunk["type"])
            epoch = int(chunk["epoch"]) if int(chunk["epoch"]) in source.boots else first
            board = source.boots[epoch].board
            if epoch not in begun:
                begun.add(epoch)
                if board.epoch:
                    file.append(ChunkType.EPOCH, [], epoch=board.epoch)
                file.append(ChunkType.BOARD, [build_board(board)], epoch=board.epoch)
            body = None if kind in _NOT_COPIED else reader.body_at(row)
            if body is not None:
                if kind == ChunkType.NOTE:
                    body = f"{board.name}: ".encode() + body
                file.copy(chunk, body, epoch=board.epoch)
                self._records += int(chunk["record_count"])
            reader.release(row)
            self._done += int(chunk["body_bytes"])
            self._tell(self._done, self._total)


def _sum_of_links(readers: Iterator[TapeReader]) -> bytes | None:
    """Return a RECEIPT body with the summed counters of all links; None if no tape has any."""
    found = [one for one in (reader.link_counters for reader in readers) if one is not None]
    if not found:
        return None
    names = [part.name for part in RECEIPT.subcons]
    body: bytes = RECEIPT.build({name: sum(getattr(one, name) for one in found) for name in names})
    return body
