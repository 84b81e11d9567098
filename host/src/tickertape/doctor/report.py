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
    """Certainty of a diagnosis."""

    POSSIBLE = 1
    """The bytes fit this fault, and other faults fit nearly as well."""
    LIKELY = 2
    """The bytes fit this fault, and no other fault known to the doctor."""
    PROVEN = 3
    """Undoing the fault yields frames with a correct CRC, or such a frame reports the fault."""


class Kind(Enum):
    """Kind of fault."""

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
    REMOVED = "removed values"
    TRANSLATED = "translated values"
    TEXT_CODED = "coded as text"
    BIT_ERRORS = "bit errors"
    DAMAGED = "damaged for an unknown reason"
    TARGET_LOSSES = "target loses records"
    RESETS = "target resets"


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """One fault.

    Attributes:
        kind: kind of fault.
        sure: certainty of the diagnosis.
        what: the fault in words, with its figures.
        mend: the setting that corrects the fault.
        factor: for `RATE`: rate of the sender divided by that of the receiver; else None.
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
        bytes: number of bytes examined.
        counters: counts of frames and of other pieces in these bytes.
        balance: balance of the records in these bytes.
        hello: the last HELLO; None without any.
        diagnoses: faults, the gravest first.
    """

    bytes: int
    counters: LinkCounters
    balance: Balance
    hello: Hello | None
    diagnoses: tuple[Diagnosis, ...] = field(default=())

    @property
    def healthy(self) -> bool:
        """Whether frames arrived, none is damaged or missing, and no fault was found."""
        return self.counters.frames > 0 and not self.diagnoses

    @property
    def unknown(self) -> bool:
        """Whether no frame arrived and no fault was found."""
        return not self.counters.frames and not self.diagnoses
