# Generated from protocol/native.yaml by make gen; do not edit.
"""The interface of the compiled part, for ctypes."""

from __future__ import annotations

from ctypes import (
    CFUNCTYPE,
    POINTER,
    Structure,
    c_char,
    c_char_p,
    c_int,
    c_int32,
    c_int64,
    c_uint8,
    c_uint32,
    c_uint64,
    c_void_p,
)
from enum import IntEnum, IntFlag
from typing import Any, Final

import numpy as np

CHECKSUM: Final = 0x5DAF3E7556F60EA4
NO_PAYLOAD: Final = -1
UNKNOWN_THREAD: Final = -1
BLIND_THREAD: Final = -2
MANY_CPUS: Final = -3
TEXT_FIELDS: Final = 2
TEXT_LABEL_BYTES: Final = 61
TEXT_HEAD_BYTES: Final = 118
TEXT_NAME_BYTES: Final = 119
TIMELINE_CPUS: Final = 64
TIMELINE_SLOTS: Final = 4
TIMELINE_STEPS: Final = 2
PACKET_MOST_BYTES: Final = 64
LIVES_CPUS: Final = 64
NO_TICKS: Final = -4611686018427387904


class BtfTable(IntEnum):
    """Tables of words for lines of the Best Trace Format."""

    PROCESS = 0
    """event of a process; index: action"""
    RUNNABLE = 1
    """event of a runnable; index: action"""
    LOCK = 2
    """event of a semaphore; index: state before << 8 | state after"""
    ACTION = 3
    """name of an action in a comment; index: action"""
    TYPE = 4
    """type of an entity; index: kind"""


class PieceState(IntEnum):
    """State of a chunk."""

    NEW = 0
    """not checked yet"""
    SOUND = 1
    """the CRC of its body is right"""
    CRC = 2
    """its CRC is wrong"""
    SIZE = 3
    """its size does not fit its counts"""
    COUNTS = 4
    """its buffers do not match its number of records"""
    REFUSED = 5
    """its contents are not valid"""


class Machine(IntEnum):
    """State machines."""

    PROCESS = 0
    RUNNABLE = 1


class SystemStatus(IntEnum):
    """Result of a call of the model."""

    DONE = 0
    FULL = 1
    """no room for the next event: provide more, and call again"""
    STOPPED = 2
    """a callback returned -1"""
    NO_MEMORY = 3


class NameSaid(IntFlag):
    """Result of the callback `name`, as bits."""

    SAID = 1
    """the event contains a name; if clear, no other bit is set"""
    FIRST = 2
    """the thread had no name before, or only its address"""
    THE_SAME = 4
    """the thread had this name before"""
    ANOTHER = 8
    """earlier threads of its task had no name either, and do not get this one"""


class TextStatus(IntEnum):
    """Reason why tt_text_write() returned."""

    DONE = 0
    """all rows are written"""
    FULL = 1
    """no room for the next line"""
    NO_TYPE = 2
    """call tt_text_set_type() for code `missing`, then write again"""
    NO_NAME = 3
    """call tt_text_set_name() for key `missing`, then write again"""
    BY_PYTHON = 4
    """Python must write row `row`; continue after it"""
    NO_MEMORY = 5


class Word(IntEnum):
    """Format of a word. From TASK on, it is the name of the object with this number."""

    DECIMAL = 0
    SIGNED = 1
    HEX = 2
    TASK = 3
    """the running thread, padded to the width of its column"""
    THREAD = 4
    IRQ = 5
    OBJECT = 6
    ADDRESS = 7


class TimelineStatus(IntEnum):
    """Result of tt_timeline_slices()."""

    DONE = 0
    TOO_LATE = 1
    """a time in nanoseconds does not fit into 63 bits"""
    NO_ENTITY = 2
    """a transition of an unknown entity, state or CPU"""
    NO_MEMORY = 3


class LivesStatus(IntEnum):
    """Result of the calls that process transitions, instances or intervals."""

    DONE = 0
    NO_ENTITY = 1
    """a transition of an unknown entity, state or action"""
    NO_MEMORY = 2


class Figure(IntEnum):
    """Figures with one sample per entity; see answers/gathering.py."""

    RESPONSE = 0
    EXECUTION = 1
    LATENCY = 2
    PERIOD = 3
    HOLD = 4
    WAIT = 5
    LIFE = 6


class Phase(IntEnum):
    """Phase of an event on a track."""

    END = 0
    BEGIN = 1
    MOMENT = 2


class CauseNumber(IntEnum):
    """Causes of a tick of a task; see Cause in answers/attribution.py."""

    RAN = 0
    PREEMPTED = 1
    READY = 2
    INTERRUPTED = 3
    BLOCKED = 4
    WAITED = 5
    """for an entity, or by the number of a THREAD event"""
    SUSPENDED = 6
    ENDED = 7
    EARLIER = 8
    KERNEL = 9
    TRACER = 10
    DEADLOCK = 11
    UNKNOWN = 12
    INACTIVE = 13
    """waits for its next activation"""
    CREATED = 14
    """waits for its start"""
    AND = 15
    """no step: another process that belongs to the step before it"""


class SituationKind(IntEnum):
    """Kinds of situations; see answers/situations.py."""

    INVERSION = 0
    """a task waited for a mutex"""
    DEADLOCK = 1
    """tasks wait for mutexes of each other"""
    ABANDONED = 2
    """a mutex stays locked by a thread that ended"""
    READY = 3
    """a task was ready without a CPU for longer than the limit"""
    BUSY = 4
    """a CPU was not idle for longer than the limit"""
    MISSED_WAKEUP = 5
    """a task waited for a condition after its wake-up"""
    DOUBT = 6
    """a situation may be hidden"""


class Doubt(IntEnum):
    """Reasons of a situation of kind DOUBT."""

    PRIORITIES = 0
    """the priority of a task is unknown"""
    STATES = 1
    """states of a task contradict each other"""


class NotedKind(IntEnum):
    """Events that situations depend on in addition to transitions."""

    PRIORITY = 0
    """first: thread number; second: its base priority"""
    COND_WAIT = 1
    """first: condition; second: mutex or 0"""
    COND_SIGNAL = 2
    """first: condition; second: woken thread or 0"""
    COND_BROADCAST = 3
    """first: condition; second: number of woken threads"""
    ENDED = 4
    """second: number of the thread that ended"""


class Columns(Structure):
    """Events as columns of equal length; see EventColumns in decode/events.py."""

    _fields_ = (
        ("header", c_void_p),
        ("time", c_void_p),
        ("data0", c_void_p),
        ("data1", c_void_p),
        ("ordinal", c_void_p),
        ("payload_offset", c_void_p),
        ("payload_bytes", c_void_p),
        ("payload", c_void_p),
    )


class Chunk(Structure):
    """Buffers of one ring, in order, and their records. Arrays have one item per buffer."""

    _fields_ = (
        ("records", c_void_p),
        ("start", c_void_p),
        ("first_ordinal", c_void_p),
        ("ticks", c_void_p),
        ("count", c_void_p),
        ("gap", c_void_p),
        ("ticks_before", c_void_p),
        ("has_ticks_before", c_void_p),
        ("buffer_count", c_uint64),
        ("swap", c_uint32),
        ("last", c_uint32),
    )


class Pieces(Structure):
    """RECORDS chunks of one ring; see tape/pieces_read.py."""

    _fields_ = (
        ("data", c_void_p),
        ("table", c_void_p),
        ("rows", c_void_p),
        ("state", c_void_p),
        ("buffers", c_void_p),
        ("start", c_void_p),
        ("data_bytes", c_uint64),
        ("row_count", c_uint64),
        ("buffer_room", c_uint64),
        ("found_faults", c_uint64),
    )


class Found(Structure):
    """Result of tt_assemble()."""

    _fields_ = (
        ("rows", c_uint64),
        ("payload_pairs", c_uint64),
        ("held_rows", c_uint64),
        ("held_ordinal", c_uint64),
        ("incomplete", c_uint64),
        ("orphans", c_uint64),
        ("mismatched", c_uint64),
        ("lost_records", c_uint64),
        ("time_faults", c_uint64),
        ("given_up", c_void_p),
    )


class Transition(Structure):
    """One transition; see Transitions in model/transitions.py."""

    _fields_ = (
        ("row", c_int64),
        ("time", c_uint64),
        ("value", c_int64),
        ("entity", c_int32),
        ("instance", c_uint32),
        ("source", c_int32),
        ("source_instance", c_uint32),
        ("object", c_int32),
        ("cpu", c_uint8),
        ("action", c_uint8),
        ("before", c_uint8),
        ("after", c_uint8),
    )


class SystemServices(Structure):
    """Callbacks in Python. -1 stops the call, which then returns TT_SYSTEM_STOPPED."""

    _fields_ = (
        ("entity", CFUNCTYPE(c_int64, c_uint32, c_uint32)),
        ("task", CFUNCTYPE(c_int64, c_uint32)),
        ("limit", CFUNCTYPE(c_int64, c_uint32)),
        ("forget", CFUNCTYPE(c_int64, c_uint32)),
        ("name", CFUNCTYPE(c_int64, c_uint64, c_uint32)),
        ("rename", CFUNCTYPE(c_int64, c_uint32, c_uint32)),
    )


class SystemJob(Structure):
    """Events of one stream in order of time, and room for their transitions."""

    _fields_ = (
        ("header", c_void_p),
        ("time", c_void_p),
        ("data0", c_void_p),
        ("data1", c_void_p),
        ("count", c_uint64),
        ("row", c_uint64),
        ("end_row", c_uint64),
        ("out", c_void_p),
        ("room", c_uint64),
        ("written", c_uint64),
    )


class BtfJob(Structure):
    """One call of the writer of the Best Trace Format."""

    _fields_ = (
        ("transitions", c_void_p),
        ("at", c_uint64),
        ("end", c_uint64),
        ("tick_hz", c_uint64),
        ("offset_ns", c_uint64),
        ("time_ns", c_uint64),
        ("count", c_uint64),
        ("without_source", c_uint64),
        ("text", c_void_p),
        ("bytes", c_uint64),
    )


class TextField(Structure):
    """Text format of one field."""

    _fields_ = (
        ("word", c_uint8),
        ("kind", c_uint8),
        ("label_bytes", c_uint8),
        ("label", c_char * TEXT_LABEL_BYTES),
    )


class TextType(Structure):
    """Text format of one event type."""

    _fields_ = (
        ("code", c_uint32),
        ("by_python", c_uint8),
        ("string", c_uint8),
        ("words", c_uint8),
        ("field_count", c_uint8),
        ("says_name", c_uint8),
        ("head_bytes", c_uint8),
        ("head", c_char * TEXT_HEAD_BYTES),
        ("fields", TextField * TEXT_FIELDS),
    )


class TextJob(Structure):
    """One call of tt_text_write()."""

    _fields_ = (
        ("columns", Columns),
        ("running", c_void_p),
        ("skip", c_void_p),
        ("out", c_void_p),
        ("room", c_uint64),
        ("row", c_uint64),
        ("end_row", c_uint64),
        ("written", c_uint64),
        ("missing", c_uint64),
        ("learned", c_uint64),
    )


class RunningJob(Structure):
    """Events of one stream in order of time, and the rows before which records are missing."""

    _fields_ = (
        ("header", c_void_p),
        ("data0", c_void_p),
        ("data1", c_void_p),
        ("losses", c_void_p),
        ("count", c_uint64),
        ("loss_count", c_uint64),
        ("switch_code", c_uint32),
        ("running", c_int64),
        ("out", c_void_p),
    )


class PacketJob(Structure):
    """Events on tracks, and room for their packets."""

    _fields_ = (
        ("count", c_uint64),
        ("time_ns", c_void_p),
        ("phase", c_void_p),
        ("track", c_void_p),
        ("word", c_void_p),
        ("flow", c_void_p),
        ("out", c_void_p),
        ("written", c_uint64),
    )


class TimelineJob(Structure):
    """Transitions, and room for events on tracks. Python stores the open slice of each track."""

    _fields_ = (
        ("transitions", c_void_p),
        ("count", c_uint64),
        ("row", c_uint64),
        ("tick_hz", c_uint64),
        ("entity_count", c_uint64),
        ("kind", c_void_p),
        ("name", c_void_p),
        ("message", c_void_p),
        ("state_words", c_void_p),
        ("open", c_void_p),
        ("core", c_void_p),
        ("since", c_void_p),
        ("entity_tracks", c_int64),
        ("core_tracks", c_int64),
        ("packets_end", c_void_p),
        ("packets_limit", c_void_p),
        ("time_ns", c_void_p),
        ("phase", c_void_p),
        ("track", c_void_p),
        ("word", c_void_p),
        ("flow", c_void_p),
        ("written", c_uint64),
        ("slices", c_uint64),
        ("flows", c_uint64),
        ("entities", c_void_p),
        ("cores", c_void_p),
        ("load_cpu", c_void_p),
        ("load_ns", c_void_p),
        ("load_step", c_void_p),
        ("load_count", c_uint64),
    )


class Instance(Structure):
    """One instance; see Instance in answers/instance.py. Times and limits may be TT_NO_TICKS."""

    _fields_ = (
        ("activation", c_int64),
        ("found", c_int64),
        ("start", c_int64),
        ("end", c_int64),
        ("ready_since", c_int64),
        ("found_ready", c_int64),
        ("running", c_int64),
        ("ready", c_int64),
        ("preempted", c_int64),
        ("interrupted", c_int64),
        ("suspended", c_int64),
        ("earliest", c_int64),
        ("latest", c_int64),
        ("response_low", c_int64),
        ("response_high", c_int64),
        ("execution_low", c_int64),
        ("execution_high", c_int64),
        ("first_blocking", c_uint64),
        ("blockings", c_uint32),
        ("entity", c_int32),
        ("number", c_uint32),
        ("cpu", c_int32),
        ("preemptions", c_uint32),
        ("interruptions", c_uint32),
        ("nesting", c_uint32),
        ("ended", c_uint32),
        ("takes", c_uint32),
        ("unused", c_uint32),
    )


class Blocking(Structure):
    """Waits of an instance for one object and owner; see Blocking in answers/instance.py."""

    _fields_ = (
        ("event", c_int64),
        ("ticks", c_int64),
        ("object", c_int32),
        ("owner", c_int32),
    )


class Interval(Structure):
    """A BLOCKED segment, or a READY one before RUNNING; see Segment in answers/instance.py."""

    _fields_ = (
        ("begin", c_int64),
        ("end", c_int64),
        ("since", c_int64),
        ("event", c_int64),
        ("entity", c_int32),
        ("number", c_uint32),
        ("object", c_int32),
        ("owner", c_int32),
        ("doing", c_uint32),
        ("following", c_uint32),
        ("is_job", c_uint32),
        ("unused", c_uint32),
    )


class LivesJob(Structure):
    """Transitions of one boot, and ended instances. Arrays are valid until the next call."""

    _fields_ = (
        ("transitions", c_void_p),
        ("count", c_uint64),
        ("base", c_uint64),
        ("kind", c_void_p),
        ("number", c_void_p),
        ("entity_count", c_uint64),
        ("last", c_void_p),
        ("instances", c_void_p),
        ("blockings", c_void_p),
        ("intervals", c_void_p),
        ("instance_count", c_uint64),
        ("blocking_count", c_uint64),
        ("interval_count", c_uint64),
        ("keeps", c_uint32),
    )


class Gathered(Structure):
    """Sums for one entity; see Gathered in answers/gathering.py."""

    _fields_ = (
        ("activations", c_uint64),
        ("uncertain", c_uint64),
        ("preemptions", c_uint64),
        ("interruptions", c_uint64),
        ("preemptions_partly", c_uint64),
        ("interruptions_partly", c_uint64),
        ("high", c_int64),
        ("latency_high", c_int64),
        ("doubted", c_int64),
        ("waited", c_int64),
        ("last_number", c_int64),
        ("last_time", c_int64),
        ("first_time", c_int64),
        ("period_hidden", c_int64),
        ("held_since", c_int64),
        ("use_first", c_int64),
        ("use_last", c_int64),
        ("hold_hidden", c_int64),
        ("nesting", c_uint32),
        ("ends", c_uint32),
    )


class Waited(Structure):
    """Sum of the waits of all instances of an entity for one object, event and owner."""

    _fields_ = (
        ("event", c_int64),
        ("ticks", c_int64),
        ("entity", c_int32),
        ("object", c_int32),
        ("owner", c_int32),
        ("unused", c_uint32),
    )


class Sample(Structure):
    """Values of one figure; see Sample in answers/sample.py."""

    _fields_ = (
        ("count", c_uint64),
        ("total_low", c_uint64),
        ("total_high", c_int64),
        ("minimum", c_int64),
        ("maximum", c_int64),
        ("worst", c_int64),
        ("values", c_void_p),
        ("counts", c_void_p),
        ("room", c_uint64),
    )


class GatheringJob(Structure):
    """Input of the statistics of one boot, the observed time, and the sums."""

    _fields_ = (
        ("transitions", c_void_p),
        ("count", c_uint64),
        ("instances", c_void_p),
        ("instance_count", c_uint64),
        ("intervals", c_void_p),
        ("interval_count", c_uint64),
        ("kind", c_void_p),
        ("entity_count", c_uint64),
        ("first", c_int64),
        ("last", c_int64),
        ("begin", c_int64),
        ("end", c_int64),
        ("unknown_since", c_int64),
        ("hole_begins", c_void_p),
        ("hole_ends", c_void_p),
        ("hole_count", c_uint64),
        ("gathered", c_void_p),
        ("actions", c_void_p),
    )


class Noted(Structure):
    """An event of a kind TT_NOTED_..."""

    _fields_ = (
        ("row", c_int64),
        ("time", c_int64),
        ("first", c_int64),
        ("second", c_int64),
        ("kind", c_uint32),
        ("cpu", c_uint32),
    )


class Situation(Structure):
    """A situation; see Situations in answers/situations.py. Times in ticks."""

    _fields_ = (
        ("begin", c_int64),
        ("end", c_int64),
        ("since", c_int64),
        ("rests_from", c_int64),
        ("value", c_int64),
        ("first_share", c_uint64),
        ("shares", c_uint32),
        ("kind", c_uint32),
        ("entity", c_int32),
        ("object", c_int32),
        ("by", c_int32),
        ("unused", c_uint32),
    )


class Share(Structure):
    """An entity that takes part in a situation, and its ticks."""

    _fields_ = (
        ("ticks", c_int64),
        ("entity", c_int32),
        ("unused", c_uint32),
    )


class Step(Structure):
    """One step of a path; see Step in answers/attribution.py."""

    _fields_ = (
        ("cause", c_int32),
        ("by", c_int32),
        ("on", c_int32),
        ("wait", c_int32),
    )


class Path(Structure):
    """A path, and the entities whose states it depends on."""

    _fields_ = (
        ("first_step", c_uint64),
        ("first_rest", c_uint64),
        ("steps", c_uint32),
        ("rests", c_uint32),
    )


class Stretch(Structure):
    """A range of time with one path; see Segment in answers/attribution.py."""

    _fields_ = (
        ("begin", c_int64),
        ("end", c_int64),
        ("path", c_uint64),
    )


class AttributionJob(Structure):
    """Transitions of one boot, and the paths of all windows, valid until the next call."""

    _fields_ = (
        ("transitions", c_void_p),
        ("count", c_uint64),
        ("kind", c_void_p),
        ("is_tracer", c_void_p),
        ("entity_count", c_uint64),
        ("end", c_int64),
        ("steps", c_void_p),
        ("paths", c_void_p),
        ("step_count", c_uint64),
        ("path_count", c_uint64),
    )


class SituationsJob(Structure):
    """Transitions and noted events of one boot, and situations, valid until the next call."""

    _fields_ = (
        ("transitions", c_void_p),
        ("count", c_uint64),
        ("noted", c_void_p),
        ("noted_count", c_uint64),
        ("kind", c_void_p),
        ("number", c_void_p),
        ("entity_count", c_uint64),
        ("last", c_int64),
        ("situations", c_void_p),
        ("shares", c_void_p),
        ("situation_count", c_uint64),
        ("share_count", c_uint64),
    )


class CpuTimesJob(Structure):
    """Transitions, and the sums of CpuTimes in model/cpu_time.py."""

    _fields_ = (
        ("transitions", c_void_p),
        ("count", c_uint64),
        ("kind", c_void_p),
        ("place", c_void_p),
        ("entity_count", c_uint64),
        ("rows", c_uint64),
        ("cores", c_uint64),
        ("first", c_int64),
        ("last", c_int64),
        ("begun", c_uint32),
        ("ticks", c_void_p),
        ("open", c_void_p),
        ("seen", c_void_p),
        ("mentioned", c_void_p),
    )


TRANSITION: Final = np.dtype(
    [
        ("row", np.int64),
        ("time", np.uint64),
        ("value", np.int64),
        ("entity", np.int32),
        ("instance", np.uint32),
        ("source", np.int32),
        ("source_instance", np.uint32),
        ("object", np.int32),
        ("cpu", np.uint8),
        ("action", np.uint8),
        ("before", np.uint8),
        ("after", np.uint8),
    ]
)

INSTANCE: Final = np.dtype(
    [
        ("activation", np.int64),
        ("found", np.int64),
        ("start", np.int64),
        ("end", np.int64),
        ("ready_since", np.int64),
        ("found_ready", np.int64),
        ("running", np.int64),
        ("ready", np.int64),
        ("preempted", np.int64),
        ("interrupted", np.int64),
        ("suspended", np.int64),
        ("earliest", np.int64),
        ("latest", np.int64),
        ("response_low", np.int64),
        ("response_high", np.int64),
        ("execution_low", np.int64),
        ("execution_high", np.int64),
        ("first_blocking", np.uint64),
        ("blockings", np.uint32),
        ("entity", np.int32),
        ("number", np.uint32),
        ("cpu", np.int32),
        ("preemptions", np.uint32),
        ("interruptions", np.uint32),
        ("nesting", np.uint32),
        ("ended", np.uint32),
        ("takes", np.uint32),
        ("unused", np.uint32),
    ]
)

BLOCKING: Final = np.dtype(
    [("event", np.int64), ("ticks", np.int64), ("object", np.int32), ("owner", np.int32)]
)

INTERVAL: Final = np.dtype(
    [
        ("begin", np.int64),
        ("end", np.int64),
        ("since", np.int64),
        ("event", np.int64),
        ("entity", np.int32),
        ("number", np.uint32),
        ("object", np.int32),
        ("owner", np.int32),
        ("doing", np.uint32),
        ("following", np.uint32),
        ("is_job", np.uint32),
        ("unused", np.uint32),
    ]
)

GATHERED: Final = np.dtype(
    [
        ("activations", np.uint64),
        ("uncertain", np.uint64),
        ("preemptions", np.uint64),
        ("interruptions", np.uint64),
        ("preemptions_partly", np.uint64),
        ("interruptions_partly", np.uint64),
        ("high", np.int64),
        ("latency_high", np.int64),
        ("doubted", np.int64),
        ("waited", np.int64),
        ("last_number", np.int64),
        ("last_time", np.int64),
        ("first_time", np.int64),
        ("period_hidden", np.int64),
        ("held_since", np.int64),
        ("use_first", np.int64),
        ("use_last", np.int64),
        ("hold_hidden", np.int64),
        ("nesting", np.uint32),
        ("ends", np.uint32),
    ]
)

WAITED: Final = np.dtype(
    [
        ("event", np.int64),
        ("ticks", np.int64),
        ("entity", np.int32),
        ("object", np.int32),
        ("owner", np.int32),
        ("unused", np.uint32),
    ]
)

NOTED: Final = np.dtype(
    [
        ("row", np.int64),
        ("time", np.int64),
        ("first", np.int64),
        ("second", np.int64),
        ("kind", np.uint32),
        ("cpu", np.uint32),
    ]
)

SITUATION: Final = np.dtype(
    [
        ("begin", np.int64),
        ("end", np.int64),
        ("since", np.int64),
        ("rests_from", np.int64),
        ("value", np.int64),
        ("first_share", np.uint64),
        ("shares", np.uint32),
        ("kind", np.uint32),
        ("entity", np.int32),
        ("object", np.int32),
        ("by", np.int32),
        ("unused", np.uint32),
    ]
)

SHARE: Final = np.dtype([("ticks", np.int64), ("entity", np.int32), ("unused", np.uint32)])

STEP: Final = np.dtype(
    [("cause", np.int32), ("by", np.int32), ("on", np.int32), ("wait", np.int32)]
)

PATH: Final = np.dtype(
    [
        ("first_step", np.uint64),
        ("first_rest", np.uint64),
        ("steps", np.uint32),
        ("rests", np.uint32),
    ]
)

STRETCH: Final = np.dtype([("begin", np.int64), ("end", np.int64), ("path", np.uint64)])

FUNCTIONS: Final[dict[str, tuple[Any, tuple[Any, ...]]]] = {
    "tt_native_checksum": (c_uint64, ()),
    "tt_assembler_new": (c_void_p, ()),
    "tt_assembler_free": (None, (c_void_p,)),
    "tt_assembler_kept_rows": (c_uint64, (c_void_p,)),
    "tt_assembler_kept_pairs": (c_uint64, (c_void_p,)),
    "tt_assemble": (c_int, (c_void_p, POINTER(Chunk), POINTER(Columns), POINTER(Found))),
    "tt_crc32_available": (c_int, ()),
    "tt_crc32": (c_uint32, (c_void_p, c_uint64)),
    "tt_pieces_read": (c_uint64, (POINTER(Pieces),)),
    "tt_running_column": (c_int64, (POINTER(RunningJob),)),
    "tt_system_new": (c_void_p, (POINTER(SystemServices),)),
    "tt_system_free": (None, (c_void_p,)),
    "tt_system_handle": (c_int, (c_void_p, c_uint32, c_char_p)),
    "tt_system_evidence": (c_int, (c_void_p, c_uint32, c_int32)),
    "tt_system_allow": (c_int, (c_void_p, c_uint32, c_uint32, c_uint32, c_uint32)),
    "tt_system_begin_boot": (None, (c_void_p, c_uint32)),
    "tt_system_reset": (c_int, (c_void_p, POINTER(SystemJob))),
    "tt_system_lose": (c_int, (c_void_p, POINTER(SystemJob), c_uint32, c_uint32, c_uint64)),
    "tt_system_feed": (c_int, (c_void_p, POINTER(SystemJob))),
    "tt_system_is_free": (c_int, (c_void_p, c_uint32)),
    "tt_btf_new": (c_void_p, (c_uint32,)),
    "tt_btf_free": (None, (c_void_p,)),
    "tt_btf_set_word": (c_int, (c_void_p, c_uint32, c_uint32, c_char_p)),
    "tt_btf_set_cpu": (c_int, (c_void_p, c_uint32, c_char_p, c_char_p)),
    "tt_btf_add_entity": (c_int, (c_void_p, c_uint32, c_char_p, c_uint32)),
    "tt_btf_forget": (None, (c_void_p,)),
    "tt_btf_write": (c_int, (c_void_p, POINTER(BtfJob))),
    "tt_text_new": (c_void_p, (c_uint32,)),
    "tt_text_free": (None, (c_void_p,)),
    "tt_text_begin": (None, (c_void_p, c_uint64)),
    "tt_text_forget": (None, (c_void_p,)),
    "tt_text_set_type": (c_int, (c_void_p, POINTER(TextType))),
    "tt_text_set_name": (c_int, (c_void_p, c_uint64, c_char_p, c_uint32)),
    "tt_text_write": (c_int, (c_void_p, POINTER(TextJob))),
    "tt_timeline_new": (c_void_p, ()),
    "tt_timeline_free": (None, (c_void_p,)),
    "tt_timeline_begin": (None, (c_void_p,)),
    "tt_timeline_slices": (c_int, (c_void_p, POINTER(TimelineJob))),
    "tt_lives_new": (c_void_p, ()),
    "tt_lives_free": (None, (c_void_p,)),
    "tt_lives_feed": (c_int, (c_void_p, POINTER(LivesJob))),
    "tt_lives_open": (c_int, (c_void_p, POINTER(LivesJob))),
    "tt_lives_finish": (c_int, (c_void_p, POINTER(LivesJob))),
    "tt_gathering_new": (c_void_p, ()),
    "tt_gathering_free": (None, (c_void_p,)),
    "tt_gathering_tables": (c_int, (c_void_p, POINTER(GatheringJob))),
    "tt_gathering_uses": (c_int, (c_void_p, POINTER(GatheringJob))),
    "tt_gathering_sample": (POINTER(Sample), (c_void_p, c_uint64, c_uint32)),
    "tt_gathering_waits": (c_uint64, (c_void_p, c_void_p)),
    "tt_attribution_new": (c_void_p, (c_uint64,)),
    "tt_attribution_free": (None, (c_void_p,)),
    "tt_attribution_window": (c_int, (c_void_p, c_int32, c_int64, c_int64, c_int64)),
    "tt_attribution_feed": (c_int, (c_void_p, POINTER(AttributionJob))),
    "tt_attribution_finish": (c_int, (c_void_p, POINTER(AttributionJob))),
    "tt_attribution_segments": (c_uint64, (c_void_p, c_uint64, c_void_p)),
    "tt_attribution_totals": (c_uint64, (c_void_p, c_uint64, c_void_p)),
    "tt_situations_new": (c_void_p, (c_int64,)),
    "tt_situations_free": (None, (c_void_p,)),
    "tt_situations_feed": (c_int, (c_void_p, POINTER(SituationsJob))),
    "tt_situations_open": (c_int, (c_void_p, POINTER(SituationsJob))),
    "tt_situations_finish": (c_int, (c_void_p, POINTER(SituationsJob))),
    "tt_cpu_times_add": (c_int, (POINTER(CpuTimesJob),)),
    "tt_packets_fill": (c_int, (POINTER(PacketJob),)),
}
