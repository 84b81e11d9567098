"""Examine the bytes of a link."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tickertape.collector import CaptureOptions, capture
from tickertape.decode.stimulus import StimulusPort
from tickertape.doctor.line import fits
from tickertape.doctor.pieces import damage_of, pieces_of
from tickertape.doctor.report import Diagnosis, Report, Sure
from tickertape.doctor.shapes import good_bytes, undone
from tickertape.doctor.silent import only_packets, without_frames
from tickertape.doctor.target import asked_of_target
from tickertape.doctor.translated import translation_of
from tickertape.doctor.words import of_line
from tickertape.link.memory import MemoryLink

if TYPE_CHECKING:
    from tickertape.collector import Progress
    from tickertape.symbols.elf import Symbols

_MOST: Final = 0.5
_FEW: Final = 0.05
_MANY: Final = 0.5
_FIT_BYTES: Final = 1 << 16


def examine(
    data: bytes, *, port: int | None = None, baud: int | None = None, symbols: Symbols | None = None
) -> Report:
    """Diagnose the faults of a link.

    Args:
        data: the bytes received from the link.
        port: number of the stimulus port to read; None for a link that carries frames directly.
        baud: symbols per second of the receiver, for the words of a diagnosis; None if unknown.
        symbols: the firmware that should run; None if unknown.

    Returns:
        The report; without a diagnosis the stream is healthy, or the fault is unknown.
    """
    frames = data if port is None else StimulusPort(port).receive(data)
    options = CaptureOptions(handle_signals=False)
    progress = capture(MemoryLink([frames], live=False), None, options).progress
    good = good_bytes(frames)
    found: list[Diagnosis] = []
    if port is None and (progress.counters.bad_frames or good < _MOST * len(frames)):
        found = translation_of(frames)
    if found:
        return Report(len(data), progress.counters, progress.balance, progress.hello, tuple(found))
    if good < _MOST * len(frames) or not frames:
        found = _of_the_link(data, port, baud, has_frames=good > _FEW * len(frames))
    if good and not found:
        found = _of_damage(frames, progress, port, baud)
        found += asked_of_target(frames, progress, symbols)
    return Report(len(data), progress.counters, progress.balance, progress.hello, tuple(found))


def _of_damage(
    frames: bytes, progress: Progress, port: int | None, baud: int | None
) -> list[Diagnosis]:
    """Explain damage between good frames."""
    pieces, counters = pieces_of(frames), progress.counters
    found = damage_of(pieces, counters.missed_frames, counters.doubled_frames)
    if any(one.sure is Sure.PROVEN for one in found) or len(pieces.bad) < _MANY * pieces.good:
        return found
    # Short frames arrive intact at a rate that is only slightly too far off.
    line = _of_the_line(b"\0".join(pieces.bad), baud, port)
    return [one for one in line if one.sure is Sure.LIKELY] or found


def _of_the_link(
    data: bytes, port: int | None, baud: int | None, *, has_frames: bool
) -> list[Diagnosis]:
    """Explain why most bytes are not in frames."""
    proven = undone(data, port)
    if proven is not None:
        return [proven]
    if has_frames:
        return []
    plain = without_frames(data)
    if plain:
        return plain
    line = _of_the_line(data, baud, port)
    if any(one.sure is Sure.LIKELY for one in line):
        return line
    return only_packets(data, port) or line


def _of_the_line(data: bytes, baud: int | None, port: int | None) -> list[Diagnosis]:
    return [of_line(one, baud, in_packets=port is not None) for one in fits(data[:_FIT_BYTES])]
