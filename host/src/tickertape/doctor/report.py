"""The report of the doctor."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum, IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tickertape.analysis.ledger import Balance
    from tickertape.decode.bodies import Hello
    from tickertape.decode.frames import LinkCounters


class Sure(IntEnum):
    """How sure a diagnosis is."""

    POSSIBLE = 1
    """The bytes fit, and other explanations fit nearly as well."""
    LIKELY = 2
    """The bytes fit this fault, and no other one that the doctor knows."""
    PROVEN = 3
    """With the fault undone there are frames with the right CRC, or such a frame reports it."""


class Kind(Enum):
    """What is wrong."""

    NOTHING = "nothing"
    STUCK = "stuck line"
    CONSOLE_ONLY = "console only"
    TEXT_MIXED = "text in the stream"
    RATE = "wrong rate"
    PARITY = "wrong parity"
    DATA_BITS = "wrong data bits"
    INVERTED = "inverted line"
    SWAPPED = "swapped bytes"
    BIT_ORDER = "reversed bits"
    NEEDS_SWO = "packets of a trace unit"
    NO_SWO = "no packets of a trace unit"
    OTHER_PORT = "another stimulus port"
    NO_TRACE_PORT = "no frames in the stimulus ports"
    TPIU = "TPIU formatter on"
    MANCHESTER = "Manchester coding"
    PROTOCOL = "another protocol"
    DICTIONARY = "another list of events"
    OTHER_BUILD = "another build"
    NOT_STARTED = "tracer not started"
    DROPS = "link drops blocks"
    REPEATS = "link repeats blocks"
    BIT_ERRORS = "bit errors"
    TARGET_LOSSES = "target loses records"
    RESETS = "target resets"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One fault.

    Attributes:
        kind: what is wrong.
        sure: how sure that is.
        what: the fault in words, with its figures.
        mend: the setting that corrects it.
        factor: rate of the sender per rate of the receiver, for `RATE`; else None.
    """

    kind: Kind
    sure: Sure
    what: str
    mend: str
    factor: float | None = None


@dataclass(frozen=True, slots=True)
class Report:
    """The state of a link.

    Attributes:
        bytes: how many were examined.
        counters: how many frames they contain, and what else.
        balance: the law of loss over the examined bytes.
        hello: the last one; None without any.
        diagnoses: faults, the gravest first.
    """

    bytes: int
    counters: LinkCounters
    balance: Balance
    hello: Hello | None
    diagnoses: tuple[Diagnosis, ...] = field(default=())

    @property
    def healthy(self) -> bool:
        """Whether frames arrived and no fault was found."""
        return self.counters.frames > 0 and not self.diagnoses

    @property
    def unknown(self) -> bool:
        """Whether there are no frames, and no reason for that was found."""
        return not self.counters.frames and not self.diagnoses
