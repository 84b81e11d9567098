"""Event codes and thread names that several modules use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, SchedEvent, SignalEvent, SystemEvent, ThreadEvent

if TYPE_CHECKING:
    from tickertape.protocol.event_type import Field

CONTEXT_SWITCH: Final = event_code(EventClass.SCHED, SchedEvent.CONTEXT_SWITCH)
THREAD_NAME: Final = event_code(EventClass.THREAD, ThreadEvent.NAME)
MESSAGE: Final = event_code(EventClass.SYSTEM, SystemEvent.LOG)
SIGNALS: Final = frozenset(event_code(EventClass.SIGNAL, event) for event in SignalEvent)
IDLE_TID: Final = 0
_CHANNEL: Final = "scoid"
_FIRST_ADDRESS: Final = 1 << 16


def thread_id(tid: int) -> str:
    """Format the number of a thread, in hexadecimal if it is an address."""
    return str(tid) if tid < _FIRST_ADDRESS else f"0x{tid:08x}"


def nameless(tid: int) -> str:
    """Return a name for a thread without one."""
    return f"thread {thread_id(tid)}"


def kind_of(known: Field) -> str:
    """Return the type of a field; `object` for the channel of a pulse, which may have a name."""
    return "object" if known.name == _CHANNEL else known.type
