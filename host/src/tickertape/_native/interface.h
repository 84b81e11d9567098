/* Generated from protocol/native.yaml by make gen; do not edit. */
/*
 * Interface between the C sources and the Python modules of the compiled part. Functions return 0,
 * or -1 without memory, unless their description differs. No function does I/O. Two threads must
 * not use one handle at the same time.
 */
#ifndef TICKERTAPE_NATIVE_INTERFACE_H
#define TICKERTAPE_NATIVE_INTERFACE_H

#include <stdint.h>

#define TT_NO_PAYLOAD        (-1) /* payload offset of a row without payload */
#define TT_UNKNOWN_THREAD    (-1) /* the running thread is unknown */
#define TT_BLIND_THREAD      (-2) /* the running thread is unknown since a break */
#define TT_MANY_CPUS         (-3) /* result of tt_running_column() for events of several CPUs */
#define TT_TEXT_FIELDS       2u   /* greatest number of fields in a line */
#define TT_TEXT_LABEL_BYTES  61u  /* greatest length of the label of a field */
#define TT_TEXT_HEAD_BYTES   118u /* greatest length of class and event in a line */
#define TT_TEXT_NAME_BYTES   119u /* greatest length of a printed name */
#define TT_TIMELINE_CPUS     64u  /* greatest number of CPUs with a track */
#define TT_TIMELINE_SLOTS    4u   /* greatest number of track events per transition */
#define TT_TIMELINE_STEPS    2u   /* greatest number of changes of the load per transition */
#define TT_PACKET_MOST_BYTES 64u  /* room for one packet, with the bytes written beyond its end */
#define TT_LIVES_CPUS        64u  /* greatest number of CPUs on which instances run */
#define TT_NO_TICKS          (-4611686018427387904) /* unknown time, or no limit */

/* Tables of words for lines of the Best Trace Format. */
enum {
    TT_BTF_PROCESS = 0,  /* event of a process; index: action */
    TT_BTF_RUNNABLE = 1, /* event of a runnable; index: action */
    TT_BTF_LOCK = 2,     /* event of a semaphore; index: state before << 8 | state after */
    TT_BTF_ACTION = 3,   /* name of an action in a comment; index: action */
    TT_BTF_TYPE = 4,     /* type of an entity; index: kind */
    TT_BTF_TABLES = 5
};

/* State of a chunk. */
enum {
    TT_PIECE_NEW = 0,     /* not checked yet */
    TT_PIECE_SOUND = 1,   /* the CRC of its body is right */
    TT_PIECE_CRC = 2,     /* its CRC is wrong */
    TT_PIECE_SIZE = 3,    /* its size does not fit its counts */
    TT_PIECE_COUNTS = 4,  /* its buffers do not match its number of records */
    TT_PIECE_REFUSED = 5, /* its contents are not valid */
};

/* State machines. */
enum {
    TT_MACHINE_PROCESS = 0,
    TT_MACHINE_RUNNABLE = 1,
    TT_MACHINES = 2
};

/* Result of a call of the model. */
enum {
    TT_SYSTEM_DONE = 0,
    TT_SYSTEM_FULL = 1,    /* no room for the next event: provide more, and call again */
    TT_SYSTEM_STOPPED = 2, /* a callback returned -1 */
    TT_SYSTEM_NO_MEMORY = 3,
};

/* Result of the callback `name`, as bits. */
enum {
    TT_NAME_SAID = 1,     /* the event contains a name; if clear, no other bit is set */
    TT_NAME_FIRST = 2,    /* the thread had no name before, or only its address */
    TT_NAME_THE_SAME = 4, /* the thread had this name before */
    TT_NAME_ANOTHER =
        8, /* earlier threads of its task had no name either, and do not get this one */
};

/* Reason why tt_text_write() returned. */
enum {
    TT_TEXT_DONE = 0,      /* all rows are written */
    TT_TEXT_FULL = 1,      /* no room for the next line */
    TT_TEXT_NO_TYPE = 2,   /* call tt_text_set_type() for code `missing`, then write again */
    TT_TEXT_NO_NAME = 3,   /* call tt_text_set_name() for key `missing`, then write again */
    TT_TEXT_BY_PYTHON = 4, /* Python must write row `row`; continue after it */
    TT_TEXT_NO_MEMORY = 5,
};

/* Format of a word. From TASK on, it is the name of the object with this number. */
enum {
    TT_WORD_DECIMAL = 0,
    TT_WORD_SIGNED = 1,
    TT_WORD_HEX = 2,
    TT_WORD_TASK = 3, /* the running thread, padded to the width of its column */
    TT_WORD_THREAD = 4,
    TT_WORD_IRQ = 5,
    TT_WORD_OBJECT = 6,
    TT_WORD_ADDRESS = 7,
};

/* Result of tt_timeline_slices(). */
enum {
    TT_TIMELINE_DONE = 0,
    TT_TIMELINE_TOO_LATE = 1,  /* a time in nanoseconds does not fit into 63 bits */
    TT_TIMELINE_NO_ENTITY = 2, /* a transition of an unknown entity, state or CPU */
    TT_TIMELINE_NO_MEMORY = 3,
};

/* Result of the calls that process transitions, instances or intervals. */
enum {
    TT_LIVES_DONE = 0,
    TT_LIVES_NO_ENTITY = 1, /* a transition of an unknown entity, state or action */
    TT_LIVES_NO_MEMORY = 2,
};

/* Figures with one sample per entity; see answers/gathering.py. */
enum {
    TT_FIGURE_RESPONSE = 0,
    TT_FIGURE_EXECUTION = 1,
    TT_FIGURE_LATENCY = 2,
    TT_FIGURE_PERIOD = 3,
    TT_FIGURE_HOLD = 4,
    TT_FIGURE_WAIT = 5,
    TT_FIGURE_LIFE = 6,
    TT_FIGURES = 7
};

/* Phase of an event on a track. */
enum {
    TT_PHASE_END = 0,
    TT_PHASE_BEGIN = 1,
    TT_PHASE_MOMENT = 2,
    TT_PHASES = 3
};

/* Causes of a tick of a task; see Cause in answers/attribution.py. */
enum {
    TT_CAUSE_RAN = 0,
    TT_CAUSE_PREEMPTED = 1,
    TT_CAUSE_READY = 2,
    TT_CAUSE_INTERRUPTED = 3,
    TT_CAUSE_BLOCKED = 4,
    TT_CAUSE_WAITED = 5, /* for an entity, or by the number of a THREAD event */
    TT_CAUSE_SUSPENDED = 6,
    TT_CAUSE_ENDED = 7,
    TT_CAUSE_EARLIER = 8,
    TT_CAUSE_KERNEL = 9,
    TT_CAUSE_TRACER = 10,
    TT_CAUSE_DEADLOCK = 11,
    TT_CAUSE_UNKNOWN = 12,
    TT_CAUSE_INACTIVE = 13, /* waits for its next activation */
    TT_CAUSE_CREATED = 14,  /* waits for its start */
    TT_CAUSE_AND = 15,      /* no step: another process that belongs to the step before it */
};

/* Kinds of situations; see answers/situations.py. */
enum {
    TT_SITUATION_INVERSION = 0,     /* a task waited for a mutex */
    TT_SITUATION_DEADLOCK = 1,      /* tasks wait for mutexes of each other */
    TT_SITUATION_ABANDONED = 2,     /* a mutex stays locked by a thread that ended */
    TT_SITUATION_READY = 3,         /* a task was ready without a CPU for longer than the limit */
    TT_SITUATION_BUSY = 4,          /* a CPU was not idle for longer than the limit */
    TT_SITUATION_MISSED_WAKEUP = 5, /* a task waited for a condition after its wake-up */
    TT_SITUATION_DOUBT = 6,         /* a situation may be hidden */
    TT_SITUATION_KINDS = 7
};

/* Reasons of a situation of kind DOUBT. */
enum {
    TT_DOUBT_PRIORITIES = 0, /* the priority of a task is unknown */
    TT_DOUBT_STATES = 1,     /* states of a task contradict each other */
};

/* Events that situations depend on in addition to transitions. */
enum {
    TT_NOTED_PRIORITY = 0,       /* first: thread number; second: its base priority */
    TT_NOTED_COND_WAIT = 1,      /* first: condition; second: mutex or 0 */
    TT_NOTED_COND_SIGNAL = 2,    /* first: condition; second: woken thread or 0 */
    TT_NOTED_COND_BROADCAST = 3, /* first: condition; second: number of woken threads */
    TT_NOTED_ENDED = 4,          /* second: number of the thread that ended */
};

typedef struct tt_assembler tt_assembler_t;
typedef struct tt_attribution tt_attribution_t;
typedef struct tt_btf tt_btf_t;
typedef struct tt_gathering tt_gathering_t;
typedef struct tt_lives tt_lives_t;
typedef struct tt_situations tt_situations_t;
typedef struct tt_system tt_system_t;
typedef struct tt_text tt_text_t;
typedef struct tt_timeline tt_timeline_t;

/* Events as columns of equal length; see EventColumns in decode/events.py. */
typedef struct tt_columns {
    uint32_t *header;
    uint64_t *time;
    uint32_t *data0;
    uint32_t *data1;
    uint64_t *ordinal;
    int64_t *payload_offset; /* bytes, or TT_NO_PAYLOAD */
    uint32_t *payload_bytes;
    uint64_t *payload; /* data words in pairs, as on the tape */
} tt_columns_t;

/* Buffers of one ring, in order, and their records. Arrays have one item per buffer. */
typedef struct tt_chunk {
    const uint8_t *records;        /* 16 bytes each, at any address, as on the tape */
    const uint64_t *start;         /* offset of the buffer's first record in `records`, in bytes */
    const uint64_t *first_ordinal; /* of the buffer's first record */
    const uint64_t *ticks;         /* the buffer's anchor: not later than its first record */
    const uint32_t *count;         /* records in the buffer */
    const uint8_t *gap;            /* 1 where records are missing before the buffer */
    uint64_t *ticks_before;        /* out: time of the last SIMPLE or BEGIN before the buffer */
    uint8_t *has_ticks_before;     /* out: 0 when there was none yet */
    uint64_t buffer_count;
    uint32_t swap; /* 1 when the records do not have the byte order of this machine */
    uint32_t last; /* 1 at the end of the input: open events are given up */
} tt_chunk_t;

/* RECORDS chunks of one ring; see tape/pieces_read.py. */
typedef struct tt_pieces {
    const uint8_t *data;  /* the bytes of the tape */
    const uint8_t *table; /* table of all chunks, 40 bytes each, as in INDEX */
    const int64_t *rows;  /* the chunks to read, as indices of `table` */
    uint8_t *state;       /* in, out: TT_PIECE_… of each chunk in `table` */
    uint8_t *buffers;     /* out: 40 bytes per buffer */
    uint64_t *start;      /* out: offset of the first record of each buffer, in bytes */
    uint64_t data_bytes;  /* size of the tape */
    uint64_t row_count;
    uint64_t buffer_room;  /* room in `buffers` and `start` */
    uint64_t found_faults; /* out: number of chunks found to be damaged by this call */
} tt_pieces_t;

/* Result of tt_assemble(). */
typedef struct tt_found {
    uint64_t rows;          /* complete events with no open event before them */
    uint64_t payload_pairs; /* pairs of words in `payload` */
    uint64_t held_rows;     /* rows kept for the next call */
    uint64_t held_ordinal;  /* ordinal of the first kept row */
    uint64_t incomplete;    /* combine events given up: a record is missing or ambiguous */
    uint64_t orphans;       /* CONTINUE and END records without their BEGIN */
    uint64_t mismatched;    /* combine events whose length does not match their number of records */
    uint64_t lost_records;  /* records of incomplete, orphan and mismatched events */
    uint64_t time_faults;   /* buffers that begin before the end of the previous one */
    const uint64_t *given_up; /* identity of each incomplete event: time or key << 32 | header
                                 without struct and flags; valid until the next call */
} tt_found_t;

/* One transition; see Transitions in model/transitions.py. */
typedef struct tt_transition {
    int64_t row;
    uint64_t time;
    int64_t value;
    int32_t entity;
    uint32_t instance;
    int32_t source;
    uint32_t source_instance;
    int32_t object;
    uint8_t cpu;
    uint8_t action;
    uint8_t before;
    uint8_t after;
} tt_transition_t;

/* Callbacks in Python. -1 stops the call, which then returns TT_SYSTEM_STOPPED. */
typedef struct tt_system_services {
    int64_t (*entity)(uint32_t kind, uint32_t number); /* return the index of an entity */
    int64_t (*task)(uint32_t tid);      /* return the index of the task of a new thread */
    int64_t (*limit)(uint32_t address); /* return the limit of a semaphore, 0 if unknown */
    int64_t (*forget)(uint32_t tid);    /* forget the name of a thread that has ended */
    int64_t (*name)(uint64_t row,
                    uint32_t tid); /* store the name in an event; return TT_NAME_... */
    int64_t (*rename)(uint32_t entity, uint32_t tid); /* name a task after its thread */
} tt_system_services_t;

/* Events of one stream in order of time, and room for their transitions. */
typedef struct tt_system_job {
    const uint32_t *header;
    const uint64_t *time;
    const uint32_t *data0;
    const uint32_t *data1;
    uint64_t count;   /* rows */
    uint64_t row;     /* in: first row to process; out: first row not processed */
    uint64_t end_row; /* row after the last one to process */
    tt_transition_t *out;
    uint64_t room;    /* of `out`, in transitions */
    uint64_t written; /* in and out: transitions in `out` */
} tt_system_job_t;

/* One call of the writer of the Best Trace Format. */
typedef struct tt_btf_job {
    const tt_transition_t *transitions;
    uint64_t at;  /* in: first transition to write; out: first one not written */
    uint64_t end; /* index after the last transition */
    uint64_t tick_hz;
    uint64_t offset_ns;      /* added to all times */
    uint64_t time_ns;        /* in and out: time of the last line */
    uint64_t count;          /* in and out: number of event lines */
    uint64_t without_source; /* in and out: transitions written as comments */
    const char *text;        /* out: the lines, valid until the next call */
    uint64_t bytes;          /* out: length of `text` */
} tt_btf_job_t;

/* Text format of one field. */
typedef struct tt_text_field {
    uint8_t word; /* index of the word, 0 or 1 */
    uint8_t kind; /* TT_WORD_... */
    uint8_t label_bytes;
    char label[TT_TEXT_LABEL_BYTES]; /* "name=", after a blank if it is not the first field */
} tt_text_field_t;

/* Text format of one event type. */
typedef struct tt_text_type {
    uint32_t code;     /* class << 10 | event */
    uint8_t by_python; /* 1: Python writes these events; 2: only those with a payload */
    uint8_t string;    /* 1: text follows the words of the payload */
    uint8_t words;     /* number of words before that text */
    uint8_t field_count;
    uint8_t says_name; /* 1: the text becomes the name of the thread in word 1 */
    uint8_t head_bytes;
    char head[TT_TEXT_HEAD_BYTES]; /* class and event, with trailing blanks */
    tt_text_field_t fields[TT_TEXT_FIELDS];
} tt_text_type_t;

/* One call of tt_text_write(). */
typedef struct tt_text_job {
    tt_columns_t columns;
    const int64_t *running; /* running thread at each row, -1 if unknown */
    const uint8_t *skip;    /* 1: learn names from the row, but do not print it; may be NULL */
    char *out;
    uint64_t room;    /* bytes in `out` */
    uint64_t row;     /* in: first row; out: the row at which it returned */
    uint64_t end_row; /* row after the last one to write */
    uint64_t written; /* out: bytes in `out` */
    uint64_t missing; /* out: code of the missing type, or key of the missing name */
    uint64_t learned; /* out: set to 1 if an event contains a new name */
} tt_text_job_t;

/* Events of one stream in order of time, and the rows before which records are missing. */
typedef struct tt_running_job {
    const uint32_t *header;
    const uint32_t *data0;
    const uint32_t *data1;
    const int64_t *losses; /* ascending: row << 1 for a gap, row << 1 | 1 for a break before it */
    uint64_t count;
    uint64_t loss_count;
    uint32_t switch_code; /* class << 10 | event of a context switch */
    int64_t running;      /* thread before the first row, TT_UNKNOWN_THREAD or TT_BLIND_THREAD */
    int64_t *out;         /* running thread at each row */
} tt_running_job_t;

/* Events on tracks, and room for their packets. */
typedef struct tt_packet_job {
    uint64_t count;
    const int64_t *time_ns; /* time of each event; never negative, like track and word */
    const uint8_t *phase;   /* TT_PHASE_... */
    const int64_t *track;
    const int64_t *word;
    const int64_t *flow; /* number of a flow, negative where it ends; 0: no flow */
    uint8_t *out;        /* TT_PACKET_MOST_BYTES per event */
    uint64_t written;    /* out: bytes */
} tt_packet_job_t;

/* Transitions, and room for events on tracks. Python stores the open slice of each track. */
typedef struct tt_timeline_job {
    const tt_transition_t *transitions;
    uint64_t count;
    uint64_t row; /* in: first transition to convert; out: first one not converted */
    uint64_t tick_hz;
    uint64_t entity_count;
    const int64_t *kind;        /* kind of each entity */
    const int64_t *name;        /* number of the word for the name of each entity */
    const int64_t *message;     /* three words per entity: sent, received, replied */
    const int64_t *state_words; /* word for each state */
    int64_t *open;              /* word of the open slice of each entity, 0: none */
    int64_t *core;              /* CPU of each entity that runs, -1: none */
    int64_t *since;             /* time of the last change of each entity, in ns */
    int64_t entity_tracks;      /* track of entity 0; each further entity adds 4 */
    int64_t core_tracks;        /* track of CPU 0; each further CPU adds 4 */
    uint8_t *packets_end;       /* in and out: end of the packets; NULL: write the columns below */
    const uint8_t *packets_limit; /* end of the room for packets */
    int64_t *time_ns;             /* out: TT_TIMELINE_SLOTS per transition, like the next four */
    uint8_t *phase;
    int64_t *track;
    int64_t *word;
    int64_t *flow;
    uint64_t written;  /* in and out: number of events in the columns */
    uint64_t slices;   /* in and out: number of begins and moments */
    uint64_t flows;    /* in and out: number of moments that end a flow */
    uint8_t *entities; /* out: 1 for each entity whose track has an event */
    uint8_t *cores;    /* out: 1 for each CPU whose track has an event */
    int64_t *load_cpu; /* out: TT_TIMELINE_STEPS per transition, like the next two */
    int64_t *load_ns;
    int64_t *load_step;  /* change of the load of a CPU; 0 if changes cancel out */
    uint64_t load_count; /* in and out: number of steps */
} tt_timeline_job_t;

/* One instance; see Instance in answers/instance.py. Times and limits may be TT_NO_TICKS. */
typedef struct tt_instance {
    int64_t activation;
    int64_t found;
    int64_t start;
    int64_t end;
    int64_t ready_since;
    int64_t found_ready;
    int64_t running;
    int64_t ready;
    int64_t preempted;
    int64_t interrupted;
    int64_t suspended;
    int64_t earliest;
    int64_t latest;
    int64_t response_low;
    int64_t response_high;
    int64_t execution_low;
    int64_t execution_high;
    uint64_t first_blocking; /* index of its first blocking in the array */
    uint32_t blockings;      /* number of its blockings */
    int32_t entity;
    uint32_t number;
    int32_t cpu; /* -1: none */
    uint32_t preemptions;
    uint32_t interruptions;
    uint32_t nesting;
    uint32_t ended; /* TT_ENDED_... */
    uint32_t
        takes; /* 1: the first job of a count of activations, which took over another instance */
    uint32_t unused;
} tt_instance_t;

/* Waits of an instance for one object and owner; see Blocking in answers/instance.py. */
typedef struct tt_blocking {
    int64_t event;
    int64_t ticks;
    int32_t object;
    int32_t owner;
} tt_blocking_t;

/* A BLOCKED segment, or a READY one before RUNNING; see Segment in answers/instance.py. */
typedef struct tt_interval {
    int64_t begin;
    int64_t end;
    int64_t since; /* begin of the whole wait, whose owner may change; TT_NO_TICKS: unknown */
    int64_t event;
    int32_t entity;
    uint32_t number;
    int32_t object;
    int32_t owner;
    uint32_t doing;     /* TT_DOING_... */
    uint32_t following; /* TT_DOING_... of the next segment; TT_DOING_COUNT: none */
    uint32_t is_job;    /* 0: of a life. With TT_DOING_UNKNOWN: whether the lives so far are jobs */
    uint32_t unused;
} tt_interval_t;

/* Transitions of one boot, and ended instances. Arrays are valid until the next call. */
typedef struct tt_lives_job {
    const tt_transition_t *transitions;
    uint64_t count;
    uint64_t base;         /* number in the boot of the event at row 0 */
    const int64_t *kind;   /* kind of each entity */
    const int64_t *number; /* number of each entity */
    uint64_t entity_count;
    const int64_t *last;            /* time of the last record of each CPU; TT_NO_TICKS: none */
    const tt_instance_t *instances; /* out */
    const tt_blocking_t *blockings; /* out */
    const tt_interval_t *intervals; /* out */
    uint64_t instance_count;        /* out */
    uint64_t blocking_count;        /* out */
    uint64_t interval_count;        /* out */
    uint32_t keeps; /* 1: add to the results of earlier calls; 0: discard those first */
} tt_lives_job_t;

/* Sums for one entity; see Gathered in answers/gathering.py. */
typedef struct tt_gathered {
    uint64_t activations;
    uint64_t uncertain;
    uint64_t preemptions;
    uint64_t interruptions;
    uint64_t preemptions_partly; /* of instances that are partly within the window */
    uint64_t interruptions_partly;
    int64_t high;
    int64_t latency_high;
    int64_t doubted;       /* TT_NO_TICKS: none */
    int64_t waited;        /* TT_NO_TICKS: none */
    int64_t last_number;   /* number of the instance activated last; -1: none */
    int64_t last_time;     /* time of its activation */
    int64_t first_time;    /* time of the first activation; TT_NO_TICKS: none */
    int64_t period_hidden; /* longest distance of two activations that may hide another one */
    int64_t held_since;    /* time of the last take of a mutex or spin lock; TT_NO_TICKS while it is
                              free or unknown */
    int64_t use_first;     /* time of the first take or give; TT_NO_TICKS: none */
    int64_t use_last;      /* time of the last one */
    int64_t hold_hidden;   /* longest distance of two of them that may hide a hold */
    uint32_t nesting;
    uint32_t ends; /* 0 or 1 */
} tt_gathered_t;

/* Sum of the waits of all instances of an entity for one object, event and owner. */
typedef struct tt_waited {
    int64_t event;
    int64_t ticks;
    int32_t entity;
    int32_t object;
    int32_t owner;
    uint32_t unused;
} tt_waited_t;

/* Values of one figure; see Sample in answers/sample.py. */
typedef struct tt_sample {
    uint64_t count;
    uint64_t total_low; /* low word of the sum, which has 128 bits */
    int64_t total_high; /* high word of the sum */
    int64_t minimum;
    int64_t maximum;
    int64_t worst;   /* instance of the maximum, the first of several; -1: none */
    int64_t *values; /* all values, or NULL */
    int64_t *counts; /* number of values per bucket, or NULL */
    uint64_t room;   /* items allocated for `values`, or number of buckets */
} tt_sample_t;

/* Input of the statistics of one boot, the observed time, and the sums. */
typedef struct tt_gathering_job {
    const tt_transition_t *transitions;
    uint64_t count;
    const tt_instance_t *instances;
    uint64_t instance_count;
    const tt_interval_t *intervals;
    uint64_t interval_count;
    const int64_t *kind; /* kind of each entity */
    uint64_t entity_count;
    int64_t first;              /* first tick of the window */
    int64_t last;               /* last tick of the window */
    int64_t begin;              /* time of the first record */
    int64_t end;                /* time of the last record so far */
    int64_t unknown_since;      /* time from which records may be missing; INT64_MAX: never */
    const int64_t *hole_begins; /* ascending: begins of intervals with missing activations, or
                                   missing uses of objects */
    const int64_t *hole_ends;   /* for each interval, the latest end of all intervals up to it */
    uint64_t hole_count;
    tt_gathered_t *gathered; /* in and out: one item per entity */
    int64_t *actions;        /* in and out: counts; index: entity * TT_ACTION_COUNT + action */
} tt_gathering_job_t;

/* An event of a kind TT_NOTED_... */
typedef struct tt_noted {
    int64_t row; /* row of the event */
    int64_t time;
    int64_t first;
    int64_t second;
    uint32_t kind; /* TT_NOTED_... */
    uint32_t cpu;
} tt_noted_t;

/* A situation; see Situations in answers/situations.py. Times in ticks. */
typedef struct tt_situation {
    int64_t begin;
    int64_t end; /* time from which it is certain, or at which it ended */
    int64_t since;
    int64_t rests_from; /* certain if no record is missing from this time to `end` */
    int64_t value;
    uint64_t first_share; /* index of its first share in the array */
    uint32_t shares;      /* number of its shares */
    uint32_t kind;        /* TT_SITUATION_... */
    int32_t entity;
    int32_t object;
    int32_t by;
    uint32_t unused;
} tt_situation_t;

/* An entity that takes part in a situation, and its ticks. */
typedef struct tt_share {
    int64_t ticks;
    int32_t entity;
    uint32_t unused;
} tt_share_t;

/* One step of a path; see Step in answers/attribution.py. */
typedef struct tt_step {
    int32_t cause; /* TT_CAUSE_... */
    int32_t by;    /* a process; TT_NO_ENTITY: none */
    int32_t on;    /* an entity; TT_NO_ENTITY: none */
    int32_t wait;  /* number of the THREAD event of a wait without an entity; TT_NOT_KNOWN: none */
} tt_step_t;

/* A path, and the entities whose states it depends on. */
typedef struct tt_path {
    uint64_t first_step;
    uint64_t first_rest;
    uint32_t steps;
    uint32_t rests;
} tt_path_t;

/* A range of time with one path; see Segment in answers/attribution.py. */
typedef struct tt_stretch {
    int64_t begin;
    int64_t end;
    uint64_t path; /* index of its path */
} tt_stretch_t;

/* Transitions of one boot, and the paths of all windows, valid until the next call. */
typedef struct tt_attribution_job {
    const tt_transition_t *transitions;
    uint64_t count;
    const int64_t *kind;      /* kind of each entity */
    const uint8_t *is_tracer; /* 1 for each entity that drains the recorder */
    uint64_t entity_count;
    int64_t end;            /* tt_attribution_finish(): time up to which ticks are attributed */
    const tt_step_t *steps; /* out */
    const tt_path_t *paths; /* out */
    uint64_t step_count;    /* out */
    uint64_t path_count;    /* out */
} tt_attribution_job_t;

/* Transitions and noted events of one boot, and situations, valid until the next call. */
typedef struct tt_situations_job {
    const tt_transition_t *transitions;
    uint64_t count;
    const tt_noted_t *noted;
    uint64_t noted_count;
    const int64_t *kind;   /* kind of each entity */
    const int64_t *number; /* number of each entity */
    uint64_t entity_count;
    int64_t last;                     /* time of the last record so far */
    const tt_situation_t *situations; /* out */
    const tt_share_t *shares;         /* out */
    uint64_t situation_count;         /* out */
    uint64_t share_count;             /* out */
} tt_situations_job_t;

/* Transitions, and the sums of CpuTimes in model/cpu_time.py. */
typedef struct tt_cpu_times_job {
    const tt_transition_t *transitions;
    uint64_t count;
    const int64_t *kind;  /* kind of each entity */
    const int64_t *place; /* row of each entity, or its column if it is a core */
    uint64_t entity_count;
    uint64_t rows;
    uint64_t cores;     /* number of columns */
    int64_t first;      /* first tick to count */
    int64_t last;       /* last tick to count */
    uint32_t begun;     /* 0: losses before row 1 belong to the previous boot */
    int64_t *ticks;     /* in and out: sum of ends minus begins; rows * cores */
    int64_t *open;      /* in and out: number of open intervals; rows * cores */
    int64_t *seen;      /* in and out: latest time of each core */
    uint8_t *mentioned; /* in and out: 1 for each entity with a transition */
} tt_cpu_times_job_t;

/* Return the checksum of this interface. */
uint64_t tt_native_checksum(void);

/* Create an assembler for one ring; NULL without memory. */
tt_assembler_t *tt_assembler_new(void);

/* Free an assembler; NULL is allowed. */
void tt_assembler_free(tt_assembler_t *assembler);

/* Return the number of rows that the columns need besides one per record of the next chunk. */
uint64_t tt_assembler_kept_rows(const tt_assembler_t *assembler);

/*
 * Return the number of payload pairs that the columns need besides one per record of the next
 * chunk.
 */
uint64_t tt_assembler_kept_pairs(const tt_assembler_t *assembler);

/*
 * Assemble the events of the next chunk, in order of their first records. The first open event and
 * all events after it, of at most 4096 records, are kept for the next call. After -1 the assembler
 * can only be freed.
 */
int tt_assemble(tt_assembler_t *assembler, const tt_chunk_t *chunk, const tt_columns_t *columns,
                tt_found_t *found);

/* Return 1 if tt_crc32() works on this processor. */
int tt_crc32_available(void);

/*
 * Return the CRC-32 of zlib over `size` bytes at any address. Requires that tt_crc32_available()
 * returns 1.
 */
uint32_t tt_crc32(const uint8_t *data, uint64_t size);

/*
 * Check RECORDS chunks and describe the buffers of the sound ones. Returns the number of buffers.
 * Requires that tt_crc32_available() returns 1.
 */
uint64_t tt_pieces_read(tt_pieces_t *pieces);

/*
 * Fill `out` with the running thread at each event. Returns the thread after the last row, or
 * TT_MANY_CPUS if the events are of several CPUs; `out` is then undefined.
 */
int64_t tt_running_column(const tt_running_job_t *job);

/* Create a model of the kernel; NULL without memory. */
tt_system_t *tt_system_new(const tt_system_services_t *services);

/* Free a model; NULL is allowed. */
void tt_system_free(tt_system_t *system);

/*
 * Set the handler of an event type, class << 10 | event, by the name of its method in Python; -1 if
 * there is no such handler or type.
 */
int tt_system_handle(tt_system_t *system, uint32_t code, const char *handler);

/*
 * Mark an event type that only the running thread causes, class << 10 | event; `word` has its
 * number, -1 for none. -1 if a number is out of range.
 */
int tt_system_evidence(tt_system_t *system, uint32_t code, int32_t word);

/*
 * Add an entry to a state machine, from one state to another by an action; -1 if a number is out of
 * range.
 */
int tt_system_allow(tt_system_t *system, uint32_t machine, uint32_t before, uint32_t action,
                    uint32_t after);

/* Begin a boot; `whole`: 1 if no record is missing since its start. */
void tt_system_begin_boot(tt_system_t *system, uint32_t whole);

/*
 * Process a reset: forget all state except the entities. Returns TT_SYSTEM_..., like the next two.
 */
int tt_system_reset(tt_system_t *system, tt_system_job_t *job);

/*
 * Process missing records of a CPU, or of all (64), before row job->row. `ticks`: time of the last
 * record before them, if `has_ticks` is 1.
 */
int tt_system_lose(tt_system_t *system, tt_system_job_t *job, uint32_t cpu, uint32_t has_ticks,
                   uint64_t ticks);

/* Convert the events of the next rows to transitions. */
int tt_system_feed(tt_system_t *system, tt_system_job_t *job);

/* Return 1 if no living thread is this task, else 0. */
int tt_system_is_free(const tt_system_t *system, uint32_t entity);

/* Create a writer; `old`: 1 for a version up to 2.1.5 of the format. NULL without memory. */
tt_btf_t *tt_btf_new(uint32_t old);

/* Free a writer; NULL is allowed. */
void tt_btf_free(tt_btf_t *btf);

/* Set a word of a table; -1 if it has more than 31 bytes or there is no such place. */
int tt_btf_set_word(tt_btf_t *btf, uint32_t table, uint32_t place, const char *word);

/* Set the names of a CPU's core and scheduler. */
int tt_btf_set_cpu(tt_btf_t *btf, uint32_t cpu, const char *core, const char *scheduler);

/* Add the next entity. */
int tt_btf_add_entity(tt_btf_t *btf, uint32_t kind, const char *name, uint32_t bytes);

/* Forget owners and cores: records are missing, or the target was reset. */
void tt_btf_forget(tt_btf_t *btf);

/* Write lines until a block is full; -1 also for an unknown entity. */
int tt_btf_write(tt_btf_t *btf, tt_btf_job_t *job);

/* Create a writer; NULL without memory. */
tt_text_t *tt_text_new(uint32_t colour);

/* Free a writer; NULL is allowed. */
void tt_text_free(tt_text_t *text);

/* Begin a boot with this clock rate, and forget all names. */
void tt_text_begin(tt_text_t *text, uint64_t tick_hz);

/* Forget all names. */
void tt_text_forget(tt_text_t *text);

/* Set the text format of an event type. */
int tt_text_set_type(tt_text_t *text, const tt_text_type_t *type);

/* Set the name of a key; without bytes, Python writes all rows with this name. */
int tt_text_set_name(tt_text_t *text, uint64_t key, const char *name, uint32_t bytes);

/*
 * Write lines, each with its line end, until a type, a name or room is missing. Returns TT_TEXT_...
 */
int tt_text_write(tt_text_t *text, tt_text_job_t *job);

/* Create a slice maker; NULL without memory. */
tt_timeline_t *tt_timeline_new(void);

/* Free a slice maker; NULL is allowed. */
void tt_timeline_free(tt_timeline_t *timeline);

/* Begin a boot: no message is in transit. */
void tt_timeline_begin(tt_timeline_t *timeline);

/* Convert transitions to slices. Returns TT_TIMELINE_... */
int tt_timeline_slices(tt_timeline_t *timeline, tt_timeline_job_t *job);

/* Create the instances of one boot; NULL without memory. */
tt_lives_t *tt_lives_new(void);

/* Free instances; NULL is allowed. */
void tt_lives_free(tt_lives_t *lives);

/*
 * Process transitions. Returns TT_LIVES_..., like the next two; after a failure, `lives` can only
 * be freed.
 */
int tt_lives_feed(tt_lives_t *lives, tt_lives_job_t *job);

/* Report the instances that are open at the last record, without changing them. */
int tt_lives_open(tt_lives_t *lives, tt_lives_job_t *job);

/* End the instances that are open at the last record. */
int tt_lives_finish(tt_lives_t *lives, tt_lives_job_t *job);

/* Create statistics of one boot; NULL without memory. */
tt_gathering_t *tt_gathering_new(void);

/* Free statistics; NULL is allowed. */
void tt_gathering_free(tt_gathering_t *gathering);

/* Add instances and intervals. Returns TT_LIVES_..., like the next one. */
int tt_gathering_tables(tt_gathering_t *gathering, const tt_gathering_job_t *job);

/* Add transitions of mutexes, semaphores, spin locks and channels; skip others. */
int tt_gathering_uses(tt_gathering_t *gathering, const tt_gathering_job_t *job);

/*
 * Return the sample of a figure of an entity, valid until the next call that adds rows; NULL if it
 * has no values.
 */
const tt_sample_t *tt_gathering_sample(const tt_gathering_t *gathering, uint64_t entity,
                                       uint32_t figure);

/* Store the address of the waits, by entity, object, event and owner; return their number. */
uint64_t tt_gathering_waits(const tt_gathering_t *gathering, const tt_waited_t **waits);

/*
 * Attribute the ticks of one boot; `segments`: number of latest segments that a window keeps. NULL
 * without memory.
 */
tt_attribution_t *tt_attribution_new(uint64_t segments);

/* Free an attribution; NULL is allowed. */
void tt_attribution_free(tt_attribution_t *attribution);

/*
 * Add a window of an instance of a task before the first transition; instance -1: any. -1 without
 * memory.
 */
int tt_attribution_window(tt_attribution_t *attribution, int32_t entity, int64_t instance,
                          int64_t begin, int64_t end);

/*
 * Process transitions. Returns TT_LIVES_..., like the next one; after a failure, `attribution` can
 * only be freed.
 */
int tt_attribution_feed(tt_attribution_t *attribution, tt_attribution_job_t *job);

/* Attribute the ticks up to `end`, and report the paths. */
int tt_attribution_finish(tt_attribution_t *attribution, tt_attribution_job_t *job);

/* Store the address of the segments of a window; return their number. */
uint64_t tt_attribution_segments(const tt_attribution_t *attribution, uint64_t window,
                                 const tt_stretch_t **segments);

/*
 * Store the address of the ticks by path of the segments that a window no longer keeps; return
 * their number.
 */
uint64_t tt_attribution_totals(const tt_attribution_t *attribution, uint64_t window,
                               const int64_t **totals);

/*
 * Find the situations of one boot; `limit`: TT_SITUATION_READY and _BUSY are longer, in ticks. NULL
 * without memory.
 */
tt_situations_t *tt_situations_new(int64_t limit);

/* Free situations; NULL is allowed. */
void tt_situations_free(tt_situations_t *situations);

/*
 * Process transitions and noted events. Returns TT_LIVES_..., like the next two; after a failure,
 * `situations` can only be freed.
 */
int tt_situations_feed(tt_situations_t *situations, tt_situations_job_t *job);

/* Report the situations that are open at the last record, without changing them. */
int tt_situations_open(tt_situations_t *situations, tt_situations_job_t *job);

/* End the situations that are open at the last record. */
int tt_situations_finish(tt_situations_t *situations, tt_situations_job_t *job);

/* Add transitions to the sums; -1 for an unknown entity. */
int tt_cpu_times_add(tt_cpu_times_job_t *job);

/* Encode columns as packets; -1 for an unknown phase. */
int tt_packets_fill(tt_packet_job_t *job);

#endif
