# ruff: noqa: PLR2004 - probabilities of damage
"""The fuzz targets: for each decoder its inputs, how they are fed, and the conditions.

A target's `feed` feeds one batch and returns its number of mutated inputs. It raises `Broken` if a
condition does not hold; an exception that a decoder does not declare is a failure as well.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from tickertape.analysis.balance import balance_of
from tickertape.collector import CaptureOptions, capture
from tickertape.decode.bodies import BadBodyError, parse_body
from tickertape.decode.frames import Frame, FrameDecoder
from tickertape.decode.packed import UnpackedBuffer, unpack
from tickertape.edit.repair import repair
from tickertape.errors import TapeError
from tickertape.link import MemoryLink
from tickertape.protocol.wire import MAX_FRAME_BYTES
from tickertape.tape import TapeReader, iter_events
from tickertape.tape.tail import TapeTail
from tools.fuzz import board_targets
from tools.fuzz.btf_target import Btf
from tools.fuzz.itm_target import Itm
from tools.fuzz.kev_target import Kev
from tools.fuzz.mutate import mutated
from tools.fuzz.originals import keys_of, originals
from tools.fuzz.packet_target import Packets
from tools.fuzz.rules import Broken, Target, forged

if TYPE_CHECKING:
    from random import Random

ROOT = Path(__file__).resolve().parents[2]
_FRAMES_A_BATCH = 256
_BODIES_A_BATCH = 128
_FRAME_TYPES = (1, 2, 3, 4, 5, 6, 7, 8, 77)
_HELD_BYTES = MAX_FRAME_BYTES + 1 + MAX_FRAME_BYTES // 254


class Frames:
    """Damaged frames on a link: the decoder delivers only sent frames."""

    def __init__(self, folder: Path) -> None:
        """Read the frames of all captures."""
        self._pieces = [piece for one in originals(folder) for piece in one.frames]
        decoder = FrameDecoder()
        decoder.receive(b"".join(self._pieces))
        self._sent = set(decoder.frames())
        self._decoder = FrameDecoder()

    def feed(self, rng: Random) -> int:
        """Mutate single frames; the decoder keeps its state, so one may swallow the next."""
        pieces, draw = self._pieces, rng.random
        chosen = [pieces[int(draw() * len(pieces))] for _ in range(_FRAMES_A_BATCH)]
        decoder = self._decoder
        decoder.receive(b"".join([mutated(piece, pieces, rng) for piece in chosen]))
        for frame in decoder.frames():
            if frame not in self._sent:
                raise Broken(f"a frame that was never sent: {frame}")
        if decoder.held_bytes > _HELD_BYTES:
            raise Broken(f"{decoder.held_bytes} bytes are held")
        return _FRAMES_A_BATCH


class Bodies:
    """Bodies of frames with a valid CRC: a value or BadBodyError."""

    def __init__(self, folder: Path) -> None:
        """Read the bodies of all captures."""
        decoder = FrameDecoder()
        decoder.receive(b"".join(piece for one in originals(folder) for piece in one.frames))
        self._bodies = [frame.body for frame in decoder.frames()]

    def feed(self, rng: Random) -> int:
        """Parse mutated bodies as random types."""
        for _ in range(_FRAMES_A_BATCH):
            body = mutated(rng.choice(self._bodies), self._bodies, rng)
            frame = Frame(rng.choice(_FRAME_TYPES), rng.choice([0, 1, 9]), 0, 0, body, 0)
            try:
                parse_body(frame)
            except BadBodyError:
                continue
        return _FRAMES_A_BATCH


class Packed:
    """Packed buffers with a valid CRC: never more records than bytes, neighbours unaffected."""

    def __init__(self, folder: Path) -> None:
        """Read the golden vectors."""
        del folder
        text = (ROOT / "protocol" / "vectors" / "packed.json").read_text()
        self._bodies = [bytes.fromhex(one["body"]) for one in json.loads(text)["bodies"]]
        self._expected = [_plain(one) for one in unpack(self._bodies)]

    def feed(self, rng: Random) -> int:
        """Unpack a batch with one undamaged body."""
        batch = [
            mutated(rng.choice(self._bodies), self._bodies, rng) for _ in range(_BODIES_A_BATCH - 1)
        ]
        sound = rng.randrange(len(self._bodies))
        place = rng.randrange(len(batch) + 1)
        batch.insert(place, self._bodies[sound])
        results = unpack(batch)
        if len(results) != len(batch) or _plain(results[place]) != self._expected[sound]:
            raise Broken("a body came out otherwise because of its neighbours")
        for body, result in zip(batch, results, strict=True):
            if isinstance(result, UnpackedBuffer) and len(result.records) > len(body):
                raise Broken(f"{len(result.records)} records of {len(body)} bytes")
        return _BODIES_A_BATCH - 1


def _plain(result: UnpackedBuffer | BadBodyError) -> object:
    if isinstance(result, BadBodyError):
        return str(result)
    return result.header, result.records.tobytes()


class Tape:
    """A damaged tape: it opens or raises TapeError, and contains only sent events."""

    def __init__(self, folder: Path) -> None:
        """Read the tapes of all captures."""
        self._originals = originals(folder)
        self._tapes = [one.tape for one in self._originals]
        self._path = folder / "t.tape"

    def feed(self, rng: Random) -> int:
        """Damage one tape anywhere."""
        one = rng.choice(self._originals)
        self._path.write_bytes(mutated(one.tape, self._tapes[:1], rng))
        try:
            with TapeReader(self._path) as reader:
                found = keys_of(iter_events(reader))
                # The byte order in the header is under its CRC, so these are the same words.
                if not one.events.issuperset(found):
                    raise Broken(f"events never sent: {sorted(set(found) - one.events, key=str)}")
                read_everything(reader)
        except TapeError:
            pass
        return 1


class ForgedTape:
    """A damaged tape with valid CRCs: it may contain nonsense, but the reader must not fail."""

    def __init__(self, folder: Path) -> None:
        """Read the tapes of all captures."""
        self._tapes = [one.tape for one in originals(folder)]
        self._path = folder / "f.tape"
        self._out = folder / "r.tape"

    def feed(self, rng: Random) -> int:
        """Damage a header or a body and correct its CRC; sometimes also repair and follow it."""
        data = forged(rng.choice(self._tapes), self._tapes, rng)
        self._path.write_bytes(data)
        try:
            with TapeReader(self._path) as reader:
                for _ in iter_events(reader):
                    pass
                read_everything(reader)
            if rng.random() < 0.1:
                repair(self._path, self._out)
                with TapeTail(self._path) as tail:
                    for _ in tail.poll():
                        pass
        except TapeError:
            pass
        return 1


def read_everything(reader: TapeReader) -> None:
    """Read the balance and all metadata of a tape."""
    balance = balance_of(reader)
    balance.contradictions  # noqa: B018 - a property that is computed on access
    _ = reader.hellos, reader.meta, reader.anchors, reader.link_counters, reader.texts, reader.notes
    _ = reader.boards, reader.symbol_tables
    reader.names()


class Chain:
    """A capture of a damaged line: the tape contains only sent events, and its balance holds."""

    def __init__(self, folder: Path) -> None:
        """Read the captures."""
        self._originals = originals(folder)
        self._path = folder / "c.tape"

    def feed(self, rng: Random) -> int:
        """Damage some frames, lose or repeat others, and capture them; return the damaged ones."""
        one = rng.choice(self._originals)
        pieces = []
        count = 0
        for number, piece in enumerate(one.frames):
            fate = rng.random()
            # HELLO has the byte order; a second boot is recognised by its own HELLO.
            if fate < 0.7 or piece[:2] == one.frames[0][:2] or number == 0:
                pieces.append(piece)
            elif fate < 0.9:
                pieces.append(mutated(piece, one.frames, rng))
                count += 1
            elif fate < 0.95:
                pieces += [piece, piece]
        capture(MemoryLink(pieces), self._path, CaptureOptions(handle_signals=False))
        with TapeReader(self._path) as reader:
            found = keys_of(iter_events(reader))
            if not balance_of(reader).total.holds:
                raise Broken(f"the balance does not hold: {balance_of(reader).total}")
        extra = {key[1:] for key in found} - {key[1:] for key in one.events}
        if extra:
            raise Broken(f"events never sent: {sorted(extra, key=str)}")
        return count


# Each target with its share of the time. Frames are cheap, and most damage of a line affects them.
TARGETS: dict[str, tuple[type[Target], float]] = {
    "frames": (Frames, 0.33),
    "packed": (Packed, 0.10),
    "bodies": (Bodies, 0.06),
    "symbols": (board_targets.Symbols, 0.03),
    "boards": (board_targets.Boards, 0.03),
    "tape": (Tape, 0.16),
    "forged tape": (ForgedTape, 0.10),
    "merged tape": (board_targets.Merged, 0.06),
    "chain": (Chain, 0.06),
    "kev": (Kev, 0.03),
    "btf": (Btf, 0.02),
    "itm": (Itm, 0.01),
    "packets": (Packets, 0.01),
}
