/*
 * The state dump: when a stream starts, what lives already is recorded into it, so that a trace
 * which begins late has every name, priority and state all the same.
 *
 * It runs in whoever starts the stream, with interrupts enabled and the stream recording. What
 * describe() says of an object is true at a moment; records that say so are written as of that
 * moment, and only while nothing else has come into the ring since. Otherwise the object is asked
 * again: a stale state must not stand behind the event that ended it.
 */
#include "state.h"

#include <stddef.h>
#include <string.h>

#include "core.h"
#include "record.h"
#include "ring.h"
#include "tickertape/combine.h"
#include "tickertape/events.h"

/* How often an object is asked. One that changes faster is left out: its own events tell of it,
 * and NAME frames say what it is called. */
#define TRIES 8u

/* The ring of this CPU at one moment. */
typedef struct moment {
    uint32_t stream;
    uint32_t cpu;
    uint32_t time;
    uint64_t offered; /* records so far */
} moment_t;

static moment_t take_moment(uint32_t stream)
{
    tt_port_key_t key = tt_port_lock();
    uint32_t cpu = tt_port_cpu();
    const moment_t moment = {.stream = stream,
                             .cpu = cpu,
                             .time = tt_port_ticks(),
                             .offered = tt_ring_offered(&tt_rings[stream][cpu])};
    tt_port_unlock(key);
    return moment;
}

/* Write one record under the time of the moment, which goes on behind it: two words, or the BEGIN
 * of `text`. False, and nothing is written, when somebody else has offered the ring a record since.
 */
static bool record_at(moment_t *moment, const uint32_t words[2], uint32_t header,
                      tt_combine_t *text)
{
    tt_port_key_t key = tt_port_lock();
    tt_ring_t *ring = &tt_rings[moment->stream][moment->cpu];
    bool holds = tt_port_cpu() == moment->cpu && tt_ring_offered(ring) == moment->offered;
    if (holds) {
        /* A new buffer must not begin later than its first record. */
        if (ring->cursor < ring->limit || tt_ring_advance(ring, header, moment->time)) {
            if (text == NULL) {
                (void)tt_record_words(words, header, 1u << moment->stream, &moment->time);
            } else if (tt_combine_write_begin(text, &moment->time)) {
                text->bytes = 2u * sizeof *words;
            }
        }
        moment->offered++;
    }
    tt_port_unlock(key);
    return holds;
}

static bool is_taken(const moment_t *moment, uint32_t route_index)
{
    return (((uint32_t)tt_route[route_index] >> moment->stream) & 1u) != 0u;
}

/* Record two words as of the moment, if the stream takes the event. False when it has passed. */
static bool say(moment_t *moment, uint32_t event_class, uint32_t event, uint32_t data0,
                uint32_t data1)
{
    const uint32_t words[2] = {data0, data1};
    return !is_taken(moment, tt_route_index(event_class, event)) ||
           record_at(moment, words, TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0, 0, event_class, event),
                     NULL);
}

/* The same with a text. Its other records may stand apart from the first, like those of any
 * combine event, so nothing can be said as of this moment afterwards. */
static bool say_text(moment_t *moment, uint32_t event_class, uint32_t event,
                     const uint32_t words[2], const char *text)
{
    tt_combine_t combine = {.header = TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0, 0, event_class, event),
                            .route = 1u << moment->stream,
                            .words = {words[0], words[1]}};
    if (!is_taken(moment, tt_route_index(event_class, event))) {
        return true;
    }
    if (!record_at(moment, words, combine.header, &combine)) {
        return false;
    }
    if (combine.bytes == 0u) {
        tt_combine_add(&combine, words, 2u * sizeof *words);
    }
    combine.words[0] = 0;
    combine.words[1] = 0;
    tt_combine_add(&combine, text, (uint32_t)strlen(text));
    tt_combine_end(&combine);
    return !tt_combine_moved(&combine, 1u << moment->stream);
}

/* Who runs on another CPU is told by that CPU's context switches. */
static bool say_state(moment_t *moment, const tt_name_t *thread)
{
    bool elsewhere = thread->state == TT_THREAD_RUNNING && thread->cpu != moment->cpu;
    return elsewhere || say(moment, TT_CLASS_THREAD, thread->state, thread->parent, thread->id);
}

static bool say_object(moment_t *moment, const tt_name_t *object)
{
    if (object->kind != TT_OBJECT_KIND_THREAD) {
        const uint32_t words[2] = {object->kind, object->id};
        return say_text(moment, TT_CLASS_SYSTEM, TT_SYSTEM_MAPNAME, words, object->text);
    }
    const uint32_t words[2] = {object->parent, object->id};
    return say(moment, TT_CLASS_THREAD, TT_THREAD_CREATE, object->parent, object->id) &&
           say(moment, TT_CLASS_SCHED, TT_SCHED_PRIORITY, object->id, object->priority) &&
           say_state(moment, object) &&
           say_text(moment, TT_CLASS_THREAD, TT_THREAD_NAME, words, object->text);
}

void tt_state_dump(uint32_t stream)
{
    const tt_target_t *target = tt_target();
    uint32_t index = 0;
    uint32_t tries = 0;
    while (target->describe != NULL && tt_is_set(&tt_streams[stream].running)) {
        tt_name_t object;
        moment_t moment = take_moment(stream);
        if (!target->describe(index, &object)) {
            return;
        }
        bool done = object.text == NULL || say_object(&moment, &object);
        tries = done ? 0u : tries + 1u;
        if (done || tries == TRIES) {
            tries = 0;
            index++;
        }
    }
}
