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
 * Context: "any" means threads and all interrupts that tt_port_lock() masks. On Cortex-M (every
 * port) these are all interrupts with a priority of their own, also those above BASEPRI and
 * Zephyr's zero-latency ones, because the lock is PRIMASK. NMI and HardFault are not masked: they
 * must not record or call the recorder, because they may interrupt it between two instructions.
 * Record from an interrupt that they make pending instead. On other processors Zephyr's lock is
 * arch_irq_lock().
 *
 * Masked sections are short, whatever the size of buffers, the filters and the number of event
 * types. "Masked: N" is the longest section of a function with interrupts masked, in instructions
 * of a Cortex-M4 with up to 8 streams (`python -m tools.bench masked`). "Masked: N, records": the
 * function also records an event, which masks up to 143 instructions when a ring switches its
 * buffer. On two CPUs a section may be longer: docs/benchmarks.md, "Masked interrupts".
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

/* Return a field of a record's header: the part of a combine event (TT_RECORD_SIMPLE, ...), the
 * class, the event number. */
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

/* Return the 64-bit time of a record whose low 32 bits are `time` and which was recorded less than
 * 2^32 ticks after the 64-bit time `ticks`. */
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
    const char *text; /* zero-terminated UTF-8, valid until the next call; NULL: no object */
} tt_name_t;

/* The object that tt_target_t.describe() fills in: its argument points to `name`, the first member.
 * `digits` has room for a text that describe() formats itself. */
typedef struct tt_description {
    tt_name_t name;
    char digits[12];
} tt_description_t;

/*
 * Description of the target for the recorder. Fill in the struct once and keep it; the recorder
 * keeps the pointer.
 */
typedef struct tt_target {
    const char *name; /* name of board and application, shown to users */
    uint32_t tick_hz; /* rate of tt_port_ticks(), Hz; not 0 */
    uint32_t boot_id; /* another value in every boot, or 0 if the target cannot provide one */
    const uint8_t *build_id; /* 20 bytes, or NULL */
    /*
     * Describe object `index` (0, 1, ...) in *name and return true; `text` is NULL if no object has
     * this index. Return false beyond the last index. An object keeps its index as long as it
     * lives. Called by the drain, periodically for every index, and by the caller of tt_start();
     * must not record. May be NULL.
     */
    bool (*describe)(uint32_t index, tt_name_t *name);
    /*
     * Store domain and number of the running thread, for filters. Called from any context, possibly
     * with interrupts masked; must not record. May be NULL: filters then see 0 and 0.
     */
    void (*current_thread)(uint32_t *pid, uint32_t *tid);
    tt_clock_source_t clock;  /* what tt_port_ticks() reads, for HELLO; 0: not stated */
    bool clock_runs_in_sleep; /* it runs while the processor sleeps; false: unknown, or it stops */
} tt_target_t;

/* Counters of one ring at one moment. */
typedef struct tt_ring_counters {
    uint64_t offered;     /* records offered since tt_init() */
    uint64_t dropped;     /* of those, discarded: no buffer was free, or the class was shed */
    uint64_t overwritten; /* of those, replaced by newer ones, or taken by a reader on the target */
    uint64_t read;        /* of those, read on the target (tickertape/read.h) */
    uint64_t sent;        /* of those, handed to the link */
    uint32_t high_water_buffers; /* largest number of buffers in use at a time */
    bool running;
} tt_ring_status_t;

/*
 * Initialise the recorder; it records nothing yet. The drain sends frames to `link`. Call once,
 * before any other function, with interrupts off or before the kernel runs. Returns TT_OK, or
 * TT_ERROR_ARGUMENT when a pointer, the target's name or a function of the link that is not
 * optional is NULL, tick_hz is 0, or the link has no memory of its own and TT_CONFIG_COPYING_LINK
 * is 0. Masked: 81.
 */
TT_API int tt_init(const tt_target_t *target, const tt_link_t *link) TT_WITHOUT(TT_OK);

/*
 * Add events to the selection of a stream (`take` true) or remove them from it (false): every event
 * (`tt_select_all`), a class, or one event type. If the stream runs, the change takes effect at
 * once, one event type after the other; interrupts and other CPUs continue meanwhile. If calls
 * overlap, the last one to reach an event type decides. Any context. Masked: 98, with
 * TT_CONFIG_EVENT_MASKS 133. Returns TT_OK, or TT_ERROR_ARGUMENT for a stream, class or event out
 * of range, or TT_ERROR_STATE when the event needs an event mask and all TT_CONFIG_EVENT_MASKS of
 * them are in use. An error changes nothing.
 */
TT_API int tt_select_all(uint32_t stream, bool take) TT_WITHOUT(TT_OK);
TT_API int tt_select_class(uint32_t stream, uint32_t event_class, bool take) TT_WITHOUT(TT_OK);
TT_API int tt_select_event(uint32_t stream, uint32_t event_class, uint32_t event, bool take)
    TT_WITHOUT(TT_OK);

/* Return true when the event type is selected for the stream. Any context. */
TT_API bool tt_selected(uint32_t stream, uint32_t event_class, uint32_t event) TT_WITHOUT(false);

/*
 * Record an event type in its wide form, a combine event with all arguments (`take` true), or in
 * one record (false, the default). `event` may be TT_EVERY_EVENT (tickertape/filter.h). Event types
 * without a wide form (docs/events.md) ignore it. Any context. Masked: 98. Returns TT_OK, or
 * TT_ERROR_ARGUMENT for a class or event out of range.
 */
TT_API int tt_set_wide(uint32_t event_class, uint32_t event, bool take) TT_WITHOUT(TT_OK);

/*
 * Shed the classes of `class_mask` (bit c for class c): while fewer than `free_buffers` buffers of
 * a ring are free, their records are dropped and counted, so that the other classes keep the
 * remaining room. Class CONTROL is never shed: TIME shows the wraps of the counter. Mask 0 ends
 * shedding. With OVERWRITE no record is dropped, because the oldest buffer can always be
 * overwritten. `free_buffers`: 0 to TT_CONFIG_BUFFERS - 1. Any context. Masked: 11. Returns TT_OK,
 * or TT_ERROR_ARGUMENT for a stream or number out of range.
 */
TT_API int tt_set_shedding(uint32_t stream, uint32_t class_mask, uint32_t free_buffers)
    TT_WITHOUT(TT_OK);

/* Send buffers packed (the default where built in, TT_CONFIG_PACKING) or raw. Any context. Masked:
 * 0. Returns TT_OK, or TT_ERROR_STATE for packed buffers when packing is not built in or the link
 * is memory that the host reads (tt_link_t.plain). */
TT_API int tt_set_packing(bool packed) TT_WITHOUT(TT_OK);

/*
 * Set how many buffers each ring of a stream uses: 2 to TT_CONFIG_BUFFERS, the default. Any
 * context. Masked: 19 with one CPU. Returns TT_OK, TT_ERROR_ARGUMENT for a stream or number out of
 * range, or TT_ERROR_STATE before tt_init(), while the stream runs, and while a ring of it, on any
 * CPU, holds a record. After tt_stop() the rings hold records until the drain has sent everything.
 */
TT_API int tt_set_buffers(uint32_t stream, uint32_t buffer_count) TT_WITHOUT(TT_OK);

/*
 * Set the policy of a stream when its rings are full, a tt_policy_t. Default: TT_CONFIG_POLICY.
 * Context, conditions and results are those of tt_set_buffers(); TT_ERROR_ARGUMENT also for a
 * policy that is not built in.
 *
 * UNTIL_FULL stops the stream on all CPUs when one of its rings is full. A buffer that is then open
 * on another CPU still takes records until it is full or the drain has closed it; these records are
 * counted and delivered like all others. The drain removes the stream from the routes. Without a
 * drain the routes stay until tt_stop(): an event of the stopped stream is not recorded, and costs
 * as much as a dropped one.
 */
TT_API int tt_set_policy(uint32_t stream, uint32_t policy) TT_WITHOUT(TT_OK);

/*
 * Finish a trace: close the buffer that this CPU is filling, so that the drain sends it, and
 * continue in another one. For streams with policy FINALIZE or FINALIZE_FREE, whose buffers wait
 * for this call: a full buffer overwrites its oldest records, so that it holds the newest ones,
 * except at most 2. TRACER FINALIZE, if selected, is the last record of the buffer; it contains the
 * number of the trace and the number of traces lost since the last one that was kept.
 *
 * When the next buffer (FINALIZE), or every other one (FINALIZE_FREE), still waits to be sent, the
 * trace is lost: its records are counted as overwritten, a few in each masked section, and its
 * buffer begins anew. A trace that begins while no buffer is free, after tt_stop() and tt_start()
 * on a link that has not sent the last ones, is lost too: its records are dropped until a buffer is
 * free.
 *
 * Any context of that CPU. Masked: 201. Returns TT_OK, TT_ERROR_FULL when the trace was lost,
 * TT_ERROR_STATE for a stream of another policy, or TT_ERROR_ARGUMENT for a stream out of range.
 */
TT_API int tt_finalize(uint32_t stream) TT_WITHOUT(TT_OK);

/* Read how many traces of this CPU were finished since tt_init(), and how many of them were lost.
 * Any context. Returns TT_OK, or TT_ERROR_ARGUMENT for a stream out of range or a NULL pointer. */
TT_API int tt_finalized(uint32_t stream, uint32_t *finished, uint32_t *lost)
    TT_WITHOUT((*finished = *lost = 0, TT_OK));

/*
 * Start a stream: it records the events that are selected for it. TRACER START is recorded first,
 * then the state: for each thread THREAD CREATE, SCHED PRIORITY, its state and THREAD NAME, for
 * each domain THREAD PROCESS_CREATE, for each other object SYSTEM MAPNAME, as far as the stream has
 * them selected. A stream may therefore start at any time, and every name and state is known. These
 * records need room and may be lost like any others. An object that keeps changing while it is
 * described is left out. Threads, and before the kernel runs. Masked: 110, records. Returns TT_OK,
 * TT_ERROR_ARGUMENT for a stream out of range, or TT_ERROR_STATE before tt_init().
 */
TT_API int tt_start(uint32_t stream) TT_WITHOUT(TT_OK);

/* As tt_start(), without the state. Any context, any CPU. Masked: 93, records. */
TT_API int tt_start_without_state(uint32_t stream) TT_WITHOUT(TT_OK);

/*
 * Stop a stream. Any context, any CPU. The drain still sends full and open buffers: it closes the
 * open one of its own CPU and requests this from the other CPUs, which close theirs in
 * tt_clock_poll(). An event that occurs before this function returns, or that another CPU is about
 * to record, is either recorded or not offered. TRACER STOP is recorded if selected. Masked: 88,
 * records. Returns TT_OK, or TT_ERROR_ARGUMENT for a stream out of range.
 */
TT_API int tt_stop(uint32_t stream) TT_WITHOUT(TT_OK);

/*
 * Close the buffer that this CPU is filling, so that the drain can send it though it is not full.
 * Any context. If the calling thread moves to another CPU meanwhile, the CPU on which it began
 * closes the buffer in its next tt_clock_poll(). Masked: 103. Does nothing for a stream out of
 * range.
 */
TT_API void tt_flush(uint32_t stream) TT_WITHOUT();

/* As tt_flush() for all CPUs: the others close their buffers in tt_clock_poll(). Any context.
 * Masked: 103. */
TT_API void tt_flush_all(uint32_t stream) TT_WITHOUT();

/*
 * Keep the 64-bit time, and close the buffer that this CPU is filling when the drain on another CPU
 * has requested it. Call it on each CPU that records, from the kernel's tick rather than from a
 * thread, which may starve: at least four times in every 2^32 ticks. With several CPUs, its period
 * limits how long tt_flush_all() and the drain wait until another CPU has closed its buffer. Any
 * context but those that the port does not mask (NMI). Masked: 34, records.
 *
 * Limit: a counter of 32 bits cannot show that a whole period was missed. When nothing polls, opens
 * a buffer or calls tt_clock_now() for TT_CLOCK_LONGEST ticks (3.5 s at 600 MHz), time may lose
 * whole periods of 2^32 ticks; it never goes below the time at tt_init(). A port with a second
 * clock, for example the kernel's ticks, reports that by tt_clock_poll_after(). A port that has 64
 * bits (TT_PORT_HAS_TIME, ports/template) loses no time; when a poll finds a buffer that was open
 * for 2^32 ticks without a TIME record, TRACER ERROR reports TT_ERROR_LATE and the number of
 * periods: times in that buffer may be whole periods too early.
 */
TT_API void tt_clock_poll(void) TT_WITHOUT();

/*
 * As tt_clock_poll(), for a port with a second clock: by that clock, `elapsed_ticks` ticks of
 * tt_port_ticks() have passed since the last poll. If they are TT_CLOCK_LONGEST or more, TRACER
 * ERROR reports TT_ERROR_LATE and the number of periods, 1 or more, by which this time and all
 * later ones may be too early. If the clock falls behind that clock by an eighth, because it stops
 * while the processor sleeps or its rate is wrong, TRACER ERROR reports TT_ERROR_STOPPED once, and
 * HELLO contains CLOCK_STOPS from then on. Not from two contexts at a time. Masked: 34, records.
 */
TT_API void tt_clock_poll_after(uint64_t elapsed_ticks) TT_WITHOUT();

/* Longest interval between two readings of the clock for which 64-bit time is correct, in ticks. */
#define TT_CLOCK_LONGEST (UINT32_C(1) << 31)

/* Return the 64-bit time in ticks. Context of tt_clock_poll(). Masked: 13. */
TT_API uint64_t tt_clock_now(void) TT_WITHOUT(0);

/* Return the rate of the tick counter, in Hz, as passed to tt_init(); 0 before. Any context.
 * Masked: 0. */
TT_API uint32_t tt_clock_hz(void) TT_WITHOUT(0);

/*
 * Send at most one frame, or as much of it as the link has room for. Returns true when something
 * was sent (call again), false when there is nothing to send, the link has too little room, or
 * tt_init() has not succeeded. One thread only, the drain; never from an interrupt. Masked: 69; a
 * command of the host masks as long as the function that it calls.
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
 * with more. Returns TT_OK, or TT_ERROR_STATE when no stream takes TRACER COST, or a filter or
 * handler covers it.
 */
TT_API int tt_measure_cost(void) TT_WITHOUT(TT_OK);

/*
 * Return true when the drain stopped because the link had too little room, and may have more to
 * send. A link that has sent nearly all its bytes calls this, and tt_port_notify_drain() if it
 * returns true, so that it need not wait for the drain's period. Any context. Masked: 0.
 */
TT_API bool tt_drain_waits(void) TT_WITHOUT(false);

/*
 * Hold a stream (`hold` true): tt_drain_step() leaves its buffers in their rings until a call with
 * `hold` false, so that the policy alone decides which records are kept. After tt_init() no stream
 * is held. Any context. Masked: 0. Returns TT_OK or TT_ERROR_ARGUMENT.
 */
TT_API int tt_pause_drain(uint32_t stream, bool hold) TT_WITHOUT(TT_OK);

/*
 * Send at most one buffer of one stream, held or not; for threads that drain a stream on their own
 * schedule. Context and results are those of tt_drain_step(); never two calls of either function at
 * a time. False for a stream out of range.
 */
TT_API bool tt_drain_stream(uint32_t stream) TT_WITHOUT(false);

/* A buffer as it is about to be sent. */
typedef struct tt_sent_buffer {
    uint32_t cpu;     /* CPU of the ring; 0 when all CPUs share it (TT_CONFIG_READERS) */
    bool loss_before; /* records between the previous buffer and this one are missing */
    uint64_t ticks;   /* 64-bit time at which it was opened */
    const tt_record_t *records;
    uint32_t count;
} tt_sent_buffer_t;

/*
 * Set a function that the drain calls for each buffer of a stream just before it is sent, for
 * example to write a file on the target. The records are valid until the function returns. NULL
 * removes the function. Drain thread only, or before the drain runs. Returns TT_OK, or
 * TT_ERROR_ARGUMENT for a stream out of range.
 */
typedef void (*tt_buffer_callback_t)(void *context, const tt_sent_buffer_t *buffer);
TT_API int tt_set_buffer_callback(uint32_t stream, tt_buffer_callback_t callback, void *context)
    TT_WITHOUT(TT_OK);

/*
 * Repeat the announcements of the target, for hosts that connect late: HELLO, STATUS of each ring
 * and, every fourth time, the next 32 names. The drain calls this about once a second. The frames
 * use room that no record needs and, while records wait, less than a tenth of the link's bytes. A
 * round ends before the next one begins. All names are sent after tt_init(), when a host requests
 * them, and when a stream or an event type gets a name. Any context. Masked: 0.
 */
TT_API void tt_drain_announce(void) TT_WITHOUT();

/*
 * Return true when all records were handed to the link. After tt_stop() this becomes true once
 * tt_drain_step() has nothing more to do and the other CPUs that have records have called
 * tt_clock_poll(). The last STATUS of each ring is then marked final: no record is offered any
 * more. A held stream (tt_pause_drain()) does not delay it. Drain thread only. Masked: 0.
 */
TT_API bool tt_drain_done(void) TT_WITHOUT(true);

/* Read the counters of one ring; with TT_CONFIG_READERS all CPUs share the ring of CPU 0. Any
 * context. Masked: 29. Returns TT_OK, or TT_ERROR_ARGUMENT for a stream or CPU out of range or a
 * NULL pointer. */
TT_API int tt_ring_status(uint32_t stream, uint32_t cpu, tt_ring_status_t *status)
    TT_WITHOUT(((void)__builtin_memset(status, 0, sizeof *status), TT_OK));

/* Read how many records of class `event_class` one ring has dropped, overwritten and sent, each
 * modulo 2^32. Any context. Masked: 0. Results are those of tt_ring_status(), also
 * TT_ERROR_ARGUMENT for a class out of range. */
TT_API int tt_class_status(uint32_t stream, uint32_t cpu, uint32_t event_class,
                           tt_wire_class_counters_t *counters)
    TT_WITHOUT(((void)__builtin_memset(counters, 0, sizeof *counters), TT_OK));

TT_API_END

#endif
