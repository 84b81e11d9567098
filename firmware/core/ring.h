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

#include "control_lock.h"
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

/* A tag is the number of the opening and the state. 30 bits of the number are enough to distinguish
 * the openings that the drain may confuse. */
#define TT_BUFFER_STATE_BITS 2u

static inline tt_buffer_state_t tt_buffer_state(uint32_t tag)
{
    return (tt_buffer_state_t)(tag & ((1u << TT_BUFFER_STATE_BITS) - 1u));
}

/* The descriptor of a buffer; its records lie in `records` of the ring. */
typedef struct tt_buffer {
    uint64_t first_ordinal; /* records offered to the ring before its first */
    uint64_t dropped;       /* of those, dropped */
    uint64_t ticks;         /* 64-bit time when it was opened */
    uint32_t sequence;      /* counts openings in this ring */
    uint32_t count;         /* records in it, from FULL on */
#if TT_CONFIG_FINALIZE
    uint32_t first_slot; /* of the oldest record, until the drain takes the buffer */
#endif
    _Atomic uint32_t tag; /* sequence << 2 | tt_buffer_state_t */
} tt_buffer_t;

/* Before `ordinal`, `dropped` records were dropped and `sent` records sent; the rest was
 * overwritten.
 */
typedef struct tt_receipt {
    uint64_t ordinal;
    uint64_t dropped;
    uint64_t sent;
} tt_receipt_t;

/* Counters as another CPU may read them, without `pending_drops` and the buffer being filled. The
 * version is odd while they are written. */
typedef struct tt_ring_snapshot {
    _Atomic uint32_t version;
    _Atomic uint32_t words[6]; /* offered, dropped, overwritten; low word first */
} tt_ring_snapshot_t;

/* A stream: a ring for each CPU. */
typedef struct tt_stream {
    _Atomic bool running;
    _Atomic bool held;       /* tt_pause_drain(): the drain leaves its buffers in their rings */
    _Atomic bool was_full;   /* for that reason, and not started since; with TT_ROUTE_REFUSED */
    _Atomic uint32_t starts; /* how often it was started, 1 at init */
#if TT_CONFIG_PROBE
    _Atomic bool asked; /* the probe's: it wants the buffers of this stream */
    _Atomic bool lent;  /* the drain's: the probe has them; follows `asked` between two buffers */
#endif
} tt_stream_t;

#if TT_CONFIG_PROBE
/* What the probe reads for its HELLO, beside what the debug information has. */
typedef struct tt_probe {
    uint64_t dictionary;
    uint32_t hello_flags;
} tt_probe_t;

extern tt_probe_t tt_probe;
#endif

typedef struct tt_ring {
    /* The emit path touches these two only. */
    tt_record_t *cursor; /* where the next record goes */
    tt_record_t *limit;  /* here the emit path calls tt_ring_advance() */

    tt_record_t *base;    /* first record of the buffer being filled, or filled last */
    tt_record_t *records; /* of all buffers, one after the other; in tt_ring_memory */

#if TT_CONFIG_STREAMS > 1
    tt_stream_t *stream;
#endif
    tt_policy_t policy;
    bool shedding;            /* the buffer being filled is one of the last free ones */
    _Atomic bool wants_drain; /* it passed its high-water mark */
    _Atomic bool wants_flush; /* the drain of another CPU or the probe asks to close its buffer */
    uint32_t buffer_count;    /* used entries of `buffers` */
    _Atomic uint32_t shed_classes;    /* dropped first: bit c for class c ... */
    _Atomic uint32_t shed_below_free; /* ... while not more buffers than this are free */

    tt_buffer_t *filling; /* the buffer being filled, or filled last */
    /* Old records in the buffer being filled when it was claimed, and how many of them are counted
     * by class; each is counted before it is overwritten. */
    uint32_t settle_records;
    uint32_t settled_records;
    uint32_t next_sequence; /* of the next buffer to open */
    uint64_t next_ordinal; /* of the record after the last closed buffer, without `pending_drops` */
    uint64_t dropped;
    uint64_t overwritten;
    _Atomic uint32_t opened;   /* buffers that the writer opened and did not give up itself */
    _Atomic uint32_t released; /* buffers that the drain or a reader gave back */
    _Atomic uint32_t
        pending_drops;    /* dropped since the last buffer was opened; not in `dropped` yet */
    tt_receipt_t settled; /* the drain's: at the end of the last buffer it sent */
    uint64_t anchored;    /* time of the last TIME anchor */
    _Atomic uint32_t high_water_buffers;
    uint32_t final_of_start; /* the drain's: number of the start whose last STATUS went out */

#if TT_CONFIG_READERS
    _Atomic bool is_lent; /* the drain or a reader has a buffer */
    uint64_t read; /* records that a reader on the target has read; overwritten for the host */
    bool losing;   /* buffers were overwritten since the reader's last reading */
    /* Opening time of the first of them; or the time at which the stream stopped as full. */
    uint64_t lost_ticks;
#endif

#if TT_CONFIG_FINALIZE
    bool lapped;         /* the buffer being filled was full and goes on over its oldest records */
    bool ended;          /* its trace is finished: it has no room, and the next step closes it */
    uint64_t lap_ticks;  /* time of the first record of this lap */
    uint32_t finished;   /* finished traces */
    uint32_t lost;       /* of those, lost ones */
    uint32_t lost_since; /* lost ones since the last trace that was kept */
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

extern tt_ring_t tt_rings[TT_CONFIG_STREAMS][TT_RING_CPUS];
extern tt_stream_t tt_streams[TT_CONFIG_STREAMS];

#define TT_RING_COUNT (TT_CONFIG_STREAMS * TT_RING_CPUS)

/* Rings by number, all CPUs of stream 0 first. */
static inline tt_ring_t *tt_ring_at(uint32_t index)
{
    return &tt_rings[index / TT_RING_CPUS][index % TT_RING_CPUS];
}

/* A stream that became full has stopped in an emitter: the drain then updates the routes. Until
 * then the stream refuses the events of its routes and does not count them as offered. */
extern _Atomic bool tt_routes_late;

/* The ring of a stream into which a CPU records. */
static inline tt_ring_t *tt_ring_of(uint32_t stream, uint32_t cpu)
{
    return &tt_rings[stream][TT_RING_CPUS == 1 ? 0u : cpu];
}

/* The ring of the first stream of a route, on a CPU. */
static inline tt_ring_t *tt_ring_of_first(uint32_t route, uint32_t cpu)
{
    tt_ring_t *rings = tt_ring_of(0, cpu);
#if TT_CONFIG_STREAMS == 1
    (void)route;
    return rings;
#else
    __asm("" : "+r"(rings)); /* one address to count from */
    return &rings[__builtin_ctz(route) * TT_RING_CPUS];
#endif
}

/* The next record can be stored. Writer, interrupts masked. */
static inline bool tt_ring_has_room(const tt_ring_t *ring)
{
    return ring->cursor < ring->limit;
}

/* The 64-bit counters, as bits of a mask. */
#define TT_COUNTER_OFFERED     1u
#define TT_COUNTER_DROPPED     2u
#define TT_COUNTER_OVERWRITTEN 4u

/* Begin and end of a change of these counters, for readers on other CPUs. */
static inline void tt_ring_counters_begin(tt_ring_t *ring)
{
#if TT_CONFIG_CPUS > 1
    tt_count(&ring->snapshot.version, 1);
    atomic_thread_fence(memory_order_release);
#else
    (void)ring;
#endif
}

static inline void tt_ring_counters_end(tt_ring_t *ring, uint32_t changed)
{
#if TT_CONFIG_CPUS > 1
    const uint64_t counters[3] = {ring->next_ordinal, ring->dropped, ring->overwritten};
    tt_ring_snapshot_t *to = &ring->snapshot;
    for (uint32_t i = 0; i < 3u; i++) {
        if ((changed >> i & 1u) != 0u) {
            tt_poke(&to->words[2u * i], (uint32_t)counters[i]);
            tt_poke(&to->words[2u * i + 1u], (uint32_t)(counters[i] >> 32));
        }
    }
    atomic_store_explicit(&to->version, tt_peek(&to->version) + 1u, memory_order_release);
#else
    (void)ring;
    (void)changed;
#endif
}

/* Empty the ring and set all its counters to 0. No writer and no drain may run meanwhile. */
void tt_ring_reset(tt_ring_t *ring);

/*
 * Take one step towards room for a record where cursor == limit: count some records by class, close
 * a buffer, claim the next one or open it. Writer, interrupts masked; the caller may unmask them
 * between two steps. `header` is the record's, `now` the tick counter. Returns false after it has
 * dropped and counted the record, or when the stream has stopped and the record is not offered.
 */
bool tt_ring_advance(tt_ring_t *ring, uint32_t header, uint32_t now);

/* The parts of tt_ring_advance(), for finalize.c: close the buffer being filled, count some
 * overwritten records by class, count dropped records as offered and return their number. Writer,
 * interrupts masked. */
void tt_ring_close(tt_ring_t *ring);
void tt_ring_settle_step(tt_ring_t *ring);
uint32_t tt_ring_settle_pending_drops(tt_ring_t *ring);

#if TT_CONFIG_FINALIZE
/* The buffers of the ring wait until their traces are finished. */
static inline bool tt_ring_finalizes(const tt_ring_t *ring)
{
    return ring->policy >= TT_POLICY_FINALIZE;
}
#else
static inline bool tt_ring_finalizes(const tt_ring_t *ring)
{
    (void)ring;
    return false;
}
#endif

/* Close the buffer being filled, if any; free it when it has no record. Any context of any CPU: on
 * another one than the ring's, this asks for it in `wants_flush`. A trace that is not finished
 * stays open while its stream runs. */
void tt_ring_flush(tt_ring_t *ring);

/* Return the buffer to be opened next, or NULL. With OVERWRITE it is the oldest one, or the one
 * after it while the drain sends that. Writer, interrupts masked. */
tt_buffer_t *tt_ring_find_free(tt_ring_t *ring);

/* Buffers that are not free. Exact for the drain while the writer does nothing; for the writer one
 * that the drain has just released may still count. */
TT_INLINE uint32_t tt_ring_used_buffers(const tt_ring_t *ring)
{
    return tt_peek(&ring->opened) - tt_peek(&ring->released);
}

/* Drain: true when no buffer holds records. */
TT_INLINE bool tt_ring_empty(const tt_ring_t *ring)
{
    return tt_ring_used_buffers(ring) == 0u;
}

/* Records in the buffer being filled; 0 while none is. */
static inline uint32_t tt_ring_filled(const tt_ring_t *ring)
{
    return (uint32_t)(ring->cursor - ring->base);
}

/* Records offered and dropped so far; exact when called by the writer or while no writer runs. */
static inline uint64_t tt_ring_offered(const tt_ring_t *ring)
{
    return ring->next_ordinal + tt_ring_filled(ring) + tt_peek(&ring->pending_drops);
}

static inline uint64_t tt_ring_dropped(const tt_ring_t *ring)
{
    return ring->dropped + tt_peek(&ring->pending_drops);
}

/* With one stream a constant. */
static inline tt_stream_t *tt_ring_stream(const tt_ring_t *ring)
{
#if TT_CONFIG_STREAMS == 1
    (void)ring;
    return &tt_streams[0];
#else
    return ring->stream;
#endif
}

/* True when the ring's stream has stopped, no buffer holds records and the writer is not about to
 * fill one: the counters stay as they are until the next start. */
static inline bool tt_ring_at_rest(const tt_ring_t *ring)
{
    return !tt_is_set(&tt_ring_stream(ring)->running)
#if TT_CONFIG_CPUS > 1
           && !tt_is_set(&ring->deciding)
#endif
           && tt_ring_empty(ring);
}

static inline tt_record_t *tt_ring_records(const tt_ring_t *ring, const tt_buffer_t *buffer)
{
    return ring->records + (buffer - ring->buffers) * TT_CONFIG_BUFFER_RECORDS;
}

/* The buffer being filled was full and goes on over the oldest records of its trace. */
static inline bool tt_ring_is_lapped(const tt_ring_t *ring)
{
#if TT_CONFIG_FINALIZE
    return ring->lapped;
#else
    (void)ring;
    return false;
#endif
}

/* The trace in the buffer being filled is finished; the buffer is not closed yet. */
static inline bool tt_ring_has_ended(const tt_ring_t *ring)
{
#if TT_CONFIG_FINALIZE
    return ring->ended;
#else
    (void)ring;
    return false;
#endif
}

static inline void tt_ring_set_lapped(tt_ring_t *ring, bool lapped)
{
#if TT_CONFIG_FINALIZE
    ring->lapped = lapped;
#else
    (void)ring;
    (void)lapped;
#endif
}

/* A buffer is being filled and holds records. */
static inline bool tt_ring_has_records(const tt_ring_t *ring)
{
    return ring->cursor != ring->base || tt_ring_is_lapped(ring);
}

/* Records that lay in the buffer being filled when it was opened are not counted by class yet. In a
 * later lap of a trace they belong to the trace. */
static inline bool tt_ring_owes_classes(const tt_ring_t *ring)
{
    return !tt_ring_is_lapped(ring) && ring->settled_records < ring->settle_records;
}

/* Set whether a stream runs. Its routes follow at the next refresh. Any context. */
TT_INLINE void tt_set_running(uint32_t stream, bool running)
{
    tt_port_key_t key = tt_control_lock();
    if (TT_ROUTE_REFUSED != 0u) {
        tt_set(&tt_streams[stream].was_full, false);
    }
    tt_set(&tt_streams[stream].running, running);
    if (running) { /* after that store, or the drain could end this start before it begins */
        tt_store(&tt_streams[stream].starts, tt_peek(&tt_streams[stream].starts) + 1u);
    }
    tt_control_unlock(key);
}

#endif
