"""Find the cause of damage in the pieces of a stream that are not frames."""

from __future__ import annotations

import re
import zlib
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Final

import numpy as np
from cobs import cobs

from tickertape.decode.frames import FrameDecoder
from tickertape.doctor.report import Diagnosis, Kind, Sure

if TYPE_CHECKING:
    from numpy.typing import NDArray

_TEXT: Final = re.compile(rb"[\t\r\n\x1b\x20-\x7e]{6,}")
_MOST_PIECES: Final = 64
_LONGEST_BYTES: Final = 2048
_MOST_TEXTS: Final = 8
_CRC_BYTES: Final = 4
_SHOWN_BYTES: Final = 40
_FEW: Final = 0.2


@dataclass(slots=True)
class Pieces:
    """Pieces of a stream: the bytes between delimiters.

    Attributes:
        good: number of frames in them.
        bad: pieces that are not frames, without the first and the last of the stream.
        places: offset of each of these pieces in the stream.
        last_good: offset of the last frame; -1 without one.
        size: number of bytes of the stream.
    """

    good: int
    bad: list[bytes]
    places: list[int]
    last_good: int
    size: int


def pieces_of(data: bytes) -> Pieces:
    """Sort the pieces of a stream into good and bad ones.

    A piece that is cut by the begin or end of the stream is neither good nor bad.
    """
    parts = data.split(b"\0")
    decoder, good, bad = FrameDecoder(), 0, []
    places, last_good, begin = [], -1, 0
    for number, piece in enumerate(parts[:-1]):
        decoder.receive(piece + b"\0")
        count = sum(1 for _ in decoder.frames())
        good += count
        if count:
            last_good = begin
        if piece and not count and number:
            bad.append(piece)
            places.append(begin)
        begin += len(piece) + 1
    return Pieces(good, bad, places, last_good, len(data))


def damage_of(pieces: Pieces, missed_frames: int, doubled_frames: int) -> list[Diagnosis]:
    """Explain the bad pieces and the frames that are missing or doubled."""
    looked = pieces.bad[:_MOST_PIECES]
    inside = [_text_in(piece) for piece in looked]
    texts = [text for text in inside if text is not None]
    rest = [piece for piece, text in zip(looked, inside, strict=True) if text is None]
    flipped = sum(map(_has_bit_error, rest))
    others = len(pieces.bad) - len(texts) - flipped
    found = []
    if texts:
        found.append(_mixed(texts, len(pieces.bad)))
    if flipped:
        what = f"single bits are wrong in {flipped} of {len(looked)} damaged frames looked at"
        mend = "shorten the cable, join the grounds, check levels and the rates of both clocks"
        found.append(Diagnosis(Kind.BIT_ERRORS, Sure.PROVEN, what, mend))
    if doubled_frames > missed_frames:
        what = f"{doubled_frames} frames arrive twice"
        mend = "look for a second sender, an echo, or a bridge that repeats blocks"
        found.append(Diagnosis(Kind.REPEATS, Sure.LIKELY, what, mend))
    elif missed_frames and others >= _FEW * max(len(pieces.bad), 1):
        found.append(_dropping(len(pieces.bad), missed_frames))
    if not found and (pieces.bad or missed_frames):
        found.append(_unexplained(pieces, missed_frames))
    return sorted(found, key=lambda one: -one.sure)


def _unexplained(pieces: Pieces, missed: int) -> Diagnosis:
    """Describe damage without a known cause: how much, and where."""
    all_pieces = pieces.good + len(pieces.bad)
    parts = []
    if pieces.bad:
        share = 100 * sum(map(len, pieces.bad)) / max(pieces.size, 1)
        first = pieces.places[0]
        is_rest = first > pieces.last_good
        where = f"from byte {first} on" if is_rest else f"the first at byte {first}"
        parts.append(f"{len(pieces.bad)} of {all_pieces} frames are damaged, {where}")
        parts.append(f"{share:.0f} % of the bytes")
    if missed:
        parts.append(f"{missed} frames are missing")
    mend = "compare rate, format and cable; record the raw bytes twice, and look where they differ"
    return Diagnosis(Kind.DAMAGED, Sure.PROVEN, ", ".join(parts), mend)


def _dropping(bad: int, missed: int) -> Diagnosis:
    # A missing block joins two frames into a bad one, or removes whole frames.
    what = f"{missed} frames are missing in {bad} damaged places: blocks of bytes were left out"
    mend = (
        "use flow control or a lower rate; a larger buffer or another USB port for the bridge; "
        "close what else reads the device"
    )
    return Diagnosis(Kind.DROPS, Sure.LIKELY, what, mend)


def _mixed(texts: list[bytes], bad: int) -> Diagnosis:
    shown = texts[0].decode("ascii", "replace").strip()[:_SHOWN_BYTES]
    what = f"text of a console is in {len(texts)} of {bad} damaged frames, such as {shown!r}"
    mend = "send printf and the log to another UART or port, or turn the console off"
    return Diagnosis(Kind.TEXT_MIXED, Sure.PROVEN, what, mend)


def _text_in(piece: bytes) -> bytes | None:
    """Return a text whose removal turns a piece into a frame, or None."""
    if len(piece) > _LONGEST_BYTES:
        return None
    for match in islice(_TEXT.finditer(piece), _MOST_TEXTS):
        # Bytes of the frame next to the text may look like text.
        for begin in range(match.start(), min(match.start() + 4, match.end())):
            for end in range(match.end(), max(match.end() - 4, begin), -1):
                if _is_frame(piece[:begin] + piece[end:]):
                    return piece[begin:end]
    return None


def _is_frame(piece: bytes) -> bool:
    decoder = FrameDecoder()
    decoder.receive(piece + b"\0")
    return decoder.counters.frames == 1


def _has_bit_error(piece: bytes) -> bool:
    """Return whether inverting one bit turns a piece into a frame."""
    if len(piece) > _LONGEST_BYTES:
        return False
    try:
        data = cobs.decode(piece)
    except cobs.DecodeError:
        return False
    if len(data) <= _CRC_BYTES:
        return False
    wrong = zlib.crc32(data[:-_CRC_BYTES]) ^ int.from_bytes(data[-_CRC_BYTES:], "little")
    # An error in the CRC field itself is exactly one wrong bit.
    return wrong.bit_count() == 1 or bool((_syndromes(len(data) - _CRC_BYTES) == wrong).any())


def _syndromes(size: int) -> NDArray[np.uint32]:
    """Return how the CRC of `size` bytes changes with each of their bits."""
    # The CRC is linear: each bit further from the end takes one step more.
    found = np.empty(8 * size, np.uint32)
    register = 1
    for place in range(8 * size):
        register = register >> 1 ^ (0xEDB8_8320 if register & 1 else 0)
        found[place] = register
    return found
