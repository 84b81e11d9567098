"""Find out whether something on the way treats the bytes as text: removed or translated values.

Terminals, adapters and programs translate line ends, remove the characters of software flow control
or recode bytes as text. Undoing a translation that loses nothing yields frames; a value that never
arrives although the bytes of a trace contain it, and whose insertion repairs a frame, was removed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Final

import numpy as np

from tickertape.decode.frames import FrameDecoder
from tickertape.doctor.report import Diagnosis, Kind, Sure
from tickertape.doctor.shapes import good_bytes

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

_WINDOW_BYTES: Final = 1 << 18
_MOST_PIECES: Final = 24
_LONGEST_BYTES: Final = 1200
_LEAST_EXPECTED: Final = 12.0
_DOUBLED: Final = 1.4
_MOST_OTHERS: Final = 6
_CERTAIN: Final = 60.0
_BETTER: Final = 1.1
_REPLACEMENT: Final = b"\xef\xbf\xbd"
_MANY_REPLACED: Final = 0.01
_XON, _XOFF, _CR, _LF, _EOF, _MARK = 0x11, 0x13, 0x0D, 0x0A, 0x1A, 0xFF
_OF_TERMINALS: Final = frozenset({_XON, _XOFF, _CR, _LF, _EOF})
_RAW_MODE: Final = "open the device in raw mode (stty raw -echo -ixon; picocom, not a terminal)"


@dataclass(frozen=True, slots=True)
class _Undo:
    """A translation that loses nothing.

    Attributes:
        kind: kind of the fault.
        what: the translation in words.
        mend: the setting that turns it off.
        undo: undoes it; raises ValueError if the bytes cannot come from it.
    """

    kind: Kind
    what: str
    mend: str
    undo: Callable[[bytes], bytes]


def _from_utf8(data: bytes) -> bytes:
    # A window may end within a character.
    return data.decode(errors="ignore").encode("latin-1", "replace")


def _from_utf16(data: bytes) -> bytes:
    order = "utf-16-be" if data.startswith(b"\xfe\xff") else "utf-16-le"
    text = data[: len(data) & ~1].decode(order, "ignore").removeprefix("\ufeff")
    return text.encode("latin-1", "replace")


_UNDOS: Final = (
    _Undo(
        Kind.TEXT_CODED,
        "the bytes are text in UTF-8: something decoded them as Latin-1 and encoded them again",
        "copy bytes, not text: open files with mode 'rb' and 'wb', no terminal logger",
        _from_utf8,
    ),
    _Undo(
        Kind.TEXT_CODED,
        "the bytes are text in UTF-16, as a redirection of PowerShell writes it",
        "let a program write the file itself (tickertape capture -o), or use cmd.exe",
        _from_utf16,
    ),
    _Undo(
        Kind.TRANSLATED,
        "each line feed (0x0a) arrives as 0x0d 0x0a: ONLCR, or a file in text mode",
        f"{_RAW_MODE}; firmware: turn off the CR of its console driver; open files as binary",
        lambda data: data.replace(b"\r\n", b"\n"),
    ),
    _Undo(
        Kind.TRANSLATED,
        "each carriage return (0x0d) arrives as 0x0d 0x0a",
        f"{_RAW_MODE}; turn off the line ends of the terminal program",
        lambda data: data.replace(b"\r\n", b"\r"),
    ),
    _Undo(
        Kind.TRANSLATED,
        "each 0xff arrives twice: the terminal marks errors of parity (PARMRK), or Telnet escapes",
        "turn it off: stty -parmrk; a raw TCP port instead of Telnet",
        lambda data: data.replace(b"\xff\xff", b"\xff"),
    ),
)


def translation_of(data: bytes) -> list[Diagnosis]:
    """Explain damage by a translation of values.

    Args:
        data: the bytes of the link, with frames.

    Returns:
        One diagnosis, or none.
    """
    window = data[:_WINDOW_BYTES]
    best, found = _BETTER * good_bytes(window), None
    for one in _UNDOS:
        good = good_bytes(one.undo(window))
        if good > best:
            best, found = good, one
    if found is not None:
        share = f"{100 * min(best / max(len(found.undo(window)), 1), 1):.0f} %"
        what = f"{found.what}; with this undone {share} of the bytes are in good frames"
        return [Diagnosis(found.kind, Sure.PROVEN, what, found.mend)]
    replaced = window.count(_REPLACEMENT)
    if len(_REPLACEMENT) * replaced > _MANY_REPLACED * len(window):
        what = (
            f"0xef 0xbf 0xbd arrives {replaced} times: something decoded the bytes as UTF-8 and "
            "replaced what is not text; the values are lost"
        )
        return [Diagnosis(Kind.TEXT_CODED, Sure.LIKELY, what, _UNDOS[0].mend)]
    return list(_removed(window))


@cache
def _usual_shares() -> np.ndarray[tuple[int], np.dtype[np.float64]]:
    """Return the share of each byte value in a sample of a trace."""
    sample = (files("tickertape.doctor") / "reference.bin").read_bytes()
    counts = np.bincount(np.frombuffer(sample, np.uint8), minlength=256)
    shares: np.ndarray[tuple[int], np.dtype[np.float64]] = counts / counts.sum()
    return shares


def _removed(data: bytes) -> Iterator[Diagnosis]:
    """Yield a diagnosis if a value of terminals never arrives."""
    counts = np.bincount(np.frombuffer(data, np.uint8), minlength=256)
    # A share that is small in the sample may be that of any value in another trace.
    expected = len(data) * np.maximum(_usual_shares(), 1 / 1024)
    never = np.flatnonzero((counts == 0) & (expected >= _LEAST_EXPECTED)).tolist()
    missing = _OF_TERMINALS & set(never)
    # At a wrong rate many values never arrive; a few rare ones may be missing in any trace.
    if not missing or len(never) - len(missing) > _MOST_OTHERS:
        return
    is_certain = expected[list(missing)].sum() >= _CERTAIN or good_bytes(data) > 0
    bad = _bad_pieces(data)
    for value, other, name in ((_CR, _LF, "ICRNL"), (_LF, _CR, "INLCR")):
        repaired = sum(_repaired_by_change(piece, other, value) for piece in bad)
        doubled = counts[other] > _DOUBLED * expected[other]
        if missing == {value} and (repaired or (doubled and is_certain)):
            what = f"0x{value:02x} never arrives, and 0x{other:02x} in its place ({name})"
            if repaired:
                what += f"; changed back, {repaired} of {len(bad)} damaged frames are good"
            sure = Sure.PROVEN if repaired else Sure.LIKELY
            yield Diagnosis(Kind.TRANSLATED, sure, what, _RAW_MODE)
            return
    repaired = sum(_repaired_by_insertion(piece, missing) for piece in bad)
    if not repaired and not is_certain:
        return
    flow = missing & {_XON, _XOFF}
    values = sorted(flow or missing)
    shown = " and ".join(f"0x{value:02x}" for value in values)
    share = sum(float(expected[value]) for value in values) / len(data)
    cause, mend = "something removes carriage returns (IGNCR)", _RAW_MODE
    if flow:
        cause = "software flow control (XON/XOFF) removes them"
        mend = "turn it off: stty -ixon -ixoff; xonxoff=False; in the adapter and the firmware too"
    elif _EOF in missing and _CR not in missing:
        cause, mend = "a program in text mode removes them", "open the device or file as binary"
    proof = "" if not repaired else f"; inserted, they repair {repaired} of {len(bad)} frames"
    what = f"{shown} never arrive, about {100 * share:.1f} % of a trace: {cause}{proof}"
    sure = Sure.PROVEN if repaired else Sure.LIKELY
    yield Diagnosis(Kind.REMOVED, sure, what, mend)


def _bad_pieces(data: bytes) -> list[bytes]:
    pieces = data.split(b"\0")[1:-1]
    bad = (piece for piece in pieces if piece and not _is_frame(piece))
    return [piece for piece in bad if len(piece) <= _LONGEST_BYTES][:_MOST_PIECES]


def _is_frame(piece: bytes) -> bool:
    decoder = FrameDecoder()
    decoder.receive(piece + b"\0")
    return decoder.counters.frames == 1


def _repaired_by_insertion(piece: bytes, values: frozenset[int]) -> bool:
    """Return whether one more byte of some values turns a piece into a frame."""
    for value in sorted(values):
        byte = bytes([value])
        if any(_is_frame(piece[:at] + byte + piece[at:]) for at in range(len(piece) + 1)):
            return True
    return False


def _repaired_by_change(piece: bytes, old: int, new: int) -> bool:
    """Return whether other values at one or all places of a value turn a piece into a frame."""
    if _is_frame(piece.replace(bytes([old]), bytes([new]))):
        return True
    places = [at for at, value in enumerate(piece) if value == old]
    return any(_is_frame(piece[:at] + bytes([new]) + piece[at + 1 :]) for at in places)
