"""Tables with the rules of the format: types, events with their sources, and state machines.

There are two profiles: OLD is every version up to 2.1.x, NEW is 2.2 and later. A source is a type
of entity; P (task or interrupt) or T (task only); P! or T! if the process must be running; SELF
(the target itself); or ANY.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Mapping


REQUESTS: Final = frozenset({"requestsemaphore", "exclusivesemaphore"})
"""Requests of a process for a semaphore: for one unit, or (2.1) for all of it."""


class Profile(Enum):
    """The set of rules that applies."""

    OLD = "2.1"
    NEW = "2.3"


class Note(Enum):
    """Contents of an event's note."""

    NONE = "nothing"
    VALUE = "a value"
    COUNT = "a count, if anything"
    TASK = "the name of a task"
    TEXT = "a text"


@dataclass(frozen=True, slots=True)
class Rule:
    """Rule for one event of one type.

    Attributes:
        old: permitted sources in profile OLD; empty when OLD does not have the event.
        new: permitted sources in profile NEW; empty when NEW does not have the event.
        note: contents of the note.
    """

    old: frozenset[str]
    new: frozenset[str]
    note: Note

    def sources(self, profile: Profile) -> frozenset[str]:
        """Return the permitted sources in a profile."""
        return self.old if profile is Profile.OLD else self.new


_TABLE: Final = """
P      activate              STI        STI      NONE
P      start                 C          C        NONE
P      preempt               C          C        NONE
P      resume                C          C        NONE
P      terminate             C          C        NONE
P      poll                  C          C        NONE
P      run                   C          C        NONE
P      park                  C          C        NONE
P      poll_parking          C          C        NONE
P      release_parking       C          C        NONE
P      wait                  C          C        NONE
P      release               C          C        NONE
T      mtalimitexceeded      ANY        STI      NONE
I      interrupt_suspended   -          SCHED    NONE
P      boundedmigration      ANY        -        NONE
P      phasemigration        ANY        -        NONE
P      fullmigration         ANY        -        NONE
P      enforcedmigration     ANY        -        NONE
R      start                 P!         P!       NONE
R      suspend               P!         P!       NONE
R      resume                P!         P!       NONE
R      terminate             P!         P!       NONE
STI    trigger               SIM,P      SELF,P!  NONE
SCHED  schedule              SELF       SELF     NONE
SCHED  schedulepoint         T          T!       NONE
SCHED  processactivate       P          -        NONE
SCHED  processpolling        P          -        NONE
SCHED  processterminate      P          -        NONE
SCHED  finalize              ANY        -        NONE
EVENT  wait_event            T!         T!       NONE
EVENT  clear_event           P!         T!       NONE
EVENT  set_event             P!         P!,STI   TASK
SIG    read                  P!,SIG     P!       VALUE
SIG    write                 P!,STI     P!,STI   VALUE
SEM    requestsemaphore      P!         P!       COUNT
SEM    exclusivesemaphore    P!         -        COUNT
SEM    increment             P!         P!       COUNT
SEM    queued                SELF,P     P        COUNT
SEM    assigned              P          P        COUNT
SEM    waiting               P          P        COUNT
SEM    released              P!         P!       COUNT
SEM    decrement             P!         P!       COUNT
SEM    ready                 SELF       -        COUNT
SEM    lock                  SELF       SELF     COUNT
SEM    used                  SELF       SELF     COUNT
SEM    lock_used             SELF       SELF     COUNT
SEM    free                  SELF       SELF     COUNT
SEM    unlock                SELF       SELF     COUNT
SEM    unlock_full           SELF       SELF     COUNT
SEM    overfull              SELF       SELF     COUNT
SEM    full                  SELF       SELF     COUNT
SEM    releasesemaphore      ANY        -        COUNT
SEM    finalize              ANY        -        COUNT
SEM    trigger               ANY        -        COUNT
SIM    finalize              SIM        -        NONE
SIM    error                 SIM        -        TEXT
SIM    tag                   ANY        -        TEXT
SIM    description           ANY        -        TEXT
SYS    start                 SIM        -        NONE
SYS    stop                  SIM        -        NONE
"""


def _set(text: str) -> frozenset[str]:
    return frozenset() if text == "-" else frozenset(text.split(","))


def _rules() -> dict[tuple[str, str], Rule]:
    rules = {}
    for line in _TABLE.split("\n"):
        if not line:
            continue
        kind, event, old, new, note = line.split()
        for type_ in ("T", "I") if kind == "P" else (kind,):
            rules[type_, event] = Rule(_set(old), _set(new), Note[note])
    return rules


RULES: Final[Mapping[tuple[str, str], Rule]] = _rules()
"""Rules by type of the target and event."""

TYPES: Final = frozenset(
    {"STI", "T", "I", "R", "IB", "ECU", "Processor", "C", "M", "SCHED", "SIG", "SEM", "EVENT"}
)
OLD_TYPES: Final = TYPES | {"SIM", "SYS"}

TYPE_DIALECTS: Final[Mapping[str, str]] = {"ISR": "I", "Core": "C", "CORE": "C", "P": "Processor"}
"""Names that other versions and tools use for types."""

CORE_EVENTS: Final = frozenset(
    {
        *("execute", "idle", "execute_idle", "idle_execution", "execute_waiting"),
        *("wait_postexecution", "set_frequence", "set_frequency", "lock", "unlock"),
    }
)
"""Events of cores that tools write, although no version of the format describes any."""

PROCESSES: Final = frozenset({"T", "I"})
INSTANCEABLE: Final = frozenset({"STI", "T", "I", "R"})

TERMINATED, ACTIVE, RUNNING, READY = "TERMINATED", "ACTIVE", "RUNNING", "READY"
POLLING, PARKING, WAITING, SUSPENDED = "POLLING", "PARKING", "WAITING", "SUSPENDED"

PROCESS_STATES: Final[Mapping[str, tuple[str, str]]] = {
    "activate": (TERMINATED, ACTIVE),
    "start": (ACTIVE, RUNNING),
    "preempt": (RUNNING, READY),
    "resume": (READY, RUNNING),
    "terminate": (RUNNING, TERMINATED),
    "poll": (RUNNING, POLLING),
    "run": (POLLING, RUNNING),
    "park": (POLLING, PARKING),
    "poll_parking": (PARKING, POLLING),
    "release_parking": (PARKING, READY),
    "wait": (RUNNING, WAITING),
    "release": (WAITING, READY),
    "interrupt_suspended": (ACTIVE, ACTIVE),
}
"""State before and after each event. TERMINATED also stands for NOT_INITIALIZED."""

RUNNABLE_STATES: Final[Mapping[str, tuple[str, str]]] = {
    "start": (TERMINATED, RUNNING),
    "suspend": (RUNNING, SUSPENDED),
    "resume": (SUSPENDED, RUNNING),
    "terminate": (RUNNING, TERMINATED),
}

FREE, USED, FULL, OVERFULL = "FREE", "USED", "FULL", "OVERFULL"
NOT_INITIALIZED: Final = "NOT_INITIALIZED"

SEMAPHORE_STATES: Final[Mapping[str, tuple[frozenset[str], str]]] = {
    "ready": (frozenset({NOT_INITIALIZED}), FREE),
    "lock": (frozenset({FREE}), FULL),
    "used": (frozenset({FREE, USED}), USED),
    "lock_used": (frozenset({USED}), FULL),
    "free": (frozenset({USED}), FREE),
    "unlock": (frozenset({FULL}), FREE),
    "unlock_full": (frozenset({FULL}), USED),
    "overfull": (frozenset({FULL, OVERFULL}), OVERFULL),
    "full": (frozenset({OVERFULL}), FULL),
}
"""Permitted states before each event, and the state after. A spin lock has only lock and unlock."""

ALLOCATE: Final = frozenset({"start", "resume", "poll_parking"})
DEALLOCATE: Final = frozenset({"preempt", "park", "wait", "terminate"})
ON_CORE: Final = DEALLOCATE | {"poll", "run"}
OFF_CORE: Final = frozenset({"release", "release_parking"})
"""Events whose source is the core on which the process was last."""

RESET: Final = "# reset"
BLIND_MARKS: Final = ("# loss", RESET)
"""Prefixes of comments that invalidate earlier states."""

LOSS_BEGINS: Final = "# loss begins"
LOSS_ENDS: Final = "# loss ends"
"""Between these comments, records of one CPU are missing while other CPUs have events."""
