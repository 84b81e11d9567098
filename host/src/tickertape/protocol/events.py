# Generated from protocol/events.yaml by make gen; do not edit.
"""What a target can record: numbers and meanings."""

from __future__ import annotations

from enum import IntEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from tickertape.protocol.event_type import EventType, Field

if TYPE_CHECKING:
    from collections.abc import Mapping

# Hash of what this list means; HELLO carries the target's.
DICTIONARY_HASH: Final = 0x20B3397D4354941F

APPLICATION_CLASS_FIRST: Final = 16
APPLICATION_CLASS_LAST: Final = 31


class EventClass(IntEnum):
    """The classes that have a meaning here."""

    EMPTY = 0
    """Never emitted; a zeroed record is recognisable."""
    CONTROL = 1
    """What the recorder says about the stream itself."""
    KERCALL = 2
    """Kernel calls. The call n is recorded on entry as event n, on exit as n + 128, when
    interrupted as n + 256. Numbers up to 101 are those of QNX; 102-112 came with the reference
    kernel, those from 113 on with Zephyr.
    """
    INT = 3
    """Interrupts. Numbers are exception numbers of the processor (IRQ n is n + 16)."""
    THREAD = 4
    """Life and states of threads. pid is the domain that owns the thread (0 = kernel core). SCHED
    CONTEXT_SWITCH says who runs; the event RUNNING is for the state dump at a start only.
    """
    SYSTEM = 5
    """Universal container of the system. The names of QNX are kept for what can exist here."""
    USER = 6
    """Events of the application: 0-31 are filtered one by one, higher numbers together. Two words,
    or any bytes as a combine event.
    """
    COMM = 7
    """Messages and pulses between threads."""
    SYNC = 8
    """Mutexes, condition variables, semaphores and event flags."""
    SCHED = 9
    """What the scheduler does."""
    IRQSTATE = 10
    """Interrupt masking and spin locks: who held off interrupts, from where. Numbers are those of
    xmtrace.
    """
    DOMAIN = 11
    """Unprivileged domains under memory protection."""
    SIGNAL = 12
    """Reads and writes of application variables."""
    RUNNABLE = 13
    """Runnables, the functions that a task is made of."""
    TRACER = 14
    """What the tracer does: the predefined events of POSIX Trace, commands, handlers."""
    TRC = 15
    """Events of the S.Ha.R.K. tracer's API, with its numbers: what trc_logevent() records. Numbers
    from 23 on are those that an application adds. Bits 16-31 are those of the four bytes that the
    API takes, where it does not use them.
    """
    CONTAINER = 5


class ControlEvent(IntEnum):
    """Event numbers of CONTROL."""

    TIME = 1
    """64-bit time of the clock, once per half period of the 32-bit tick counter in a ring that
    stays open so long.
    """
    BUFFER = 2
    """A buffer begins. Only in files of other tools; our buffers carry a header instead."""


class KercallCall(IntEnum):
    """Numbers of the calls of KERCALL."""

    NOP = 0
    """No operation."""
    TRACE_EVENT = 1
    """Control of the tracer, or an event emitted by a domain."""
    MSG_SENDV = 11
    """Send a message and wait for its reply."""
    MSG_RECEIVEV = 14
    """Wait for a message or a pulse."""
    MSG_REPLYV = 15
    """Answer a message."""
    MSG_SEND_PULSE = 20
    """Send a pulse; never blocks."""
    CHANNEL_DESTROY = 36
    """Delete a channel."""
    THREAD_CREATE = 46
    """Create a thread."""
    THREAD_DESTROY = 47
    """End a thread."""
    THREAD_JOIN = 50
    """Wait for the end of a thread."""
    CLOCK_TIME = 65
    """Read the kernel's time."""
    TIMER_CREATE = 70
    """Create a timer."""
    TIMER_DESTROY = 71
    """Delete a timer."""
    TIMER_SETTIME = 72
    """Arm or stop a timer."""
    SYNC_DESTROY = 79
    """Delete a mutex, condition variable, semaphore or event flags."""
    SYNC_MUTEX_LOCK = 80
    """Lock a mutex."""
    SYNC_MUTEX_UNLOCK = 81
    """Unlock a mutex."""
    SYNC_CONDVAR_WAIT = 82
    """Wait for a condition."""
    SYNC_CONDVAR_SIGNAL = 83
    """Wake one waiter or all."""
    SYNC_SEM_POST = 84
    """Signal a semaphore."""
    SYNC_SEM_WAIT = 85
    """Wait for a semaphore."""
    SCHED_SET = 89
    """Change a priority."""
    SCHED_YIELD = 90
    """Let the next thread of this priority run."""
    THREAD_SLEEP = 102
    """Sleep for a number of kernel ticks."""
    THREAD_WAIT_PERIOD = 103
    """A periodic thread waits for its next activation."""
    FLAGS_SET = 104
    """Set event flags."""
    FLAGS_CLEAR = 105
    """Clear event flags."""
    FLAGS_WAIT = 106
    """Wait for event flags."""
    THREAD_SUSPEND = 107
    """Suspend a thread."""
    THREAD_RESUME = 108
    """Resume a suspended thread."""
    SYNC_MUTEX_TRYLOCK = 109
    """Lock a mutex if it is free."""
    SYNC_SEM_TRYWAIT = 110
    """Take a semaphore if it is free."""
    THREAD_SET_PERIOD = 111
    """Make a thread periodic, or end that."""
    THREAD_BIND = 112
    """Let a thread run on one CPU only, or on any."""
    QUEUE_PUT = 113
    """Put something into a queue, stack, pipe or mailbox."""
    QUEUE_GET = 114
    """Take something out of a queue, stack, pipe or mailbox."""
    MEMORY_ALLOC = 115
    """Take memory from a pool or heap."""
    MEMORY_FREE = 116
    """Give memory back to a pool or heap."""
    WORK = 117
    """Hand a work item to the thread of a work queue, cancel it, or wait for its end: action 0, 1,
    2.
    """
    POLL = 118
    """Wait for one of several objects."""
    POWER = 119
    """Make a device ready for use (1), or let it sleep (0)."""
    SYSTEM_CALL = 120
    """A system call that has no number here."""


class KercallKind(IntEnum):
    """Moments of a call: event number = call + this, in KERCALL."""

    ENTER = 0
    """the call begins."""
    EXIT = 128
    """the call returns."""
    INTERRUPTED = 256
    """the call is interrupted before it returns."""


class IntEvent(IntEnum):
    """Event numbers of INT."""

    ENTRY = 1
    """An interrupt begins."""
    EXIT = 2
    """An interrupt ends."""
    HANDLER_ENTRY = 3
    """A handler attached to an interrupt begins."""
    HANDLER_EXIT = 4
    """A handler attached to an interrupt ends."""


class ThreadEvent(IntEnum):
    """Event numbers of THREAD."""

    DEAD = 0
    """The thread has ended."""
    RUNNING = 1
    """The thread runs."""
    READY = 2
    """The thread could run."""
    STOPPED = 3
    """Suspended."""
    SEND = 4
    """Waits until its message is received."""
    RECEIVE = 5
    """Waits for a message."""
    REPLY = 6
    """Waits for a reply."""
    STACK = 7
    """Waits for stack memory."""
    WAITTHREAD = 8
    """Waits for a thread to be created."""
    WAITPAGE = 9
    """Waits for memory."""
    SIGSUSPEND = 10
    """Waits for a signal."""
    SIGWAITINFO = 11
    """Waits for event flags or a signal."""
    NANOSLEEP = 12
    """Sleeps, or waits for its next period."""
    MUTEX = 13
    """Waits for a mutex."""
    CONDVAR = 14
    """Waits for a condition."""
    JOIN = 15
    """Waits for the end of a thread."""
    INTR = 16
    """Waits for an interrupt."""
    SEM = 17
    """Waits for a semaphore."""
    WAITCTX = 18
    """Waits for a context."""
    NET_SEND = 19
    """Waits for the network to take a message."""
    NET_REPLY = 20
    """Waits for a reply from the network."""
    CREATE = 24
    """The thread exists now."""
    DESTROY = 25
    """The thread is gone; its number may be used again."""
    NAME = 320
    """The name of a thread."""


class SystemEvent(IntEnum):
    """Event numbers of SYSTEM."""

    MAPNAME = 8
    """The name of an object in memory."""
    ADDRESS = 9
    """An address worth remembering."""
    FUNC_ENTER = 10
    """A function begins."""
    FUNC_EXIT = 11
    """A function ends."""
    SLOG = 12
    """A message of the system's log."""
    SUSPEND = 13
    """The system begins to save power."""
    RESUME = 14
    """The system has saved power."""
    NAMED = 15
    """An event that the application gives a name."""


class UserEvent(IntEnum):
    """Event numbers of USER."""

    USER = 0
    """An event of the application."""


class CommEvent(IntEnum):
    """Event numbers of COMM."""

    SMSG = 0
    """A message was sent."""
    SPULSE = 1
    """A pulse was sent."""
    RMSG = 2
    """A message was received."""
    RPULSE = 3
    """A pulse was received."""
    REPLY = 10
    """A reply was sent."""
    ERROR = 11
    """An error was sent instead of a reply."""


class SyncEvent(IntEnum):
    """Event numbers of SYNC."""

    MUTEX_LOCK_GRANTED = 0
    """A thread owns the mutex now."""
    MUTEX_LOCK_DENIED = 1
    """The running thread has to wait for the mutex."""
    MUTEX_TRY_REFUSED = 2
    """A try did not get the mutex."""
    MUTEX_UNLOCK = 3
    """The mutex was unlocked."""
    MUTEX_INHERIT = 4
    """The owner of a mutex inherits a priority."""
    MUTEX_RESTORE = 5
    """An inherited priority is given back."""
    COND_WAIT = 6
    """The running thread waits for the condition."""
    COND_SIGNAL = 7
    """One waiter is woken."""
    COND_BROADCAST = 8
    """All waiters are woken."""
    SEM_WAIT_GRANTED = 9
    """The semaphore was taken."""
    SEM_WAIT_BLOCKED = 10
    """The running thread waits for the semaphore."""
    SEM_TRY_REFUSED = 11
    """A try found the semaphore at zero."""
    SEM_SIGNAL = 12
    """The semaphore was signalled."""
    FLAGS_SET = 13
    """Event flags were set."""
    FLAGS_CLEAR = 14
    """Event flags were cleared."""
    FLAGS_WAIT = 15
    """The running thread waits for event flags."""
    WAIT_TIMEOUT = 16
    """A wait ended by its time limit."""
    WAIT_DELETED = 17
    """A wait ended because its object was deleted."""


class SchedEvent(IntEnum):
    """Event numbers of SCHED."""

    CONTEXT_SWITCH = 0
    """The processor goes from one thread to another; thread 0 is idle."""
    OVERHEAD_BEGIN = 1
    """The kernel begins to work for itself."""
    OVERHEAD_END = 2
    """The kernel gives the processor back."""
    TICK = 4
    """The kernel's tick."""
    PRIORITY = 5
    """A thread has this priority from now on."""
    ACTIVATION = 6
    """A periodic thread is activated."""
    COMPLETION = 7
    """A periodic thread has done the work of one activation."""
    DEADLINE_MISS = 8
    """A periodic thread was not done when it was activated again."""
    TIMER = 10
    """A software timer has expired; its handler runs now."""
    IN = 11
    """The scheduler begins, as xmtrace tells it: with a word and a call site."""
    OUT = 12
    """The scheduler has done, as xmtrace tells it."""
    SWITCH_TO = 13
    """The scheduler switches, as xmtrace tells it."""
    CPUS = 14
    """A thread may run on these CPUs only from now on; before the first of these on any."""
    STIMULUS = 15
    """A stimulus of the application: what activates, sets or writes something next."""


class IrqstateEvent(IntEnum):
    """Event numbers of IRQSTATE."""

    HARD_CLI = 0
    """Interrupts are masked."""
    HARD_STI = 1
    """Interrupts are unmasked."""
    HARD_SAVE_FLAGS = 2
    """The mask state is read."""
    HARD_RESTORE_FLAGS = 3
    """The mask state is restored."""
    HARD_SAVEF_AND_CLI = 4
    """The mask state is read and interrupts are masked."""
    INTERCEPT = 5
    """An interrupt is intercepted."""
    INTERCEPT_EXIT = 6
    """End of an interception."""
    LOCAL_INTERCEPT = 7
    """A local interrupt is intercepted."""
    LOCAL_INTERCEPT_EXIT = 8
    """End of a local interception."""
    SPIN_LOCK = 9
    """A spin lock is taken."""
    SPIN_UNLOCK = 10
    """A spin lock is given back."""


class DomainEvent(IntEnum):
    """Event numbers of DOMAIN."""

    USER = 0
    """An event of a domain."""
    SYSCALL_ENTER = 1
    """A domain enters the kernel."""
    SYSCALL_EXIT = 2
    """The kernel returns to a domain."""
    FAULT = 3
    """A domain touched what is not its own and is stopped."""


class SignalEvent(IntEnum):
    """Event numbers of SIGNAL."""

    READ = 0
    """A signal is read."""
    WRITE = 1
    """A signal is written."""


class RunnableEvent(IntEnum):
    """Event numbers of RUNNABLE."""

    BEGIN = 0
    """A runnable begins."""
    END = 1
    """A runnable ends."""
    SUSPEND = 2
    """A runnable is interrupted."""
    RESUME = 3
    """A runnable goes on."""


class TracerEvent(IntEnum):
    """Event numbers of TRACER."""

    START = 0
    """Tracing begins."""
    STOP = 1
    """Tracing ends."""
    FILTER = 2
    """A filter changed."""
    OVERFLOW = 3
    """Records begin to be lost."""
    RESUME = 4
    """Recording goes on."""
    FLUSH_START = 5
    """A flush begins."""
    FLUSH_STOP = 6
    """A flush ends."""
    ERROR = 7
    """The tracer met an error."""
    HANDLER = 8
    """An event handler ran."""
    COMMAND = 10
    """A command from the host was carried out."""
    FINALIZE = 11
    """A stream of policy FINALIZE has finished a trace: the last record of its buffer."""
    MOVED = 12
    """An event of several records is recorded again from its begin, because its thread has moved to
    this CPU: the records of it on the other CPU are no lost event.
    """


class TrcEvent(IntEnum):
    """Event numbers of TRC."""

    RESERVED = 0
    """Reserved by that tracer."""
    HOOPS = 1
    """Events were lost by a queue."""
    CREATE = 2
    """A task is created."""
    ACTIVATE = 3
    """A task is activated."""
    SCHEDULE = 4
    """A task runs from now on."""
    DELAY = 5
    """A task waits for a time."""
    SLEEP = 6
    """A task waits for its activation."""
    ENDCYCLE = 7
    """A periodic task has done its work."""
    DESTROY = 8
    """A task ends."""
    INTACTIVATION = 9
    """An interrupt activates a task."""
    DISABLE = 10
    """A task is disabled."""
    USER = 11
    """An event of the application."""
    INTR = 19
    """An interrupt is requested."""
    SEM_WAIT = 20
    """A task waits on a semaphore."""
    SEM_WAITNB = 21
    """A task tries a semaphore."""
    SEM_SIGNAL = 22
    """A task signals a semaphore."""


# The distinct lists of fields, each written once.
_F0: Final = (
    Field("msb", "hex", "high word of the 64-bit tick count"),
    Field("lsb", "hex", "low word"),
)
_F1: Final = (
    Field("sequence", "u32", "buffer sequence number"),
    Field("num_events", "u32", "records in the buffer"),
)
_F2: Final[tuple[Field, ...]] = ()
_F3: Final = (
    Field("unused", "u32", "0"),
    Field("unused", "u32", "0"),
    Field("caller", "thread", "who calls"),
    Field("caller_priority", "u32", "the caller's priority"),
)
_F4: Final = (Field("arg0", "hex", "first argument"), Field("arg1", "hex", "second argument"))
_F5: Final = (
    Field("arg2", "hex", "third argument"),
    Field("arg3", "hex", "fourth argument"),
    Field("caller", "thread", "who calls"),
    Field("caller_priority", "u32", "the caller's priority"),
)
_F6: Final = (
    Field("channel", "object", "argument of the call"),
    Field("bytes", "u32", "argument of the call"),
)
_F7: Final = (
    Field("sender", "thread", "argument of the call"),
    Field("status", "i32", "argument of the call"),
)
_F8: Final = (
    Field("channel", "object", "argument of the call"),
    Field("value", "hex", "argument of the call"),
)
_F9: Final = (Field("channel", "object", "argument of the call"),)
_F10: Final = (
    Field("entry", "address", "argument of the call"),
    Field("priority", "u32", "argument of the call"),
)
_F11: Final = (
    Field("thread", "thread", "argument of the call"),
    Field("status", "i32", "argument of the call"),
)
_F12: Final = (
    Field("thread", "object", "argument of the call"),
    Field("timeout", "u32", "argument of the call"),
)
_F13: Final = (Field("clock", "u32", "argument of the call"),)
_F14: Final = (Field("timer", "object", "argument of the call"),)
_F15: Final = (
    Field("timer", "object", "argument of the call"),
    Field("ticks", "u32", "argument of the call"),
)
_F16: Final = (Field("object", "object", "argument of the call"),)
_F17: Final = (
    Field("mutex", "object", "argument of the call"),
    Field("timeout", "u32", "argument of the call"),
)
_F18: Final = (Field("mutex", "object", "argument of the call"),)
_F19: Final = (
    Field("condvar", "object", "argument of the call"),
    Field("mutex", "object", "argument of the call"),
)
_F20: Final = (
    Field("condvar", "object", "argument of the call"),
    Field("all", "u32", "argument of the call"),
)
_F21: Final = (Field("semaphore", "object", "argument of the call"),)
_F22: Final = (
    Field("semaphore", "object", "argument of the call"),
    Field("timeout", "u32", "argument of the call"),
)
_F23: Final = (
    Field("thread", "object", "argument of the call"),
    Field("priority", "u32", "argument of the call"),
)
_F24: Final = (Field("ticks", "u32", "argument of the call"),)
_F25: Final = (
    Field("flags", "object", "argument of the call"),
    Field("bits", "hex", "argument of the call"),
)
_F26: Final = (Field("thread", "object", "argument of the call"),)
_F27: Final = (
    Field("thread", "object", "argument of the call"),
    Field("ticks", "u32", "argument of the call"),
)
_F28: Final = (
    Field("thread", "object", "argument of the call"),
    Field("cpu", "u32", "argument of the call"),
)
_F29: Final = (
    Field("queue", "object", "argument of the call"),
    Field("timeout", "u32", "argument of the call"),
)
_F30: Final = (
    Field("pool", "object", "argument of the call"),
    Field("timeout", "u32", "argument of the call"),
)
_F31: Final = (Field("pool", "object", "argument of the call"),)
_F32: Final = (
    Field("work", "object", "argument of the call"),
    Field("action", "u32", "argument of the call"),
)
_F33: Final = (
    Field("events", "object", "argument of the call"),
    Field("timeout", "u32", "argument of the call"),
)
_F34: Final = (
    Field("device", "object", "argument of the call"),
    Field("ready", "u32", "argument of the call"),
)
_F35: Final = (Field("number", "u32", "argument of the call"),)
_F36: Final = (
    Field("result", "i32", "what the call returned"),
    Field("detail", "hex", "call-specific, 0 where unused"),
)
_F37: Final = (
    Field("caller", "thread", "who calls"),
    Field("caller_priority", "u32", "the caller's priority"),
)
_F38: Final = (
    Field("result", "i32", "what the call will return, 0 while unknown"),
    Field("detail", "hex", "call-specific, 0 where unused"),
)
_F39: Final = (
    Field("irq", "irq", "exception number"),
    Field("ip", "address", "interrupted code, 0 where unknown"),
)
_F40: Final = (Field("tid", "thread", "the interrupted thread"),)
_F41: Final = (
    Field("irq", "irq", "exception number"),
    Field("inkernel", "u32", "1 when it returns into the kernel"),
)
_F42: Final = (Field("irq", "irq", "exception number"), Field("ip", "address", "the handler"))
_F43: Final = (
    Field("irq", "irq", "exception number"),
    Field("result", "u32", "what the handler returned"),
)
_F44: Final = (Field("pid", "u32", "owning domain"), Field("tid", "thread", "the thread"))
_F45: Final = (
    Field("priority", "u32", "higher number is more urgent"),
    Field("policy", "u32", "1 first in, first out; 2 round robin; 0 not said"),
    Field("object", "object", "what it waits for, 0 for nothing"),
)
_F46: Final = (
    Field("priority", "u32", "higher number is more urgent"),
    Field("policy", "u32", "1 first in, first out; 2 round robin; 0 not said"),
    Field("entry", "address", "what it executes"),
)
_F47: Final = (
    Field("kind", "u32", "object kind as in NAME frames"),
    Field("object", "hex", "its id as in NAME frames: an address for most kinds"),
)
_F48: Final = (Field("address", "address", "the address"), Field("unused", "u32", "0"))
_F49: Final = (
    Field("function", "address", "the function"),
    Field("call_site", "address", "who called it"),
)
_F50: Final = (
    Field("opcode", "hex", "who logs"),
    Field("severity", "u32", "0 shutdown ... 7 debug"),
)
_F51: Final = (
    Field("ticks", "u32", "kernel ticks until the next thing to do, all bits set for none"),
    Field("unused", "u32", "0"),
)
_F52: Final = (Field("state", "u32", "which state it was in"), Field("unused", "u32", "0"))
_F53: Final = (
    Field("data0", "hex", "the application's"),
    Field("data1", "hex", "the application's"),
)
_F54: Final = (
    Field("rcvid", "hex", "pairs send, receive and reply"),
    Field("pid", "u32", "receiver's domain"),
)
_F55: Final = (Field("scoid", "hex", "the channel"), Field("pid", "u32", "receiver's domain"))
_F56: Final = (Field("tid", "thread", "who gets it"), Field("pid", "u32", "its domain"))
_F57: Final = (Field("mutex", "object", "the mutex"), Field("tid", "thread", "its owner"))
_F58: Final = (Field("mutex", "object", "the mutex"), Field("owner", "thread", "who holds it"))
_F59: Final = (Field("mutex", "object", "the mutex"), Field("tid", "thread", "who held it"))
_F60: Final = (Field("tid", "thread", "the owner"), Field("priority", "u32", "its priority now"))
_F61: Final = (Field("tid", "thread", "the thread"), Field("priority", "u32", "its priority now"))
_F62: Final = (
    Field("condvar", "object", "the condition variable"),
    Field("mutex", "object", "the mutex it gives up"),
)
_F63: Final = (
    Field("condvar", "object", "the condition variable"),
    Field("tid", "thread", "who is woken, 0 for nobody"),
)
_F64: Final = (
    Field("condvar", "object", "the condition variable"),
    Field("woken_count", "u32", "how many"),
)
_F65: Final = (Field("semaphore", "object", "the semaphore"), Field("count", "u32", "what is left"))
_F66: Final = (Field("semaphore", "object", "the semaphore"), Field("tid", "thread", "who waits"))
_F67: Final = (Field("semaphore", "object", "the semaphore"), Field("tid", "thread", "who tried"))
_F68: Final = (
    Field("semaphore", "object", "the semaphore"),
    Field("count", "u32", "its count now; 0 when a waiter got it"),
)
_F69: Final = (Field("flags", "object", "the object"), Field("bits", "hex", "what was set"))
_F70: Final = (Field("flags", "object", "the object"), Field("bits", "hex", "what was cleared"))
_F71: Final = (Field("flags", "object", "the object"), Field("bits", "hex", "what it waits for"))
_F72: Final = (
    Field("object", "object", "what was waited for"),
    Field("tid", "thread", "who waited"),
)
_F73: Final = (Field("prev_tid", "thread", "who ran"), Field("next_tid", "thread", "who runs now"))
_F74: Final = (
    Field("reason", "u32", "0 schedule, 1 tick, 2 call"),
    Field("tid", "thread", "who ran"),
)
_F75: Final = (Field("reason", "u32", "as at the begin"), Field("tid", "thread", "who runs"))
_F76: Final = (Field("tick_count", "u32", "ticks since boot"), Field("unused", "u32", "0"))
_F77: Final = (
    Field("tid", "thread", "the thread"),
    Field("priority", "u32", "higher number is more urgent"),
)
_F78: Final = (
    Field("tid", "thread", "the thread"),
    Field("instance", "u32", "activations so far, from 1"),
)
_F79: Final = (Field("tid", "thread", "the thread"), Field("instance", "u32", "which activation"))
_F80: Final = (
    Field("tid", "thread", "the thread"),
    Field("instance", "u32", "the activation that was late"),
)
_F81: Final = (
    Field("timer", "object", "the timer"),
    Field("count", "u32", "how often since it was started, from 1"),
)
_F82: Final = (Field("value", "hex", "the trace point's"), Field("ip", "address", "call site"))
_F83: Final = (Field("tid", "thread", "the thread"), Field("cpus", "hex", "bit n for CPU n"))
_F84: Final = (
    Field("stimulus", "object", "which stimulus"),
    Field("value", "u32", "the application's"),
)
_F85: Final = (Field("value", "hex", "mask state or lock"), Field("ip", "address", "call site"))
_F86: Final = (Field("address", "address", "what it touched"), Field("ip", "address", "from where"))
_F87: Final = (Field("signal", "object", "which signal"), Field("value", "hex", "its value"))
_F88: Final = (
    Field("runnable", "object", "which runnable"),
    Field("instance", "u32", "counted from 0 per runnable"),
)
_F89: Final = (Field("stream", "u32", "which stream"), Field("unused", "u32", "0"))
_F90: Final = (
    Field("filter_low", "hex", "what POSIX Trace filters out, a bit for each of its events"),
    Field("filter_high", "hex", "bits 32-63 of it"),
)
_F91: Final = (
    Field("stream", "u32", "which stream"),
    Field("automatic", "u32", "1 when the stream stopped itself because it was full"),
)
_F92: Final = (
    Field("stream", "u32", "which stream"),
    Field("event_type", "hex", "class << 10 | event, all bits set for everything"),
)
_F93: Final = (
    Field("old_low", "hex", "what POSIX Trace filtered out before, a bit for each of its events"),
    Field("old_high", "hex", "bits 32-63 of it"),
    Field("new_low", "hex", "what it filters out now"),
    Field("new_high", "hex", "bits 32-63 of it"),
)
_F94: Final = (
    Field("stream", "u32", "which stream"),
    Field("ordinal", "u32", "low word of the first lost ordinal"),
)
_F95: Final = (
    Field("stream", "u32", "which stream"),
    Field("lost_count", "u32", "how many were lost"),
)
_F96: Final = (Field("code", "i32", "error number"), Field("detail", "hex", "depends on the code"))
_F97: Final = (
    Field("event_type", "hex", "class << 10 | event it saw"),
    Field("result", "u32", "what it returned"),
)
_F98: Final = (
    Field("command", "u32", "its number"),
    Field("status", "i32", "0 or a negative error"),
)
_F99: Final = (
    Field("trace", "u32", "number of the trace, from 1, also of lost ones"),
    Field("lost_count", "u32", "how many traces were lost since the last one that was kept"),
)
_F100: Final = (
    Field("header", "hex", "CPU, keyed bit, class and event of those records"),
    Field("time", "hex", "their time, or their key"),
)
_F101: Final = (Field("info", "hex", "its four bytes"), Field("unused", "u32", "0"))
_F102: Final = (Field("lost_count", "u32", "how many"), Field("unused", "u32", "0"))
_F103: Final = (Field("task", "thread", "the task"), Field("rest", "hex", "bits 16-31"))
_F104: Final = (Field("n", "i32", "the application's"), Field("unused", "u32", "0"))
_F105: Final = (Field("n", "u32", "which interrupt"), Field("unused", "u32", "0"))
_F106: Final = (Field("task", "thread", "the task"), Field("id", "u32", "the semaphore"))

_ALL: Final = (
    EventType(
        "CONTROL",
        1,
        "TIME",
        1,
        _F0,
        (
            "64-bit time of the clock, once per half period of the 32-bit tick counter in a ring "
            "that stays open so long."
        ),
        1,
    ),
    EventType(
        "CONTROL",
        1,
        "BUFFER",
        2,
        _F1,
        "A buffer begins. Only in files of other tools; our buffers carry a header instead.",
        1,
    ),
    EventType(
        "KERCALL",
        2,
        "NOP_ENTER",
        0,
        _F2,
        "No operation.",
        1,
        wide_fields=_F3,
        base="NOP",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "TRACE_EVENT_ENTER",
        1,
        _F4,
        "Control of the tracer, or an event emitted by a domain.",
        1,
        wide_fields=_F5,
        base="TRACE_EVENT",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "MSG_SENDV_ENTER",
        11,
        _F6,
        "Send a message and wait for its reply.",
        1,
        wide_fields=_F3,
        base="MSG_SENDV",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "MSG_RECEIVEV_ENTER",
        14,
        _F6,
        "Wait for a message or a pulse.",
        1,
        wide_fields=_F3,
        base="MSG_RECEIVEV",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "MSG_REPLYV_ENTER",
        15,
        _F7,
        "Answer a message.",
        1,
        wide_fields=_F3,
        base="MSG_REPLYV",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "MSG_SEND_PULSE_ENTER",
        20,
        _F8,
        "Send a pulse; never blocks.",
        1,
        wide_fields=_F3,
        base="MSG_SEND_PULSE",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "CHANNEL_DESTROY_ENTER",
        36,
        _F9,
        "Delete a channel.",
        1,
        wide_fields=_F3,
        base="CHANNEL_DESTROY",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_CREATE_ENTER",
        46,
        _F10,
        "Create a thread.",
        1,
        wide_fields=_F3,
        base="THREAD_CREATE",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_DESTROY_ENTER",
        47,
        _F11,
        "End a thread.",
        1,
        wide_fields=_F3,
        base="THREAD_DESTROY",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_JOIN_ENTER",
        50,
        _F12,
        "Wait for the end of a thread.",
        1,
        wide_fields=_F3,
        base="THREAD_JOIN",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "CLOCK_TIME_ENTER",
        65,
        _F13,
        "Read the kernel's time.",
        1,
        wide_fields=_F3,
        base="CLOCK_TIME",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "TIMER_CREATE_ENTER",
        70,
        _F14,
        "Create a timer.",
        1,
        wide_fields=_F3,
        base="TIMER_CREATE",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "TIMER_DESTROY_ENTER",
        71,
        _F14,
        "Delete a timer.",
        1,
        wide_fields=_F3,
        base="TIMER_DESTROY",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "TIMER_SETTIME_ENTER",
        72,
        _F15,
        "Arm or stop a timer.",
        1,
        wide_fields=_F3,
        base="TIMER_SETTIME",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_DESTROY_ENTER",
        79,
        _F16,
        "Delete a mutex, condition variable, semaphore or event flags.",
        1,
        wide_fields=_F3,
        base="SYNC_DESTROY",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_MUTEX_LOCK_ENTER",
        80,
        _F17,
        "Lock a mutex.",
        1,
        wide_fields=_F3,
        base="SYNC_MUTEX_LOCK",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_MUTEX_UNLOCK_ENTER",
        81,
        _F18,
        "Unlock a mutex.",
        1,
        wide_fields=_F3,
        base="SYNC_MUTEX_UNLOCK",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_CONDVAR_WAIT_ENTER",
        82,
        _F19,
        "Wait for a condition.",
        1,
        wide_fields=_F3,
        base="SYNC_CONDVAR_WAIT",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_CONDVAR_SIGNAL_ENTER",
        83,
        _F20,
        "Wake one waiter or all.",
        1,
        wide_fields=_F3,
        base="SYNC_CONDVAR_SIGNAL",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_SEM_POST_ENTER",
        84,
        _F21,
        "Signal a semaphore.",
        1,
        wide_fields=_F3,
        base="SYNC_SEM_POST",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_SEM_WAIT_ENTER",
        85,
        _F22,
        "Wait for a semaphore.",
        1,
        wide_fields=_F3,
        base="SYNC_SEM_WAIT",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "SCHED_SET_ENTER",
        89,
        _F23,
        "Change a priority.",
        1,
        wide_fields=_F3,
        base="SCHED_SET",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "SCHED_YIELD_ENTER",
        90,
        _F2,
        "Let the next thread of this priority run.",
        1,
        wide_fields=_F3,
        base="SCHED_YIELD",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_SLEEP_ENTER",
        102,
        _F24,
        "Sleep for a number of kernel ticks.",
        1,
        wide_fields=_F3,
        base="THREAD_SLEEP",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_WAIT_PERIOD_ENTER",
        103,
        _F2,
        "A periodic thread waits for its next activation.",
        1,
        wide_fields=_F3,
        base="THREAD_WAIT_PERIOD",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "FLAGS_SET_ENTER",
        104,
        _F25,
        "Set event flags.",
        1,
        wide_fields=_F3,
        base="FLAGS_SET",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "FLAGS_CLEAR_ENTER",
        105,
        _F25,
        "Clear event flags.",
        1,
        wide_fields=_F3,
        base="FLAGS_CLEAR",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "FLAGS_WAIT_ENTER",
        106,
        _F25,
        "Wait for event flags.",
        1,
        wide_fields=_F3,
        base="FLAGS_WAIT",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_SUSPEND_ENTER",
        107,
        _F26,
        "Suspend a thread.",
        1,
        wide_fields=_F3,
        base="THREAD_SUSPEND",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_RESUME_ENTER",
        108,
        _F26,
        "Resume a suspended thread.",
        1,
        wide_fields=_F3,
        base="THREAD_RESUME",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_MUTEX_TRYLOCK_ENTER",
        109,
        _F18,
        "Lock a mutex if it is free.",
        1,
        wide_fields=_F3,
        base="SYNC_MUTEX_TRYLOCK",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_SEM_TRYWAIT_ENTER",
        110,
        _F21,
        "Take a semaphore if it is free.",
        1,
        wide_fields=_F3,
        base="SYNC_SEM_TRYWAIT",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_SET_PERIOD_ENTER",
        111,
        _F27,
        "Make a thread periodic, or end that.",
        1,
        wide_fields=_F3,
        base="THREAD_SET_PERIOD",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_BIND_ENTER",
        112,
        _F28,
        "Let a thread run on one CPU only, or on any.",
        1,
        wide_fields=_F3,
        base="THREAD_BIND",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "QUEUE_PUT_ENTER",
        113,
        _F29,
        "Put something into a queue, stack, pipe or mailbox.",
        1,
        wide_fields=_F3,
        base="QUEUE_PUT",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "QUEUE_GET_ENTER",
        114,
        _F29,
        "Take something out of a queue, stack, pipe or mailbox.",
        1,
        wide_fields=_F3,
        base="QUEUE_GET",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "MEMORY_ALLOC_ENTER",
        115,
        _F30,
        "Take memory from a pool or heap.",
        1,
        wide_fields=_F3,
        base="MEMORY_ALLOC",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "MEMORY_FREE_ENTER",
        116,
        _F31,
        "Give memory back to a pool or heap.",
        1,
        wide_fields=_F3,
        base="MEMORY_FREE",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "WORK_ENTER",
        117,
        _F32,
        (
            "Hand a work item to the thread of a work queue, cancel it, or wait for its end: "
            "action 0, 1, 2."
        ),
        1,
        wide_fields=_F3,
        base="WORK",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "POLL_ENTER",
        118,
        _F33,
        "Wait for one of several objects.",
        1,
        wide_fields=_F3,
        base="POLL",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "POWER_ENTER",
        119,
        _F34,
        "Make a device ready for use (1), or let it sleep (0).",
        1,
        wide_fields=_F3,
        base="POWER",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "SYSTEM_CALL_ENTER",
        120,
        _F35,
        "A system call that has no number here.",
        1,
        wide_fields=_F3,
        base="SYSTEM_CALL",
        kind="ENTER",
    ),
    EventType(
        "KERCALL",
        2,
        "NOP_EXIT",
        128,
        _F36,
        "No operation.",
        1,
        wide_fields=_F37,
        base="NOP",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "TRACE_EVENT_EXIT",
        129,
        _F36,
        "Control of the tracer, or an event emitted by a domain.",
        1,
        wide_fields=_F37,
        base="TRACE_EVENT",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "MSG_SENDV_EXIT",
        139,
        _F36,
        "Send a message and wait for its reply.",
        1,
        wide_fields=_F37,
        base="MSG_SENDV",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "MSG_RECEIVEV_EXIT",
        142,
        _F36,
        "Wait for a message or a pulse.",
        1,
        wide_fields=_F37,
        base="MSG_RECEIVEV",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "MSG_REPLYV_EXIT",
        143,
        _F36,
        "Answer a message.",
        1,
        wide_fields=_F37,
        base="MSG_REPLYV",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "MSG_SEND_PULSE_EXIT",
        148,
        _F36,
        "Send a pulse; never blocks.",
        1,
        wide_fields=_F37,
        base="MSG_SEND_PULSE",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "CHANNEL_DESTROY_EXIT",
        164,
        _F36,
        "Delete a channel.",
        1,
        wide_fields=_F37,
        base="CHANNEL_DESTROY",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_CREATE_EXIT",
        174,
        _F36,
        "Create a thread.",
        1,
        wide_fields=_F37,
        base="THREAD_CREATE",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_DESTROY_EXIT",
        175,
        _F36,
        "End a thread.",
        1,
        wide_fields=_F37,
        base="THREAD_DESTROY",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_JOIN_EXIT",
        178,
        _F36,
        "Wait for the end of a thread.",
        1,
        wide_fields=_F37,
        base="THREAD_JOIN",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "CLOCK_TIME_EXIT",
        193,
        _F36,
        "Read the kernel's time.",
        1,
        wide_fields=_F37,
        base="CLOCK_TIME",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "TIMER_CREATE_EXIT",
        198,
        _F36,
        "Create a timer.",
        1,
        wide_fields=_F37,
        base="TIMER_CREATE",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "TIMER_DESTROY_EXIT",
        199,
        _F36,
        "Delete a timer.",
        1,
        wide_fields=_F37,
        base="TIMER_DESTROY",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "TIMER_SETTIME_EXIT",
        200,
        _F36,
        "Arm or stop a timer.",
        1,
        wide_fields=_F37,
        base="TIMER_SETTIME",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_DESTROY_EXIT",
        207,
        _F36,
        "Delete a mutex, condition variable, semaphore or event flags.",
        1,
        wide_fields=_F37,
        base="SYNC_DESTROY",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_MUTEX_LOCK_EXIT",
        208,
        _F36,
        "Lock a mutex.",
        1,
        wide_fields=_F37,
        base="SYNC_MUTEX_LOCK",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_MUTEX_UNLOCK_EXIT",
        209,
        _F36,
        "Unlock a mutex.",
        1,
        wide_fields=_F37,
        base="SYNC_MUTEX_UNLOCK",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_CONDVAR_WAIT_EXIT",
        210,
        _F36,
        "Wait for a condition.",
        1,
        wide_fields=_F37,
        base="SYNC_CONDVAR_WAIT",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_CONDVAR_SIGNAL_EXIT",
        211,
        _F36,
        "Wake one waiter or all.",
        1,
        wide_fields=_F37,
        base="SYNC_CONDVAR_SIGNAL",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_SEM_POST_EXIT",
        212,
        _F36,
        "Signal a semaphore.",
        1,
        wide_fields=_F37,
        base="SYNC_SEM_POST",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_SEM_WAIT_EXIT",
        213,
        _F36,
        "Wait for a semaphore.",
        1,
        wide_fields=_F37,
        base="SYNC_SEM_WAIT",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "SCHED_SET_EXIT",
        217,
        _F36,
        "Change a priority.",
        1,
        wide_fields=_F37,
        base="SCHED_SET",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "SCHED_YIELD_EXIT",
        218,
        _F36,
        "Let the next thread of this priority run.",
        1,
        wide_fields=_F37,
        base="SCHED_YIELD",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_SLEEP_EXIT",
        230,
        _F36,
        "Sleep for a number of kernel ticks.",
        1,
        wide_fields=_F37,
        base="THREAD_SLEEP",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_WAIT_PERIOD_EXIT",
        231,
        _F36,
        "A periodic thread waits for its next activation.",
        1,
        wide_fields=_F37,
        base="THREAD_WAIT_PERIOD",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "FLAGS_SET_EXIT",
        232,
        _F36,
        "Set event flags.",
        1,
        wide_fields=_F37,
        base="FLAGS_SET",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "FLAGS_CLEAR_EXIT",
        233,
        _F36,
        "Clear event flags.",
        1,
        wide_fields=_F37,
        base="FLAGS_CLEAR",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "FLAGS_WAIT_EXIT",
        234,
        _F36,
        "Wait for event flags.",
        1,
        wide_fields=_F37,
        base="FLAGS_WAIT",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_SUSPEND_EXIT",
        235,
        _F36,
        "Suspend a thread.",
        1,
        wide_fields=_F37,
        base="THREAD_SUSPEND",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_RESUME_EXIT",
        236,
        _F36,
        "Resume a suspended thread.",
        1,
        wide_fields=_F37,
        base="THREAD_RESUME",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_MUTEX_TRYLOCK_EXIT",
        237,
        _F36,
        "Lock a mutex if it is free.",
        1,
        wide_fields=_F37,
        base="SYNC_MUTEX_TRYLOCK",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_SEM_TRYWAIT_EXIT",
        238,
        _F36,
        "Take a semaphore if it is free.",
        1,
        wide_fields=_F37,
        base="SYNC_SEM_TRYWAIT",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_SET_PERIOD_EXIT",
        239,
        _F36,
        "Make a thread periodic, or end that.",
        1,
        wide_fields=_F37,
        base="THREAD_SET_PERIOD",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_BIND_EXIT",
        240,
        _F36,
        "Let a thread run on one CPU only, or on any.",
        1,
        wide_fields=_F37,
        base="THREAD_BIND",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "QUEUE_PUT_EXIT",
        241,
        _F36,
        "Put something into a queue, stack, pipe or mailbox.",
        1,
        wide_fields=_F37,
        base="QUEUE_PUT",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "QUEUE_GET_EXIT",
        242,
        _F36,
        "Take something out of a queue, stack, pipe or mailbox.",
        1,
        wide_fields=_F37,
        base="QUEUE_GET",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "MEMORY_ALLOC_EXIT",
        243,
        _F36,
        "Take memory from a pool or heap.",
        1,
        wide_fields=_F37,
        base="MEMORY_ALLOC",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "MEMORY_FREE_EXIT",
        244,
        _F36,
        "Give memory back to a pool or heap.",
        1,
        wide_fields=_F37,
        base="MEMORY_FREE",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "WORK_EXIT",
        245,
        _F36,
        (
            "Hand a work item to the thread of a work queue, cancel it, or wait for its end: "
            "action 0, 1, 2."
        ),
        1,
        wide_fields=_F37,
        base="WORK",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "POLL_EXIT",
        246,
        _F36,
        "Wait for one of several objects.",
        1,
        wide_fields=_F37,
        base="POLL",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "POWER_EXIT",
        247,
        _F36,
        "Make a device ready for use (1), or let it sleep (0).",
        1,
        wide_fields=_F37,
        base="POWER",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "SYSTEM_CALL_EXIT",
        248,
        _F36,
        "A system call that has no number here.",
        1,
        wide_fields=_F37,
        base="SYSTEM_CALL",
        kind="EXIT",
    ),
    EventType(
        "KERCALL",
        2,
        "NOP_INTERRUPTED",
        256,
        _F38,
        "No operation.",
        1,
        wide_fields=_F37,
        base="NOP",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "TRACE_EVENT_INTERRUPTED",
        257,
        _F38,
        "Control of the tracer, or an event emitted by a domain.",
        1,
        wide_fields=_F37,
        base="TRACE_EVENT",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "MSG_SENDV_INTERRUPTED",
        267,
        _F38,
        "Send a message and wait for its reply.",
        1,
        wide_fields=_F37,
        base="MSG_SENDV",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "MSG_RECEIVEV_INTERRUPTED",
        270,
        _F38,
        "Wait for a message or a pulse.",
        1,
        wide_fields=_F37,
        base="MSG_RECEIVEV",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "MSG_REPLYV_INTERRUPTED",
        271,
        _F38,
        "Answer a message.",
        1,
        wide_fields=_F37,
        base="MSG_REPLYV",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "MSG_SEND_PULSE_INTERRUPTED",
        276,
        _F38,
        "Send a pulse; never blocks.",
        1,
        wide_fields=_F37,
        base="MSG_SEND_PULSE",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "CHANNEL_DESTROY_INTERRUPTED",
        292,
        _F38,
        "Delete a channel.",
        1,
        wide_fields=_F37,
        base="CHANNEL_DESTROY",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_CREATE_INTERRUPTED",
        302,
        _F38,
        "Create a thread.",
        1,
        wide_fields=_F37,
        base="THREAD_CREATE",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_DESTROY_INTERRUPTED",
        303,
        _F38,
        "End a thread.",
        1,
        wide_fields=_F37,
        base="THREAD_DESTROY",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_JOIN_INTERRUPTED",
        306,
        _F38,
        "Wait for the end of a thread.",
        1,
        wide_fields=_F37,
        base="THREAD_JOIN",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "CLOCK_TIME_INTERRUPTED",
        321,
        _F38,
        "Read the kernel's time.",
        1,
        wide_fields=_F37,
        base="CLOCK_TIME",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "TIMER_CREATE_INTERRUPTED",
        326,
        _F38,
        "Create a timer.",
        1,
        wide_fields=_F37,
        base="TIMER_CREATE",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "TIMER_DESTROY_INTERRUPTED",
        327,
        _F38,
        "Delete a timer.",
        1,
        wide_fields=_F37,
        base="TIMER_DESTROY",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "TIMER_SETTIME_INTERRUPTED",
        328,
        _F38,
        "Arm or stop a timer.",
        1,
        wide_fields=_F37,
        base="TIMER_SETTIME",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_DESTROY_INTERRUPTED",
        335,
        _F38,
        "Delete a mutex, condition variable, semaphore or event flags.",
        1,
        wide_fields=_F37,
        base="SYNC_DESTROY",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_MUTEX_LOCK_INTERRUPTED",
        336,
        _F38,
        "Lock a mutex.",
        1,
        wide_fields=_F37,
        base="SYNC_MUTEX_LOCK",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_MUTEX_UNLOCK_INTERRUPTED",
        337,
        _F38,
        "Unlock a mutex.",
        1,
        wide_fields=_F37,
        base="SYNC_MUTEX_UNLOCK",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_CONDVAR_WAIT_INTERRUPTED",
        338,
        _F38,
        "Wait for a condition.",
        1,
        wide_fields=_F37,
        base="SYNC_CONDVAR_WAIT",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_CONDVAR_SIGNAL_INTERRUPTED",
        339,
        _F38,
        "Wake one waiter or all.",
        1,
        wide_fields=_F37,
        base="SYNC_CONDVAR_SIGNAL",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_SEM_POST_INTERRUPTED",
        340,
        _F38,
        "Signal a semaphore.",
        1,
        wide_fields=_F37,
        base="SYNC_SEM_POST",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_SEM_WAIT_INTERRUPTED",
        341,
        _F38,
        "Wait for a semaphore.",
        1,
        wide_fields=_F37,
        base="SYNC_SEM_WAIT",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "SCHED_SET_INTERRUPTED",
        345,
        _F38,
        "Change a priority.",
        1,
        wide_fields=_F37,
        base="SCHED_SET",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "SCHED_YIELD_INTERRUPTED",
        346,
        _F38,
        "Let the next thread of this priority run.",
        1,
        wide_fields=_F37,
        base="SCHED_YIELD",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_SLEEP_INTERRUPTED",
        358,
        _F38,
        "Sleep for a number of kernel ticks.",
        1,
        wide_fields=_F37,
        base="THREAD_SLEEP",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_WAIT_PERIOD_INTERRUPTED",
        359,
        _F38,
        "A periodic thread waits for its next activation.",
        1,
        wide_fields=_F37,
        base="THREAD_WAIT_PERIOD",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "FLAGS_SET_INTERRUPTED",
        360,
        _F38,
        "Set event flags.",
        1,
        wide_fields=_F37,
        base="FLAGS_SET",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "FLAGS_CLEAR_INTERRUPTED",
        361,
        _F38,
        "Clear event flags.",
        1,
        wide_fields=_F37,
        base="FLAGS_CLEAR",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "FLAGS_WAIT_INTERRUPTED",
        362,
        _F38,
        "Wait for event flags.",
        1,
        wide_fields=_F37,
        base="FLAGS_WAIT",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_SUSPEND_INTERRUPTED",
        363,
        _F38,
        "Suspend a thread.",
        1,
        wide_fields=_F37,
        base="THREAD_SUSPEND",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_RESUME_INTERRUPTED",
        364,
        _F38,
        "Resume a suspended thread.",
        1,
        wide_fields=_F37,
        base="THREAD_RESUME",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_MUTEX_TRYLOCK_INTERRUPTED",
        365,
        _F38,
        "Lock a mutex if it is free.",
        1,
        wide_fields=_F37,
        base="SYNC_MUTEX_TRYLOCK",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "SYNC_SEM_TRYWAIT_INTERRUPTED",
        366,
        _F38,
        "Take a semaphore if it is free.",
        1,
        wide_fields=_F37,
        base="SYNC_SEM_TRYWAIT",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_SET_PERIOD_INTERRUPTED",
        367,
        _F38,
        "Make a thread periodic, or end that.",
        1,
        wide_fields=_F37,
        base="THREAD_SET_PERIOD",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "THREAD_BIND_INTERRUPTED",
        368,
        _F38,
        "Let a thread run on one CPU only, or on any.",
        1,
        wide_fields=_F37,
        base="THREAD_BIND",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "QUEUE_PUT_INTERRUPTED",
        369,
        _F38,
        "Put something into a queue, stack, pipe or mailbox.",
        1,
        wide_fields=_F37,
        base="QUEUE_PUT",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "QUEUE_GET_INTERRUPTED",
        370,
        _F38,
        "Take something out of a queue, stack, pipe or mailbox.",
        1,
        wide_fields=_F37,
        base="QUEUE_GET",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "MEMORY_ALLOC_INTERRUPTED",
        371,
        _F38,
        "Take memory from a pool or heap.",
        1,
        wide_fields=_F37,
        base="MEMORY_ALLOC",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "MEMORY_FREE_INTERRUPTED",
        372,
        _F38,
        "Give memory back to a pool or heap.",
        1,
        wide_fields=_F37,
        base="MEMORY_FREE",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "WORK_INTERRUPTED",
        373,
        _F38,
        (
            "Hand a work item to the thread of a work queue, cancel it, or wait for its end: "
            "action 0, 1, 2."
        ),
        1,
        wide_fields=_F37,
        base="WORK",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "POLL_INTERRUPTED",
        374,
        _F38,
        "Wait for one of several objects.",
        1,
        wide_fields=_F37,
        base="POLL",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "POWER_INTERRUPTED",
        375,
        _F38,
        "Make a device ready for use (1), or let it sleep (0).",
        1,
        wide_fields=_F37,
        base="POWER",
        kind="INTERRUPTED",
    ),
    EventType(
        "KERCALL",
        2,
        "SYSTEM_CALL_INTERRUPTED",
        376,
        _F38,
        "A system call that has no number here.",
        1,
        wide_fields=_F37,
        base="SYSTEM_CALL",
        kind="INTERRUPTED",
    ),
    EventType("INT", 3, "ENTRY", 1, _F39, "An interrupt begins.", 1, wide_fields=_F40),
    EventType("INT", 3, "EXIT", 2, _F41, "An interrupt ends.", 1, wide_fields=_F40),
    EventType("INT", 3, "HANDLER_ENTRY", 3, _F42, "A handler attached to an interrupt begins.", 1),
    EventType("INT", 3, "HANDLER_EXIT", 4, _F43, "A handler attached to an interrupt ends.", 1),
    EventType("THREAD", 4, "DEAD", 0, _F44, "The thread has ended.", 1, wide_fields=_F45),
    EventType("THREAD", 4, "RUNNING", 1, _F44, "The thread runs.", 1, wide_fields=_F45),
    EventType("THREAD", 4, "READY", 2, _F44, "The thread could run.", 1, wide_fields=_F45),
    EventType("THREAD", 4, "STOPPED", 3, _F44, "Suspended.", 1, wide_fields=_F45),
    EventType(
        "THREAD", 4, "SEND", 4, _F44, "Waits until its message is received.", 1, wide_fields=_F45
    ),
    EventType("THREAD", 4, "RECEIVE", 5, _F44, "Waits for a message.", 1, wide_fields=_F45),
    EventType("THREAD", 4, "REPLY", 6, _F44, "Waits for a reply.", 1, wide_fields=_F45),
    EventType("THREAD", 4, "STACK", 7, _F44, "Waits for stack memory.", 1, wide_fields=_F45),
    EventType(
        "THREAD", 4, "WAITTHREAD", 8, _F44, "Waits for a thread to be created.", 1, wide_fields=_F45
    ),
    EventType("THREAD", 4, "WAITPAGE", 9, _F44, "Waits for memory.", 1, wide_fields=_F45),
    EventType("THREAD", 4, "SIGSUSPEND", 10, _F44, "Waits for a signal.", 1, wide_fields=_F45),
    EventType(
        "THREAD",
        4,
        "SIGWAITINFO",
        11,
        _F44,
        "Waits for event flags or a signal.",
        1,
        wide_fields=_F45,
    ),
    EventType(
        "THREAD",
        4,
        "NANOSLEEP",
        12,
        _F44,
        "Sleeps, or waits for its next period.",
        1,
        wide_fields=_F45,
    ),
    EventType("THREAD", 4, "MUTEX", 13, _F44, "Waits for a mutex.", 1, wide_fields=_F45),
    EventType("THREAD", 4, "CONDVAR", 14, _F44, "Waits for a condition.", 1, wide_fields=_F45),
    EventType("THREAD", 4, "JOIN", 15, _F44, "Waits for the end of a thread.", 1, wide_fields=_F45),
    EventType("THREAD", 4, "INTR", 16, _F44, "Waits for an interrupt.", 1, wide_fields=_F45),
    EventType("THREAD", 4, "SEM", 17, _F44, "Waits for a semaphore.", 1, wide_fields=_F45),
    EventType("THREAD", 4, "WAITCTX", 18, _F44, "Waits for a context.", 1, wide_fields=_F45),
    EventType(
        "THREAD",
        4,
        "NET_SEND",
        19,
        _F44,
        "Waits for the network to take a message.",
        1,
        wide_fields=_F45,
    ),
    EventType(
        "THREAD",
        4,
        "NET_REPLY",
        20,
        _F44,
        "Waits for a reply from the network.",
        1,
        wide_fields=_F45,
    ),
    EventType("THREAD", 4, "CREATE", 24, _F44, "The thread exists now.", 1, wide_fields=_F46),
    EventType(
        "THREAD", 4, "DESTROY", 25, _F44, "The thread is gone; its number may be used again.", 1
    ),
    EventType("THREAD", 4, "NAME", 320, _F44, "The name of a thread.", 1, payload="string"),
    EventType(
        "SYSTEM", 5, "MAPNAME", 8, _F47, "The name of an object in memory.", 1, payload="string"
    ),
    EventType("SYSTEM", 5, "ADDRESS", 9, _F48, "An address worth remembering.", 1),
    EventType("SYSTEM", 5, "FUNC_ENTER", 10, _F49, "A function begins.", 1),
    EventType("SYSTEM", 5, "FUNC_EXIT", 11, _F49, "A function ends.", 1),
    EventType("SYSTEM", 5, "SLOG", 12, _F50, "A message of the system's log.", 1, payload="string"),
    EventType("SYSTEM", 5, "SUSPEND", 13, _F51, "The system begins to save power.", 1),
    EventType("SYSTEM", 5, "RESUME", 14, _F52, "The system has saved power.", 1),
    EventType(
        "SYSTEM",
        5,
        "NAMED",
        15,
        _F53,
        "An event that the application gives a name.",
        1,
        payload="string",
    ),
    EventType("USER", 6, "USER_0", 0, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_1", 1, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_2", 2, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_3", 3, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_4", 4, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_5", 5, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_6", 6, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_7", 7, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_8", 8, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_9", 9, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_10", 10, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_11", 11, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_12", 12, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_13", 13, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_14", 14, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_15", 15, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_16", 16, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_17", 17, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_18", 18, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_19", 19, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_20", 20, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_21", 21, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_22", 22, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_23", 23, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_24", 24, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_25", 25, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_26", 26, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_27", 27, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_28", 28, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_29", 29, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_30", 30, _F53, "An event of the application.", 1, base="USER"),
    EventType("USER", 6, "USER_31", 31, _F53, "An event of the application.", 1, base="USER"),
    EventType("COMM", 7, "SMSG", 0, _F54, "A message was sent.", 1),
    EventType("COMM", 7, "SPULSE", 1, _F55, "A pulse was sent.", 1),
    EventType("COMM", 7, "RMSG", 2, _F54, "A message was received.", 1),
    EventType("COMM", 7, "RPULSE", 3, _F55, "A pulse was received.", 1),
    EventType("COMM", 7, "REPLY", 10, _F56, "A reply was sent.", 1),
    EventType("COMM", 7, "ERROR", 11, _F56, "An error was sent instead of a reply.", 1),
    EventType("SYNC", 8, "MUTEX_LOCK_GRANTED", 0, _F57, "A thread owns the mutex now.", 1),
    EventType(
        "SYNC", 8, "MUTEX_LOCK_DENIED", 1, _F58, "The running thread has to wait for the mutex.", 1
    ),
    EventType("SYNC", 8, "MUTEX_TRY_REFUSED", 2, _F58, "A try did not get the mutex.", 1),
    EventType("SYNC", 8, "MUTEX_UNLOCK", 3, _F59, "The mutex was unlocked.", 1),
    EventType("SYNC", 8, "MUTEX_INHERIT", 4, _F60, "The owner of a mutex inherits a priority.", 1),
    EventType("SYNC", 8, "MUTEX_RESTORE", 5, _F61, "An inherited priority is given back.", 1),
    EventType("SYNC", 8, "COND_WAIT", 6, _F62, "The running thread waits for the condition.", 1),
    EventType("SYNC", 8, "COND_SIGNAL", 7, _F63, "One waiter is woken.", 1),
    EventType("SYNC", 8, "COND_BROADCAST", 8, _F64, "All waiters are woken.", 1),
    EventType("SYNC", 8, "SEM_WAIT_GRANTED", 9, _F65, "The semaphore was taken.", 1),
    EventType(
        "SYNC", 8, "SEM_WAIT_BLOCKED", 10, _F66, "The running thread waits for the semaphore.", 1
    ),
    EventType("SYNC", 8, "SEM_TRY_REFUSED", 11, _F67, "A try found the semaphore at zero.", 1),
    EventType("SYNC", 8, "SEM_SIGNAL", 12, _F68, "The semaphore was signalled.", 1),
    EventType("SYNC", 8, "FLAGS_SET", 13, _F69, "Event flags were set.", 1),
    EventType("SYNC", 8, "FLAGS_CLEAR", 14, _F70, "Event flags were cleared.", 1),
    EventType("SYNC", 8, "FLAGS_WAIT", 15, _F71, "The running thread waits for event flags.", 1),
    EventType("SYNC", 8, "WAIT_TIMEOUT", 16, _F72, "A wait ended by its time limit.", 1),
    EventType(
        "SYNC", 8, "WAIT_DELETED", 17, _F72, "A wait ended because its object was deleted.", 1
    ),
    EventType(
        "SCHED",
        9,
        "CONTEXT_SWITCH",
        0,
        _F73,
        "The processor goes from one thread to another; thread 0 is idle.",
        1,
    ),
    EventType("SCHED", 9, "OVERHEAD_BEGIN", 1, _F74, "The kernel begins to work for itself.", 1),
    EventType("SCHED", 9, "OVERHEAD_END", 2, _F75, "The kernel gives the processor back.", 1),
    EventType("SCHED", 9, "TICK", 4, _F76, "The kernel's tick.", 1),
    EventType("SCHED", 9, "PRIORITY", 5, _F77, "A thread has this priority from now on.", 1),
    EventType("SCHED", 9, "ACTIVATION", 6, _F78, "A periodic thread is activated.", 1),
    EventType(
        "SCHED",
        9,
        "COMPLETION",
        7,
        _F79,
        "A periodic thread has done the work of one activation.",
        1,
    ),
    EventType(
        "SCHED",
        9,
        "DEADLINE_MISS",
        8,
        _F80,
        "A periodic thread was not done when it was activated again.",
        1,
    ),
    EventType(
        "SCHED", 9, "TIMER", 10, _F81, "A software timer has expired; its handler runs now.", 1
    ),
    EventType(
        "SCHED",
        9,
        "IN",
        11,
        _F82,
        "The scheduler begins, as xmtrace tells it: with a word and a call site.",
        1,
    ),
    EventType("SCHED", 9, "OUT", 12, _F82, "The scheduler has done, as xmtrace tells it.", 1),
    EventType("SCHED", 9, "SWITCH_TO", 13, _F82, "The scheduler switches, as xmtrace tells it.", 1),
    EventType(
        "SCHED",
        9,
        "CPUS",
        14,
        _F83,
        "A thread may run on these CPUs only from now on; before the first of these on any.",
        1,
    ),
    EventType(
        "SCHED",
        9,
        "STIMULUS",
        15,
        _F84,
        "A stimulus of the application: what activates, sets or writes something next.",
        1,
    ),
    EventType("IRQSTATE", 10, "HARD_CLI", 0, _F85, "Interrupts are masked.", 1),
    EventType("IRQSTATE", 10, "HARD_STI", 1, _F85, "Interrupts are unmasked.", 1),
    EventType("IRQSTATE", 10, "HARD_SAVE_FLAGS", 2, _F85, "The mask state is read.", 1),
    EventType("IRQSTATE", 10, "HARD_RESTORE_FLAGS", 3, _F85, "The mask state is restored.", 1),
    EventType(
        "IRQSTATE",
        10,
        "HARD_SAVEF_AND_CLI",
        4,
        _F85,
        "The mask state is read and interrupts are masked.",
        1,
    ),
    EventType("IRQSTATE", 10, "INTERCEPT", 5, _F85, "An interrupt is intercepted.", 1),
    EventType("IRQSTATE", 10, "INTERCEPT_EXIT", 6, _F85, "End of an interception.", 1),
    EventType("IRQSTATE", 10, "LOCAL_INTERCEPT", 7, _F85, "A local interrupt is intercepted.", 1),
    EventType("IRQSTATE", 10, "LOCAL_INTERCEPT_EXIT", 8, _F85, "End of a local interception.", 1),
    EventType("IRQSTATE", 10, "SPIN_LOCK", 9, _F85, "A spin lock is taken.", 1),
    EventType("IRQSTATE", 10, "SPIN_UNLOCK", 10, _F85, "A spin lock is given back.", 1),
    EventType("DOMAIN", 11, "USER", 0, _F85, "An event of a domain.", 1),
    EventType("DOMAIN", 11, "SYSCALL_ENTER", 1, _F85, "A domain enters the kernel.", 1),
    EventType("DOMAIN", 11, "SYSCALL_EXIT", 2, _F85, "The kernel returns to a domain.", 1),
    EventType(
        "DOMAIN", 11, "FAULT", 3, _F86, "A domain touched what is not its own and is stopped.", 1
    ),
    EventType("SIGNAL", 12, "READ", 0, _F87, "A signal is read.", 1),
    EventType("SIGNAL", 12, "WRITE", 1, _F87, "A signal is written.", 1),
    EventType("RUNNABLE", 13, "BEGIN", 0, _F88, "A runnable begins.", 1),
    EventType("RUNNABLE", 13, "END", 1, _F88, "A runnable ends.", 1),
    EventType("RUNNABLE", 13, "SUSPEND", 2, _F88, "A runnable is interrupted.", 1),
    EventType("RUNNABLE", 13, "RESUME", 3, _F88, "A runnable goes on.", 1),
    EventType("TRACER", 14, "START", 0, _F89, "Tracing begins.", 1, wide_fields=_F90),
    EventType("TRACER", 14, "STOP", 1, _F91, "Tracing ends.", 1),
    EventType("TRACER", 14, "FILTER", 2, _F92, "A filter changed.", 1, wide_fields=_F93),
    EventType("TRACER", 14, "OVERFLOW", 3, _F94, "Records begin to be lost.", 1),
    EventType("TRACER", 14, "RESUME", 4, _F95, "Recording goes on.", 1),
    EventType("TRACER", 14, "FLUSH_START", 5, _F89, "A flush begins.", 1),
    EventType("TRACER", 14, "FLUSH_STOP", 6, _F89, "A flush ends.", 1),
    EventType("TRACER", 14, "ERROR", 7, _F96, "The tracer met an error.", 1),
    EventType("TRACER", 14, "HANDLER", 8, _F97, "An event handler ran.", 1),
    EventType("TRACER", 14, "COMMAND", 10, _F98, "A command from the host was carried out.", 1),
    EventType(
        "TRACER",
        14,
        "FINALIZE",
        11,
        _F99,
        "A stream of policy FINALIZE has finished a trace: the last record of its buffer.",
        1,
    ),
    EventType(
        "TRACER",
        14,
        "MOVED",
        12,
        _F100,
        (
            "An event of several records is recorded again from its begin, because its thread has"
            " moved to this CPU: the records of it on the other CPU are no lost event."
        ),
        2,
    ),
    EventType("TRC", 15, "RESERVED", 0, _F101, "Reserved by that tracer.", 1),
    EventType("TRC", 15, "HOOPS", 1, _F102, "Events were lost by a queue.", 1),
    EventType("TRC", 15, "CREATE", 2, _F103, "A task is created.", 1),
    EventType("TRC", 15, "ACTIVATE", 3, _F103, "A task is activated.", 1),
    EventType("TRC", 15, "SCHEDULE", 4, _F103, "A task runs from now on.", 1),
    EventType("TRC", 15, "DELAY", 5, _F103, "A task waits for a time.", 1),
    EventType("TRC", 15, "SLEEP", 6, _F103, "A task waits for its activation.", 1),
    EventType("TRC", 15, "ENDCYCLE", 7, _F103, "A periodic task has done its work.", 1),
    EventType("TRC", 15, "DESTROY", 8, _F103, "A task ends.", 1),
    EventType("TRC", 15, "INTACTIVATION", 9, _F103, "An interrupt activates a task.", 1),
    EventType("TRC", 15, "DISABLE", 10, _F103, "A task is disabled.", 1),
    EventType("TRC", 15, "USER_0", 11, _F104, "An event of the application.", 1, base="USER"),
    EventType("TRC", 15, "USER_1", 12, _F104, "An event of the application.", 1, base="USER"),
    EventType("TRC", 15, "USER_2", 13, _F104, "An event of the application.", 1, base="USER"),
    EventType("TRC", 15, "USER_3", 14, _F104, "An event of the application.", 1, base="USER"),
    EventType("TRC", 15, "USER_4", 15, _F104, "An event of the application.", 1, base="USER"),
    EventType("TRC", 15, "USER_5", 16, _F104, "An event of the application.", 1, base="USER"),
    EventType("TRC", 15, "USER_6", 17, _F104, "An event of the application.", 1, base="USER"),
    EventType("TRC", 15, "USER_7", 18, _F104, "An event of the application.", 1, base="USER"),
    EventType("TRC", 15, "INTR", 19, _F105, "An interrupt is requested.", 1),
    EventType("TRC", 15, "SEM_WAIT", 20, _F106, "A task waits on a semaphore.", 1),
    EventType("TRC", 15, "SEM_WAITNB", 21, _F106, "A task tries a semaphore.", 1),
    EventType("TRC", 15, "SEM_SIGNAL", 22, _F106, "A task signals a semaphore.", 1),
)

EVENTS: Final[Mapping[tuple[int, int], EventType]] = MappingProxyType(
    {(event.class_number, event.number): event for event in _ALL}
)
"""Every declared event type by class number and event number."""

FAMILIES: Final[Mapping[tuple[int, str], range]] = MappingProxyType(
    {
        (4, "STATE"): range(21),
        (6, "USER"): range(32),
        (15, "USER"): range(11, 19),
    }
)
"""Event numbers that belong together, by class number and name."""

OPEN_CLASSES: Final = frozenset({6, 15})
"""Classes whose undeclared numbers are the application's to use."""
