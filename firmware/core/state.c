/*
 * The state dump records the existing objects into a stream that starts, so that a trace which
 * begins late also contains every name, priority and state.
 *
 * The caller of tt_start() runs it, with interrupts enabled, while the stream records. describe()
 * reports the state of an object at one time. The dump writes its records with that time, and only
 * if the ring was offered no other record since. Otherwise it calls describe() again, because a
 * stale state must not follow the event that has changed it.
 */
#include "state.h"

#include <stddef.h>
#include <string.h>

#include "combine.h"
#include "record.h"
#include "ring.h"
#include "target.h"
#include "tickertape/events.h"

/* Calls of describe() per object. The dump skips an object that changes faster: its own events
 * report its state, and NAME frames report its name. */
#define TRIES 8u

/* Largest age of a snapshot, ticks: tt_clock_extend() takes recent readings only. */
#define SNAPSHOT_TICKS_MAX (1u << 30)

/* State of this CPU's ring at one time. */
typedef struct snapshot {
    uint32_t stream;
    uint32_t cpu;
    uint32_t time;
    uint32_t offered; /* records so far, the low word */
} snapshot_t;

static snapshot_t take_snapshot(uint32_t stream)
{
    tt_port_key_t key = tt_port_lock();
    uint32_t cpu = tt_port_cpu();
    const snapshot_t snapshot = {.stream = stream,
                                 .cpu = cpu,
                                 .time = tt_port_ticks(),
                                 .offered = (uint32_t)tt_ring_offered(tt_ring_of(stream, cpu))};
    tt_port_unlock(key);
    return snapshot;
}

/* Write one record with the time of the snapshot: two words, or the BEGIN of `text`. The snapshot
 * then includes it. Returns false, and writes nothing, if another context has offered the ring a
 * record since the snapshot, the thread has moved to another CPU, or the snapshot is too old. */
static bool record_at(snapshot_t *snapshot, const uint32_t words[2], uint32_t header,
                      tt_combine_t *text)
{
    tt_ring_t *ring = tt_ring_of(snapshot->stream, snapshot->cpu);
    bool holds;
    bool more = false;
    do {
        tt_port_key_t key = tt_port_lock();
        holds = tt_port_cpu() == snapshot->cpu &&
                (uint32_t)tt_ring_offered(ring) == snapshot->offered &&
                tt_port_ticks() - snapshot->time < SNAPSHOT_TICKS_MAX;
        if (holds && ring->cursor >= ring->limit) {
            /* The time of a new buffer must not be later than that of its first record. */
            more = tt_ring_advance(ring, header, snapshot->time);
        } else if (holds) {
            more = false;
            if (text == NULL) {
                tt_record_words(words, header, 1u << snapshot->stream, &snapshot->time);
            } else if (tt_combine_write_begin(text, &snapshot->time)) {
                text->bytes = 2u * sizeof *words;
            }
        }
        tt_port_unlock(key);
    } while (holds && more);
    snapshot->offered += holds;
    return holds;
}

/* Return whether the stream takes an event type. */
static bool is_taken(const snapshot_t *snapshot, uint32_t route_index)
{
    return (((uint32_t)tt_route[route_index] >> snapshot->stream) & 1u) != 0u;
}

/* Record two words with the time of the snapshot, if the stream takes the event. Returns false when
 * the snapshot is stale. */
static bool report(snapshot_t *snapshot, uint32_t event_class, uint32_t event, uint32_t data0,
                   uint32_t data1)
{
    const uint32_t words[2] = {data0, data1};
    return !is_taken(snapshot, tt_route_index(event_class, event)) ||
           record_at(snapshot, words, TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0, 0, event_class, event),
                     NULL);
}

/* As report(), with a text. As in any combine event, other records may lie between its records, so
 * the snapshot is stale afterwards. */
static bool report_text(snapshot_t *snapshot, uint32_t event_class, uint32_t event,
                        const uint32_t words[2], const char *text)
{
    tt_combine_t combine = {.header = TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0, 0, event_class, event),
                            .route = 1u << snapshot->stream,
                            .words = {words[0], words[1]}};
    if (!is_taken(snapshot, tt_route_index(event_class, event))) {
        return true;
    }
    if (!record_at(snapshot, words, combine.header, &combine)) {
        return false;
    }
    if (combine.bytes == 0u) {
        tt_combine_add(&combine, words, 2u * sizeof *words);
    }
    combine.words[0] = 0;
    combine.words[1] = 0;
    tt_combine_add(&combine, text, (uint32_t)strlen(text));
    tt_combine_end(&combine);
    return !tt_combine_moved(&combine, 1u << snapshot->stream);
}

/* A thread running on another CPU is reported by that CPU's context switches. */
static bool report_state(snapshot_t *snapshot, const tt_name_t *thread)
{
    bool elsewhere = thread->state == TT_THREAD_RUNNING && thread->cpu != snapshot->cpu;
    return elsewhere ||
           report(snapshot, TT_CLASS_THREAD, thread->state, thread->parent, thread->id);
}

/* Record an object and its state. Returns false when the snapshot became stale: describe it
 * again. */
static bool report_object(snapshot_t *snapshot, const tt_name_t *object)
{
    const uint32_t words[2] = {object->parent, object->id};
    if (object->kind == TT_OBJECT_KIND_DOMAIN) {
        return report_text(snapshot, TT_CLASS_THREAD, TT_THREAD_PROCESS_CREATE, words,
                           object->text);
    }
    if (object->kind != TT_OBJECT_KIND_THREAD) {
        const uint32_t name[2] = {object->kind, object->id};
        return report_text(snapshot, TT_CLASS_SYSTEM, TT_SYSTEM_MAPNAME, name, object->text);
    }
    return report(snapshot, TT_CLASS_THREAD, TT_THREAD_CREATE, object->parent, object->id) &&
           report(snapshot, TT_CLASS_SCHED, TT_SCHED_PRIORITY, object->id, object->priority) &&
           report_state(snapshot, object) &&
           report_text(snapshot, TT_CLASS_THREAD, TT_THREAD_NAME, words, object->text);
}

void tt_state_dump(uint32_t stream)
{
    const tt_target_t *target = tt_target();
    uint32_t index = 0;
    uint32_t tries = 0;
    while (target->describe != NULL && tt_is_set(&tt_streams[stream].running)) {
        tt_description_t found;
        snapshot_t snapshot = take_snapshot(stream);
        if (!target->describe(index, &found.name)) {
            return;
        }
        bool done = found.name.text == NULL || report_object(&snapshot, &found.name);
        tries = done ? 0u : tries + 1u;
        if (done || tries == TRIES) {
            tries = 0;
            index++;
        }
    }
}
