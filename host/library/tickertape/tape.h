/*
 * tickertape/tape.h - read a tape from C: libtickertape, for programs of the host.
 *
 *     tt_tape_t *tape;
 *     if (tt_tape_open(&tape, bytes, size) == TT_TAPE_OK) {
 *         tt_tape_item_t item;
 *         while (tt_tape_next(tape, &item) > 0) {
 *             if (item.kind == TT_TAPE_EVENT) {
 *                 use(item.event.ns, item.event.event_class, item.event.event);
 *             }
 *         }
 *         tt_tape_close(tape);
 *     }
 *
 * The library does no I/O: `bytes` is the whole file in memory, read or mapped by the caller. It
 * may be truncated anywhere, or damaged. The library returns the same events, times and losses as
 * the Python host, because both use the same sources (host/src/tickertape/_native). No function
 * writes to the caller's bytes.
 *
 * A handle belongs to one thread at a time; different handles are independent, also on the same
 * bytes. Pointers in results point into the caller's bytes or into the handle: a payload is valid
 * until the next call of tt_tape_next() or tt_tape_rewind(), all others until tt_tape_close().
 * Functions that can fail return 0 or more, or a negative tt_tape_status_t.
 *
 * Not available here: the model of the kernel, formatted messages (SYSTEM LOG is an event with
 * words), balances by class, the common time of several boards. docs/events.md explains the events;
 * firmware/include/tickertape/events.h has their numbers as macros.
 */
#ifndef TICKERTAPE_TAPE_H
#define TICKERTAPE_TAPE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define TT_TAPE_API __attribute__((visibility("default")))
#else
#define TT_TAPE_API
#endif

#define TT_TAPE_NO_NS    UINT64_MAX /* the clock rate is unknown, or ns need more than 63 bits */
#define TT_TAPE_NO_TICKS UINT64_MAX /* no time */

typedef enum tt_tape_status {
    TT_TAPE_OK = 0,
    TT_TAPE_NO_MEMORY = -1,
    TT_TAPE_NOT_A_TAPE = -2,  /* no bytes, or another file */
    TT_TAPE_VERSION = -3,     /* another major version of the format */
    TT_TAPE_DAMAGED = -4,     /* the first 64 bytes are cut or damaged: use `tickertape repair` */
    TT_TAPE_OUT_OF_RANGE = -5 /* no such boot, ring, chunk or name */
} tt_tape_status_t;

typedef struct tt_tape tt_tape_t;

/*
 * Open a tape of `size` bytes, which must stay unchanged until tt_tape_close().
 *
 * Reads all bytes once: it checks every CRC and computes the balances. Memory: 56 bytes for each
 * chunk of the tape and about 160 for each ring. Returns TT_TAPE_OK, or a negative status; *tape is
 * then NULL.
 */
TT_TAPE_API int tt_tape_open(tt_tape_t **tape, const void *bytes, size_t size);

/* Free all memory of a tape. NULL is allowed. */
TT_TAPE_API void tt_tape_close(tt_tape_t *tape);

/* Return one line of text, without line end, that describes a status. */
TT_TAPE_API const char *tt_tape_message(int status);

/* State of a tape. Chunks left out yield no events; the balances count their records. */
typedef struct tt_tape_info {
    uint64_t created_ns;     /* UTC of the host, ns since 1970 */
    uint64_t chunks;         /* complete chunks, including those left out */
    uint64_t damaged_chunks; /* of these, left out because CRC or contents are wrong */
    uint64_t unknown_chunks; /* of these, left out because a newer version defines their type */
    uint64_t skipped_bytes;  /* bytes outside chunks: damage, or a truncated last chunk */
    uint8_t uuid[16];
    uint16_t major; /* version of the format */
    uint16_t minor;
    bool is_closed;     /* the capture ended normally; false: later events are unknown */
    bool is_big_endian; /* byte order of the target; words in results have this machine's */
} tt_tape_info_t;

TT_TAPE_API void tt_tape_info(const tt_tape_t *tape, tt_tape_info_t *info);

/* A boot of the target. */
typedef struct tt_tape_boot {
    uint32_t epoch;     /* number of the boot on the tape, from 0; numbers may be missing */
    uint32_t tick_hz;   /* rate of the clock; 0: unknown */
    uint32_t cpu_count; /* 0: unknown */
    uint32_t boot_id;   /* differs between boots if the target has a source for it; else 0 */
    size_t target_bytes;
    const char *target;      /* board and application, UTF-8 without end mark; NULL: unknown */
    const uint8_t *build_id; /* 20 bytes, zeros if the image has no build id; NULL: unknown */
} tt_tape_boot_t;

TT_TAPE_API size_t tt_tape_boot_count(const tt_tape_t *tape);

/* Return boot `index` in order of time, below tt_tape_boot_count(). */
TT_TAPE_API int tt_tape_boot(const tt_tape_t *tape, size_t index, tt_tape_boot_t *boot);

/*
 * Fate of the records between the first and the last receipt:
 * offered = delivered + overwritten + dropped + damaged, exactly.
 */
typedef struct tt_tape_balance {
    int64_t offered;
    int64_t delivered;       /* on the tape */
    int64_t overwritten;     /* replaced by newer records before they were sent */
    int64_t dropped;         /* no buffer was free */
    int64_t damaged;         /* sent, but lost or changed on the link or on the tape */
    uint64_t unsettled;      /* records known to be offered after the last receipt */
    uint64_t unknown_losses; /* places where records are missing that no receipt counts */
    uint64_t contradictions; /* receipts that cannot be true together, and repeated records */
    bool is_final;           /* no record was offered after the last receipt; false: unknown */
} tt_tape_balance_t;

/* A ring: records of one stream by one CPU in one boot. */
typedef struct tt_tape_ring {
    tt_tape_balance_t balance;
    uint64_t first_ordinal; /* ordinal of the first receipt */
    uint64_t end_ordinal;   /* ordinal of the last receipt */
    uint32_t epoch;
    uint8_t stream; /* 255: events of the processor's trace unit */
    uint8_t cpu;
} tt_tape_ring_t;

TT_TAPE_API size_t tt_tape_ring_count(const tt_tape_t *tape);

/* Return ring `index` in order of epoch, stream and CPU, below tt_tape_ring_count(). */
TT_TAPE_API int tt_tape_ring(const tt_tape_t *tape, size_t index, tt_tape_ring_t *ring);

/* Return the sum of all rings; `is_final` if the tape has rings and all of them are final. */
TT_TAPE_API void tt_tape_balance(const tt_tape_t *tape, tt_tape_balance_t *balance);

/* One event, simple or combine. A combine event has the time of its first record. */
typedef struct tt_tape_event {
    uint64_t ticks;      /* 64-bit time of the target, from the start of its clock */
    uint64_t ns;         /* `ticks` in ns, rounded down; TT_TAPE_NO_NS: unknown */
    uint64_t ordinal;    /* ordinal of its first record in its ring */
    const void *payload; /* bytes of a combine event, as in the target's memory; NULL: simple */
    uint32_t payload_bytes;
    uint32_t words[2]; /* words of a simple event, or the first two words of the payload */
    uint32_t epoch;
    uint16_t event;
    uint8_t event_class;
    uint8_t stream;
    uint8_t cpu;
    uint8_t domain; /* 0: kernel core */
    bool is_truncated;
    bool is_of_host; /* emitted by a process of the host */
    bool is_big_endian;
} tt_tape_event_t;

/*
 * Return word `index` of an event in this machine's byte order: any complete word of a payload, or
 * word 0 or 1 of a simple event. Returns 0 if the event has no such word.
 */
TT_TAPE_API uint32_t tt_tape_word(const tt_tape_event_t *event, size_t index);

/* An event type that this library knows. The texts exist as long as the program. */
typedef struct tt_tape_type {
    const char *event_class; /* "THREAD" */
    const char *name;        /* "READY" */
    const char *fields;      /* names of its words in order, separated by spaces: "tid priority" */
    const char *wide_fields; /* names of the words after the first two in the wide form, or "" */
    bool has_text;           /* text, UTF-8 without end mark, follows the words of `fields` */
} tt_tape_type_t;

/* Return the event type with these numbers. TT_TAPE_OUT_OF_RANGE: an event type of an application
 * or of a newer version. Event types named at run time are objects: see tt_tape_name(). */
TT_TAPE_API int tt_tape_type(uint8_t event_class, uint16_t event, tt_tape_type_t *type);

/* Missing records of a ring. */
typedef struct tt_tape_gap {
    uint64_t first_ordinal; /* ordinal of the first missing record */
    uint64_t end_ordinal;   /* ordinal of the first record after the gap */
    uint64_t dropped;
    uint64_t overwritten;
    uint64_t damaged;
    uint64_t begin_ticks; /* time of the last event before the gap; TT_TAPE_NO_TICKS: none */
    uint64_t end_ticks;   /* not later than the next record; the loss lies between both times */
    uint32_t epoch;
    uint8_t stream;
    uint8_t cpu;
    bool is_unknown; /* more records may be missing than the three counts report */
} tt_tape_gap_t;

typedef enum tt_tape_kind {
    TT_TAPE_EVENT = 1,
    TT_TAPE_GAP = 2
} tt_tape_kind_t;

typedef struct tt_tape_item {
    tt_tape_kind_t kind; /* selects the member that is set */
    tt_tape_event_t event;
    tt_tape_gap_t gap;
} tt_tape_item_t;

/*
 * Store the next event or gap in *item. Boots follow each other; the rings of a boot are merged by
 * time, and each ring keeps its own order. At equal times the lower stream comes first, then the
 * lower CPU. A gap comes before the next event of its ring.
 *
 * Returns 1, 0 after the last item, or TT_TAPE_NO_MEMORY; in that case call tt_tape_rewind() before
 * the next call. Memory: at most the events of one chunk per ring of a boot.
 */
TT_TAPE_API int tt_tape_next(tt_tape_t *tape, tt_tape_item_t *item);

/* Restart with the first event. Resets the counters. */
TT_TAPE_API void tt_tape_rewind(tt_tape_t *tape);

/* Results of decoding so far; complete after tt_tape_next() returned 0. Each record is an event, a
 * part of an event, or counted in `lost_records`. */
typedef struct tt_tape_counters {
    uint64_t records;
    uint64_t events;
    uint64_t incomplete_events; /* combine events with missing records: discarded */
    uint64_t orphan_records;    /* records of combine events whose first record is missing */
    uint64_t mismatched_events; /* combine events whose length contradicts their records */
    uint64_t lost_records;      /* records that belong to no event */
    uint64_t repeated_records;  /* received twice, used once; not in `records` */
    uint64_t time_faults;       /* buffers that begin before the record that precedes them */
} tt_tape_counters_t;

TT_TAPE_API void tt_tape_counters(const tt_tape_t *tape, tt_tape_counters_t *counters);

/* Name of an object: a thread, an interrupt, a mutex (object_kind in protocol/SPEC.md). */
typedef struct tt_tape_name {
    const char *text; /* UTF-8 without end mark, as received: escape it for a terminal */
    size_t bytes;
    uint32_t id;
    uint32_t parent;
    uint8_t kind;
    uint8_t state;    /* threads only */
    uint8_t priority; /* threads only */
    uint8_t cpu;      /* threads only */
} tt_tape_name_t;

/* Return the latest name of an object in a boot. Searches the NAME chunks of the tape; names that
 * only events contain (THREAD NAME) are not found. TT_TAPE_OUT_OF_RANGE: no name. */
TT_TAPE_API int tt_tape_name(const tt_tape_t *tape, uint32_t epoch, uint8_t kind, uint32_t id,
                             tt_tape_name_t *name);

/* A chunk with its raw contents: texts, notes, symbols, META (chunk_type in protocol/SPEC.md). */
typedef struct tt_tape_chunk {
    const void *body; /* NULL if the chunk is damaged */
    size_t body_bytes;
    uint32_t epoch;
    uint16_t type;
    uint8_t stream;
    uint8_t cpu;
    bool is_sound; /* CRC and contents are valid */
} tt_tape_chunk_t;

/* Return chunk `index` in the order of the file, below `chunks` of tt_tape_info(). */
TT_TAPE_API int tt_tape_chunk(const tt_tape_t *tape, size_t index, tt_tape_chunk_t *chunk);

#ifdef __cplusplus
}
#endif

#endif
