/*
 * tickertape/tickertape.h - the recorder: select events, start, drain and stop.
 *
 * Life of an event: an emitter (emitters.h) looks up the route of its event type; 0 means that no
 * stream takes it. Otherwise tt_record() stamps and stores it in the ring of its CPU. The drain, a
 * thread of low priority, calls tt_drain_step() until nothing is left: each call sends one frame
 * over the link. Nothing here allocates, prints or blocks.
 *
 * Loss is counted, never silent: every record offered to a ring has an ordinal, and frames carry
 * receipts from which the host computes offered = delivered + overwritten + dropped + damaged
 * exactly (protocol/SPEC.md, "The law of loss").
 *
 * Masked sections are short, whatever the size of buffers, the filters and the number of event
 * types. "Masked: N" is the longest section of a function with interrupts masked, in instructions
 * of a Cortex-M4 with up to 8 streams (`python -m tools.bench masked`). "Masked: N, records" is a
 * function that also records an event, at most 143 instructions where a ring switches its buffer.
 * On two CPUs a section may be longer: docs/benchmarks.md, "Masked interrupts".
 */
#ifndef TICKERTAPE_TICKERTAPE_H
#define TICKERTAPE_TICKERTAPE_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/api.h"
#include "tickertape/config.h"
#include "tickertape/link.h"
#include "tickertape/renamed.h"
#include "tickertape/wire.h"

TT_API_BEGIN

/* One record, exactly as it goes to the tape. Fields: protocol/SPEC.md, "The record". */
typedef struct tt_record_fields {
    uint32_t header;
    uint32_t time; /* low 32 bits of the tick counter */
    uint32_t data[2];
} tt_record_t;

/* Fields of a record's header: part of a combine event (TT_RECORD_SIMPLE, ...), class, event. */
static inline uint32_t tt_record_struct(uint32_t header)
{
    return header >> TT_RECORD_STRUCT_FIRST_BIT;
}

static inline uint32_t tt_record_class(uint32_t header)
{
    return (header >> TT_RECORD_CLASS_FIRST_BIT) & (TT_CLASS_COUNT - 1u);
}

static inline uint32_t tt_record_event(uint32_t header)
{
    return header & TT_RECORD_EVENT_MASK;
}

/* The 64-bit time of a record, less than 2^32 ticks after `ticks`. */
static inline uint64_t tt_extend_time(uint64_t ticks, uint32_t time)
{
    return ticks + (time - (uint32_t)ticks);
}

/* The name of one object, as sent in a NAME frame. */
typedef struct tt_name {
    tt_object_kind_t kind;
    uint32_t id;      /* thread number, object address, ... (see tt_object_kind_t) */
    uint32_t parent;  /* for a thread its domain, for a semaphore its limit or 0, else 0 */
    uint8_t state;    /* for a thread a TT_THREAD_* number, else 0 */
    uint8_t priority; /* for a thread, else 0 */
    uint8_t cpu;      /* for a thread, else 0 */
    const char *text; /* UTF-8 with end mark; valid until the next call. NULL: nothing is there */
} tt_name_t;

/* What the recorder passes to tt_target_t.describe(): its `name` is the first member of this, with
 * room for a text that describe() makes itself. */
typedef struct tt_description {
    tt_name_t name;
    char digits[12];
} tt_description_t;

/*
 * Description of the target for the recorder. Fill in the struct once and keep it; the recorder
 * keeps the pointer.
 */
typedef struct tt_target {
    const char *name;        /* of board and application, for people */
    uint32_t tick_hz;        /* rate of tt_port_ticks() */
    uint32_t boot_id;        /* differs from boot to boot where that is possible, else 0 */
    const uint8_t *build_id; /* 20 bytes, or NULL */
    /*
     * Describe object `index` (0, 1, ...) in *name and return true; `text` is NULL if no object has
     * this index. Return false beyond the last index. An object keeps its index as long as it
     * lives. Called by the drain, periodically for every index, and by the caller of tt_start();
     * must not record. May be NULL.
     */
    bool (*describe)(uint32_t index, tt_name_t *name);
    /*
     * Domain and number of the thread that runs, for filters. Called from any context, possibly
     * with interrupts masked; must not record. May be NULL: filters then see 0 and 0.
     */
    void (*current_thread)(uint32_t *pid, uint32_t *tid);
} tt_target_t;

/* Counters of one ring at one moment. */
typedef struct tt_ring_counters {
    uint64_t offered;            /* records offered since init */
    uint64_t dropped;            /* of those, refused because no buffer was free */
    uint64_t overwritten;        /* of those, given up for newer ones, or taken by a reader here */
    uint64_t read;               /* of those, read on the target (tickertape/read.h) */
    uint64_t sent;               /* of those, handed to the link */
    uint32_t high_water_buffers; /* most buffers that were in use at a time */
    bool running;
} tt_ring_status_t;

/*
 * Initialise the recorder; it records nothing yet. The drain sends frames to `link`. Call once,
 * before any other function, with interrupts off or before the kernel runs. Returns TT_OK, or
 * TT_ERROR_ARGUMENT when a pointer is NULL or tick_hz is 0. Masked: 81.
 */
TT_API int tt_init(const tt_target_t *target, const tt_link_t *link) TT_WITHOUT(TT_OK);

/*
 * Select what stream `stream` takes: every event (`tt_select_all`), a class, or one event type. If
 * the stream runs, the change takes effect at once, one event type after the other; interrupts and
 * other CPUs continue meanwhile. If calls overlap, the last one to reach an event type decides. Any
 * context. Masked: 98, with TT_CONFIG_EVENT_MASKS 133. Returns TT_OK, or TT_ERROR_ARGUMENT for a
 * stream, class or event out of range, or TT_ERROR_STATE for an event that needs a mask of its own
 * while TT_CONFIG_EVENT_MASKS are in use. An error changes nothing.
 */
TT_API int tt_select_all(uint32_t stream, bool take) TT_WITHOUT(TT_OK);
TT_API int tt_select_class(uint32_t stream, uint32_t event_class, bool take) TT_WITHOUT(TT_OK);
TT_API int tt_select_event(uint32_t stream, uint32_t event_class, uint32_t event, bool take)
    TT_WITHOUT(TT_OK);

/*
 * Record an event type with all its arguments (a combine event) or in one record, which is the
 * default. `event` may be TT_EVERY_EVENT (tickertape/filter.h). It matters to event types that
 * have a wide form (docs/events.md). Any context. Masked: 98.
 */
TT_API int tt_set_wide(uint32_t event_class, uint32_t event, bool take) TT_WITHOUT(TT_OK);

/*
 * Shed the classes of `class_mask` (bit c for class c): while fewer than `free_buffers` buffers of
 * a ring are free, their records are dropped and counted, so that the other classes keep the
 * remaining room. Class CONTROL is never shed: TIME shows the wraps of the counter. Mask 0 ends
 * shedding. With OVERWRITE no record is dropped, because the oldest buffer can always be
 * overwritten. Any context. Masked: 11. Returns TT_OK or TT_ERROR_ARGUMENT.
 */
TT_API int tt_set_shedding(uint32_t stream, uint32_t class_mask, uint32_t free_buffers)
    TT_WITHOUT(TT_OK);

/* Send buffers packed (the default where built in, TT_CONFIG_PACKING) or raw. Any context.
 * Masked: 0. */
TT_API int tt_set_packing(bool packed) TT_WITHOUT(TT_OK);

/*
 * Let the rings of a stream use fewer buffers than they have: 2 to TT_CONFIG_BUFFERS. Any context.
 * Masked: 19 with one CPU.
 * Returns TT_OK, TT_ERROR_ARGUMENT, or TT_ERROR_STATE while the stream runs or one of its rings, on
 * any CPU, holds a record: one that waits to be sent or one in a buffer that is still open. After
 * tt_stop() that is until the drain has sent everything.
 */
TT_API int tt_set_buffers(uint32_t stream, uint32_t buffer_count) TT_WITHOUT(TT_OK);

/*
 * Policy of a stream when its rings are full, a tt_policy_t. Default: TT_CONFIG_POLICY. Context,
 * conditions and results are those of tt_set_buffers(); TT_ERROR_ARGUMENT also for a policy that is
 * not built in.
 *
 * UNTIL_FULL stops the stream on all CPUs when one of its rings is full. On another CPU, a buffer
 * that is open then takes records until it is full or the drain has closed it; they are counted and
 * delivered like all others. The drain closes the routes. Without a drain they stay open until
 * tt_stop(): an event of the stopped stream is recorded nowhere, and costs as much as one that
 * finds its ring full.
 */
TT_API int tt_set_policy(uint32_t stream, uint32_t policy) TT_WITHOUT(TT_OK);

/*
 * Finish a trace: close and send the buffer that this CPU is filling, and record in another one.
 * For streams with policy FINALIZE or FINALIZE_FREE, whose buffers wait for this call: a full
 * buffer overwrites its oldest records, so that it holds the newest ones, except at most 2. TRACER
 * FINALIZE is the last record of the buffer, where it is selected; it contains the number of the
 * trace and how many were lost before it.
 *
 * When the next buffer (FINALIZE), or every other one (FINALIZE_FREE), still waits to be sent, the
 * trace is lost: its records are counted as overwritten, a few in each masked section, and its
 * buffer begins anew. A trace that begins while no buffer is free, after tt_stop() and tt_start()
 * on a link that has not sent the last ones, is lost as well: its records are dropped until a
 * buffer is free.
 *
 * Any context of that CPU. Masked: 201. Returns TT_OK, TT_ERROR_FULL when the trace was lost,
 * TT_ERROR_STATE for a stream of another policy, TT_ERROR_ARGUMENT.
 */
TT_API int tt_finalize(uint32_t stream) TT_WITHOUT(TT_OK);

/* Traces of this CPU that were finished so far, and how many of them were lost. Any context. */
TT_API int tt_finalized(uint32_t stream, uint32_t *finished, uint32_t *lost)
    TT_WITHOUT((*finished = *lost = 0, TT_OK));

/*
 * Start a stream: it records the events that are selected for it. TRACER START is recorded first,
 * then the state: for each thread THREAD CREATE, SCHED PRIORITY, its state and THREAD NAME, for
 * each domain THREAD PROCESS_CREATE, for each other object SYSTEM MAPNAME, as far as the stream has
 * them selected. A stream may therefore start at any time, and every name and state is known. These
 * records need room and may be lost like any others. An object that keeps changing while it is
 * described is left out. Threads, and before the kernel runs. Masked: 110, records.
 */
TT_API int tt_start(uint32_t stream) TT_WITHOUT(TT_OK);

/* The same without the state. Any context, any CPU. Masked: 93, records. */
TT_API int tt_start_without_state(uint32_t stream) TT_WITHOUT(TT_OK);

/*
 * Stop a stream. Any context, any CPU. The drain still sends full and open buffers: it closes the
 * open one of its own CPU and asks the other CPUs, which close theirs in tt_clock_poll(). An event
 * that comes before this returns, or that a CPU was about to record, is either recorded or not
 * offered. TRACER STOP is recorded where it is selected. Masked: 88, records.
 */
TT_API int tt_stop(uint32_t stream) TT_WITHOUT(TT_OK);

/*
 * Close the buffer that this CPU is filling, so that the drain can send it though it is not full.
 * Any context. A thread that moves to another CPU meanwhile leaves it to the CPU that it began on,
 * as tt_flush_all() does. Masked: 103.
 */
TT_API void tt_flush(uint32_t stream) TT_WITHOUT();

/* The same on all CPUs: the others do it in tt_clock_poll(). Any context. Masked: 103. */
TT_API void tt_flush_all(uint32_t stream) TT_WITHOUT();

/*
 * Keep 64-bit time, and close the buffer that this CPU is filling when the drain on another CPU
 * asks for it. Call it on each CPU that records, from the kernel's tick, not
 * from a thread that others may keep from running: at least four times in every 2^32 ticks, and
 * with several CPUs as often as records may wait for their buffer to become full. Any context.
 * Masked: 34, records.
 *
 * Limit: a counter of 32 bits cannot show that a whole period was missed. When nothing polls, opens
 * a buffer or calls tt_clock_now() for TT_CLOCK_LONGEST ticks (1.8 s at 600 MHz), time may lose
 * 2^32 ticks, and nothing reports it. A port that has 64 bits (TT_PORT_HAS_TIME, ports/template)
 * loses no time; when a poll finds a buffer that was open for 2^32 ticks without a TIME record,
 * TRACER ERROR reports TT_ERROR_LATE and the number of periods: times in that buffer may be whole
 * periods too early.
 */
TT_API void tt_clock_poll(void) TT_WITHOUT();

/* Ticks between two readings of the clock within which 64-bit time is right. */
#define TT_CLOCK_LONGEST (1u << 30)

/* The 64-bit time of the tick counter. Any context. Masked: 12. */
TT_API uint64_t tt_clock_now(void) TT_WITHOUT(0);

/* Rate of the tick counter as passed to tt_init(), 0 before. Any context. Masked: 0. */
TT_API uint32_t tt_clock_hz(void) TT_WITHOUT(0);

/*
 * Send at most one frame, or as much of it as the link has room for. Returns true when something
 * was sent (call again), false when there is nothing to send or the link has too little room. One
 * thread only, the drain; never from an interrupt.
 * Masked: 69, a command of the host as the function that it calls.
 */
TT_API bool tt_drain_step(void) TT_WITHOUT(false);

/*
 * Measure what an event costs on this target, and record it as events TRACER COST: the host then
 * reports what tracing costs each task (docs/stats.md). Records about 20 simple events and one
 * combine event, all counted as any other, and closes the open buffer of each stream that has
 * another one free. Without it the host answers "unknown".
 *
 * Call it once after tt_start(), best before threads run: an interrupt during the parts that are
 * not masked makes the upper limits larger, never the lower ones. The limits are those of this CPU
 * and of the streams that take the event. Threads. Masked: eight emits; four with two streams, two
 * with more. Returns TT_OK, or TT_ERROR_STATE when no stream takes TRACER COST, or
 * a filter or handler looks at it.
 */
TT_API int tt_measure_cost(void) TT_WITHOUT(TT_OK);

/*
 * True when the drain has ended a step because the link has too little room, and may have more to
 * send: a link that has sent nearly all then calls tt_port_notify_drain(), so that it need not wait
 * for the drain's period. Any context. Masked: 0.
 */
TT_API bool tt_drain_waits(void) TT_WITHOUT(false);

/*
 * Hold a stream: tt_drain_step() leaves its buffers in their rings until `hold` is false again, so
 * that its policy alone decides which records are kept. After tt_init() no stream is held. Any
 * context. Masked: 0. Returns TT_OK or TT_ERROR_ARGUMENT.
 */
TT_API int tt_pause_drain(uint32_t stream, bool hold) TT_WITHOUT(TT_OK);

/*
 * Send at most one buffer of one stream, held or not; for threads that drain a stream on their own
 * schedule. Returns as tt_drain_step(), under its rules: never two of them at a time.
 */
TT_API bool tt_drain_stream(uint32_t stream) TT_WITHOUT(false);

/* A buffer as it is about to be sent. */
typedef struct tt_sent_buffer {
    uint32_t cpu;     /* of its ring; 0 for a ring of all CPUs (TT_CONFIG_READERS) */
    bool loss_before; /* records between the buffer before and this one are missing */
    uint64_t ticks;   /* time at which it was opened */
    const tt_record_t *records;
    uint32_t count;
} tt_sent_buffer_t;

/*
 * Call a function for each buffer of a stream, just before it is sent: for files that the target
 * writes itself. The records are valid until the function returns. Drain only, or before there is
 * one. NULL ends it.
 */
typedef void (*tt_buffer_callback_t)(void *context, const tt_sent_buffer_t *buffer);
TT_API int tt_set_buffer_callback(uint32_t stream, tt_buffer_callback_t callback, void *context)
    TT_WITHOUT(TT_OK);

/*
 * Repeat the announcements of the target, for hosts that connect late: HELLO, STATUS of each ring
 * and, every fourth time, the next 32 names. The drain calls this about once a second. The frames
 * take room that no record needs and, while records wait, less than a tenth of the link's bytes. A
 * round is finished before the next one begins. All names are sent by tt_init(), when a host asks,
 * and when a stream or an event type gets a name. Any context. Masked: 0.
 */
TT_API void tt_drain_announce(void) TT_WITHOUT();

/*
 * True when everything recorded was handed to the link. After tt_stop() it becomes true once
 * tt_drain_step() has nothing more to do and the other CPUs that have records have polled; the last
 * STATUS of each ring is then marked final: nothing is offered any more. A stream that is held
 * (tt_pause_drain()) does not delay it. Drain only. Masked: 0.
 */
TT_API bool tt_drain_done(void) TT_WITHOUT(true);

/* Counters of one ring; with TT_CONFIG_READERS that of CPU 0 is the one of all CPUs. Any context.
 * Masked: 29. */
TT_API int tt_ring_status(uint32_t stream, uint32_t cpu, tt_ring_status_t *status)
    TT_WITHOUT(((void)__builtin_memset(status, 0, sizeof *status), TT_OK));

/* Records of class `event_class` that one ring lost or sent so far, modulo 2^32. Any context.
 * Masked: 0. */
TT_API int tt_class_status(uint32_t stream, uint32_t cpu, uint32_t event_class,
                           tt_wire_class_counters_t *counters)
    TT_WITHOUT(((void)__builtin_memset(counters, 0, sizeof *counters), TT_OK));

TT_API_END

#endif
