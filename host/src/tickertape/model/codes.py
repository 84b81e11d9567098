"""Events and threads that several modules need by name."""

from __future__ import annotations

from typing import Final

from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, SchedEvent, SignalEvent, SystemEvent, ThreadEvent

CONTEXT_SWITCH: Final = event_code(EventClass.SCHED, SchedEvent.CONTEXT_SWITCH)
THREAD_NAME: Final = event_code(EventClass.THREAD, ThreadEvent.NAME)
MESSAGE: Final = event_code(EventClass.SYSTEM, SystemEvent.LOG)
SIGNALS: Final = frozenset(event_code(EventClass.SIGNAL, event) for event in SignalEvent)
IDLE_TID: Final = 0
