"""Constants shared by reader and writer of QNX trace files; see docs/kev.md."""

from __future__ import annotations

from typing import Final

from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import ControlEvent, EventClass

KEV_META: Final = "kev"
"""Key in META for header and system page of an imported file."""

OWN_KEY: Final = "TICKERTAPE"
"""Key in the header of an exported file, without `TRACE_`; its value is the hash of the list of
events."""

FOREIGN_VALUE: Final = "imported"
"""Value of this key if the exported tape was imported from a QNX file."""

TIME_CODE: Final = event_code(EventClass.CONTROL, ControlEvent.TIME)
BUFFER_CODE: Final = event_code(EventClass.CONTROL, ControlEvent.BUFFER)

MARKS_SHIFT: Final = 16
"""First of eight header bits that QNX does not use. The export stores domain and flags in them at
the begin of an event, and the number of padding bytes of the payload at its end."""

STRING_WORDS: Final = {
    event_code(4, 192): 2,
    event_code(4, 256): 2,
    event_code(4, 320): 2,
    event_code(5, 2): 2,
    event_code(5, 3): 1,
    event_code(5, 8): 3,
    event_code(5, 12): 2,
}
"""Number of words before the string in QNX events that end in one, by class << 10 | event."""
