"""One boot of a target: its clock and its names. Code that prints times or names needs a `Boot`.

boots = Boots(reader)
boot = boots(epoch)
print(boot.clock.ns(event.time_ticks), boot.names.thread(3))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from tickertape.decode.ticks import Clock, clock_of
from tickertape.model.names import Names
from tickertape.symbols.reading import readings_of

if TYPE_CHECKING:
    from tickertape.decode.bodies import Name
    from tickertape.symbols.elf import Symbols
    from tickertape.tape.growing import Growing
    from tickertape.tape.reader import TapeReader


@dataclass(frozen=True, slots=True)
class Boot:
    """Clock and names of one boot.

    Attributes:
        clock: converts ticks to time.
        names: names of threads, objects and code. A reader of events updates them at each THREAD
            NAME event, so every reader needs its own `Boot`.
    """

    clock: Clock
    names: Names


BootOf: TypeAlias = Callable[[int], Boot]
"""Returns a new `Boot` for an epoch."""


class Boots:
    """The boots of a tape, whole or growing; calling it makes a `Boot`.

    Attributes:
        tape: the tape.
        symbols_of: returns the names of code and data for an epoch; None if there are none.
    """

    def __init__(
        self,
        tape: TapeReader | Growing,
        symbols_of: Callable[[int], Symbols | None] = lambda _epoch: None,
    ) -> None:
        """Read names and clocks from the tape, and names of code and data from `symbols_of`."""
        self.tape = tape
        self.symbols_of = symbols_of
        self._given: list[tuple[int, Names]] = []

    def __call__(self, epoch: int) -> Boot:
        """Return a new `Boot`; later calls of `learn` add names to it."""
        hello = self.tape.hellos.get(epoch) or self.tape.hello
        build_id = hello.build_id if hello else ""
        readings = readings_of(self.tape.meta)
        names = Names(self.tape.names(epoch), self.symbols_of(epoch), build_id, readings)
        self._given.append((epoch, names))
        return Boot(self.clock(epoch), names)

    def clock(self, epoch: int) -> Clock:
        """Return the clock of a boot."""
        return clock_of(self.tape.hellos.get(epoch) or self.tape.hello)

    def learn(self, epoch: int, name: Name) -> None:
        """Add a name that arrived late to every `Boot` of its epoch."""
        for boot, names in self._given:
            if boot == epoch:
                names.learn(name)

    def addresses(self, name: str) -> frozenset[tuple[int, int]]:
        """Return the first and last address of all objects and code called `name`, in any boot."""
        epochs = list(self.tape.hellos) or [0]
        names = [Names(self.tape.names()), *(Names({}, self.symbols_of(epoch)) for epoch in epochs)]
        return frozenset(place for known in names for place in known.addresses(name))
