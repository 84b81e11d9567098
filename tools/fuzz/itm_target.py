"""Fuzz target for packets of a trace unit (ITM); `targets` describes targets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tickertape.analysis.balance import balance_of
from tickertape.decode.itm import ItmDecoder
from tickertape.errors import TapeError
from tickertape.formats.itm.read import import_itm
from tickertape.model.names import Names
from tickertape.model.system import SystemModel
from tickertape.tape import TapeReader, iter_events
from tools.fuzz.mutate import mutated
from tools.fuzz.rules import Broken

if TYPE_CHECKING:
    from pathlib import Path
    from random import Random

_HELD_BYTES = 7
# Each kind of packet: synchronization, exceptions, time stamps, ports, counters, samples, accesses.
_PACKETS = (
    "000000000080 0e0f10 c0a501 0e1010 30 0e1020 0e0f30 d005 0e0f20 c08101 01 41 1a3412 fbefbeadde "
    "0521 1700010008 1500 6710000008 6e3412 8507 9f01020304 c07f 70 9405 94ffffff1f b481808000 18 "
    "0141 60 000000000080 0e0f10 10 0e0f20 20"
)


class Itm:
    """Bytes of an SWO pin: the import gives a readable tape, or raises TapeError.

    Attributes:
        original: all kinds of packets.
    """

    def __init__(self, folder: Path) -> None:
        """Make the bytes."""
        self.original = bytes.fromhex(_PACKETS) * 20
        self._path, self._tape = folder / "i.swo", folder / "i.tape"

    def feed(self, rng: Random) -> int:
        """Damage the bytes and import them."""
        self.check(mutated(self.original, [self.original], rng))
        return 1

    def check(self, data: bytes) -> None:
        """Decode, import, and feed the events to the model.

        Raises:
            Broken: the decoder holds too many bytes, or the tape has lost events.
        """
        decoder = ItmDecoder()
        decoder.receive(data)
        if decoder.held_bytes > _HELD_BYTES:
            raise Broken(f"{decoder.held_bytes} bytes are held")
        self._path.write_bytes(data)
        try:
            report = import_itm(self._path, self._tape, hz=1_000_000)
        except TapeError:
            return
        model = SystemModel(lambda _epoch: Names({}))
        with TapeReader(self._tape) as reader:
            total = balance_of(reader, by_class=False).total
            for columns in iter_events(reader):
                model.feed(columns)
        if not total.offered == total.delivered == report.counts["events"]:
            raise Broken(f"{total} of {report.counts['events']} events")
