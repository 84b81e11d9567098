"""Events and threads that everything about running threads needs by name."""

from __future__ import annotations

from typing import Final

from tickertape.protocol.event_type import event_code
from tickertape.protocol.events import EventClass, SchedEvent, SystemEvent, ThreadEvent

CONTEXT_SWITCH: Final = event_code(EventClass.SCHED, SchedEvent.CONTEXT_SWITCH)
THREAD_NAME: Final = event_code(EventClass.THREAD, ThreadEvent.NAME)
MESSAGE: Final = event_code(EventClass.SYSTEM, SystemEvent.LOG)
IDLE_TID: Final = 0
