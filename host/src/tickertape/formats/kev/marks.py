"""Constants shared by reader and writer of QNX trace files; see docs/kev.md."""

from __future__ import annotations

from typing import Final

from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import ControlEvent, EventClass

KEV_META: Final = "kev"
"""Key of META under which the header and the system page of an imported file are kept."""

OWN_KEY: Final = "TICKERTAPE"
"""Key in the header of a file that we wrote, without `TRACE_`; its value is the hash of the list of
events."""

FOREIGN_VALUE: Final = "imported"
"""Value of that key when the tape itself was made of a file of that system."""

TIME_CODE: Final = event_code(EventClass.CONTROL, ControlEvent.TIME)
BUFFER_CODE: Final = event_code(EventClass.CONTROL, ControlEvent.BUFFER)

MARKS_SHIFT: Final = 16
"""First of eight header bits without a meaning there: domain and flags at the begin of an event, at
its end how many bytes of payload are filling."""

STRING_WORDS: Final = {
    event_code(4, 192): 2,
    event_code(4, 256): 2,
    event_code(4, 320): 2,
    event_code(5, 2): 2,
    event_code(5, 3): 1,
    event_code(5, 8): 3,
    event_code(5, 12): 2,
}
"""Words before the string, by class << 10 | event, for the events there that end in one."""
