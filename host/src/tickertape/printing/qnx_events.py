"""Tables of the events of QNX Neutrino 6.4: names in its trace printer, and words in order.

Numbers and order are facts of that system; docs/kev.md gives the source. The notation is that of
`qnx_calls`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tickertape.printing.qnx_calls import arguments
from tickertape.protocol.events import EVENTS, EventClass

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tickertape.printing.qnx_calls import Argument

    Events = Mapping[int, tuple[str, tuple[Argument, ...]]]

LAST_STATE: Final = 20
CREATE: Final = 24
DESTROY: Final = 25
VTHREAD_OFFSET: Final = 26
"""Difference between the number of a virtual thread's event and that of the thread's event."""

STATES: Final = tuple(EVENTS[EventClass.THREAD, state].name for state in range(LAST_STATE + 1))
PID_TID: Final = arguments("*pid:D *tid:D policy:D")
PROCESS: Final[Events] = {
    64: ("PROCCREATE", arguments("*ppid:D *pid:D")),
    128: ("PROCDESTROY", arguments("*ppid:D *pid:D")),
    192: ("PROCCREATE_NAME", arguments("*ppid:D *pid:D name:N")),
    256: ("PROCDESTROY_NAME", arguments("*ppid:D *pid:D name:N")),
    320: ("PROCTHREAD_NAME", arguments("*pid:D *tid:D name:N")),
}
SYSTEM: Final[Events] = {
    2: ("PATHMGR_OPEN", arguments("*pid:D *tid:D path:N")),
    3: ("APS_NAME", arguments("*id:D name:N")),
    4: ("APS_NEW_BUDGET", arguments("*id:D *percent:D critical:D")),
    5: ("APS_BANKRUPTCY", arguments("*pid:D *tid:D id:D")),
    6: (
        "MMAP",
        arguments("*pid:D vaddr:X len:X flags:H prot:H fd:D align:X offset:X name:N"),
    ),
    7: ("MUNMAP", arguments("*pid:D vaddr:X len:X")),
    8: ("MAPNAME", arguments("*pid:D addr:H len:H name:N")),
    9: ("ADDRESS", arguments("*addr:H")),
    10: ("FUNC_ENTER", arguments("*thisfn:H *call_site:H")),
    11: ("FUNC_EXIT", arguments("*thisfn:H *call_site:H")),
    12: ("SLOG", arguments("*opcode:H *severity:D message:N")),
}
PADDED_SYSTEM: Final = range(2, 9)
"""Events whose names are padded to 15 columns."""

_RCVID: Final = arguments("*rcvid:H *pid:D")
_SCOID: Final = arguments("*scoid:H *pid:D")
_TID: Final = arguments("*tid:D *pid:D")
_SIGNAL: Final = arguments(
    "*si_signo:D *si_code:D si_errno:D pad0:D pad1:D pad2:D pad3:D pad4:D pad5:D pad6:D"
)
COMM: Final[Events] = {
    0: ("SND_MESSAGE", _RCVID),
    1: ("SND_PULSE", _SCOID),
    2: ("REC_MESSAGE", _RCVID),
    3: ("REC_PULSE", _SCOID),
    4: ("SND_PULSE_EXE", _SCOID),
    5: ("SND_PULSE_DIS", _SCOID),
    6: ("SND_PULSE_DEA", _SCOID),
    7: ("SND_PULSE_UN", _SCOID),
    8: ("SND_PULSE_QUN", _SCOID),
    9: ("SIGNAL", _SIGNAL),
    10: ("REPLY_MESSAGE", _TID),
    11: ("MSG_ERROR", _TID),
}
