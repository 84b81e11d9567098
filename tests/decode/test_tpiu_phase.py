"""Frames of a TPIU in bytes that begin anywhere and lack some bytes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.support.itm import encoded
from tests.support.itm_streams import STREAMS, mixture, samples, stream, wide_samples
from tests.support.tpiu import SYNC, formatted
from tickertape.decode.itm import PcSample
from tickertape.decode.tpiu_phase import AlignedFrames, LostFrames, phase_of
from tickertape.formats.itm.read import import_itm

if TYPE_CHECKING:
    import random
    from collections.abc import Callable
    from pathlib import Path

    from tickertape.decode.itm import Packet

    Parts = Callable[[random.Random], list[Packet]]


def frames_of(parts: Parts) -> bytes:
    """Return frames of source 1, with some bytes of source 2, without synchronization."""
    data = b"".join(map(encoded, stream(parts, 400)))
    items = [(1, byte) for byte in data]
    rows = [items[at : at + 97] + [(2, 0x55)] * 3 for at in range(0, len(items), 97)]
    return formatted([item for row in rows for item in row]).replace(SYNC, b"")


@pytest.mark.parametrize("parts", STREAMS, ids=lambda one: one.__name__)
def test_the_phase_is_found(parts: Parts) -> None:
    data = frames_of(parts)
    for cut in (0, 1, 2, 7, 11, 14):
        assert phase_of(data[cut:])[0] == -cut % 16


def divided(data: bytes) -> list[bytes | LostFrames]:
    frames = AlignedFrames()
    return [*frames.receive(data), *frames.receive(b"", is_end=True)]


def whole_frames(pieces: list[bytes | LostFrames]) -> list[bytes]:
    data = b"".join(piece for piece in pieces if isinstance(piece, bytes))
    return [data[at : at + 16] for at in range(0, len(data), 16)]


@pytest.mark.parametrize("parts", [wide_samples, mixture], ids=lambda one: one.__name__)
@pytest.mark.parametrize("missing", [1, 2])
def test_a_lost_byte_costs_few_frames(parts: Parts, missing: int) -> None:
    data = frames_of(parts)
    sent = [data[at : at + 16] for at in range(0, len(data) - 15, 16)]
    at = len(data) // 2 + 5
    pieces = divided(data[:at] + data[at + missing :])
    lost = [piece.count for piece in pieces if isinstance(piece, LostFrames)]
    assert lost
    found = whole_frames(pieces)
    begin = next(place for place, frame in enumerate(found) if frame != sent[place])
    rest = len(sent) - begin
    end = next(place for place in range(rest) if found[-1 - place] != sent[-1 - place])
    assert len(sent) - begin - end <= 5


@pytest.mark.parametrize("parts", STREAMS, ids=lambda one: one.__name__)
def test_undamaged_frames_are_unchanged(parts: Parts) -> None:
    data = frames_of(parts)
    data = data[: len(data) // 16 * 16]
    assert b"".join(piece for piece in divided(data) if isinstance(piece, bytes)) == data


def test_files_that_begin_anywhere_are_imported(tmp_path: Path) -> None:
    packets = stream(samples, 200)
    data = b"".join(map(encoded, packets))
    framed = formatted([(1, byte) for byte in data]).replace(SYNC, b"")
    for cut in (0, 5, 9, 12):
        (tmp_path / "x.bin").write_bytes(framed[cut:])
        for tpiu in (None, 1):
            report = import_itm(tmp_path / "x.bin", tmp_path / "x.tape", hz=1000, tpiu=tpiu)
            assert 195 <= report.counts["events"] <= 200
    assert isinstance(packets[0], PcSample)
    (tmp_path / "plain.bin").write_bytes(data)
    report = import_itm(tmp_path / "plain.bin", tmp_path / "x.tape", hz=1000)
    assert report.counts["events"] == 200
