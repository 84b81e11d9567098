/*
 * core/ring.h - one ring of buffers: one CPU writes, the drain reads.
 *
 *     buffer:   FREE --open--> FILLING --close--> FULL --take--> SENDING --release--> FREE
 *                                 ^                 |
 *                                 +---overwrite-----+   (policy OVERWRITE only)
 *
 * The writer is whatever runs on the ring's CPU, with that CPU's interrupts masked. The drain is
 * one thread on one CPU. They meet only in the word `tag` of a buffer, which holds its state and
 * the number of its opening: each transition has one owner, and FULL, which both may leave, is
 * left by compare-and-swap. The number makes the swap fail when the writer has meanwhile written
 * over the buffer and filled it again (core/model/ring.pml finds that case when it is left out).
 *
 * A buffer is opened by the first record that goes into it and closed when it is full or flushed,
 * so a buffer in FILLING is never empty. Between close and open `cursor`, `limit` and `base` are
 * equal.
 */
#ifndef TICKERTAPE_CORE_RING_H
#define TICKERTAPE_CORE_RING_H

#include <stdbool.h>
#include <stdint.h>

#include "control.h"
#include "shared.h"
#include "tickertape/events.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"

typedef enum tt_buffer_state {
    TT_BUFFER_FREE,
    TT_BUFFER_FILLING,
    TT_BUFFER_FULL,
    TT_BUFFER_SENDING,
} tt_buffer_state_t;

/* What is known of one buffer beside its records. */
typedef struct tt_buffer {
    uint64_t first_ordinal; /* records offered to the ring before its first */
    uint64_t dropped;       /* of those, dropped */
    uint64_t ticks;         /* 64-bit time when it was opened */
    uint32_t sequence;      /* counts openings in this ring */
    uint32_t count;         /* records in it, from FULL on */
#if TT_CONFIG_FINALIZE
    uint32_t first_slot; /* where the oldest lies, until the drain takes it */
#endif
    _Atomic uint32_t tag; /* sequence << 2 | tt_buffer_state_t */
} tt_buffer_t;

/* "Before this ordinal so many were dropped and so many sent; the rest was overwritten." */
typedef struct tt_receipt {
    uint64_t ordinal;
    uint64_t dropped;
    uint64_t sent;
} tt_receipt_t;

/* Counters as another CPU may read them, without `missed` and the buffer being filled. The version
 * is odd while they are written. */
typedef struct tt_ring_snapshot {
    _Atomic uint32_t version;
    _Atomic uint32_t words[6]; /* offered, dropped, overwritten; low word first */
} tt_ring_snapshot_t;

typedef struct tt_ring {
    /* The emit path touches these two only. */
    tt_record_t *cursor; /* where the next record goes */
    tt_record_t *limit;  /* where tt_ring_advance() has to look */

    tt_record_t *base;    /* first record of the buffer being filled, or filled last */
    tt_record_t *records; /* of all buffers, one after the other; in tt_ring_memory */

    tt_policy_t policy;
    uint32_t buffer_count;            /* of `buffers`, so many are used */
    _Atomic uint32_t shed_classes;    /* dropped first: bit c for class c ... */
    _Atomic uint32_t shed_below_free; /* ... while not more buffers than this are free */

    uint32_t filling; /* index of the buffer being filled, or filled last */
    /* Records that stood in the buffer being filled when it was taken for overwriting, and how
     * many of them are counted by class; each is counted before it is written over. */
    uint32_t settle_records;
    uint32_t settled_records;
    uint32_t next_sequence; /* of the next buffer to open */
    uint64_t next_ordinal;  /* of the record after the last closed buffer, without `missed` */
    uint64_t dropped;
    uint64_t overwritten;
    _Atomic uint32_t opened;   /* buffers that the writer opened and did not give up itself */
    _Atomic uint32_t released; /* buffers that the drain or a reader gave back */
    _Atomic uint32_t missed;   /* dropped since the last buffer was opened; not in `dropped` yet */
    bool shedding;             /* that buffer is one of the last free ones */
    tt_receipt_t settled;      /* the drain's: at the end of the last buffer it sent */
    uint64_t anchored;         /* time of the last TIME anchor */
    _Atomic uint32_t high_water_buffers;
    _Atomic bool wants_drain; /* the buffer being filled passed its high-water mark */
    _Atomic bool wants_flush; /* the drain asks another CPU to close its buffer */
    uint32_t final_of_start;  /* the drain's: number of the start whose last STATUS went out */

#if TT_CONFIG_READERS
    _Atomic bool is_lent; /* the drain or a reader has a buffer */
    uint64_t read; /* records that a reader on the target has read; overwritten for the host */
    bool losing;   /* buffers were given up that the reader has not been told of, */
    /* the first of them opened at this time; or the stream stopped then, because it was full. */
    uint64_t lost_ticks;
#endif

#if TT_CONFIG_FINALIZE
    bool lapped;         /* the buffer being filled was full and goes on over its oldest records */
    uint64_t lap_ticks;  /* when it began to be filled from its begin */
    uint32_t finished;   /* traces */
    uint32_t lost;       /* of those */
    uint32_t lost_since; /* the last one that was kept */
#endif

#if TT_CONFIG_CPUS > 1
    /* The writer saw the stream running and is about to open a buffer or to drop. */
    _Atomic bool deciding;
    tt_ring_snapshot_t snapshot;
#endif

    /* Each has one writer; read from anywhere. */
    _Atomic uint32_t dropped_by_class[TT_CLASS_COUNT];
    _Atomic uint32_t overwritten_by_class[TT_CLASS_COUNT];
    _Atomic uint32_t sent_by_class[TT_CLASS_COUNT]; /* the drain's */

    tt_buffer_t buffers[TT_CONFIG_BUFFERS];
} tt_ring_t;

/* Route of an event type that goes to stream 0 alone, without filters: the common case. */
#define TT_ROUTE_STREAM_0 1u

/* A stream: a ring for each CPU. */
typedef struct tt_stream {
    _Atomic bool running;
    _Atomic uint32_t starts; /* how often it was started, 1 at init */
} tt_stream_t;

extern tt_ring_t tt_rings[TT_CONFIG_STREAMS][TT_CONFIG_CPUS];
extern tt_stream_t tt_streams[TT_CONFIG_STREAMS];

/* Begin and end of a change of the 64-bit counters, for readers on other CPUs. */
static inline void tt_ring_counters_begin(tt_ring_t *ring)
{
#if TT_CONFIG_CPUS > 1
    tt_count(&ring->snapshot.version, 1);
    atomic_thread_fence(memory_order_release);
#else
    (void)ring;
#endif
}

static inline void tt_ring_counters_end(tt_ring_t *ring)
{
#if TT_CONFIG_CPUS > 1
    const uint64_t counters[3] = {ring->next_ordinal, ring->dropped, ring->overwritten};
    tt_ring_snapshot_t *to = &ring->snapshot;
    for (uint32_t i = 0; i < 3u; i++) {
        atomic_store_explicit(&to->words[2u * i], (uint32_t)counters[i], memory_order_relaxed);
        atomic_store_explicit(&to->words[2u * i + 1u], (uint32_t)(counters[i] >> 32),
                              memory_order_relaxed);
    }
    uint32_t version = atomic_load_explicit(&to->version, memory_order_relaxed);
    atomic_store_explicit(&to->version, version + 1u, memory_order_release);
#else
    (void)ring;
#endif
}

/* Empty the ring and set all its counters to 0. Nobody may write or drain meanwhile. */
void tt_ring_reset(tt_ring_t *ring);

/*
 * Make room for one record where cursor == limit. Writer, interrupts masked. `header` is the
 * record's, `now` the tick counter. Returns false when the record has to be dropped; it is
 * counted then.
 */
bool tt_ring_advance(tt_ring_t *ring, uint32_t header, uint32_t now);

#if TT_CONFIG_FINALIZE
/* The buffers of the ring wait until their traces are finished. */
static inline bool tt_ring_finalizes(const tt_ring_t *ring)
{
    return ring->policy >= TT_POLICY_FINALIZE;
}

/* finalize.c; writer, interrupts masked. The buffer being filled is full: go on over its oldest. */
void tt_ring_begin_lap(tt_ring_t *ring, uint32_t now);
/* How many records of it are still there. */
uint32_t tt_ring_kept(const tt_ring_t *ring);
/* The drain: bring the records of a buffer that it took into their order. */
void tt_ring_straighten(tt_ring_t *ring, tt_buffer_t *buffer);

/* ring.c, for finalize.c: writer, interrupts masked. */
void tt_ring_close(tt_ring_t *ring);
void tt_ring_settle_lap(tt_ring_t *ring);
uint32_t tt_ring_settle_missed(tt_ring_t *ring);
#else
static inline bool tt_ring_finalizes(const tt_ring_t *ring)
{
    (void)ring;
    return false;
}
#endif

/* Close the buffer being filled, if any. Any context of any CPU: on another one than the ring's,
 * this asks for it in `wants_flush`. A stream that finalizes is left alone while it runs. */
void tt_ring_flush(tt_ring_t *ring);

/* Index of the buffer to be opened next. With OVERWRITE it is the oldest one, or the one behind it
 * while the drain sends that. Writer, interrupts masked. */
uint32_t tt_ring_find_free(tt_ring_t *ring);
#define TT_RING_NONE_FREE UINT32_MAX

/* Drain: take the oldest full buffer, or NULL. Give it back when its records were sent. */
tt_buffer_t *tt_ring_take(tt_ring_t *ring);
void tt_ring_release(tt_ring_t *ring, tt_buffer_t *buffer);

#if TT_CONFIG_READERS
/* The same, where the drain and a reader may want one: NULL as well while the other one has one, so
 * that buffers are given back in their order. */
tt_buffer_t *tt_ring_take_alone(tt_ring_t *ring);
#else
static inline tt_buffer_t *tt_ring_take_alone(tt_ring_t *ring)
{
    return tt_ring_take(ring);
}
#endif

/* Buffers that are not free. Exact for the drain while the writer does nothing; the writer may
 * count one that the drain has just given back. */
TT_INLINE uint32_t tt_ring_used_buffers(const tt_ring_t *ring)
{
    return tt_peek(&ring->opened) - tt_peek(&ring->released);
}

/* Drain: true when no buffer holds records. */
TT_INLINE bool tt_ring_empty(const tt_ring_t *ring)
{
    return tt_ring_used_buffers(ring) == 0u;
}

/* True when the ring's stream has stopped, no buffer holds records and the writer is not about to
 * fill one: the counters stay as they are until the next start. */
bool tt_ring_at_rest(const tt_ring_t *ring);

/* Records offered and dropped so far; exact when called by the writer or while nobody writes. */
uint64_t tt_ring_offered(const tt_ring_t *ring);
uint64_t tt_ring_dropped(const tt_ring_t *ring);

/* The receipt and the counters of a ring. The counters are the younger ones: they never tell of
 * less than is settled. Any context of any CPU. */
void tt_ring_account(uint32_t stream, uint32_t cpu, tt_receipt_t *settled,
                     tt_ring_status_t *status);

/* With one stream a constant. */
static inline uint32_t tt_ring_stream_number(const tt_ring_t *ring)
{
    return TT_CONFIG_STREAMS == 1 ? 0u : (uint32_t)(ring - &tt_rings[0][0]) / TT_CONFIG_CPUS;
}

static inline tt_stream_t *tt_ring_stream(const tt_ring_t *ring)
{
    return &tt_streams[tt_ring_stream_number(ring)];
}

static inline tt_record_t *tt_ring_records(const tt_ring_t *ring, const tt_buffer_t *buffer)
{
    return ring->records + (buffer - ring->buffers) * TT_CONFIG_BUFFER_RECORDS;
}

static inline uint32_t tt_record_class(uint32_t header)
{
    return (header >> TT_RECORD_CLASS_FIRST_BIT) & (TT_CLASS_COUNT - 1u);
}

/* A record of the buffer being filled is about to be written over. The time of a buffer that is
 * filled again follows, so that it stays less than a period before the oldest record that is kept.
 */
static inline void tt_ring_forget(tt_ring_t *ring, const tt_record_t *record)
{
    tt_count(&ring->overwritten_by_class[tt_record_class(record->header)], 1);
#if TT_CONFIG_FINALIZE
    uint64_t *ticks = &ring->buffers[ring->filling].ticks;
    if (ring->lapped && record->header >> TT_RECORD_STRUCT_FIRST_BIT <= TT_RECORD_BEGIN) {
        *ticks += record->time - (uint32_t)*ticks;
    }
#endif
}

/* Let a stream run or not. Its routes follow when they are refreshed. Any context. */
TT_INLINE void tt_set_running(uint32_t stream, bool running)
{
    tt_port_key_t key = tt_control_lock();
    if (running) {
        tt_count(&tt_streams[stream].starts, 1);
    }
    tt_set(&tt_streams[stream].running, running);
    tt_control_unlock(key);
}

#endif
