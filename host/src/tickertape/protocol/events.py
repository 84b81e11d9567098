# Generated from protocol/events.yaml by make gen; do not edit.
# ruff: noqa: E501 - a row of the table is one line
"""Event types that a target can record."""

from __future__ import annotations

from enum import IntEnum
from types import MappingProxyType
from typing import TYPE_CHECKING, Final

from tickertape.protocol.event_type import EventType, Field

if TYPE_CHECKING:
    from collections.abc import Mapping

# Hash of the meaning of all events; HELLO contains the hash of the target.
DICTIONARY_HASH: Final = 0x6CE69A3BD4898263

APPLICATION_CLASS_FIRST: Final = 16
APPLICATION_CLASS_LAST: Final = 31


class EventClass(IntEnum):
    """The classes that have a meaning here."""

    EMPTY = 0
    """Never emitted; a zeroed record is recognisable."""
    CONTROL = 1
    """Events of the recorder about the stream that contains them."""
    KERCALL = 2
    """Kernel calls. Call n is event n on entry, event n + 128 on exit, and event n + 256 when
    interrupted. Numbers up to 101 are those of QNX; 102-112 were added for the reference kernel,
    those from 113 on for Zephyr.
    """
    INT = 3
    """Interrupts. Numbers are exception numbers of the processor (IRQ n is n + 16)."""
    THREAD = 4
    """Life and states of threads. pid is the domain that owns the thread (0 = kernel core). SCHED
    CONTEXT_SWITCH reports the running thread; the event RUNNING occurs only in the state dump at a
    start.
    """
    SYSTEM = 5
    """Other events of the system. Events of QNX that can occur here have the names of QNX."""
    USER = 6
    """Events of the application. Filters select events 0-31 one by one, and higher numbers
    together. An event has two words, or any bytes as a combine event.
    """
    COMM = 7
    """Messages and pulses between threads."""
    SYNC = 8
    """Mutexes, condition variables, semaphores and event flags."""
    SCHED = 9
    """Events of the scheduler."""
    IRQSTATE = 10
    """Interrupt masking and spin locks, with the call site. The numbers are those of xmtrace."""
    DOMAIN = 11
    """Unprivileged domains under memory protection."""
    SIGNAL = 12
    """Reads and writes of application variables."""
    RUNNABLE = 13
    """Begin and end of runnables, the functions that a task consists of."""
    TRACER = 14
    """Events of the tracer itself: the predefined events of POSIX Trace, commands, handlers."""
    TRC = 15
    """Events that trc_logevent() of the S.Ha.R.K. tracer's API records, with the numbers of that
    tracer. Numbers from 23 on belong to the application. Bits 16-31 are the unused bits of the four
    bytes that the API takes.
    """
    CONTAINER = 5


class ControlEvent(IntEnum):
    """Event numbers of CONTROL."""

    TIME = 1
    """64-bit time of the clock, recorded once per half period of the 32-bit tick counter while the
    same buffer of a ring stays open.
    """
    BUFFER = 2
    """A buffer begins. Only in files of other tools: buffers of tickertape have a header instead.
    """


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
    """Make a thread periodic, or no longer periodic."""
    THREAD_BIND = 112
    """Let a thread run on one CPU only, or on any."""
    QUEUE_PUT = 113
    """Put an item into a queue, stack, pipe or mailbox."""
    QUEUE_GET = 114
    """Take an item from a queue, stack, pipe or mailbox."""
    MEMORY_ALLOC = 115
    """Take memory from a pool or heap."""
    MEMORY_FREE = 116
    """Return memory to a pool or heap."""
    WORK = 117
    """Pass a work item to the thread of a work queue (action 0), cancel it (1), or wait for its end
    (2).
    """
    POLL = 118
    """Wait for one of several objects."""
    POWER = 119
    """Make a device ready for use (1), or let it sleep (0)."""
    SYSTEM_CALL = 120
    """A system call without a number of its own in this list."""


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
    REQUEST = 5
    """An interrupt is requested and begins later. Without this event, the request is at ENTRY."""


class ThreadEvent(IntEnum):
    """Event numbers of THREAD."""

    DEAD = 0
    """The thread has ended."""
    RUNNING = 1
    """The thread runs."""
    READY = 2
    """The thread is ready to run."""
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
    """The thread is destroyed; its number may be used again."""
    PROCESS_DESTROY = 128
    """A process is destroyed, with all threads of its domain; its number may be used again."""
    PROCESS_CREATE = 192
    """A process, which is a domain, exists now; the text is its name."""
    NAME = 320
    """The name of a thread."""


class SystemEvent(IntEnum):
    """Event numbers of SYSTEM."""

    MAPNAME = 8
    """The name of an object in memory."""
    ADDRESS = 9
    """An address of interest."""
    FUNC_ENTER = 10
    """A function begins."""
    FUNC_EXIT = 11
    """A function ends."""
    SLOG = 12
    """A message of the system's log."""
    SUSPEND = 13
    """The system begins to save power."""
    RESUME = 14
    """The system leaves power saving."""
    NAMED = 15
    """An event with a name, which the application sets."""
    LOG = 16
    """A formatted message of tt_logf(): the host reads the format from the ELF file. docs/log.md
    describes the payload.
    """
    STACK_SIZE = 17
    """Size of the stack of a thread."""
    STACK_UNUSED = 18
    """Part of its stack that a thread has never used so far."""


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
    """The running thread must wait for the mutex."""
    MUTEX_TRY_REFUSED = 2
    """An attempt to lock the mutex failed: it has an owner."""
    MUTEX_UNLOCK = 3
    """The mutex was unlocked."""
    MUTEX_INHERIT = 4
    """The owner of a mutex inherits a priority."""
    MUTEX_RESTORE = 5
    """An inherited priority is restored."""
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
    """An attempt to take the semaphore failed: its count is 0."""
    SEM_SIGNAL = 12
    """The semaphore was signalled."""
    FLAGS_SET = 13
    """Event flags were set."""
    FLAGS_CLEAR = 14
    """Event flags were cleared."""
    FLAGS_WAIT = 15
    """The running thread waits for event flags."""
    WAIT_TIMEOUT = 16
    """A wait ended by its timeout."""
    WAIT_DELETED = 17
    """A wait ended because its object was deleted."""


class SchedEvent(IntEnum):
    """Event numbers of SCHED."""

    CONTEXT_SWITCH = 0
    """The CPU switches from one thread to another; thread 0 is idle."""
    OVERHEAD_BEGIN = 1
    """Kernel overhead begins."""
    OVERHEAD_END = 2
    """Kernel overhead ends."""
    TICK = 4
    """A tick of the kernel."""
    PRIORITY = 5
    """Priority of a thread from now on."""
    ACTIVATION = 6
    """A periodic thread is activated."""
    COMPLETION = 7
    """A periodic thread has completed the work of one activation."""
    DEADLINE_MISS = 8
    """A periodic thread had not completed when it was activated again."""
    TIMER = 10
    """A software timer has expired; its handler runs now."""
    IN = 11
    """The scheduler begins. Form of xmtrace: a word and a call site."""
    OUT = 12
    """The scheduler ends. Form of xmtrace."""
    SWITCH_TO = 13
    """The scheduler switches. Form of xmtrace."""
    CPUS = 14
    """CPUs on which a thread may run from now on. Before the first event of this type, all."""
    STIMULUS = 15
    """A stimulus of the application: the cause of the next activation, set or write."""
    REFUSAL = 16
    """An activation is refused, because the thread has as many activations as it may have."""


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
    """A spin lock is released."""
    SPIN_WAIT = 11
    """A process begins to poll for a spin lock that is taken, or for another condition (value 0).
    SPIN_LOCK or SPIN_END ends the polling.
    """
    SPIN_END = 12
    """A process stops polling without taking a spin lock: it gives up, or the other condition is
    true.
    """


class DomainEvent(IntEnum):
    """Event numbers of DOMAIN."""

    USER = 0
    """An event of a domain."""
    SYSCALL_ENTER = 1
    """A domain enters the kernel."""
    SYSCALL_EXIT = 2
    """The kernel returns to a domain."""
    FAULT = 3
    """A domain made an access without permission and is stopped."""


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
    """A runnable resumes."""


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
    """Recording resumes."""
    FLUSH_START = 5
    """A flush begins."""
    FLUSH_STOP = 6
    """A flush ends."""
    ERROR = 7
    """An error in the tracer."""
    HANDLER = 8
    """An event handler ran."""
    COMMAND = 10
    """A command from the host was executed."""
    FINALIZE = 11
    """A stream with policy FINALIZE has finished a trace. This is the last record of its buffer."""
    MOVED = 12
    """A combine event is recorded again from its beginning, because its thread has moved to this
    CPU. Its records on the other CPU do not count as a lost event.
    """
    COST = 13
    """Cost of recording, measured by tt_measure_cost() on the running target. The clock counts
    whole ticks: the true time differs by less than one tick.
    """


class TrcEvent(IntEnum):
    """Event numbers of TRC."""

    RESERVED = 0
    """Reserved by the S.Ha.R.K. tracer."""
    HOOPS = 1
    """A queue lost events."""
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
    """A periodic task has completed its work."""
    DESTROY = 8
    """A task ends."""
    INTACTIVATION = 9
    """An interrupt activates a task."""
    DISABLE = 10
    """A task is disabled: it is no longer activated."""
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


# fmt: off
# Distinct lists of fields: name, type, description.
_FIELDS: Final = (
    (("msb", "hex", "high word of the 64-bit tick count"), ("lsb", "hex", "low word")),
    (),
    (("sequence", "u32", "buffer sequence number"), ("num_events", "u32", "records in the buffer")),
    (("unused", "u32", "0"), ("unused", "u32", "0"), ("caller", "thread", "calling thread"), ("caller_priority", "u32", "priority of the calling thread")),
    (("arg0", "hex", "first argument"), ("arg1", "hex", "second argument")),
    (("arg2", "hex", "third argument"), ("arg3", "hex", "fourth argument"), ("caller", "thread", "calling thread"), ("caller_priority", "u32", "priority of the calling thread")),
    (("channel", "object", "argument of the call"), ("bytes", "u32", "argument of the call")),
    (("sender", "thread", "argument of the call"), ("status", "i32", "argument of the call")),
    (("channel", "object", "argument of the call"), ("value", "hex", "argument of the call")),
    (("channel", "object", "argument of the call"),),
    (("entry", "address", "argument of the call"), ("priority", "u32", "argument of the call")),
    (("thread", "thread", "argument of the call"), ("status", "i32", "argument of the call")),
    (("thread", "object", "argument of the call"), ("timeout", "u32", "argument of the call")),
    (("clock", "u32", "argument of the call"),),
    (("timer", "object", "argument of the call"),),
    (("timer", "object", "argument of the call"), ("ticks", "u32", "argument of the call")),
    (("object", "object", "argument of the call"),),
    (("mutex", "object", "argument of the call"), ("timeout", "u32", "argument of the call")),
    (("mutex", "object", "argument of the call"),),
    (("condvar", "object", "argument of the call"), ("mutex", "object", "argument of the call")),
    (("condvar", "object", "argument of the call"), ("all", "u32", "argument of the call")),
    (("semaphore", "object", "argument of the call"),),
    (("semaphore", "object", "argument of the call"), ("timeout", "u32", "argument of the call")),
    (("thread", "object", "argument of the call"), ("priority", "u32", "argument of the call")),
    (("ticks", "u32", "argument of the call"),),
    (("flags", "object", "argument of the call"), ("bits", "hex", "argument of the call")),
    (("thread", "object", "argument of the call"),),
    (("thread", "object", "argument of the call"), ("ticks", "u32", "argument of the call")),
    (("thread", "object", "argument of the call"), ("cpu", "u32", "argument of the call")),
    (("queue", "object", "argument of the call"), ("timeout", "u32", "argument of the call")),
    (("pool", "object", "argument of the call"), ("timeout", "u32", "argument of the call")),
    (("pool", "object", "argument of the call"),),
    (("work", "object", "argument of the call"), ("action", "u32", "argument of the call")),
    (("events", "object", "argument of the call"), ("timeout", "u32", "argument of the call")),
    (("device", "object", "argument of the call"), ("ready", "u32", "argument of the call")),
    (("number", "u32", "argument of the call"),),
    (("result", "i32", "result of the call"), ("detail", "hex", "depends on the call, 0 if unused")),
    (("caller", "thread", "calling thread"), ("caller_priority", "u32", "priority of the calling thread")),
    (("result", "i32", "result of the call, 0 if not known yet"), ("detail", "hex", "depends on the call, 0 if unused")),
    (("irq", "irq", "exception number"), ("ip", "address", "address of the interrupted code, 0 if unknown")),
    (("tid", "thread", "the interrupted thread"),),
    (("irq", "irq", "exception number"), ("inkernel", "u32", "1 if it returns into the kernel")),
    (("irq", "irq", "exception number"), ("ip", "address", "address of the handler")),
    (("irq", "irq", "exception number"), ("result", "u32", "result of the handler")),
    (("irq", "irq", "exception number"), ("unused", "u32", "0")),
    (("pid", "u32", "owning domain"), ("tid", "thread", "the thread")),
    (("priority", "u32", "higher number is more urgent"), ("policy", "u32", "1 first in, first out; 2 round robin; 0 unknown"), ("object", "object", "object that it waits for, 0 for none")),
    (("priority", "u32", "higher number is more urgent"), ("policy", "u32", "1 first in, first out; 2 round robin; 0 unknown"), ("entry", "address", "function that it executes")),
    (("ppid", "u32", "number of its parent process, 0 for the kernel core"), ("pid", "u32", "number of the process, a domain of the reference kernel")),
    (("kind", "u32", "object_kind, as in NAME frames"), ("object", "hex", "its id as in NAME frames: an address for most kinds")),
    (("address", "address", "the address"), ("access", "u32", "0: a sample of the program counter; n: address of the code of the next access, which comparator n - 1 of the hardware detected")),
    (("function", "address", "address of the function"), ("call_site", "address", "address of the call")),
    (("opcode", "hex", "source of the message"), ("severity", "u32", "0 shutdown ... 7 debug")),
    (("ticks", "u32", "kernel ticks until the next timeout; all bits set: none"), ("unused", "u32", "0")),
    (("state", "u32", "state that it leaves"), ("unused", "u32", "0")),
    (("data0", "hex", "value of the application"), ("data1", "hex", "value of the application")),
    (("format", "hex", "address of the format; bit 0: types follow"), ("value", "hex", "first argument, or the types")),
    (("tid", "thread", "the thread"), ("size_bytes", "u32", "size in bytes")),
    (("tid", "thread", "the thread"), ("unused_bytes", "u32", "size in bytes; 0: the stack may have overflowed")),
    (("rcvid", "hex", "pairs send, receive and reply"), ("pid", "u32", "domain of the receiver")),
    (("scoid", "hex", "the channel"), ("pid", "u32", "domain of the receiver")),
    (("tid", "thread", "thread that receives it"), ("pid", "u32", "its domain")),
    (("mutex", "object", "the mutex"), ("tid", "thread", "its owner")),
    (("mutex", "object", "the mutex"), ("owner", "thread", "its owner")),
    (("mutex", "object", "the mutex"), ("tid", "thread", "its owner until now")),
    (("tid", "thread", "the owner"), ("priority", "u32", "its priority from now on")),
    (("tid", "thread", "the thread"), ("priority", "u32", "its priority from now on")),
    (("condvar", "object", "the condition variable"), ("mutex", "object", "mutex that it unlocks while it waits")),
    (("condvar", "object", "the condition variable"), ("tid", "thread", "the woken thread, 0 for none")),
    (("condvar", "object", "the condition variable"), ("woken_count", "u32", "number of woken threads")),
    (("semaphore", "object", "the semaphore"), ("count", "u32", "its count from now on")),
    (("semaphore", "object", "the semaphore"), ("tid", "thread", "waiting thread; 0: the interrupt that runs on this CPU")),
    (("semaphore", "object", "the semaphore"), ("tid", "thread", "thread of the attempt")),
    (("semaphore", "object", "the semaphore"), ("count", "u32", "its count from now on; 0 if a waiting thread took it")),
    (("flags", "object", "the flags object"), ("bits", "hex", "bits that were set")),
    (("flags", "object", "the flags object"), ("bits", "hex", "bits that were cleared")),
    (("flags", "object", "the flags object"), ("bits", "hex", "bits that it waits for")),
    (("object", "object", "object of the wait"), ("tid", "thread", "thread that waited; 0: the interrupt that runs on this CPU")),
    (("object", "object", "object of the wait"), ("tid", "thread", "thread that waited")),
    (("prev_tid", "thread", "previous thread"), ("next_tid", "thread", "next thread")),
    (("reason", "u32", "0 schedule, 1 tick, 2 call"), ("tid", "thread", "thread that was running")),
    (("reason", "u32", "as in OVERHEAD_BEGIN"), ("tid", "thread", "running thread")),
    (("tick_count", "u32", "kernel ticks since boot"), ("unused", "u32", "0")),
    (("tid", "thread", "the thread"), ("priority", "u32", "higher number is more urgent")),
    (("tid", "thread", "the thread"), ("instance", "u32", "number of the activation, from 1")),
    (("tid", "thread", "the thread"), ("instance", "u32", "number of the activation")),
    (("tid", "thread", "the thread"), ("instance", "u32", "number of the late activation")),
    (("timer", "object", "the timer"), ("count", "u32", "number of times that it has expired since its start, from 1")),
    (("value", "hex", "value of the trace point"), ("ip", "address", "call site")),
    (("tid", "thread", "the thread"), ("cpus", "hex", "bit n for CPU n")),
    (("stimulus", "object", "the stimulus"), ("value", "u32", "value of the application")),
    (("tid", "thread", "the thread"), ("instance", "u32", "number of its activations so far, without this one")),
    (("value", "hex", "mask state or lock"), ("ip", "address", "call site")),
    (("value", "hex", "the lock, or 0"), ("tid", "thread", "the thread, with or without a CPU; 0: the process that has this CPU")),
    (("address", "address", "the accessed address"), ("ip", "address", "the accessing code")),
    (("signal", "object", "the signal"), ("value", "hex", "its value")),
    (("runnable", "object", "the runnable"), ("instance", "u32", "number of the instance, from 0 per runnable")),
    (("stream", "u32", "number of the stream"), ("unused", "u32", "0")),
    (("filter_low", "hex", "events that POSIX Trace filters out, one bit per event"), ("filter_high", "hex", "bits 32-63 of it")),
    (("stream", "u32", "number of the stream"), ("automatic", "u32", "1 if the stream stopped itself because it was full")),
    (("stream", "u32", "number of the stream"), ("event_type", "hex", "class << 10 | event; all bits set: all events")),
    (("old_low", "hex", "events that POSIX Trace filtered out before, one bit per event"), ("old_high", "hex", "bits 32-63 of it"), ("new_low", "hex", "events that it filters out from now on"), ("new_high", "hex", "bits 32-63 of it")),
    (("stream", "u32", "number of the stream"), ("ordinal", "u32", "low word of the ordinal of the first lost record")),
    (("stream", "u32", "number of the stream"), ("lost_count", "u32", "number of lost records")),
    (("code", "i32", "error number"), ("detail", "hex", "depends on the code")),
    (("event_type", "hex", "class << 10 | event that it handled"), ("result", "u32", "result of the handler")),
    (("command", "u32", "number of the command"), ("status", "i32", "0 or a negative error")),
    (("trace", "u32", "number of the trace, from 1; lost ones count too"), ("lost_count", "u32", "traces lost since the last delivered one")),
    (("header", "hex", "CPU, keyed bit, class and event of those records"), ("time", "hex", "their time or key")),
    (("measured", "hex", "bits 16-31: 0 nothing, 1 simple events, 2 one combine event, 3 one event that closes a buffer and opens the next one; bits 0-15: number of records"), ("ticks", "u32", "ticks from before the first record to after the last one")),
    (("unused", "u32", "0"),),
    (("info", "hex", "the four bytes of the event"), ("unused", "u32", "0")),
    (("lost_count", "u32", "number of lost events"), ("unused", "u32", "0")),
    (("task", "thread", "the task"), ("rest", "hex", "bits 16-31")),
    (("task", "thread", "the task"), ("rest", "hex", "bits 16-31. From the reference kernel, the upper half is 0x8000 plus bits 0-14 of the instance in the next SCHED ACTIVATION")),
    (("n", "i32", "value of the application"), ("unused", "u32", "0")),
    (("n", "u32", "number of the interrupt"), ("unused", "u32", "0")),
    (("task", "thread", "the task"), ("id", "u32", "the semaphore")),
)

# Arguments of `EventType`, with numbers of lists of fields.
_ROWS: Final = (
    ("CONTROL", 1, "TIME", 1, 0, "64-bit time of the clock, recorded once per half period of the 32-bit tick counter while the same buffer of a ring stays open.", 1, "", 1, "TIME", ""),
    ("CONTROL", 1, "BUFFER", 2, 2, "A buffer begins. Only in files of other tools: buffers of tickertape have a header instead.", 1, "", 1, "BUFFER", ""),
    ("KERCALL", 2, "NOP_ENTER", 0, 1, "No operation.", 1, "", 3, "NOP", "ENTER"),
    ("KERCALL", 2, "TRACE_EVENT_ENTER", 1, 4, "Control of the tracer, or an event emitted by a domain.", 1, "", 5, "TRACE_EVENT", "ENTER"),
    ("KERCALL", 2, "MSG_SENDV_ENTER", 11, 6, "Send a message and wait for its reply.", 1, "", 3, "MSG_SENDV", "ENTER"),
    ("KERCALL", 2, "MSG_RECEIVEV_ENTER", 14, 6, "Wait for a message or a pulse.", 1, "", 3, "MSG_RECEIVEV", "ENTER"),
    ("KERCALL", 2, "MSG_REPLYV_ENTER", 15, 7, "Answer a message.", 1, "", 3, "MSG_REPLYV", "ENTER"),
    ("KERCALL", 2, "MSG_SEND_PULSE_ENTER", 20, 8, "Send a pulse; never blocks.", 1, "", 3, "MSG_SEND_PULSE", "ENTER"),
    ("KERCALL", 2, "CHANNEL_DESTROY_ENTER", 36, 9, "Delete a channel.", 1, "", 3, "CHANNEL_DESTROY", "ENTER"),
    ("KERCALL", 2, "THREAD_CREATE_ENTER", 46, 10, "Create a thread.", 1, "", 3, "THREAD_CREATE", "ENTER"),
    ("KERCALL", 2, "THREAD_DESTROY_ENTER", 47, 11, "End a thread.", 1, "", 3, "THREAD_DESTROY", "ENTER"),
    ("KERCALL", 2, "THREAD_JOIN_ENTER", 50, 12, "Wait for the end of a thread.", 1, "", 3, "THREAD_JOIN", "ENTER"),
    ("KERCALL", 2, "CLOCK_TIME_ENTER", 65, 13, "Read the kernel's time.", 1, "", 3, "CLOCK_TIME", "ENTER"),
    ("KERCALL", 2, "TIMER_CREATE_ENTER", 70, 14, "Create a timer.", 1, "", 3, "TIMER_CREATE", "ENTER"),
    ("KERCALL", 2, "TIMER_DESTROY_ENTER", 71, 14, "Delete a timer.", 1, "", 3, "TIMER_DESTROY", "ENTER"),
    ("KERCALL", 2, "TIMER_SETTIME_ENTER", 72, 15, "Arm or stop a timer.", 1, "", 3, "TIMER_SETTIME", "ENTER"),
    ("KERCALL", 2, "SYNC_DESTROY_ENTER", 79, 16, "Delete a mutex, condition variable, semaphore or event flags.", 1, "", 3, "SYNC_DESTROY", "ENTER"),
    ("KERCALL", 2, "SYNC_MUTEX_LOCK_ENTER", 80, 17, "Lock a mutex.", 1, "", 3, "SYNC_MUTEX_LOCK", "ENTER"),
    ("KERCALL", 2, "SYNC_MUTEX_UNLOCK_ENTER", 81, 18, "Unlock a mutex.", 1, "", 3, "SYNC_MUTEX_UNLOCK", "ENTER"),
    ("KERCALL", 2, "SYNC_CONDVAR_WAIT_ENTER", 82, 19, "Wait for a condition.", 1, "", 3, "SYNC_CONDVAR_WAIT", "ENTER"),
    ("KERCALL", 2, "SYNC_CONDVAR_SIGNAL_ENTER", 83, 20, "Wake one waiter or all.", 1, "", 3, "SYNC_CONDVAR_SIGNAL", "ENTER"),
    ("KERCALL", 2, "SYNC_SEM_POST_ENTER", 84, 21, "Signal a semaphore.", 1, "", 3, "SYNC_SEM_POST", "ENTER"),
    ("KERCALL", 2, "SYNC_SEM_WAIT_ENTER", 85, 22, "Wait for a semaphore.", 1, "", 3, "SYNC_SEM_WAIT", "ENTER"),
    ("KERCALL", 2, "SCHED_SET_ENTER", 89, 23, "Change a priority.", 1, "", 3, "SCHED_SET", "ENTER"),
    ("KERCALL", 2, "SCHED_YIELD_ENTER", 90, 1, "Let the next thread of this priority run.", 1, "", 3, "SCHED_YIELD", "ENTER"),
    ("KERCALL", 2, "THREAD_SLEEP_ENTER", 102, 24, "Sleep for a number of kernel ticks.", 1, "", 3, "THREAD_SLEEP", "ENTER"),
    ("KERCALL", 2, "THREAD_WAIT_PERIOD_ENTER", 103, 1, "A periodic thread waits for its next activation.", 1, "", 3, "THREAD_WAIT_PERIOD", "ENTER"),
    ("KERCALL", 2, "FLAGS_SET_ENTER", 104, 25, "Set event flags.", 1, "", 3, "FLAGS_SET", "ENTER"),
    ("KERCALL", 2, "FLAGS_CLEAR_ENTER", 105, 25, "Clear event flags.", 1, "", 3, "FLAGS_CLEAR", "ENTER"),
    ("KERCALL", 2, "FLAGS_WAIT_ENTER", 106, 25, "Wait for event flags.", 1, "", 3, "FLAGS_WAIT", "ENTER"),
    ("KERCALL", 2, "THREAD_SUSPEND_ENTER", 107, 26, "Suspend a thread.", 1, "", 3, "THREAD_SUSPEND", "ENTER"),
    ("KERCALL", 2, "THREAD_RESUME_ENTER", 108, 26, "Resume a suspended thread.", 1, "", 3, "THREAD_RESUME", "ENTER"),
    ("KERCALL", 2, "SYNC_MUTEX_TRYLOCK_ENTER", 109, 18, "Lock a mutex if it is free.", 1, "", 3, "SYNC_MUTEX_TRYLOCK", "ENTER"),
    ("KERCALL", 2, "SYNC_SEM_TRYWAIT_ENTER", 110, 21, "Take a semaphore if it is free.", 1, "", 3, "SYNC_SEM_TRYWAIT", "ENTER"),
    ("KERCALL", 2, "THREAD_SET_PERIOD_ENTER", 111, 27, "Make a thread periodic, or no longer periodic.", 1, "", 3, "THREAD_SET_PERIOD", "ENTER"),
    ("KERCALL", 2, "THREAD_BIND_ENTER", 112, 28, "Let a thread run on one CPU only, or on any.", 1, "", 3, "THREAD_BIND", "ENTER"),
    ("KERCALL", 2, "QUEUE_PUT_ENTER", 113, 29, "Put an item into a queue, stack, pipe or mailbox.", 1, "", 3, "QUEUE_PUT", "ENTER"),
    ("KERCALL", 2, "QUEUE_GET_ENTER", 114, 29, "Take an item from a queue, stack, pipe or mailbox.", 1, "", 3, "QUEUE_GET", "ENTER"),
    ("KERCALL", 2, "MEMORY_ALLOC_ENTER", 115, 30, "Take memory from a pool or heap.", 1, "", 3, "MEMORY_ALLOC", "ENTER"),
    ("KERCALL", 2, "MEMORY_FREE_ENTER", 116, 31, "Return memory to a pool or heap.", 1, "", 3, "MEMORY_FREE", "ENTER"),
    ("KERCALL", 2, "WORK_ENTER", 117, 32, "Pass a work item to the thread of a work queue (action 0), cancel it (1), or wait for its end (2).", 1, "", 3, "WORK", "ENTER"),
    ("KERCALL", 2, "POLL_ENTER", 118, 33, "Wait for one of several objects.", 1, "", 3, "POLL", "ENTER"),
    ("KERCALL", 2, "POWER_ENTER", 119, 34, "Make a device ready for use (1), or let it sleep (0).", 1, "", 3, "POWER", "ENTER"),
    ("KERCALL", 2, "SYSTEM_CALL_ENTER", 120, 35, "A system call without a number of its own in this list.", 1, "", 3, "SYSTEM_CALL", "ENTER"),
    ("KERCALL", 2, "NOP_EXIT", 128, 36, "No operation.", 1, "", 37, "NOP", "EXIT"),
    ("KERCALL", 2, "TRACE_EVENT_EXIT", 129, 36, "Control of the tracer, or an event emitted by a domain.", 1, "", 37, "TRACE_EVENT", "EXIT"),
    ("KERCALL", 2, "MSG_SENDV_EXIT", 139, 36, "Send a message and wait for its reply.", 1, "", 37, "MSG_SENDV", "EXIT"),
    ("KERCALL", 2, "MSG_RECEIVEV_EXIT", 142, 36, "Wait for a message or a pulse.", 1, "", 37, "MSG_RECEIVEV", "EXIT"),
    ("KERCALL", 2, "MSG_REPLYV_EXIT", 143, 36, "Answer a message.", 1, "", 37, "MSG_REPLYV", "EXIT"),
    ("KERCALL", 2, "MSG_SEND_PULSE_EXIT", 148, 36, "Send a pulse; never blocks.", 1, "", 37, "MSG_SEND_PULSE", "EXIT"),
    ("KERCALL", 2, "CHANNEL_DESTROY_EXIT", 164, 36, "Delete a channel.", 1, "", 37, "CHANNEL_DESTROY", "EXIT"),
    ("KERCALL", 2, "THREAD_CREATE_EXIT", 174, 36, "Create a thread.", 1, "", 37, "THREAD_CREATE", "EXIT"),
    ("KERCALL", 2, "THREAD_DESTROY_EXIT", 175, 36, "End a thread.", 1, "", 37, "THREAD_DESTROY", "EXIT"),
    ("KERCALL", 2, "THREAD_JOIN_EXIT", 178, 36, "Wait for the end of a thread.", 1, "", 37, "THREAD_JOIN", "EXIT"),
    ("KERCALL", 2, "CLOCK_TIME_EXIT", 193, 36, "Read the kernel's time.", 1, "", 37, "CLOCK_TIME", "EXIT"),
    ("KERCALL", 2, "TIMER_CREATE_EXIT", 198, 36, "Create a timer.", 1, "", 37, "TIMER_CREATE", "EXIT"),
    ("KERCALL", 2, "TIMER_DESTROY_EXIT", 199, 36, "Delete a timer.", 1, "", 37, "TIMER_DESTROY", "EXIT"),
    ("KERCALL", 2, "TIMER_SETTIME_EXIT", 200, 36, "Arm or stop a timer.", 1, "", 37, "TIMER_SETTIME", "EXIT"),
    ("KERCALL", 2, "SYNC_DESTROY_EXIT", 207, 36, "Delete a mutex, condition variable, semaphore or event flags.", 1, "", 37, "SYNC_DESTROY", "EXIT"),
    ("KERCALL", 2, "SYNC_MUTEX_LOCK_EXIT", 208, 36, "Lock a mutex.", 1, "", 37, "SYNC_MUTEX_LOCK", "EXIT"),
    ("KERCALL", 2, "SYNC_MUTEX_UNLOCK_EXIT", 209, 36, "Unlock a mutex.", 1, "", 37, "SYNC_MUTEX_UNLOCK", "EXIT"),
    ("KERCALL", 2, "SYNC_CONDVAR_WAIT_EXIT", 210, 36, "Wait for a condition.", 1, "", 37, "SYNC_CONDVAR_WAIT", "EXIT"),
    ("KERCALL", 2, "SYNC_CONDVAR_SIGNAL_EXIT", 211, 36, "Wake one waiter or all.", 1, "", 37, "SYNC_CONDVAR_SIGNAL", "EXIT"),
    ("KERCALL", 2, "SYNC_SEM_POST_EXIT", 212, 36, "Signal a semaphore.", 1, "", 37, "SYNC_SEM_POST", "EXIT"),
    ("KERCALL", 2, "SYNC_SEM_WAIT_EXIT", 213, 36, "Wait for a semaphore.", 1, "", 37, "SYNC_SEM_WAIT", "EXIT"),
    ("KERCALL", 2, "SCHED_SET_EXIT", 217, 36, "Change a priority.", 1, "", 37, "SCHED_SET", "EXIT"),
    ("KERCALL", 2, "SCHED_YIELD_EXIT", 218, 36, "Let the next thread of this priority run.", 1, "", 37, "SCHED_YIELD", "EXIT"),
    ("KERCALL", 2, "THREAD_SLEEP_EXIT", 230, 36, "Sleep for a number of kernel ticks.", 1, "", 37, "THREAD_SLEEP", "EXIT"),
    ("KERCALL", 2, "THREAD_WAIT_PERIOD_EXIT", 231, 36, "A periodic thread waits for its next activation.", 1, "", 37, "THREAD_WAIT_PERIOD", "EXIT"),
    ("KERCALL", 2, "FLAGS_SET_EXIT", 232, 36, "Set event flags.", 1, "", 37, "FLAGS_SET", "EXIT"),
    ("KERCALL", 2, "FLAGS_CLEAR_EXIT", 233, 36, "Clear event flags.", 1, "", 37, "FLAGS_CLEAR", "EXIT"),
    ("KERCALL", 2, "FLAGS_WAIT_EXIT", 234, 36, "Wait for event flags.", 1, "", 37, "FLAGS_WAIT", "EXIT"),
    ("KERCALL", 2, "THREAD_SUSPEND_EXIT", 235, 36, "Suspend a thread.", 1, "", 37, "THREAD_SUSPEND", "EXIT"),
    ("KERCALL", 2, "THREAD_RESUME_EXIT", 236, 36, "Resume a suspended thread.", 1, "", 37, "THREAD_RESUME", "EXIT"),
    ("KERCALL", 2, "SYNC_MUTEX_TRYLOCK_EXIT", 237, 36, "Lock a mutex if it is free.", 1, "", 37, "SYNC_MUTEX_TRYLOCK", "EXIT"),
    ("KERCALL", 2, "SYNC_SEM_TRYWAIT_EXIT", 238, 36, "Take a semaphore if it is free.", 1, "", 37, "SYNC_SEM_TRYWAIT", "EXIT"),
    ("KERCALL", 2, "THREAD_SET_PERIOD_EXIT", 239, 36, "Make a thread periodic, or no longer periodic.", 1, "", 37, "THREAD_SET_PERIOD", "EXIT"),
    ("KERCALL", 2, "THREAD_BIND_EXIT", 240, 36, "Let a thread run on one CPU only, or on any.", 1, "", 37, "THREAD_BIND", "EXIT"),
    ("KERCALL", 2, "QUEUE_PUT_EXIT", 241, 36, "Put an item into a queue, stack, pipe or mailbox.", 1, "", 37, "QUEUE_PUT", "EXIT"),
    ("KERCALL", 2, "QUEUE_GET_EXIT", 242, 36, "Take an item from a queue, stack, pipe or mailbox.", 1, "", 37, "QUEUE_GET", "EXIT"),
    ("KERCALL", 2, "MEMORY_ALLOC_EXIT", 243, 36, "Take memory from a pool or heap.", 1, "", 37, "MEMORY_ALLOC", "EXIT"),
    ("KERCALL", 2, "MEMORY_FREE_EXIT", 244, 36, "Return memory to a pool or heap.", 1, "", 37, "MEMORY_FREE", "EXIT"),
    ("KERCALL", 2, "WORK_EXIT", 245, 36, "Pass a work item to the thread of a work queue (action 0), cancel it (1), or wait for its end (2).", 1, "", 37, "WORK", "EXIT"),
    ("KERCALL", 2, "POLL_EXIT", 246, 36, "Wait for one of several objects.", 1, "", 37, "POLL", "EXIT"),
    ("KERCALL", 2, "POWER_EXIT", 247, 36, "Make a device ready for use (1), or let it sleep (0).", 1, "", 37, "POWER", "EXIT"),
    ("KERCALL", 2, "SYSTEM_CALL_EXIT", 248, 36, "A system call without a number of its own in this list.", 1, "", 37, "SYSTEM_CALL", "EXIT"),
    ("KERCALL", 2, "NOP_INTERRUPTED", 256, 38, "No operation.", 1, "", 37, "NOP", "INTERRUPTED"),
    ("KERCALL", 2, "TRACE_EVENT_INTERRUPTED", 257, 38, "Control of the tracer, or an event emitted by a domain.", 1, "", 37, "TRACE_EVENT", "INTERRUPTED"),
    ("KERCALL", 2, "MSG_SENDV_INTERRUPTED", 267, 38, "Send a message and wait for its reply.", 1, "", 37, "MSG_SENDV", "INTERRUPTED"),
    ("KERCALL", 2, "MSG_RECEIVEV_INTERRUPTED", 270, 38, "Wait for a message or a pulse.", 1, "", 37, "MSG_RECEIVEV", "INTERRUPTED"),
    ("KERCALL", 2, "MSG_REPLYV_INTERRUPTED", 271, 38, "Answer a message.", 1, "", 37, "MSG_REPLYV", "INTERRUPTED"),
    ("KERCALL", 2, "MSG_SEND_PULSE_INTERRUPTED", 276, 38, "Send a pulse; never blocks.", 1, "", 37, "MSG_SEND_PULSE", "INTERRUPTED"),
    ("KERCALL", 2, "CHANNEL_DESTROY_INTERRUPTED", 292, 38, "Delete a channel.", 1, "", 37, "CHANNEL_DESTROY", "INTERRUPTED"),
    ("KERCALL", 2, "THREAD_CREATE_INTERRUPTED", 302, 38, "Create a thread.", 1, "", 37, "THREAD_CREATE", "INTERRUPTED"),
    ("KERCALL", 2, "THREAD_DESTROY_INTERRUPTED", 303, 38, "End a thread.", 1, "", 37, "THREAD_DESTROY", "INTERRUPTED"),
    ("KERCALL", 2, "THREAD_JOIN_INTERRUPTED", 306, 38, "Wait for the end of a thread.", 1, "", 37, "THREAD_JOIN", "INTERRUPTED"),
    ("KERCALL", 2, "CLOCK_TIME_INTERRUPTED", 321, 38, "Read the kernel's time.", 1, "", 37, "CLOCK_TIME", "INTERRUPTED"),
    ("KERCALL", 2, "TIMER_CREATE_INTERRUPTED", 326, 38, "Create a timer.", 1, "", 37, "TIMER_CREATE", "INTERRUPTED"),
    ("KERCALL", 2, "TIMER_DESTROY_INTERRUPTED", 327, 38, "Delete a timer.", 1, "", 37, "TIMER_DESTROY", "INTERRUPTED"),
    ("KERCALL", 2, "TIMER_SETTIME_INTERRUPTED", 328, 38, "Arm or stop a timer.", 1, "", 37, "TIMER_SETTIME", "INTERRUPTED"),
    ("KERCALL", 2, "SYNC_DESTROY_INTERRUPTED", 335, 38, "Delete a mutex, condition variable, semaphore or event flags.", 1, "", 37, "SYNC_DESTROY", "INTERRUPTED"),
    ("KERCALL", 2, "SYNC_MUTEX_LOCK_INTERRUPTED", 336, 38, "Lock a mutex.", 1, "", 37, "SYNC_MUTEX_LOCK", "INTERRUPTED"),
    ("KERCALL", 2, "SYNC_MUTEX_UNLOCK_INTERRUPTED", 337, 38, "Unlock a mutex.", 1, "", 37, "SYNC_MUTEX_UNLOCK", "INTERRUPTED"),
    ("KERCALL", 2, "SYNC_CONDVAR_WAIT_INTERRUPTED", 338, 38, "Wait for a condition.", 1, "", 37, "SYNC_CONDVAR_WAIT", "INTERRUPTED"),
    ("KERCALL", 2, "SYNC_CONDVAR_SIGNAL_INTERRUPTED", 339, 38, "Wake one waiter or all.", 1, "", 37, "SYNC_CONDVAR_SIGNAL", "INTERRUPTED"),
    ("KERCALL", 2, "SYNC_SEM_POST_INTERRUPTED", 340, 38, "Signal a semaphore.", 1, "", 37, "SYNC_SEM_POST", "INTERRUPTED"),
    ("KERCALL", 2, "SYNC_SEM_WAIT_INTERRUPTED", 341, 38, "Wait for a semaphore.", 1, "", 37, "SYNC_SEM_WAIT", "INTERRUPTED"),
    ("KERCALL", 2, "SCHED_SET_INTERRUPTED", 345, 38, "Change a priority.", 1, "", 37, "SCHED_SET", "INTERRUPTED"),
    ("KERCALL", 2, "SCHED_YIELD_INTERRUPTED", 346, 38, "Let the next thread of this priority run.", 1, "", 37, "SCHED_YIELD", "INTERRUPTED"),
    ("KERCALL", 2, "THREAD_SLEEP_INTERRUPTED", 358, 38, "Sleep for a number of kernel ticks.", 1, "", 37, "THREAD_SLEEP", "INTERRUPTED"),
    ("KERCALL", 2, "THREAD_WAIT_PERIOD_INTERRUPTED", 359, 38, "A periodic thread waits for its next activation.", 1, "", 37, "THREAD_WAIT_PERIOD", "INTERRUPTED"),
    ("KERCALL", 2, "FLAGS_SET_INTERRUPTED", 360, 38, "Set event flags.", 1, "", 37, "FLAGS_SET", "INTERRUPTED"),
    ("KERCALL", 2, "FLAGS_CLEAR_INTERRUPTED", 361, 38, "Clear event flags.", 1, "", 37, "FLAGS_CLEAR", "INTERRUPTED"),
    ("KERCALL", 2, "FLAGS_WAIT_INTERRUPTED", 362, 38, "Wait for event flags.", 1, "", 37, "FLAGS_WAIT", "INTERRUPTED"),
    ("KERCALL", 2, "THREAD_SUSPEND_INTERRUPTED", 363, 38, "Suspend a thread.", 1, "", 37, "THREAD_SUSPEND", "INTERRUPTED"),
    ("KERCALL", 2, "THREAD_RESUME_INTERRUPTED", 364, 38, "Resume a suspended thread.", 1, "", 37, "THREAD_RESUME", "INTERRUPTED"),
    ("KERCALL", 2, "SYNC_MUTEX_TRYLOCK_INTERRUPTED", 365, 38, "Lock a mutex if it is free.", 1, "", 37, "SYNC_MUTEX_TRYLOCK", "INTERRUPTED"),
    ("KERCALL", 2, "SYNC_SEM_TRYWAIT_INTERRUPTED", 366, 38, "Take a semaphore if it is free.", 1, "", 37, "SYNC_SEM_TRYWAIT", "INTERRUPTED"),
    ("KERCALL", 2, "THREAD_SET_PERIOD_INTERRUPTED", 367, 38, "Make a thread periodic, or no longer periodic.", 1, "", 37, "THREAD_SET_PERIOD", "INTERRUPTED"),
    ("KERCALL", 2, "THREAD_BIND_INTERRUPTED", 368, 38, "Let a thread run on one CPU only, or on any.", 1, "", 37, "THREAD_BIND", "INTERRUPTED"),
    ("KERCALL", 2, "QUEUE_PUT_INTERRUPTED", 369, 38, "Put an item into a queue, stack, pipe or mailbox.", 1, "", 37, "QUEUE_PUT", "INTERRUPTED"),
    ("KERCALL", 2, "QUEUE_GET_INTERRUPTED", 370, 38, "Take an item from a queue, stack, pipe or mailbox.", 1, "", 37, "QUEUE_GET", "INTERRUPTED"),
    ("KERCALL", 2, "MEMORY_ALLOC_INTERRUPTED", 371, 38, "Take memory from a pool or heap.", 1, "", 37, "MEMORY_ALLOC", "INTERRUPTED"),
    ("KERCALL", 2, "MEMORY_FREE_INTERRUPTED", 372, 38, "Return memory to a pool or heap.", 1, "", 37, "MEMORY_FREE", "INTERRUPTED"),
    ("KERCALL", 2, "WORK_INTERRUPTED", 373, 38, "Pass a work item to the thread of a work queue (action 0), cancel it (1), or wait for its end (2).", 1, "", 37, "WORK", "INTERRUPTED"),
    ("KERCALL", 2, "POLL_INTERRUPTED", 374, 38, "Wait for one of several objects.", 1, "", 37, "POLL", "INTERRUPTED"),
    ("KERCALL", 2, "POWER_INTERRUPTED", 375, 38, "Make a device ready for use (1), or let it sleep (0).", 1, "", 37, "POWER", "INTERRUPTED"),
    ("KERCALL", 2, "SYSTEM_CALL_INTERRUPTED", 376, 38, "A system call without a number of its own in this list.", 1, "", 37, "SYSTEM_CALL", "INTERRUPTED"),
    ("INT", 3, "ENTRY", 1, 39, "An interrupt begins.", 1, "", 40, "ENTRY", ""),
    ("INT", 3, "EXIT", 2, 41, "An interrupt ends.", 1, "", 40, "EXIT", ""),
    ("INT", 3, "HANDLER_ENTRY", 3, 42, "A handler attached to an interrupt begins.", 1, "", 1, "HANDLER_ENTRY", ""),
    ("INT", 3, "HANDLER_EXIT", 4, 43, "A handler attached to an interrupt ends.", 1, "", 1, "HANDLER_EXIT", ""),
    ("INT", 3, "REQUEST", 5, 44, "An interrupt is requested and begins later. Without this event, the request is at ENTRY.", 3, "", 1, "REQUEST", ""),
    ("THREAD", 4, "DEAD", 0, 45, "The thread has ended.", 1, "", 46, "DEAD", ""),
    ("THREAD", 4, "RUNNING", 1, 45, "The thread runs.", 1, "", 46, "RUNNING", ""),
    ("THREAD", 4, "READY", 2, 45, "The thread is ready to run.", 1, "", 46, "READY", ""),
    ("THREAD", 4, "STOPPED", 3, 45, "Suspended.", 1, "", 46, "STOPPED", ""),
    ("THREAD", 4, "SEND", 4, 45, "Waits until its message is received.", 1, "", 46, "SEND", ""),
    ("THREAD", 4, "RECEIVE", 5, 45, "Waits for a message.", 1, "", 46, "RECEIVE", ""),
    ("THREAD", 4, "REPLY", 6, 45, "Waits for a reply.", 1, "", 46, "REPLY", ""),
    ("THREAD", 4, "STACK", 7, 45, "Waits for stack memory.", 1, "", 46, "STACK", ""),
    ("THREAD", 4, "WAITTHREAD", 8, 45, "Waits for a thread to be created.", 1, "", 46, "WAITTHREAD", ""),
    ("THREAD", 4, "WAITPAGE", 9, 45, "Waits for memory.", 1, "", 46, "WAITPAGE", ""),
    ("THREAD", 4, "SIGSUSPEND", 10, 45, "Waits for a signal.", 1, "", 46, "SIGSUSPEND", ""),
    ("THREAD", 4, "SIGWAITINFO", 11, 45, "Waits for event flags or a signal.", 1, "", 46, "SIGWAITINFO", ""),
    ("THREAD", 4, "NANOSLEEP", 12, 45, "Sleeps, or waits for its next period.", 1, "", 46, "NANOSLEEP", ""),
    ("THREAD", 4, "MUTEX", 13, 45, "Waits for a mutex.", 1, "", 46, "MUTEX", ""),
    ("THREAD", 4, "CONDVAR", 14, 45, "Waits for a condition.", 1, "", 46, "CONDVAR", ""),
    ("THREAD", 4, "JOIN", 15, 45, "Waits for the end of a thread.", 1, "", 46, "JOIN", ""),
    ("THREAD", 4, "INTR", 16, 45, "Waits for an interrupt.", 1, "", 46, "INTR", ""),
    ("THREAD", 4, "SEM", 17, 45, "Waits for a semaphore.", 1, "", 46, "SEM", ""),
    ("THREAD", 4, "WAITCTX", 18, 45, "Waits for a context.", 1, "", 46, "WAITCTX", ""),
    ("THREAD", 4, "NET_SEND", 19, 45, "Waits for the network to take a message.", 1, "", 46, "NET_SEND", ""),
    ("THREAD", 4, "NET_REPLY", 20, 45, "Waits for a reply from the network.", 1, "", 46, "NET_REPLY", ""),
    ("THREAD", 4, "CREATE", 24, 45, "The thread exists now.", 1, "", 47, "CREATE", ""),
    ("THREAD", 4, "DESTROY", 25, 45, "The thread is destroyed; its number may be used again.", 1, "", 1, "DESTROY", ""),
    ("THREAD", 4, "PROCESS_DESTROY", 128, 48, "A process is destroyed, with all threads of its domain; its number may be used again.", 3, "", 1, "PROCESS_DESTROY", ""),
    ("THREAD", 4, "PROCESS_CREATE", 192, 48, "A process, which is a domain, exists now; the text is its name.", 3, "string", 1, "PROCESS_CREATE", ""),
    ("THREAD", 4, "NAME", 320, 45, "The name of a thread.", 1, "string", 1, "NAME", ""),
    ("SYSTEM", 5, "MAPNAME", 8, 49, "The name of an object in memory.", 1, "string", 1, "MAPNAME", ""),
    ("SYSTEM", 5, "ADDRESS", 9, 50, "An address of interest.", 1, "", 1, "ADDRESS", ""),
    ("SYSTEM", 5, "FUNC_ENTER", 10, 51, "A function begins.", 1, "", 1, "FUNC_ENTER", ""),
    ("SYSTEM", 5, "FUNC_EXIT", 11, 51, "A function ends.", 1, "", 1, "FUNC_EXIT", ""),
    ("SYSTEM", 5, "SLOG", 12, 52, "A message of the system's log.", 1, "string", 1, "SLOG", ""),
    ("SYSTEM", 5, "SUSPEND", 13, 53, "The system begins to save power.", 1, "", 1, "SUSPEND", ""),
    ("SYSTEM", 5, "RESUME", 14, 54, "The system leaves power saving.", 1, "", 1, "RESUME", ""),
    ("SYSTEM", 5, "NAMED", 15, 55, "An event with a name, which the application sets.", 1, "string", 1, "NAMED", ""),
    ("SYSTEM", 5, "LOG", 16, 56, "A formatted message of tt_logf(): the host reads the format from the ELF file. docs/log.md describes the payload.", 3, "values", 1, "LOG", ""),
    ("SYSTEM", 5, "STACK_SIZE", 17, 57, "Size of the stack of a thread.", 3, "", 1, "STACK_SIZE", ""),
    ("SYSTEM", 5, "STACK_UNUSED", 18, 58, "Part of its stack that a thread has never used so far.", 3, "", 1, "STACK_UNUSED", ""),
    ("USER", 6, "USER_0", 0, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_1", 1, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_2", 2, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_3", 3, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_4", 4, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_5", 5, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_6", 6, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_7", 7, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_8", 8, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_9", 9, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_10", 10, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_11", 11, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_12", 12, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_13", 13, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_14", 14, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_15", 15, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_16", 16, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_17", 17, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_18", 18, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_19", 19, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_20", 20, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_21", 21, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_22", 22, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_23", 23, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_24", 24, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_25", 25, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_26", 26, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_27", 27, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_28", 28, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_29", 29, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_30", 30, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("USER", 6, "USER_31", 31, 55, "An event of the application.", 1, "", 1, "USER", ""),
    ("COMM", 7, "SMSG", 0, 59, "A message was sent.", 1, "", 1, "SMSG", ""),
    ("COMM", 7, "SPULSE", 1, 60, "A pulse was sent.", 1, "", 1, "SPULSE", ""),
    ("COMM", 7, "RMSG", 2, 59, "A message was received.", 1, "", 1, "RMSG", ""),
    ("COMM", 7, "RPULSE", 3, 60, "A pulse was received.", 1, "", 1, "RPULSE", ""),
    ("COMM", 7, "REPLY", 10, 61, "A reply was sent.", 1, "", 1, "REPLY", ""),
    ("COMM", 7, "ERROR", 11, 61, "An error was sent instead of a reply.", 1, "", 1, "ERROR", ""),
    ("SYNC", 8, "MUTEX_LOCK_GRANTED", 0, 62, "A thread owns the mutex now.", 1, "", 1, "MUTEX_LOCK_GRANTED", ""),
    ("SYNC", 8, "MUTEX_LOCK_DENIED", 1, 63, "The running thread must wait for the mutex.", 1, "", 1, "MUTEX_LOCK_DENIED", ""),
    ("SYNC", 8, "MUTEX_TRY_REFUSED", 2, 63, "An attempt to lock the mutex failed: it has an owner.", 1, "", 1, "MUTEX_TRY_REFUSED", ""),
    ("SYNC", 8, "MUTEX_UNLOCK", 3, 64, "The mutex was unlocked.", 1, "", 1, "MUTEX_UNLOCK", ""),
    ("SYNC", 8, "MUTEX_INHERIT", 4, 65, "The owner of a mutex inherits a priority.", 1, "", 1, "MUTEX_INHERIT", ""),
    ("SYNC", 8, "MUTEX_RESTORE", 5, 66, "An inherited priority is restored.", 1, "", 1, "MUTEX_RESTORE", ""),
    ("SYNC", 8, "COND_WAIT", 6, 67, "The running thread waits for the condition.", 1, "", 1, "COND_WAIT", ""),
    ("SYNC", 8, "COND_SIGNAL", 7, 68, "One waiter is woken.", 1, "", 1, "COND_SIGNAL", ""),
    ("SYNC", 8, "COND_BROADCAST", 8, 69, "All waiters are woken.", 1, "", 1, "COND_BROADCAST", ""),
    ("SYNC", 8, "SEM_WAIT_GRANTED", 9, 70, "The semaphore was taken.", 1, "", 1, "SEM_WAIT_GRANTED", ""),
    ("SYNC", 8, "SEM_WAIT_BLOCKED", 10, 71, "The running thread waits for the semaphore.", 1, "", 1, "SEM_WAIT_BLOCKED", ""),
    ("SYNC", 8, "SEM_TRY_REFUSED", 11, 72, "An attempt to take the semaphore failed: its count is 0.", 1, "", 1, "SEM_TRY_REFUSED", ""),
    ("SYNC", 8, "SEM_SIGNAL", 12, 73, "The semaphore was signalled.", 1, "", 1, "SEM_SIGNAL", ""),
    ("SYNC", 8, "FLAGS_SET", 13, 74, "Event flags were set.", 1, "", 1, "FLAGS_SET", ""),
    ("SYNC", 8, "FLAGS_CLEAR", 14, 75, "Event flags were cleared.", 1, "", 1, "FLAGS_CLEAR", ""),
    ("SYNC", 8, "FLAGS_WAIT", 15, 76, "The running thread waits for event flags.", 1, "", 1, "FLAGS_WAIT", ""),
    ("SYNC", 8, "WAIT_TIMEOUT", 16, 77, "A wait ended by its timeout.", 1, "", 1, "WAIT_TIMEOUT", ""),
    ("SYNC", 8, "WAIT_DELETED", 17, 78, "A wait ended because its object was deleted.", 1, "", 1, "WAIT_DELETED", ""),
    ("SCHED", 9, "CONTEXT_SWITCH", 0, 79, "The CPU switches from one thread to another; thread 0 is idle.", 1, "", 1, "CONTEXT_SWITCH", ""),
    ("SCHED", 9, "OVERHEAD_BEGIN", 1, 80, "Kernel overhead begins.", 1, "", 1, "OVERHEAD_BEGIN", ""),
    ("SCHED", 9, "OVERHEAD_END", 2, 81, "Kernel overhead ends.", 1, "", 1, "OVERHEAD_END", ""),
    ("SCHED", 9, "TICK", 4, 82, "A tick of the kernel.", 1, "", 1, "TICK", ""),
    ("SCHED", 9, "PRIORITY", 5, 83, "Priority of a thread from now on.", 1, "", 1, "PRIORITY", ""),
    ("SCHED", 9, "ACTIVATION", 6, 84, "A periodic thread is activated.", 1, "", 1, "ACTIVATION", ""),
    ("SCHED", 9, "COMPLETION", 7, 85, "A periodic thread has completed the work of one activation.", 1, "", 1, "COMPLETION", ""),
    ("SCHED", 9, "DEADLINE_MISS", 8, 86, "A periodic thread had not completed when it was activated again.", 1, "", 1, "DEADLINE_MISS", ""),
    ("SCHED", 9, "TIMER", 10, 87, "A software timer has expired; its handler runs now.", 1, "", 1, "TIMER", ""),
    ("SCHED", 9, "IN", 11, 88, "The scheduler begins. Form of xmtrace: a word and a call site.", 1, "", 1, "IN", ""),
    ("SCHED", 9, "OUT", 12, 88, "The scheduler ends. Form of xmtrace.", 1, "", 1, "OUT", ""),
    ("SCHED", 9, "SWITCH_TO", 13, 88, "The scheduler switches. Form of xmtrace.", 1, "", 1, "SWITCH_TO", ""),
    ("SCHED", 9, "CPUS", 14, 89, "CPUs on which a thread may run from now on. Before the first event of this type, all.", 1, "", 1, "CPUS", ""),
    ("SCHED", 9, "STIMULUS", 15, 90, "A stimulus of the application: the cause of the next activation, set or write.", 1, "", 1, "STIMULUS", ""),
    ("SCHED", 9, "REFUSAL", 16, 91, "An activation is refused, because the thread has as many activations as it may have.", 3, "", 1, "REFUSAL", ""),
    ("IRQSTATE", 10, "HARD_CLI", 0, 92, "Interrupts are masked.", 1, "", 1, "HARD_CLI", ""),
    ("IRQSTATE", 10, "HARD_STI", 1, 92, "Interrupts are unmasked.", 1, "", 1, "HARD_STI", ""),
    ("IRQSTATE", 10, "HARD_SAVE_FLAGS", 2, 92, "The mask state is read.", 1, "", 1, "HARD_SAVE_FLAGS", ""),
    ("IRQSTATE", 10, "HARD_RESTORE_FLAGS", 3, 92, "The mask state is restored.", 1, "", 1, "HARD_RESTORE_FLAGS", ""),
    ("IRQSTATE", 10, "HARD_SAVEF_AND_CLI", 4, 92, "The mask state is read and interrupts are masked.", 1, "", 1, "HARD_SAVEF_AND_CLI", ""),
    ("IRQSTATE", 10, "INTERCEPT", 5, 92, "An interrupt is intercepted.", 1, "", 1, "INTERCEPT", ""),
    ("IRQSTATE", 10, "INTERCEPT_EXIT", 6, 92, "End of an interception.", 1, "", 1, "INTERCEPT_EXIT", ""),
    ("IRQSTATE", 10, "LOCAL_INTERCEPT", 7, 92, "A local interrupt is intercepted.", 1, "", 1, "LOCAL_INTERCEPT", ""),
    ("IRQSTATE", 10, "LOCAL_INTERCEPT_EXIT", 8, 92, "End of a local interception.", 1, "", 1, "LOCAL_INTERCEPT_EXIT", ""),
    ("IRQSTATE", 10, "SPIN_LOCK", 9, 92, "A spin lock is taken.", 1, "", 1, "SPIN_LOCK", ""),
    ("IRQSTATE", 10, "SPIN_UNLOCK", 10, 92, "A spin lock is released.", 1, "", 1, "SPIN_UNLOCK", ""),
    ("IRQSTATE", 10, "SPIN_WAIT", 11, 92, "A process begins to poll for a spin lock that is taken, or for another condition (value 0). SPIN_LOCK or SPIN_END ends the polling.", 3, "", 1, "SPIN_WAIT", ""),
    ("IRQSTATE", 10, "SPIN_END", 12, 93, "A process stops polling without taking a spin lock: it gives up, or the other condition is true.", 3, "", 1, "SPIN_END", ""),
    ("DOMAIN", 11, "USER", 0, 92, "An event of a domain.", 1, "", 1, "USER", ""),
    ("DOMAIN", 11, "SYSCALL_ENTER", 1, 92, "A domain enters the kernel.", 1, "", 1, "SYSCALL_ENTER", ""),
    ("DOMAIN", 11, "SYSCALL_EXIT", 2, 92, "The kernel returns to a domain.", 1, "", 1, "SYSCALL_EXIT", ""),
    ("DOMAIN", 11, "FAULT", 3, 94, "A domain made an access without permission and is stopped.", 1, "", 1, "FAULT", ""),
    ("SIGNAL", 12, "READ", 0, 95, "A signal is read.", 1, "", 1, "READ", ""),
    ("SIGNAL", 12, "WRITE", 1, 95, "A signal is written.", 1, "", 1, "WRITE", ""),
    ("RUNNABLE", 13, "BEGIN", 0, 96, "A runnable begins.", 1, "", 1, "BEGIN", ""),
    ("RUNNABLE", 13, "END", 1, 96, "A runnable ends.", 1, "", 1, "END", ""),
    ("RUNNABLE", 13, "SUSPEND", 2, 96, "A runnable is interrupted.", 1, "", 1, "SUSPEND", ""),
    ("RUNNABLE", 13, "RESUME", 3, 96, "A runnable resumes.", 1, "", 1, "RESUME", ""),
    ("TRACER", 14, "START", 0, 97, "Tracing begins.", 1, "", 98, "START", ""),
    ("TRACER", 14, "STOP", 1, 99, "Tracing ends.", 1, "", 1, "STOP", ""),
    ("TRACER", 14, "FILTER", 2, 100, "A filter changed.", 1, "", 101, "FILTER", ""),
    ("TRACER", 14, "OVERFLOW", 3, 102, "Records begin to be lost.", 1, "", 1, "OVERFLOW", ""),
    ("TRACER", 14, "RESUME", 4, 103, "Recording resumes.", 1, "", 1, "RESUME", ""),
    ("TRACER", 14, "FLUSH_START", 5, 97, "A flush begins.", 1, "", 1, "FLUSH_START", ""),
    ("TRACER", 14, "FLUSH_STOP", 6, 97, "A flush ends.", 1, "", 1, "FLUSH_STOP", ""),
    ("TRACER", 14, "ERROR", 7, 104, "An error in the tracer.", 1, "", 1, "ERROR", ""),
    ("TRACER", 14, "HANDLER", 8, 105, "An event handler ran.", 1, "", 1, "HANDLER", ""),
    ("TRACER", 14, "COMMAND", 10, 106, "A command from the host was executed.", 1, "", 1, "COMMAND", ""),
    ("TRACER", 14, "FINALIZE", 11, 107, "A stream with policy FINALIZE has finished a trace. This is the last record of its buffer.", 1, "", 1, "FINALIZE", ""),
    ("TRACER", 14, "MOVED", 12, 108, "A combine event is recorded again from its beginning, because its thread has moved to this CPU. Its records on the other CPU do not count as a lost event.", 2, "", 1, "MOVED", ""),
    ("TRACER", 14, "COST", 13, 109, "Cost of recording, measured by tt_measure_cost() on the running target. The clock counts whole ticks: the true time differs by less than one tick.", 3, "", 110, "COST", ""),
    ("TRC", 15, "RESERVED", 0, 111, "Reserved by the S.Ha.R.K. tracer.", 1, "", 1, "RESERVED", ""),
    ("TRC", 15, "HOOPS", 1, 112, "A queue lost events.", 1, "", 1, "HOOPS", ""),
    ("TRC", 15, "CREATE", 2, 113, "A task is created.", 1, "", 1, "CREATE", ""),
    ("TRC", 15, "ACTIVATE", 3, 113, "A task is activated.", 1, "", 1, "ACTIVATE", ""),
    ("TRC", 15, "SCHEDULE", 4, 113, "A task runs from now on.", 1, "", 1, "SCHEDULE", ""),
    ("TRC", 15, "DELAY", 5, 113, "A task waits for a time.", 1, "", 1, "DELAY", ""),
    ("TRC", 15, "SLEEP", 6, 113, "A task waits for its activation.", 1, "", 1, "SLEEP", ""),
    ("TRC", 15, "ENDCYCLE", 7, 113, "A periodic task has completed its work.", 1, "", 1, "ENDCYCLE", ""),
    ("TRC", 15, "DESTROY", 8, 113, "A task ends.", 1, "", 1, "DESTROY", ""),
    ("TRC", 15, "INTACTIVATION", 9, 114, "An interrupt activates a task.", 1, "", 1, "INTACTIVATION", ""),
    ("TRC", 15, "DISABLE", 10, 113, "A task is disabled: it is no longer activated.", 1, "", 1, "DISABLE", ""),
    ("TRC", 15, "USER_0", 11, 115, "An event of the application.", 1, "", 1, "USER", ""),
    ("TRC", 15, "USER_1", 12, 115, "An event of the application.", 1, "", 1, "USER", ""),
    ("TRC", 15, "USER_2", 13, 115, "An event of the application.", 1, "", 1, "USER", ""),
    ("TRC", 15, "USER_3", 14, 115, "An event of the application.", 1, "", 1, "USER", ""),
    ("TRC", 15, "USER_4", 15, 115, "An event of the application.", 1, "", 1, "USER", ""),
    ("TRC", 15, "USER_5", 16, 115, "An event of the application.", 1, "", 1, "USER", ""),
    ("TRC", 15, "USER_6", 17, 115, "An event of the application.", 1, "", 1, "USER", ""),
    ("TRC", 15, "USER_7", 18, 115, "An event of the application.", 1, "", 1, "USER", ""),
    ("TRC", 15, "INTR", 19, 116, "An interrupt is requested.", 1, "", 1, "INTR", ""),
    ("TRC", 15, "SEM_WAIT", 20, 117, "A task waits on a semaphore.", 1, "", 1, "SEM_WAIT", ""),
    ("TRC", 15, "SEM_WAITNB", 21, 117, "A task tries a semaphore.", 1, "", 1, "SEM_WAITNB", ""),
    ("TRC", 15, "SEM_SIGNAL", 22, 117, "A task signals a semaphore.", 1, "", 1, "SEM_SIGNAL", ""),
)
# fmt: on

_LISTS: Final = tuple(tuple(Field(*one) for one in fields) for fields in _FIELDS)

EVENTS: Final[Mapping[tuple[int, int], EventType]] = MappingProxyType(
    {
        (row[1], row[3]): EventType(*row[:4], _LISTS[row[4]], *row[5:8], _LISTS[row[8]], *row[9:])
        for row in _ROWS
    }
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
