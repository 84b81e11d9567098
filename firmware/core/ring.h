/*
 * core/ring.h - one ring of buffers: one CPU writes, the drain reads.
 *
 *     buffer:   FREE --open--> FILLING --close--> FULL --take--> SENDING --release--> FREE
 *                                 ^                 |
 *                                 +---overwrite-----+   (policy OVERWRITE only)
 *
 * The writer is the code that runs on the ring's CPU with that CPU's interrupts masked. The drain
 * is one thread on one CPU. They synchronise only through the word `tag` of a buffer, which
 * contains its state and the number of its opening. Each transition has one owner, except the two
 * that leave FULL: both sides make these by compare-and-swap. The number makes the swap fail if the
 * writer has meanwhile overwritten the buffer and filled it again; core/model/ring.pml finds that
 * error if the number is left out.
 *
 * The first record of a buffer opens it; a buffer that is full or flushed is closed. Between close
 * and open, `cursor`, `limit` and `base` are equal, so that the emit path has no room and calls
 * tt_ring_advance().
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

/* A tag contains the number of the opening above the state. 30 bits of the number are enough to
 * distinguish the openings that the drain could confuse. */
#define TT_BUFFER_STATE_BITS 2u

static inline tt_buffer_state_t tt_buffer_state(uint32_t tag)
{
    return (tt_buffer_state_t)(tag & ((1u << TT_BUFFER_STATE_BITS) - 1u));
}

/* Descriptor of a buffer. Its records are part of `records` of the ring. */
typedef struct tt_buffer {
    uint64_t first_ordinal; /* records offered to the ring before the first one of the buffer */
    uint64_t dropped;       /* of those, dropped */
    uint64_t ticks;         /* 64-bit time when it was opened */
    uint32_t sequence;      /* number of this opening, counted per ring */
    uint32_t count;         /* records in the buffer, valid from FULL on */
#if TT_CONFIG_FINALIZE
    uint32_t first_slot; /* position of the oldest record, until the drain takes the buffer */
#endif
    _Atomic uint32_t tag; /* sequence << 2 | tt_buffer_state_t */
} tt_buffer_t;

/* Account of the first `ordinal` records offered to a ring: `dropped` were dropped, `sent` were
 * sent, and the others were overwritten. */
typedef struct tt_receipt {
    uint64_t ordinal;
    uint64_t dropped;
    uint64_t sent;
} tt_receipt_t;

/* Copy of the 64-bit counters for other CPUs, without `pending_drops` and the records of the buffer
 * being filled. `version` is odd while the writer changes the copy. */
typedef struct tt_ring_snapshot {
    _Atomic uint32_t version;
    _Atomic uint32_t words[6]; /* offered, dropped, overwritten; low word first */
} tt_ring_snapshot_t;

/* State of a stream that all its rings share. */
typedef struct tt_stream {
    _Atomic bool running;
    _Atomic bool held;       /* tt_pause_drain(): the drain leaves its buffers in their rings */
    _Atomic bool was_full;   /* stopped as full and not started since; with TT_ROUTE_REFUSED */
    _Atomic uint32_t starts; /* number of starts plus 1; 1 after tt_init() */
#if TT_CONFIG_PROBE
    _Atomic bool asked; /* written by the probe: it requests the buffers */
    _Atomic bool lent;  /* written by the drain: the probe has them */
#endif
} tt_stream_t;

#if TT_CONFIG_PROBE
/* Values for the HELLO of the probe that the debug information does not contain. */
typedef struct tt_probe {
    uint64_t dictionary;
    uint32_t hello_flags;
} tt_probe_t;

extern tt_probe_t tt_probe;
#endif

typedef struct tt_ring {
    /* The emit path accesses only these two members. */
    tt_record_t *cursor; /* place of the next record */
    tt_record_t *limit;  /* at this cursor the emit path calls tt_ring_advance() */

    tt_record_t *base;    /* first record of the buffer being filled, or filled last */
    tt_record_t *records; /* records of all buffers, one buffer after the other */

#if TT_CONFIG_STREAMS > 1
    tt_stream_t *stream;
#endif
    tt_policy_t policy;
    bool shedding;                    /* few buffers are free: drop shed classes */
    _Atomic bool wants_drain;         /* the buffer being filled passed its high-water mark */
    _Atomic bool wants_flush;         /* another CPU's drain or the probe wants it closed */
    uint32_t buffer_count;            /* number of entries of `buffers` in use */
    _Atomic uint32_t shed_classes;    /* classes to drop first, bit c for class c ... */
    _Atomic uint32_t shed_below_free; /* ... while not more buffers than this are free */

    tt_buffer_t *filling; /* the buffer being filled, or filled last */
    /* Number of old records in the buffer being filled when it was claimed, and how many of them
     * are counted by class so far. Each is counted before it is overwritten. */
    uint32_t settle_records;
    uint32_t settled_records;
    uint32_t next_sequence; /* sequence of the next buffer to open */
    uint64_t next_ordinal;  /* offered up to the last close, without `pending_drops` */
    uint64_t dropped;
    uint64_t overwritten;
    _Atomic uint32_t opened;   /* FREE buffers that the writer has claimed, less cancelled claims */
    _Atomic uint32_t released; /* buffers that the drain or a reader has released */
    _Atomic uint32_t pending_drops; /* since the last buffer was opened; not in `dropped` */
    tt_receipt_t settled;           /* receipt after the last buffer sent; written by the drain */
    uint64_t anchored;              /* 64-bit time of the last TIME record, or of the opening */
    _Atomic uint32_t high_water_buffers;
    uint32_t final_of_start; /* `starts` at the last final STATUS; written by the drain */

#if TT_CONFIG_READERS
    _Atomic bool is_lent; /* the drain or a reader has a buffer */
    uint64_t read; /* records that a reader on the target has read; they count as overwritten */
    bool losing;   /* buffers were overwritten since the reader took its last buffer */
    /* 64-bit opening time of the first of them, or the time at which the stream stopped as full. */
    uint64_t lost_ticks;
#endif

#if TT_CONFIG_FINALIZE
    bool lapped; /* the buffer being filled was full; new records overwrite its oldest ones */
    bool ended;  /* its trace is finished: the next step of the ring closes it */
    uint64_t lap_ticks;  /* 64-bit time of the first record of this lap */
    uint32_t finished;   /* finished traces */
    uint32_t lost;       /* of those, lost traces */
    uint32_t lost_since; /* traces lost since the last one that was kept */
#endif

#if TT_CONFIG_CPUS > 1
    /* The writer is about to open a buffer or to drop a record (decision_begin() in ring.c). */
    _Atomic bool deciding;
    tt_ring_snapshot_t snapshot;
#endif

    /* Counters of records by class, modulo 2^32. Each has one writer; any context reads them. */
    _Atomic uint32_t dropped_by_class[TT_CLASS_COUNT];
    _Atomic uint32_t overwritten_by_class[TT_CLASS_COUNT];
    _Atomic uint32_t sent_by_class[TT_CLASS_COUNT]; /* written by the drain */

    tt_buffer_t buffers[TT_CONFIG_BUFFERS];
} tt_ring_t;

extern tt_ring_t tt_rings[TT_CONFIG_STREAMS][TT_RING_CPUS];
extern tt_stream_t tt_streams[TT_CONFIG_STREAMS];

#define TT_RING_COUNT (TT_CONFIG_STREAMS * TT_RING_CPUS)

/* Return a ring by its index: the rings of stream 0 first, each stream's in the order of CPUs. */
static inline tt_ring_t *tt_ring_at(uint32_t index)
{
    return &tt_rings[index / TT_RING_CPUS][index % TT_RING_CPUS];
}

/* Set by an emitter that has stopped a full stream: the drain then updates the routes. Until then
 * the stream refuses the events of its routes and does not count them as offered. */
extern _Atomic bool tt_routes_late;

/* Return the ring of a stream into which a CPU records. */
static inline tt_ring_t *tt_ring_of(uint32_t stream, uint32_t cpu)
{
    return &tt_rings[stream][TT_RING_CPUS == 1 ? 0u : cpu];
}

/* Return the ring of the first stream of a route, which has at least one, for a CPU. */
static inline tt_ring_t *tt_ring_of_first(uint32_t route, uint32_t cpu)
{
    tt_ring_t *rings = tt_ring_of(0, cpu);
#if TT_CONFIG_STREAMS == 1
    (void)route;
    return rings;
#else
    __asm("" : "+r"(rings)); /* makes the compiler use one base address */
    return &rings[__builtin_ctz(route) * TT_RING_CPUS];
#endif
}

/* Return whether the next record can be stored. Writer, interrupts masked. */
static inline bool tt_ring_has_room(const tt_ring_t *ring)
{
    return ring->cursor < ring->limit;
}

/* Mask of the 64-bit counters that a change affects. */
#define TT_COUNTER_OFFERED     1u
#define TT_COUNTER_DROPPED     2u
#define TT_COUNTER_OVERWRITTEN 4u

/* Enclose a change of these counters, so that other CPUs read consistent values. Writer, interrupts
 * masked. `changed`: the TT_COUNTER_ bits to publish. */
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

/* Empty the ring and clear all its counters. No writer and no drain may run meanwhile. */
void tt_ring_reset(tt_ring_t *ring);

/*
 * Take one step towards room for a record where cursor == limit: count some records by class, close
 * a buffer, claim the next one or open it. Writer, interrupts masked; the caller may unmask them
 * between two steps. `header` is the record's, `now` the tick counter. Returns false after it has
 * dropped and counted the record, or when the stream has stopped and the record is not offered.
 */
bool tt_ring_advance(tt_ring_t *ring, uint32_t header, uint32_t now);

/* Parts of tt_ring_advance(), for finalize.c. tt_ring_close() makes the buffer being filled FULL.
 * tt_ring_settle_step() counts the next few overwritten records by class.
 * tt_ring_settle_pending_drops() adds the pending drops to `next_ordinal` and `dropped` and returns
 * their number. Writer, interrupts masked. */
void tt_ring_close(tt_ring_t *ring);
void tt_ring_settle_step(tt_ring_t *ring);
uint32_t tt_ring_settle_pending_drops(tt_ring_t *ring);

#if TT_CONFIG_FINALIZE
/* Return whether the buffers of the ring wait for tt_finalize(). */
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

/* Close the buffer being filled, if any, or free it if it has no record. Any context of any CPU; a
 * CPU that does not write this ring sets `wants_flush` instead. The buffer of an unfinished trace
 * stays open while its stream runs. */
void tt_ring_flush(tt_ring_t *ring);

/* Return the buffer to be opened next, or NULL. With OVERWRITE this may be the oldest full buffer,
 * or the one after it while the drain sends the oldest. Writer, interrupts masked. */
tt_buffer_t *tt_ring_find_free(tt_ring_t *ring);

/* Return the number of buffers that are not FREE. Exact for the drain while the writer does
 * nothing; the writer may still count a buffer that the drain has just released. */
TT_INLINE uint32_t tt_ring_used_buffers(const tt_ring_t *ring)
{
    return tt_peek(&ring->opened) - tt_peek(&ring->released);
}

/* Return true when no buffer holds records. Drain. */
TT_INLINE bool tt_ring_empty(const tt_ring_t *ring)
{
    return tt_ring_used_buffers(ring) == 0u;
}

/* Return the number of records in the buffer being filled, in this lap; 0 while no buffer is
 * open. */
static inline uint32_t tt_ring_filled(const tt_ring_t *ring)
{
    return (uint32_t)(ring->cursor - ring->base);
}

/* Return how many records were offered, and how many of them dropped. Exact when the writer calls
 * it or no writer runs. */
static inline uint64_t tt_ring_offered(const tt_ring_t *ring)
{
    return ring->next_ordinal + tt_ring_filled(ring) + tt_peek(&ring->pending_drops);
}

static inline uint64_t tt_ring_dropped(const tt_ring_t *ring)
{
    return ring->dropped + tt_peek(&ring->pending_drops);
}

/* Return the stream of a ring; a constant with one stream. */
static inline tt_stream_t *tt_ring_stream(const tt_ring_t *ring)
{
#if TT_CONFIG_STREAMS == 1
    (void)ring;
    return &tt_streams[0];
#else
    return ring->stream;
#endif
}

/* Return true when the ring's stream has stopped, no buffer holds records and the writer is not
 * about to fill one. The counters then keep their values until the next start. */
static inline bool tt_ring_at_rest(const tt_ring_t *ring)
{
    return !tt_is_set(&tt_ring_stream(ring)->running)
#if TT_CONFIG_CPUS > 1
           && !tt_is_set(&ring->deciding)
#endif
           && tt_ring_empty(ring);
}

/* Return the records of a buffer, TT_CONFIG_BUFFER_RECORDS places. */
static inline tt_record_t *tt_ring_records(const tt_ring_t *ring, const tt_buffer_t *buffer)
{
    return ring->records + (buffer - ring->buffers) * TT_CONFIG_BUFFER_RECORDS;
}

/* Return whether the buffer being filled was full and new records overwrite the oldest ones of its
 * trace. */
static inline bool tt_ring_is_lapped(const tt_ring_t *ring)
{
#if TT_CONFIG_FINALIZE
    return ring->lapped;
#else
    (void)ring;
    return false;
#endif
}

/* Return whether the trace in the buffer being filled is finished and the buffer not closed yet. */
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

/* Return whether a buffer is open and holds records. */
static inline bool tt_ring_has_records(const tt_ring_t *ring)
{
    return ring->cursor != ring->base || tt_ring_is_lapped(ring);
}

/* Return whether old records in the buffer being filled are not counted by class yet. In a later
 * lap the old records belong to the trace, so they are not overwritten ones. */
static inline bool tt_ring_owes_classes(const tt_ring_t *ring)
{
    return !tt_ring_is_lapped(ring) && ring->settled_records < ring->settle_records;
}

/* Set whether a stream runs. The caller then updates the routes (tt_route_refresh()). Any
 * context. */
TT_INLINE void tt_set_running(uint32_t stream, bool running)
{
    tt_port_key_t key = tt_control_lock();
    if (TT_ROUTE_REFUSED != 0u) {
        tt_set(&tt_streams[stream].was_full, false);
    }
    tt_set(&tt_streams[stream].running, running);
    if (running) { /* after that store, else the drain could end this start too early */
        tt_store(&tt_streams[stream].starts, tt_peek(&tt_streams[stream].starts) + 1u);
    }
    tt_control_unlock(key);
}

#endif
