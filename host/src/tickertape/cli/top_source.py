"""The event sources of `tickertape top`: a link, a growing tape, or a played-back tape."""

from __future__ import annotations

import time
from contextlib import closing, contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from tickertape.analysis.balance import balance_of
from tickertape.cli.reading import is_link
from tickertape.decode.events import split_columns
from tickertape.decode.ticks import clock_of
from tickertape.model.boot import Boots
from tickertape.model.code_names import CodeNames
from tickertape.tape import TapeReader, iter_events
from tickertape.tape.tail import TapeTail

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from tickertape.analysis.ledger import Balance
    from tickertape.control import ControlClient
    from tickertape.decode.bodies import Hello, Name
    from tickertape.decode.events import EventColumns
    from tickertape.tape.growing import Growing

_PAUSE_S = 0.05
_WAIT_S = 5.0


class Tape(Protocol):
    """A tape to show; `Growing` and `Played` implement it.

    Attributes:
        hellos: the first HELLO of each boot so far.
        ended: whether no more events follow.
        pause_s: recommended wait before the next poll.
    """

    hellos: dict[int, Hello]
    ended: bool
    pause_s: float

    def names(self, epoch: int | None = None) -> Mapping[tuple[int, int], Name]:
        """Return the latest name of each object so far, by (object kind, id)."""
        ...

    def poll(self) -> Iterator[EventColumns]:
        """Yield the events since the last call."""
        ...


class Played:
    """A complete tape, played back at the pace of its time stamps. Implements `Tape`."""

    pause_s = _PAUSE_S

    def __init__(self, reader: TapeReader, *, stream: int | None, speed: float) -> None:
        """Begin at the first event.

        Args:
            reader: reader of the tape; the caller closes it.
            stream: stream number; None for the first stream.
            speed: seconds of target time per second.
        """
        self._reader, self._speed = reader, speed
        chosen = reader.default_stream() if stream is None else stream
        self._parts = iter_events(reader, stream=chosen)
        self._part: EventColumns | None = None
        self._epoch: int | None = None
        self.ended = False
        self.hellos = dict(reader.hellos)

    def names(self, epoch: int | None = None) -> Mapping[tuple[int, int], Name]:
        """Return the names of a boot."""
        return self._reader.names(epoch)

    def poll(self) -> Iterator[EventColumns]:
        """Yield the events that are due; a boot begins as soon as the previous one has ended."""
        while True:
            part = next(self._parts, None) if self._part is None else self._part
            if part is None:
                self.ended = True
                return
            row = self._due(part)
            if row < len(part):
                head, self._part = split_columns(part, row)
                if len(head):
                    yield head
                return
            self._part = None
            yield part

    def _due(self, part: EventColumns) -> int:
        """Return the number of rows that are due now."""
        if part.epoch != self._epoch:
            self._epoch = part.epoch
            self._begin_ticks = int(part.time[0]) if len(part) else 0
            self._begin_s = time.monotonic()
        hello = self._reader.hellos.get(part.epoch) or self._reader.hello
        passed_s = (time.monotonic() - self._begin_s) * self._speed
        now = self._begin_ticks + int(passed_s * clock_of(hello).hz)
        return int(np.searchsorted(part.time, np.uint64(now), side="right"))


@dataclass(frozen=True, slots=True)
class Source:
    """A source of events for `top`.

    Attributes:
        name: address of the link or path of the tape.
        tape: delivers the events.
        boots: names and clocks of the boots.
        client: controls the target; None for a tape.
        balance: returns the balance of records so far, or of the whole tape; None if unknown.
    """

    name: str
    tape: Tape
    boots: Boots
    client: ControlClient | None
    balance: Callable[[], Balance | None]


@contextmanager
def opened(name: str, *, stream: int | None, speed: float) -> Iterator[Source]:
    """Open a link or a tape.

    Args:
        name: address of a link, or path of a tape.
        stream: stream of a tape that is played back; None for the first stream.
        speed: for a tape that is played back: seconds of target time per second.

    Raises:
        LinkError: the link cannot be opened.
        TapeError: the tape cannot be opened.
    """
    if is_link(name):
        with _linked(name) as source:
            yield source
        return
    with TapeReader(name) as reader:
        if reader.closed:
            whole = balance_of(reader, by_class=False).total
            played = Played(reader, stream=stream, speed=speed)
            yield Source(name, played, Boots(reader, CodeNames(reader).of), None, lambda: whole)
            return
    with TapeTail(name) as tail:
        yield Source(name, tail, _boots(tail), None, lambda: None)


@contextmanager
def _linked(name: str) -> Iterator[Source]:
    # Modules of links need system features that not every system has: import on demand.
    from tickertape.collector.live import LiveTape  # noqa: PLC0415 - see above
    from tickertape.control import ControlClient  # noqa: PLC0415 - see above
    from tickertape.control.channel import SharedChannel  # noqa: PLC0415 - see above
    from tickertape.link import open_link  # noqa: PLC0415 - see above

    with closing(open_link(name, wait_s=_WAIT_S)) as link:
        channel = SharedChannel(link)
        with closing(channel), LiveTape(link, on_frame=channel.take) as live:
            client = ControlClient(channel)
            yield Source(
                name,
                live,
                _boots(live),
                client,
                lambda: None if live.progress is None else live.progress.balance,
            )


def _boots(tape: Growing) -> Boots:
    """Return the boots of a tape; they learn names that arrive later."""
    boots = Boots(tape, CodeNames(tape).of)
    tape.on_name = boots.learn
    return boots
