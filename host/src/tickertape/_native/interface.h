/* Generated from protocol/native.yaml by make gen; do not edit. */
/*
 * What the C sources of the compiled part and the Python modules beside them share. Functions
 * return 0, or -1 without memory, unless their description differs. Nothing here does I/O; two
 * threads must not use one handle at the same time.
 */
#ifndef TICKERTAPE_NATIVE_INTERFACE_H
#define TICKERTAPE_NATIVE_INTERFACE_H

#include <stdint.h>

#define TT_NO_PAYLOAD     (-1) /* offset of a row's payload when it has none */
#define TT_UNKNOWN_THREAD (-1) /* thread of a row when no context switch is known */
#define TT_BLIND_THREAD   (-2) /* thread of a row after a break: unknown, also by the next switch */
#define TT_MANY_CPUS      (-3) /* result of running_column() for events of several CPUs */
#define TT_TEXT_FIELDS    2u   /* fields of a line that the writer of text shows */
#define TT_TEXT_LABEL_BYTES  61u  /* of a field */
#define TT_TEXT_HEAD_BYTES   118u /* class and event of a line */
#define TT_TEXT_NAME_BYTES   119u /* of a name as it is printed */
#define TT_TIMELINE_CPUS     64u  /* rows of tracks of CPUs */
#define TT_TIMELINE_SLOTS    4u   /* slices that one transition ends and begins at most */
#define TT_TIMELINE_STEPS    2u   /* changes of the load by one transition at most */
#define TT_PACKET_MOST_BYTES 64u  /* a packet at its longest and what is written after it */
#define TT_LIVES_CPUS        64u  /* CPUs that instances run on */
#define TT_NO_TICKS          (-4611686018427387904) /* a time or a limit that is unknown */

/* Tables of words for lines of the Best Trace Format. */
enum {
    TT_BTF_PROCESS = 0,  /* by action: what a process does */
    TT_BTF_RUNNABLE = 1, /* by action: what a runnable does */
    TT_BTF_LOCK = 2,     /* by state before << 8 | state after: event of a semaphore */
    TT_BTF_ACTION = 3,   /* by action: what it is called in a comment */
    TT_BTF_TYPE = 4,     /* by kind: the type of an entity */
    TT_BTF_TABLES = 5
};

/* State machines. */
enum {
    TT_MACHINE_PROCESS = 0,
    TT_MACHINE_RUNNABLE = 1,
    TT_MACHINES = 2
};

/* How a call of the model ended. */
enum {
    TT_SYSTEM_DONE = 0,
    TT_SYSTEM_FULL = 1,    /* no room for the next event: provide more, and call again */
    TT_SYSTEM_STOPPED = 2, /* a service returned -1 */
    TT_SYSTEM_NO_MEMORY = 3,
};

/* The name of a thread in an event, as bits. */
enum {
    TT_NAME_SAID = 1,     /* there is a name; without it no other bit is set */
    TT_NAME_FIRST = 2,    /* the thread had none */
    TT_NAME_THE_SAME = 4, /* the thread had this one */
};

/* Why tt_text_write() returned. */
enum {
    TT_TEXT_DONE = 0,      /* all rows are written */
    TT_TEXT_FULL = 1,      /* no room for the next line */
    TT_TEXT_NO_TYPE = 2,   /* call tt_text_set_type() for code `missing`, then write again */
    TT_TEXT_NO_NAME = 3,   /* call tt_text_set_name() for key `missing`, then write again */
    TT_TEXT_BY_PYTHON = 4, /* Python has to write row `row`; go on after it */
    TT_TEXT_NO_MEMORY = 5,
};

/* How a word is shown; from TASK on by a name, which is looked up. */
enum {
    TT_WORD_DECIMAL = 0,
    TT_WORD_SIGNED = 1,
    TT_WORD_HEX = 2,
    TT_WORD_TASK = 3, /* the column of the thread that runs */
    TT_WORD_THREAD = 4,
    TT_WORD_IRQ = 5,
    TT_WORD_OBJECT = 6,
    TT_WORD_ADDRESS = 7,
};

/* How tt_timeline_slices() ended. */
enum {
    TT_TIMELINE_DONE = 0,
    TT_TIMELINE_TOO_LATE = 1, /* a time is above 63 bits of nanoseconds */
    TT_TIMELINE_NO_ENTITY = 2,
    TT_TIMELINE_NO_MEMORY = 3,
};

/* How tt_lives_feed() and tt_lives_finish() ended. */
enum {
    TT_LIVES_DONE = 0,
    TT_LIVES_NO_ENTITY = 1, /* a transition of an unknown entity, state or action */
    TT_LIVES_NO_MEMORY = 2,
};

/* What statistics have a sample of, for each entity; see answers/gathering.py. */
enum {
    TT_FIGURE_RESPONSE = 0,
    TT_FIGURE_EXECUTION = 1,
    TT_FIGURE_LATENCY = 2,
    TT_FIGURE_PERIOD = 3,
    TT_FIGURE_HOLD = 4,
    TT_FIGURE_WAIT = 5,
    TT_FIGURES = 6
};

/* Events of tracks. */
enum {
    TT_PHASE_END = 0,
    TT_PHASE_BEGIN = 1,
    TT_PHASE_MOMENT = 2,
    TT_PHASES = 3
};

typedef struct tt_assembler tt_assembler_t;
typedef struct tt_btf tt_btf_t;
typedef struct tt_gathering tt_gathering_t;
typedef struct tt_lives tt_lives_t;
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
    uint64_t *payload; /* data words by pairs, as on the tape */
} tt_columns_t;

/* Buffers of one chunk, in order, and their records. Arrays have one item per buffer. */
typedef struct tt_chunk {
    const uint8_t *records;        /* 16 bytes each, at any address, as on the tape */
    const uint64_t *first_ordinal; /* of the buffer's first record */
    const uint64_t *ticks;         /* the buffer's anchor: not later than its first record */
    const uint32_t *count;         /* records in the buffer */
    const uint8_t *gap;            /* 1 where records are missing before the buffer */
    uint64_t *ticks_before;        /* out: time of the last SIMPLE or BEGIN before the buffer */
    uint8_t *has_ticks_before;     /* out: 0 when there was none yet */
    uint64_t buffer_count;
    uint32_t swap; /* 1 when the records do not have the byte order of this machine */
    uint32_t last; /* 1 when nothing follows: open events are given up */
} tt_chunk_t;

/* What one call found. */
typedef struct tt_found {
    uint64_t rows;            /* events that are complete and wait for nothing */
    uint64_t payload_pairs;   /* pairs of words in `payload` */
    uint64_t held_rows;       /* rows kept for the next call */
    uint64_t held_ordinal;    /* of the first of them */
    uint64_t incomplete;      /* combine events given up: a record is missing, or in doubt */
    uint64_t orphans;         /* CONTINUE or END without its BEGIN */
    uint64_t mismatched;      /* number of records does not fit the length */
    uint64_t lost_records;    /* records of the three above */
    uint64_t time_faults;     /* buffers that begin before the end of the one before */
    const uint64_t *given_up; /* of each incomplete event, until the next call: time or key << 32 |
                                 header without struct and flags */
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

/* Answers of Python. A function returns -1 to stop; the call then returns TT_SYSTEM_STOPPED. */
typedef struct tt_system_services {
    int64_t (*entity)(uint32_t kind, uint32_t number); /* index of the entity */
    int64_t (*task)(uint32_t tid);                     /* index of the task of a new thread */
    int64_t (*limit)(uint32_t address);                /* of a semaphore, 0 for unknown */
    int64_t (*name)(uint64_t row, uint32_t tid);       /* the name in an event: TT_NAME_... */
    int64_t (*rename)(uint32_t entity, uint32_t tid);  /* its task had none before */
} tt_system_services_t;

/* Events of one stream in order of time, and room for what they mean. */
typedef struct tt_system_job {
    const uint32_t *header;
    const uint64_t *time;
    const uint32_t *data0;
    const uint32_t *data1;
    uint64_t count;   /* rows */
    uint64_t row;     /* in: the first one to take; out: the first one not taken */
    uint64_t end_row; /* after the last one to take */
    tt_transition_t *out;
    uint64_t room;    /* of `out`, in transitions */
    uint64_t written; /* in and out: transitions in `out` */
} tt_system_job_t;

/* One call of the writer of the Best Trace Format. */
typedef struct tt_btf_job {
    const tt_transition_t *transitions;
    uint64_t at;  /* in: the first one; out: the first one that is not written */
    uint64_t end; /* after the last one */
    uint64_t tick_hz;
    uint64_t offset_ns;      /* is added to all times */
    uint64_t time_ns;        /* in and out: time of the last line */
    uint64_t count;          /* in and out: lines that are events */
    uint64_t without_source; /* in and out: transitions that became comments */
    const char *text;        /* out: valid until the next call */
    uint64_t bytes;          /* out */
} tt_btf_job_t;

/* How a field is shown. */
typedef struct tt_text_field {
    uint8_t word; /* 0 or 1 */
    uint8_t kind; /* TT_WORD_... */
    uint8_t label_bytes;
    char label[TT_TEXT_LABEL_BYTES]; /* "name=", after a blank when it is not the first */
} tt_text_field_t;

/* How events of one type are shown. */
typedef struct tt_text_type {
    uint32_t code;
    uint8_t by_python; /* 1: this writer cannot show it; 2: not with a payload */
    uint8_t string;    /* 1: text follows the words of its payload */
    uint8_t words;     /* before that text */
    uint8_t field_count;
    uint8_t says_name; /* 1: the text becomes the name of the thread in word 1 */
    uint8_t head_bytes;
    char head[TT_TEXT_HEAD_BYTES]; /* class and event, with the blanks after them */
    tt_text_field_t fields[TT_TEXT_FIELDS];
} tt_text_type_t;

/* One call of the writer of text. */
typedef struct tt_text_job {
    tt_columns_t columns;
    const int64_t *running; /* thread that ran at each row, -1 for unknown */
    const uint8_t *skip;    /* 1: learn names from the row, but do not print it; may be NULL */
    char *out;
    uint64_t room;    /* bytes in `out` */
    uint64_t row;     /* in: first row; out: the row at which it returned */
    uint64_t end_row; /* after the last row */
    uint64_t written; /* out: bytes in `out` */
    uint64_t missing; /* out: a code or a key */
    uint64_t learned; /* out: set to 1 when an event contained an unknown name */
} tt_text_job_t;

/* Events of one stream in order of time, and where records are missing. */
typedef struct tt_running_job {
    const uint32_t *header;
    const uint32_t *data0;
    const uint32_t *data1;
    const int64_t *losses; /* ascending: row << 1 of a gap before it, row << 1 | 1 of a break */
    uint64_t count;
    uint64_t loss_count;
    uint32_t switch_code; /* class << 10 | event of a context switch */
    int64_t running;      /* thread before the first row, TT_UNKNOWN_THREAD or TT_BLIND_THREAD */
    int64_t *out;         /* one item per row */
} tt_running_job_t;

/* Events of tracks, and room for their packets. */
typedef struct tt_packet_job {
    uint64_t count;
    const int64_t *time_ns; /* of each event, not negative, as are track and word */
    const uint8_t *phase;   /* TT_PHASE_... */
    const int64_t *track;
    const int64_t *word;
    const int64_t *flow; /* negative where one ends, 0 for none */
    uint8_t *out;        /* TT_PACKET_MOST_BYTES per event */
    uint64_t written;    /* out: bytes */
} tt_packet_job_t;

/* Transitions, and room for slices on tracks. Python keeps what is open on each track. */
typedef struct tt_timeline_job {
    const tt_transition_t *transitions;
    uint64_t count;
    uint64_t row; /* in: the first one to take; out: the first one not taken, packets being full */
    uint64_t tick_hz;
    uint64_t entity_count;
    const int64_t *kind;        /* of each entity */
    const int64_t *name;        /* of each entity: number of a word */
    const int64_t *message;     /* of each entity: words for sent, received and replied */
    const int64_t *state_words; /* of each state */
    int64_t *open;              /* of each entity: the word of the open slice, 0 for none */
    int64_t *core;              /* of each entity: where it runs, -1 for nowhere */
    int64_t *since;             /* of each entity: time of its last change */
    int64_t entity_tracks;      /* number of the track of entity 0; the others follow */
    int64_t core_tracks;        /* likewise of CPU 0 */
    uint8_t *packets_end;       /* in and out: where packets are put */
    const uint8_t *packets_limit;
    int64_t *time_ns; /* out, SLOTS per transition, as are the next four; NULL for packets */
    uint8_t *phase;
    int64_t *track;
    int64_t *word;
    int64_t *flow;
    uint64_t written;  /* out */
    uint64_t slices;   /* out: begins and moments */
    uint64_t flows;    /* out: moments that end one */
    uint8_t *entities; /* out: 1 where the track of an entity contains something */
    uint8_t *cores;    /* out: 1 where that of a CPU does */
    int64_t *load_cpu; /* out, STEPS per transition, as are the next two */
    int64_t *load_ns;
    int64_t *load_step;  /* may be 0: nothing happened */
    uint64_t load_count; /* out */
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
    uint64_t first_blocking; /* its place in the array of blockings */
    uint32_t blockings;      /* how many there are */
    int32_t entity;
    uint32_t number;
    int32_t cpu; /* -1 for none */
    uint32_t preemptions;
    uint32_t interruptions;
    uint32_t nesting;
    uint32_t ended; /* TT_ENDED_... */
} tt_instance_t;

/* For how long an instance waited; see Blocking in answers/instance.py. */
typedef struct tt_blocking {
    int64_t event;
    int64_t ticks;
    int32_t object;
    int32_t owner;
} tt_blocking_t;

/* A part of an instance in which it waited; see Interval in answers/instance.py. */
typedef struct tt_interval {
    int64_t begin;
    int64_t end;
    int64_t since;
    int64_t event;
    int32_t entity;
    uint32_t number;
    int32_t object;
    int32_t owner;
    uint32_t doing;     /* TT_DOING_... */
    uint32_t following; /* likewise; TT_DOING_COUNT at its end */
} tt_interval_t;

/* Transitions of one boot, and what ended. Arrays are valid until the next call. */
typedef struct tt_lives_job {
    const tt_transition_t *transitions;
    uint64_t count;
    uint64_t base;         /* number of the first event in the boot */
    const int64_t *kind;   /* of each entity */
    const int64_t *number; /* likewise */
    uint64_t entity_count;
    const int64_t
        *last; /* time of the last record of each CPU in these events; TT_NO_TICKS without one */
    const tt_instance_t *instances; /* out */
    const tt_blocking_t *blockings; /* out */
    const tt_interval_t *intervals; /* out */
    uint64_t instance_count;        /* out */
    uint64_t blocking_count;        /* out */
    uint64_t interval_count;        /* out */
    uint32_t keeps;                 /* 1: add to what the calls before found; 0: forget that */
} tt_lives_job_t;

/* What is added up for one entity; see Gathered in answers/gathering.py. */
typedef struct tt_gathered {
    uint64_t activations;
    uint64_t uncertain;
    uint64_t preemptions;
    uint64_t interruptions;
    int64_t high;
    int64_t latency_high;
    int64_t doubted;     /* TT_NO_TICKS for none */
    int64_t waited;      /* likewise */
    int64_t last_number; /* of the instance that was activated last; -1 for none */
    int64_t last_time;   /* of its activation */
    int64_t held_since;  /* the last take of a mutex or spin lock; TT_NO_TICKS while it is free */
    uint32_t nesting;
    uint32_t ends; /* 0 or 1 */
} tt_gathered_t;

/* For how long the instances of an entity waited for one object and its owner. */
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
    uint64_t total_low; /* the sum, of 128 bits */
    int64_t total_high;
    int64_t minimum;
    int64_t maximum;
    int64_t worst;   /* instance of the maximum, the first of several; -1 for none */
    int64_t *values; /* all values, or NULL */
    int64_t *counts; /* values of each bucket, or NULL */
    uint64_t room;   /* of values, or the number of buckets */
} tt_sample_t;

/* Instances, waits and transitions of one boot for its statistics, and what was observed. */
typedef struct tt_gathering_job {
    const tt_transition_t *transitions;
    uint64_t count;
    const tt_instance_t *instances;
    uint64_t instance_count;
    const tt_interval_t *intervals;
    uint64_t interval_count;
    const int64_t *kind; /* of each entity */
    uint64_t entity_count;
    int64_t first; /* the window */
    int64_t last;
    int64_t begin;              /* time of the first record */
    int64_t end;                /* of the last one so far */
    int64_t unknown_since;      /* since when records may be missing; INT64_MAX for never */
    const int64_t *hole_begins; /* intervals in which activations may be missing, ascending */
    const int64_t *hole_ends;   /* the latest end of these up to each of them */
    uint64_t hole_count;
    tt_gathered_t *gathered; /* in and out: of each entity */
    int64_t *actions;        /* in and out: how often, entity * TT_ACTION_COUNT + action */
} tt_gathering_job_t;

/* Transitions, and the accounts of CpuTimes in model/cpu_time.py. */
typedef struct tt_cpu_times_job {
    const tt_transition_t *transitions;
    uint64_t count;
    const int64_t *kind;  /* of each entity */
    const int64_t *place; /* of each entity: its row, or its column when it is a core */
    uint64_t entity_count;
    uint64_t rows;
    uint64_t cores;     /* columns */
    int64_t first;      /* ticks before this one are not counted */
    int64_t last;       /* nor those after it */
    uint32_t begun;     /* 0: losses before row 1 belong to the boot before */
    int64_t *ticks;     /* in and out: rows * cores */
    int64_t *open;      /* likewise */
    int64_t *seen;      /* in and out: of each core */
    uint8_t *mentioned; /* in and out: of each entity */
} tt_cpu_times_job_t;

/* Checksum of this interface. */
uint64_t tt_native_checksum(void);

/* A new assembler for one ring; NULL without memory. */
tt_assembler_t *tt_assembler_new(void);

/* Free an assembler; NULL is allowed. */
void tt_assembler_free(tt_assembler_t *assembler);

/* Rows that the columns need besides one per record of the chunk. */
uint64_t tt_assembler_kept_rows(const tt_assembler_t *assembler);

/* Pairs of payload that the columns need besides one per record of the chunk. */
uint64_t tt_assembler_kept_pairs(const tt_assembler_t *assembler);

/*
 * Take the next chunk. Events come in order of their first records; from the first one on that is
 * still open, all are kept for the next call, at most 4096 records. After -1 the assembler can only
 * be freed.
 */
int tt_assemble(tt_assembler_t *assembler, const tt_chunk_t *chunk, const tt_columns_t *columns,
                tt_found_t *found);

/* 1 when tt_crc32() works on this processor. */
int tt_crc32_available(void);

/* CRC-32 of zlib of `size` bytes at any address; only where tt_crc32_available() returns 1. */
uint32_t tt_crc32(const uint8_t *data, uint64_t size);

/*
 * Fill `out` with the thread that ran at each event. Returns the thread after the last row, or
 * TT_MANY_CPUS when the events are of several CPUs; `out` is then undefined.
 */
int64_t tt_running_column(const tt_running_job_t *job);

/* A new model of the kernel; NULL without memory. */
tt_system_t *tt_system_new(const tt_system_services_t *services);

/* Free a model; NULL is allowed. */
void tt_system_free(tt_system_t *system);

/*
 * Set the handler of an event, class << 10 | event, by the name of the method in Python; -1 when
 * there is none of that name.
 */
int tt_system_handle(tt_system_t *system, uint32_t code, const char *handler);

/* Let an action lead from one state to another; -1 when there is none of that number. */
int tt_system_allow(tt_system_t *system, uint32_t machine, uint32_t before, uint32_t action,
                    uint32_t after);

/* Begin a boot; `whole` when its first event is there. */
void tt_system_begin_boot(tt_system_t *system, uint32_t whole);

/* The target was reset: everything ends. Returns TT_SYSTEM_..., as the next two. */
int tt_system_reset(tt_system_t *system, tt_system_job_t *job);

/*
 * Records of a CPU (64 for all) are missing before row job->row; `ticks` is the time of the last
 * one, where `has_ticks`.
 */
int tt_system_lose(tt_system_t *system, tt_system_job_t *job, uint32_t cpu, uint32_t has_ticks,
                   uint64_t ticks);

/* Take rows. */
int tt_system_feed(tt_system_t *system, tt_system_job_t *job);

/* Whether no living thread is this task. */
int tt_system_is_free(const tt_system_t *system, uint32_t entity);

/* A new writer; `old`: a version up to 2.1.5. NULL without memory. */
tt_btf_t *tt_btf_new(uint32_t old);

/* Free a writer; NULL is allowed. */
void tt_btf_free(tt_btf_t *btf);

/* Set a word of a table, at most 31 bytes; -1 when there is no such place. */
int tt_btf_set_word(tt_btf_t *btf, uint32_t table, uint32_t place, const char *word);

/* Set the names of a CPU's core and scheduler. */
int tt_btf_set_cpu(tt_btf_t *btf, uint32_t cpu, const char *core, const char *scheduler);

/* Add the next entity. */
int tt_btf_add_entity(tt_btf_t *btf, uint32_t kind, const char *name, uint32_t bytes);

/* Records are missing, or the target was reset: owners and cores are unknown. */
void tt_btf_forget(tt_btf_t *btf);

/* Write lines until they fill a block; -1 also for an unknown entity. */
int tt_btf_write(tt_btf_t *btf, tt_btf_job_t *job);

/* A new writer; NULL without memory. */
tt_text_t *tt_text_new(uint32_t colour);

/* Free a writer; NULL is allowed. */
void tt_text_free(tt_text_t *text);

/* Begin a boot whose clock has this rate; names are forgotten. */
void tt_text_begin(tt_text_t *text, uint64_t tick_hz);

/* Forget all names. */
void tt_text_forget(tt_text_t *text);

/* Set how a type is shown. */
int tt_text_set_type(tt_text_t *text, const tt_text_type_t *type);

/* Set the name of a key. */
int tt_text_set_name(tt_text_t *text, uint64_t key, const char *name, uint32_t bytes);

/* Write lines, each with its line end, until something is missing. Returns TT_TEXT_... */
int tt_text_write(tt_text_t *text, tt_text_job_t *job);

/* A new maker of slices; NULL without memory. */
tt_timeline_t *tt_timeline_new(void);

/* Free it; NULL is allowed. */
void tt_timeline_free(tt_timeline_t *timeline);

/* Begin a boot: no message is under way. */
void tt_timeline_begin(tt_timeline_t *timeline);

/* Turn transitions into slices. Returns TT_TIMELINE_... */
int tt_timeline_slices(tt_timeline_t *timeline, tt_timeline_job_t *job);

/* Follows the instances of one boot; NULL without memory. */
tt_lives_t *tt_lives_new(void);

/* Free it; NULL is allowed. */
void tt_lives_free(tt_lives_t *lives);

/* Take transitions. Returns TT_LIVES_..., as the next one; after a failure it can only be freed. */
int tt_lives_feed(tt_lives_t *lives, tt_lives_job_t *job);

/* Report what is open at the last record, and change nothing. */
int tt_lives_open(tt_lives_t *lives, tt_lives_job_t *job);

/* End what is open at the last record. */
int tt_lives_finish(tt_lives_t *lives, tt_lives_job_t *job);

/* Adds up the figures of one boot; NULL without memory. */
tt_gathering_t *tt_gathering_new(void);

/* Free it; NULL is allowed. */
void tt_gathering_free(tt_gathering_t *gathering);

/* Take instances and intervals. Returns TT_LIVES_..., as the next one. */
int tt_gathering_tables(tt_gathering_t *gathering, const tt_gathering_job_t *job);

/* Take transitions of mutexes, semaphores, spin locks and channels. */
int tt_gathering_uses(tt_gathering_t *gathering, const tt_gathering_job_t *job);

/* The sample of an entity, good until the next call that takes something; NULL for none. */
const tt_sample_t *tt_gathering_sample(const tt_gathering_t *gathering, uint64_t entity,
                                       uint32_t figure);

/* The waits by entity, object, event and owner; returns how many there are. */
uint64_t tt_gathering_waits(const tt_gathering_t *gathering, const tt_waited_t **waits);

/* Add transitions to the accounts; -1 for an unknown entity. */
int tt_cpu_times_add(tt_cpu_times_job_t *job);

/* Encode columns; -1 when a phase is none. */
int tt_packets_fill(tt_packet_job_t *job);

#endif
