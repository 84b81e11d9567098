/* Generated from protocol/wire.yaml by make gen; do not edit. */
/*
 * tickertape/wire.h - the bytes between target and host.
 *
 * The structs are filled in memory and sent as they are: every target is little-endian here, and
 * no field needs padding, which the assertions prove. protocol/SPEC.md explains every field.
 */
#ifndef TICKERTAPE_WIRE_H
#define TICKERTAPE_WIRE_H

#include <stddef.h>
#include <stdint.h>

#include "tickertape/language.h"

/* Version of this protocol; a receiver refuses another major. */
#define TT_PROTOCOL_MAJOR 1u
#define TT_PROTOCOL_MINOR 3u

/* A record: header, time and two words. */
#define TT_RECORD_BYTES 16u

/* The fields of a record's header: lowest bit, and the bits at their place. */
#define TT_RECORD_STRUCT_FIRST_BIT    30u
#define TT_RECORD_STRUCT_MASK         0xc0000000u
#define TT_RECORD_CPU_FIRST_BIT       24u
#define TT_RECORD_CPU_MASK            0x3f000000u
#define TT_RECORD_TRUNCATED_FIRST_BIT 23u
#define TT_RECORD_TRUNCATED_MASK      0x00800000u
#define TT_RECORD_HOST_FIRST_BIT      22u
#define TT_RECORD_HOST_MASK           0x00400000u
#define TT_RECORD_DOMAIN_FIRST_BIT    16u
#define TT_RECORD_DOMAIN_MASK         0x003f0000u
#define TT_RECORD_KEYED_FIRST_BIT     15u
#define TT_RECORD_KEYED_MASK          0x00008000u
#define TT_RECORD_CLASS_FIRST_BIT     10u
#define TT_RECORD_CLASS_MASK          0x00007c00u
#define TT_RECORD_EVENT_FIRST_BIT     0u
#define TT_RECORD_EVENT_MASK          0x000003ffu

/* Values of the field struct: place of the record in its event. */
#define TT_RECORD_SIMPLE   0u
#define TT_RECORD_BEGIN    1u
#define TT_RECORD_CONTINUE 2u
#define TT_RECORD_END      3u

/* `value` in the header field `name`; bits that do not fit are dropped. */
#define TT_RECORD_FIELD(name, value)                                                               \
    ((((uint32_t)(value)) << TT_RECORD_##name##_FIRST_BIT) & TT_RECORD_##name##_MASK)

/* A whole header, flags truncated and host 0. Constant when its arguments are. */
#define TT_RECORD_HEADER(struct_bits, cpu, domain, event_class, event)                             \
    (TT_RECORD_FIELD(STRUCT, struct_bits) | TT_RECORD_FIELD(CPU, cpu) |                            \
     TT_RECORD_FIELD(DOMAIN, domain) | TT_RECORD_FIELD(CLASS, event_class) |                       \
     TT_RECORD_FIELD(EVENT, event))

/* Limits that target and host keep. */
/* The header has six bits for the CPU. */
#define TT_LIMIT_MAX_CPUS                  64u
/* A route has eight bits for streams. */
#define TT_LIMIT_MAX_STREAMS               8u
/* The receiver drops and counts longer frames. */
#define TT_LIMIT_MAX_FRAME_BYTES           65536u
/* A combine event still open after this many records of its ring is abandoned. */
#define TT_LIMIT_MAX_COMBINE_RECORDS       4096u
/* Bytes that may follow a command. */
#define TT_LIMIT_MAX_COMMAND_PAYLOAD_BYTES 192u
/* First word of memory_link: the bytes 'TTMM'. */
#define TT_LIMIT_MEMORY_MARK               1296913492u
/* A command whose id is at most this far before the last one is a late copy. */
#define TT_LIMIT_LATE_COMMANDS             64u

typedef enum tt_frame_type {
    /* identity of the target; sent at start and periodically */
    TT_FRAME_TYPE_HELLO = 1,
    /* records of one buffer, raw */
    TT_FRAME_TYPE_BUFFER = 2,
    /* records of one buffer, packed */
    TT_FRAME_TYPE_PACKED = 3,
    /* counters of one ring */
    TT_FRAME_TYPE_STATUS = 4,
    /* host to target */
    TT_FRAME_TYPE_COMMAND = 5,
    /* target to host, the answer to one COMMAND */
    TT_FRAME_TYPE_REPLY = 6,
    /* the name of one object */
    TT_FRAME_TYPE_NAME = 7,
    /* a line for people */
    TT_FRAME_TYPE_TEXT = 8,
} tt_frame_type_t;

typedef enum tt_byte_order {
    /* the lowest byte comes first */
    TT_BYTE_ORDER_LITTLE = 1,
    /* the highest byte comes first */
    TT_BYTE_ORDER_BIG = 2,
} tt_byte_order_t;

typedef enum tt_policy {
    /* keep the newest records: overwrite the oldest buffer (POSIX LOOP) */
    TT_POLICY_OVERWRITE = 0,
    /* the stream stops when it is full */
    TT_POLICY_UNTIL_FULL = 1,
    /* keep the oldest records, drop new ones until the drain frees a buffer */
    TT_POLICY_DROP = 2,
    /*
     * each buffer keeps its newest records until its trace is finished; if the next buffer is
     * unsent, the finished trace is lost (xmtrace)
     */
    TT_POLICY_FINALIZE = 3,
    /* as FINALIZE, but the next buffer is any free one (RTLinux) */
    TT_POLICY_FINALIZE_FREE = 4,
} tt_policy_t;

typedef enum tt_command {
    /* announce: HELLO, names, STATUS of each ring */
    TT_COMMAND_HELLO = 1,
    /* start the stream with a state dump; arg0 1: without the dump */
    TT_COMMAND_START = 2,
    /* stop the stream */
    TT_COMMAND_STOP = 3,
    /* close partly filled buffers, so that they are sent */
    TT_COMMAND_FLUSH = 4,
    /* value0 is 1 while the stream records, value1 its policy; STATUS frames follow */
    TT_COMMAND_STATUS = 5,
    /*
     * value0: classes with any event selected, value1: classes with every event selected, one bit
     * per class
     */
    TT_COMMAND_CLASSES = 6,
    /* select every event */
    TT_COMMAND_ADD_ALL = 7,
    /* select nothing */
    TT_COMMAND_DEL_ALL = 8,
    /* select class arg0 */
    TT_COMMAND_ADD_CLASS = 9,
    /* do not select class arg0 */
    TT_COMMAND_DEL_CLASS = 10,
    /*
     * select event arg1 of class arg0; value0 1: all events of the class that the dictionary does
     * not list are selected too, because the target has no masks of single events
     */
    TT_COMMAND_ADD_EVENT = 11,
    /* do not select event arg1 of class arg0; value0 as for ADD_EVENT */
    TT_COMMAND_DEL_EVENT = 12,
    /*
     * class arg0, event arg1 (all bits set: every event) only of pid arg2 and tid arg3; 0 is any,
     * both 0 removes the filter
     */
    TT_COMMAND_THREAD_FILTER = 13,
    /* class arg0, event arg1 (all bits set: every event) in one record */
    TT_COMMAND_FAST = 14,
    /* class arg0, event arg1 (all bits set: every event) with all arguments */
    TT_COMMAND_WIDE = 15,
    /* policy arg0; refused while the stream records */
    TT_COMMAND_POLICY = 16,
    /*
     * record event arg1 of class arg0 with words arg2 and arg3; classes EMPTY, CONTROL and TRACER,
     * which are the recorder's own, are refused; value0: streams that take this event type, one bit
     * per stream
     */
    TT_COMMAND_INSERT = 17,
    /* shed the classes of mask arg0 while fewer than arg1 buffers are free */
    TT_COMMAND_SHED = 18,
    /* arg0 1: send packed buffers, 0: raw ones */
    TT_COMMAND_PACKING = 19,
    /*
     * record event arg1 of class arg0 as a combine event; the bytes that follow the command are its
     * payload, truncated by the sender if arg2 is 1; value0 as for INSERT
     */
    TT_COMMAND_INSERT_BYTES = 20,
    /*
     * only to a broker: pass on records of the streams of mask arg0, one bit per stream; arg1 1:
     * never packed
     */
    TT_COMMAND_SUBSCRIBE = 21,
    /*
     * only to a broker: records that it discarded because this caller did not read them; value0
     * low, value1 high word
     */
    TT_COMMAND_LOST = 22,
    /*
     * the event type whose name follows the command; defines it if the name is new; value0: class
     * << 10 | event
     */
    TT_COMMAND_EVENT_OPEN = 23,
    /*
     * send STATUS of each ring, then the records of the stream whose name follows the command; arg0
     * 1, only to a broker: until all callers with arg0 1 have disconnected; value0: number of the
     * stream, value1: how often this number was named
     */
    TT_COMMAND_STREAM_ATTACH = 24,
    /*
     * stream_attribute arg0 of the stream, if it was named arg1 times (0: any); value0 low, value1
     * high word
     */
    TT_COMMAND_STREAM_ATTRIBUTE = 25,
    /* stop sending the stream whose name follows the command; its records stay in its rings */
    TT_COMMAND_STREAM_DETACH = 26,
} tt_command_t;

typedef enum tt_reply_status {
    /* executed */
    TT_REPLY_STATUS_DONE = 0,
    /* refused: an argument is out of its range */
    TT_REPLY_STATUS_BAD_ARGUMENT = 1,
    /* refused: not possible now */
    TT_REPLY_STATUS_NOT_NOW = 2,
    /* refused: no such command */
    TT_REPLY_STATUS_UNKNOWN = 3,
    /* only from a host that passes commands on: no answer from the target; the result is unknown */
    TT_REPLY_STATUS_NO_ANSWER = 4,
} tt_reply_status_t;

typedef enum tt_stream_attribute {
    /* least number of bytes of events that the stream stores */
    TT_STREAM_ATTRIBUTE_SIZE = 0,
    /* greatest number of bytes of user data in an event */
    TT_STREAM_ATTRIBUTE_DATA_SIZE = 1,
    /* 0 loop, 1 until full, 2 flush */
    TT_STREAM_ATTRIBUTE_FULL_POLICY = 2,
    /* 64-bit time of the target at its creation */
    TT_STREAM_ATTRIBUTE_CREATED = 3,
    /* bit 0 running, bit 1 full, bit 2 overrun since the last query */
    TT_STREAM_ATTRIBUTE_STATE = 4,
    /* bytes of the largest system event */
    TT_STREAM_ATTRIBUTE_SYSTEM_EVENT_SIZE = 5,
    /* system events that are filtered out, one bit per event in the order of POSIX Trace */
    TT_STREAM_ATTRIBUTE_FILTER = 6,
} tt_stream_attribute_t;

typedef enum tt_predictor {
    /* from the same word of the last record of this kind */
    TT_PREDICTOR_SAME = 0,
    /* from the last thread number in any record */
    TT_PREDICTOR_THREAD = 1,
    /* from the last object in any record */
    TT_PREDICTOR_OBJECT = 2,
} tt_predictor_t;

typedef enum tt_object_kind {
    /* id is the thread number */
    TT_OBJECT_KIND_THREAD = 1,
    /* id is the object's address */
    TT_OBJECT_KIND_MUTEX = 2,
    /* id is the object's address */
    TT_OBJECT_KIND_SEMAPHORE = 3,
    /* id is the object's address */
    TT_OBJECT_KIND_CONDVAR = 4,
    /* id is the object's address */
    TT_OBJECT_KIND_FLAGS = 5,
    /* id is the object's address */
    TT_OBJECT_KIND_CHANNEL = 6,
    /* id is the object's address */
    TT_OBJECT_KIND_TIMER = 7,
    /* id is the exception number */
    TT_OBJECT_KIND_IRQ = 8,
    /* id is the domain number */
    TT_OBJECT_KIND_DOMAIN = 9,
    /* id is class << 10 | event */
    TT_OBJECT_KIND_EVENT = 10,
    /* id is the signal's address */
    TT_OBJECT_KIND_SIGNAL = 11,
    /* id is the runnable's address */
    TT_OBJECT_KIND_RUNNABLE = 12,
    /* id is the stimulus's address */
    TT_OBJECT_KIND_STIMULUS = 13,
    /*
     * id is the number of the stream, parent how often the number was named; an empty name: the
     * stream is destroyed
     */
    TT_OBJECT_KIND_STREAM = 14,
} tt_object_kind_t;

typedef enum tt_hello_flag {
    /*
     * the kernel calls its hooks outside of its locks: the operation of an event happened between
     * the previous and the next event of its thread, and events of different CPUs may be in another
     * order than their operations
     */
    TT_HELLO_FLAG_HOOKS_OUTSIDE_LOCKS = 1,
    /*
     * the kernel does not preempt threads whose priority is at least the number in bits 8 to 15 of
     * the flags, nor any thread that holds its scheduler; since 1.3
     */
    TT_HELLO_FLAG_COOPERATIVE = 2,
    /*
     * the clock of the events runs while the processor sleeps; clock_source is in bits 16 to 19 of
     * the flags; since 1.3
     */
    TT_HELLO_FLAG_CLOCK_RUNS_IN_SLEEP = 4,
    /*
     * the clock of the events fell behind a second clock of the target: it stops while the
     * processor sleeps, or its rate is wrong, and idle times are too short; since 1.3
     */
    TT_HELLO_FLAG_CLOCK_STOPS = 8,
} tt_hello_flag_t;

typedef enum tt_clock_source {
    /* not stated */
    TT_CLOCK_SOURCE_UNKNOWN = 0,
    /* the cycle counter of the processor (DWT) */
    TT_CLOCK_SOURCE_CYCLE_COUNTER = 1,
    /* a counter in a register that the user names */
    TT_CLOCK_SOURCE_TIMER = 2,
    /* the clock of the kernel */
    TT_CLOCK_SOURCE_KERNEL = 3,
} tt_clock_source_t;

typedef enum tt_chunk_type {
    /* JSON object: metadata of capture and target */
    TT_CHUNK_TYPE_META = 1,
    /* a HELLO frame as received */
    TT_CHUNK_TYPE_HELLO = 2,
    /* buffers of one ring: their headers, then their records */
    TT_CHUNK_TYPE_RECORDS = 3,
    /* a STATUS frame as received */
    TT_CHUNK_TYPE_STATUS = 4,
    /* a NAME frame as received */
    TT_CHUNK_TYPE_NAME = 5,
    /* a TEXT frame as received */
    TT_CHUNK_TYPE_TEXT = 6,
    /* a time of the target's clock, and the time of the host's clock */
    TT_CHUNK_TYPE_ANCHOR = 7,
    /* losses on the link: bad and missing frames */
    TT_CHUNK_TYPE_RECEIPT = 8,
    /* UTF-8 text added by a person or a tool */
    TT_CHUNK_TYPE_NOTE = 9,
    /* positions of the chunks; rebuilt when missing */
    TT_CHUNK_TYPE_INDEX = 10,
    /* the tape was closed */
    TT_CHUNK_TYPE_END = 11,
    /* the symbol table of the firmware */
    TT_CHUNK_TYPE_SYMBOLS = 12,
    /* the target was reset: ordinals and time start again */
    TT_CHUNK_TYPE_EPOCH = 13,
    /* the board of an epoch, and the relation of its clock to UTC; since 1.2 */
    TT_CHUNK_TYPE_BOARD = 14,
    /* JSON object: totals of the chunks before it; since 1.2 */
    TT_CHUNK_TYPE_SUMMARY = 15,
} tt_chunk_type_t;

/* First bytes of every frame. The last bytes are a CRC-32 (zlib) of all bytes before it. */
typedef struct tt_wire_frame_header {
    /* frame_type */
    uint8_t type;
    /* number of the stream, 0 if none */
    uint8_t stream;
    /* number of the CPU, 0 if none */
    uint8_t cpu;
    /* from the target: low byte of HELLO's boot_id, 0: unknown; from the host: 0; since 1.3 */
    uint8_t boot_tag;
    /* number of the frame in this direction since reset, from 0 */
    uint32_t sequence;
} tt_wire_frame_header_t;

#define TT_WIRE_FRAME_HEADER_BYTES 8u

TT_STATIC_ASSERT(sizeof(tt_wire_frame_header_t) == TT_WIRE_FRAME_HEADER_BYTES, "no padding");
TT_STATIC_ASSERT(offsetof(tt_wire_frame_header_t, type) == 0u, "type");
TT_STATIC_ASSERT(offsetof(tt_wire_frame_header_t, stream) == 1u, "stream");
TT_STATIC_ASSERT(offsetof(tt_wire_frame_header_t, cpu) == 2u, "cpu");
TT_STATIC_ASSERT(offsetof(tt_wire_frame_header_t, boot_tag) == 3u, "boot_tag");
TT_STATIC_ASSERT(offsetof(tt_wire_frame_header_t, sequence) == 4u, "sequence");

/* Body of HELLO. The target's name follows in UTF-8, without end mark. */
typedef struct tt_wire_hello {
    /* protocol version; a receiver refuses another major */
    uint8_t major;
    /* a newer minor adds only what an older receiver may skip */
    uint8_t minor;
    /* byte order of the records */
    uint8_t byte_order;
    /* CPUs that record */
    uint8_t cpu_count;
    /* streams, each with one ring per CPU */
    uint8_t stream_count;
    /* buffers in a ring of stream 0 */
    uint8_t buffer_count;
    /* records in a buffer of stream 0 */
    uint16_t buffer_records;
    /* rate of the tick counter */
    uint32_t tick_hz;
    /* differs between two boots if the target has a source for it, else 0 */
    uint32_t boot_id;
    /* hash of events.yaml */
    uint64_t dictionary;
    /* 64-bit time when this frame was made */
    uint64_t ticks;
    /* GNU build id of the image, zeros when it has none */
    uint8_t build_id[20];
    /* hello_flag bits; an older target sends 0 */
    uint32_t flags;
} tt_wire_hello_t;

#define TT_WIRE_HELLO_BYTES 56u

TT_STATIC_ASSERT(sizeof(tt_wire_hello_t) == TT_WIRE_HELLO_BYTES, "no padding");
TT_STATIC_ASSERT(offsetof(tt_wire_hello_t, major) == 0u, "major");
TT_STATIC_ASSERT(offsetof(tt_wire_hello_t, minor) == 1u, "minor");
TT_STATIC_ASSERT(offsetof(tt_wire_hello_t, byte_order) == 2u, "byte_order");
TT_STATIC_ASSERT(offsetof(tt_wire_hello_t, cpu_count) == 3u, "cpu_count");
TT_STATIC_ASSERT(offsetof(tt_wire_hello_t, stream_count) == 4u, "stream_count");
TT_STATIC_ASSERT(offsetof(tt_wire_hello_t, buffer_count) == 5u, "buffer_count");
TT_STATIC_ASSERT(offsetof(tt_wire_hello_t, buffer_records) == 6u, "buffer_records");
TT_STATIC_ASSERT(offsetof(tt_wire_hello_t, tick_hz) == 8u, "tick_hz");
TT_STATIC_ASSERT(offsetof(tt_wire_hello_t, boot_id) == 12u, "boot_id");
TT_STATIC_ASSERT(offsetof(tt_wire_hello_t, dictionary) == 16u, "dictionary");
TT_STATIC_ASSERT(offsetof(tt_wire_hello_t, ticks) == 24u, "ticks");
TT_STATIC_ASSERT(offsetof(tt_wire_hello_t, build_id) == 32u, "build_id");
TT_STATIC_ASSERT(offsetof(tt_wire_hello_t, flags) == 52u, "flags");

/*
 * First bytes of the body of BUFFER; count records follow. The first three fields are the receipt
 * at the first record.
 */
typedef struct tt_wire_buffer_header {
    /* ordinal of the first record: number of records offered before it */
    uint64_t first_ordinal;
    /* number of these records that were dropped */
    uint64_t dropped;
    /* number of these records that were sent to the link; the others were overwritten */
    uint64_t sent;
    /* 64-bit time not later than the first record and less than 2^32 ticks before it */
    uint64_t ticks;
    /* number of the buffer among all buffers opened in this ring, from 0 */
    uint32_t sequence;
    /* number of records that follow */
    uint16_t count;
    /* index of the buffer in the ring */
    uint8_t ring_number;
    /* buffer_flag bits on a tape; a target sends 0 */
    uint8_t flags;
} tt_wire_buffer_header_t;

#define TT_WIRE_BUFFER_HEADER_BYTES 40u

TT_STATIC_ASSERT(sizeof(tt_wire_buffer_header_t) == TT_WIRE_BUFFER_HEADER_BYTES, "no padding");
TT_STATIC_ASSERT(offsetof(tt_wire_buffer_header_t, first_ordinal) == 0u, "first_ordinal");
TT_STATIC_ASSERT(offsetof(tt_wire_buffer_header_t, dropped) == 8u, "dropped");
TT_STATIC_ASSERT(offsetof(tt_wire_buffer_header_t, sent) == 16u, "sent");
TT_STATIC_ASSERT(offsetof(tt_wire_buffer_header_t, ticks) == 24u, "ticks");
TT_STATIC_ASSERT(offsetof(tt_wire_buffer_header_t, sequence) == 32u, "sequence");
TT_STATIC_ASSERT(offsetof(tt_wire_buffer_header_t, count) == 36u, "count");
TT_STATIC_ASSERT(offsetof(tt_wire_buffer_header_t, ring_number) == 38u, "ring_number");
TT_STATIC_ASSERT(offsetof(tt_wire_buffer_header_t, flags) == 39u, "flags");

/* Body of STATUS. class_count entries of class_counters follow, for classes 0, 1, ... */
typedef struct tt_wire_status {
    /* the receipt: every record before this ordinal was sent, dropped or overwritten */
    uint64_t settled_ordinal;
    /* number of these records that were dropped */
    uint64_t settled_dropped;
    /* number of these records that were sent to the link; the others were overwritten */
    uint64_t settled_sent;
    /* records offered so far */
    uint64_t offered;
    /* records dropped so far */
    uint64_t dropped;
    /* records overwritten so far */
    uint64_t overwritten;
    /* 64-bit time when this frame was made */
    uint64_t ticks;
    /* policy of the stream */
    uint8_t policy;
    /* 1 while the stream records */
    uint8_t running;
    /*
     * 0: the frame has no counters of classes; else all counters of the classes from this one on
     * are 0
     */
    uint8_t class_count;
    /* 1 if the ring is empty and no record will follow */
    uint8_t final;
    /* greatest number of buffers in use at a time */
    uint32_t high_water_buffers;
} tt_wire_status_t;

#define TT_WIRE_STATUS_BYTES 64u

TT_STATIC_ASSERT(sizeof(tt_wire_status_t) == TT_WIRE_STATUS_BYTES, "no padding");
TT_STATIC_ASSERT(offsetof(tt_wire_status_t, settled_ordinal) == 0u, "settled_ordinal");
TT_STATIC_ASSERT(offsetof(tt_wire_status_t, settled_dropped) == 8u, "settled_dropped");
TT_STATIC_ASSERT(offsetof(tt_wire_status_t, settled_sent) == 16u, "settled_sent");
TT_STATIC_ASSERT(offsetof(tt_wire_status_t, offered) == 24u, "offered");
TT_STATIC_ASSERT(offsetof(tt_wire_status_t, dropped) == 32u, "dropped");
TT_STATIC_ASSERT(offsetof(tt_wire_status_t, overwritten) == 40u, "overwritten");
TT_STATIC_ASSERT(offsetof(tt_wire_status_t, ticks) == 48u, "ticks");
TT_STATIC_ASSERT(offsetof(tt_wire_status_t, policy) == 56u, "policy");
TT_STATIC_ASSERT(offsetof(tt_wire_status_t, running) == 57u, "running");
TT_STATIC_ASSERT(offsetof(tt_wire_status_t, class_count) == 58u, "class_count");
TT_STATIC_ASSERT(offsetof(tt_wire_status_t, final) == 59u, "final");
TT_STATIC_ASSERT(offsetof(tt_wire_status_t, high_water_buffers) == 60u, "high_water_buffers");

/* Counters of one class in one ring. */
typedef struct tt_wire_class_counters {
    /* modulo 2^32 */
    uint32_t dropped;
    /* modulo 2^32; lags behind the total until the buffer being written over closes */
    uint32_t overwritten;
    /* modulo 2^32 */
    uint32_t sent;
} tt_wire_class_counters_t;

#define TT_WIRE_CLASS_COUNTERS_BYTES 12u

TT_STATIC_ASSERT(sizeof(tt_wire_class_counters_t) == TT_WIRE_CLASS_COUNTERS_BYTES, "no padding");
TT_STATIC_ASSERT(offsetof(tt_wire_class_counters_t, dropped) == 0u, "dropped");
TT_STATIC_ASSERT(offsetof(tt_wire_class_counters_t, overwritten) == 4u, "overwritten");
TT_STATIC_ASSERT(offsetof(tt_wire_class_counters_t, sent) == 8u, "sent");

/* Body of NAME. The name follows in UTF-8, without end mark. */
typedef struct tt_wire_name {
    /* object_kind */
    uint8_t kind;
    /* for a thread its state (class THREAD), else 0 */
    uint8_t state;
    /* for a thread its priority, else 0 */
    uint8_t priority;
    /* for a thread its CPU */
    uint8_t cpu;
    /* meaning depends on kind */
    uint32_t id;
    /* for a thread its domain, for a semaphore its limit (0: unknown), else 0 */
    uint32_t parent;
} tt_wire_name_t;

#define TT_WIRE_NAME_BYTES 12u

TT_STATIC_ASSERT(sizeof(tt_wire_name_t) == TT_WIRE_NAME_BYTES, "no padding");
TT_STATIC_ASSERT(offsetof(tt_wire_name_t, kind) == 0u, "kind");
TT_STATIC_ASSERT(offsetof(tt_wire_name_t, state) == 1u, "state");
TT_STATIC_ASSERT(offsetof(tt_wire_name_t, priority) == 2u, "priority");
TT_STATIC_ASSERT(offsetof(tt_wire_name_t, cpu) == 3u, "cpu");
TT_STATIC_ASSERT(offsetof(tt_wire_name_t, id) == 4u, "id");
TT_STATIC_ASSERT(offsetof(tt_wire_name_t, parent) == 8u, "parent");

/* Body of COMMAND. The payload of INSERT_BYTES follows. */
typedef struct tt_wire_command {
    /*
     * chosen by the host, never 0, counting up; a repeated command has the id of the first try and
     * is not executed again
     */
    uint32_t id;
    /* command */
    uint8_t command;
    /* stream number */
    uint8_t stream;
    /* 0 */
    uint16_t reserved;
    /* meaning depends on the command */
    uint32_t arg0;
    /* meaning depends on the command */
    uint32_t arg1;
    /* meaning depends on the command */
    uint32_t arg2;
    /* meaning depends on the command */
    uint32_t arg3;
} tt_wire_command_t;

#define TT_WIRE_COMMAND_BYTES 24u

TT_STATIC_ASSERT(sizeof(tt_wire_command_t) == TT_WIRE_COMMAND_BYTES, "no padding");
TT_STATIC_ASSERT(offsetof(tt_wire_command_t, id) == 0u, "id");
TT_STATIC_ASSERT(offsetof(tt_wire_command_t, command) == 4u, "command");
TT_STATIC_ASSERT(offsetof(tt_wire_command_t, stream) == 5u, "stream");
TT_STATIC_ASSERT(offsetof(tt_wire_command_t, reserved) == 6u, "reserved");
TT_STATIC_ASSERT(offsetof(tt_wire_command_t, arg0) == 8u, "arg0");
TT_STATIC_ASSERT(offsetof(tt_wire_command_t, arg1) == 12u, "arg1");
TT_STATIC_ASSERT(offsetof(tt_wire_command_t, arg2) == 16u, "arg2");
TT_STATIC_ASSERT(offsetof(tt_wire_command_t, arg3) == 20u, "arg3");

/* Body of REPLY. */
typedef struct tt_wire_reply {
    /* id of the command */
    uint32_t id;
    /* number of the command */
    uint8_t command;
    /* stream of the command */
    uint8_t stream;
    /* reply_status */
    uint16_t status;
    /* result of the command */
    uint32_t value0;
    /* result of the command */
    uint32_t value1;
} tt_wire_reply_t;

#define TT_WIRE_REPLY_BYTES 16u

TT_STATIC_ASSERT(sizeof(tt_wire_reply_t) == TT_WIRE_REPLY_BYTES, "no padding");
TT_STATIC_ASSERT(offsetof(tt_wire_reply_t, id) == 0u, "id");
TT_STATIC_ASSERT(offsetof(tt_wire_reply_t, command) == 4u, "command");
TT_STATIC_ASSERT(offsetof(tt_wire_reply_t, stream) == 5u, "stream");
TT_STATIC_ASSERT(offsetof(tt_wire_reply_t, status) == 6u, "status");
TT_STATIC_ASSERT(offsetof(tt_wire_reply_t, value0) == 8u, "value0");
TT_STATIC_ASSERT(offsetof(tt_wire_reply_t, value1) == 12u, "value1");

/* Head of a link in memory that the host reads. Offsets count from its first byte, modulo 2^32. */
typedef struct tt_wire_memory_link {
    /* limit memory_mark */
    uint32_t mark;
    /* complement of mark */
    uint32_t inverse;
    /* offset of the ring of frames */
    uint32_t up_offset;
    /* size of the ring of frames, a power of two */
    uint32_t up_bytes;
    /* written by the target: bytes stored in the ring of frames, modulo 2^32 */
    uint32_t up_written;
    /* written by the host: bytes read from the ring of frames, modulo 2^32 */
    uint32_t up_read;
    /* offset of the ring of commands */
    uint32_t down_offset;
    /* size of the ring of commands, a power of two */
    uint32_t down_bytes;
    /* written by the host: bytes stored in the ring of commands, modulo 2^32 */
    uint32_t down_written;
    /* written by the target: bytes read from the ring of commands, modulo 2^32 */
    uint32_t down_read;
} tt_wire_memory_link_t;

#define TT_WIRE_MEMORY_LINK_BYTES 40u

TT_STATIC_ASSERT(sizeof(tt_wire_memory_link_t) == TT_WIRE_MEMORY_LINK_BYTES, "no padding");
TT_STATIC_ASSERT(offsetof(tt_wire_memory_link_t, mark) == 0u, "mark");
TT_STATIC_ASSERT(offsetof(tt_wire_memory_link_t, inverse) == 4u, "inverse");
TT_STATIC_ASSERT(offsetof(tt_wire_memory_link_t, up_offset) == 8u, "up_offset");
TT_STATIC_ASSERT(offsetof(tt_wire_memory_link_t, up_bytes) == 12u, "up_bytes");
TT_STATIC_ASSERT(offsetof(tt_wire_memory_link_t, up_written) == 16u, "up_written");
TT_STATIC_ASSERT(offsetof(tt_wire_memory_link_t, up_read) == 20u, "up_read");
TT_STATIC_ASSERT(offsetof(tt_wire_memory_link_t, down_offset) == 24u, "down_offset");
TT_STATIC_ASSERT(offsetof(tt_wire_memory_link_t, down_bytes) == 28u, "down_bytes");
TT_STATIC_ASSERT(offsetof(tt_wire_memory_link_t, down_written) == 32u, "down_written");
TT_STATIC_ASSERT(offsetof(tt_wire_memory_link_t, down_read) == 36u, "down_read");

/*
 * Head of a frame in memory. The frame follows, then zero to three bytes of padding to a multiple
 * of 4.
 */
typedef struct tt_wire_memory_frame {
    /* bytes of frame_header and body */
    uint16_t frame_bytes;
    /* complement of frame_bytes */
    uint16_t inverse;
} tt_wire_memory_frame_t;

#define TT_WIRE_MEMORY_FRAME_BYTES 4u

TT_STATIC_ASSERT(sizeof(tt_wire_memory_frame_t) == TT_WIRE_MEMORY_FRAME_BYTES, "no padding");
TT_STATIC_ASSERT(offsetof(tt_wire_memory_frame_t, frame_bytes) == 0u, "frame_bytes");
TT_STATIC_ASSERT(offsetof(tt_wire_memory_frame_t, inverse) == 2u, "inverse");

/* The first 64 bytes of a tape. */
typedef struct tt_wire_tape_header {
    /* identifies a tape, and reveals damage by text conversion */
    uint8_t magic[8];
    /* tape version; a reader refuses another major */
    uint16_t major;
    /* a newer minor adds only what an older reader may skip */
    uint16_t minor;
    /* byte order of all records */
    uint8_t byte_order;
    /* 0 */
    uint8_t reserved[3];
    /* host's UTC clock, ns since 1970 */
    uint64_t created_ns;
    /* random */
    uint8_t uuid[16];
    /* 0 */
    uint8_t reserved2[20];
    /* CRC-32 of the 60 bytes before it */
    uint32_t crc;
} tt_wire_tape_header_t;

#define TT_WIRE_TAPE_HEADER_BYTES 64u

TT_STATIC_ASSERT(sizeof(tt_wire_tape_header_t) == TT_WIRE_TAPE_HEADER_BYTES, "no padding");
TT_STATIC_ASSERT(offsetof(tt_wire_tape_header_t, magic) == 0u, "magic");
TT_STATIC_ASSERT(offsetof(tt_wire_tape_header_t, major) == 8u, "major");
TT_STATIC_ASSERT(offsetof(tt_wire_tape_header_t, minor) == 10u, "minor");
TT_STATIC_ASSERT(offsetof(tt_wire_tape_header_t, byte_order) == 12u, "byte_order");
TT_STATIC_ASSERT(offsetof(tt_wire_tape_header_t, reserved) == 13u, "reserved");
TT_STATIC_ASSERT(offsetof(tt_wire_tape_header_t, created_ns) == 16u, "created_ns");
TT_STATIC_ASSERT(offsetof(tt_wire_tape_header_t, uuid) == 24u, "uuid");
TT_STATIC_ASSERT(offsetof(tt_wire_tape_header_t, reserved2) == 40u, "reserved2");
TT_STATIC_ASSERT(offsetof(tt_wire_tape_header_t, crc) == 60u, "crc");

/*
 * First bytes of every chunk, at a multiple of 16; the body follows, zero-padded to a multiple of
 * 16.
 */
typedef struct tt_wire_chunk_header {
    /* the bytes 'TTCK' */
    uint32_t magic;
    /* chunk_type */
    uint16_t type;
    /* 0 */
    uint16_t flags;
    /* length of the body without padding */
    uint32_t body_bytes;
    /* CRC-32 of the body */
    uint32_t body_crc;
    /* for RECORDS and STATUS */
    uint8_t stream;
    /* for RECORDS and STATUS */
    uint8_t cpu;
    /* boot of the target within this tape, from 0 */
    uint16_t epoch;
    /* RECORDS: number of buffer headers at the start of the body */
    uint32_t buffer_count;
    /* RECORDS: number of records after them */
    uint32_t record_count;
    /* CRC-32 of the 28 bytes before it */
    uint32_t crc;
} tt_wire_chunk_header_t;

#define TT_WIRE_CHUNK_HEADER_BYTES 32u

TT_STATIC_ASSERT(sizeof(tt_wire_chunk_header_t) == TT_WIRE_CHUNK_HEADER_BYTES, "no padding");
TT_STATIC_ASSERT(offsetof(tt_wire_chunk_header_t, magic) == 0u, "magic");
TT_STATIC_ASSERT(offsetof(tt_wire_chunk_header_t, type) == 4u, "type");
TT_STATIC_ASSERT(offsetof(tt_wire_chunk_header_t, flags) == 6u, "flags");
TT_STATIC_ASSERT(offsetof(tt_wire_chunk_header_t, body_bytes) == 8u, "body_bytes");
TT_STATIC_ASSERT(offsetof(tt_wire_chunk_header_t, body_crc) == 12u, "body_crc");
TT_STATIC_ASSERT(offsetof(tt_wire_chunk_header_t, stream) == 16u, "stream");
TT_STATIC_ASSERT(offsetof(tt_wire_chunk_header_t, cpu) == 17u, "cpu");
TT_STATIC_ASSERT(offsetof(tt_wire_chunk_header_t, epoch) == 18u, "epoch");
TT_STATIC_ASSERT(offsetof(tt_wire_chunk_header_t, buffer_count) == 20u, "buffer_count");
TT_STATIC_ASSERT(offsetof(tt_wire_chunk_header_t, record_count) == 24u, "record_count");
TT_STATIC_ASSERT(offsetof(tt_wire_chunk_header_t, crc) == 28u, "crc");

/* Body of ANCHOR. */
typedef struct tt_wire_anchor {
    /* 64-bit time of the target */
    uint64_t target_ticks;
    /* UTC, ns since 1970, at which the frame with this time had arrived */
    uint64_t host_ns;
    /* the true time is between host_ns - uncertainty_ns and host_ns */
    uint64_t uncertainty_ns;
} tt_wire_anchor_t;

#define TT_WIRE_ANCHOR_BYTES 24u

TT_STATIC_ASSERT(sizeof(tt_wire_anchor_t) == TT_WIRE_ANCHOR_BYTES, "no padding");
TT_STATIC_ASSERT(offsetof(tt_wire_anchor_t, target_ticks) == 0u, "target_ticks");
TT_STATIC_ASSERT(offsetof(tt_wire_anchor_t, host_ns) == 8u, "host_ns");
TT_STATIC_ASSERT(offsetof(tt_wire_anchor_t, uncertainty_ns) == 16u, "uncertainty_ns");

#endif
