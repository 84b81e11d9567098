/* What the target says of itself: HELLO, the names of its objects, the counters of its rings. */
#include <stddef.h>
#include <string.h>

#include "outlet.h"
#include "tickertape/define.h"
#include "tickertape/events.h"
#include "tickertape/stream.h"

/* Names longer than this are cut; the frame carries what is left. */
#define NAME_TEXT_BYTES 64u

typedef enum announce_step {
    ANNOUNCE_HELLO,
    ANNOUNCE_NAMES,
    ANNOUNCE_DEFINITIONS,
    ANNOUNCE_STREAMS,
    ANNOUNCE_STATUS,
    ANNOUNCE_NOTHING,
} announce_step_t;

static struct {
    const tt_target_t *target;
    announce_step_t step;
    uint32_t index; /* which name or ring is next */
} announce;

void tt_announce_begin(const tt_target_t *target)
{
    announce.target = target;
    announce.step = ANNOUNCE_HELLO;
    announce.index = 0;
}

bool tt_announce_done(void)
{
    return announce.step == ANNOUNCE_NOTHING;
}

static uint32_t text_bytes(const char *text)
{
    uint32_t count = 0;
    while (count < NAME_TEXT_BYTES && text[count] != '\0') {
        count++;
    }
    return count;
}

static bool send_hello(void)
{
    const tt_target_t *target = announce.target;
    uint32_t name_bytes = text_bytes(target->name);
    tt_wire_hello_t hello = {
        .major = TT_PROTOCOL_MAJOR,
        .minor = TT_PROTOCOL_MINOR,
        .byte_order = TT_BYTE_ORDER_LITTLE,
        .cpu_count = TT_CONFIG_CPUS,
        .stream_count = TT_CONFIG_STREAMS,
        .buffer_count = TT_CONFIG_BUFFERS,
        .buffer_records = TT_CONFIG_BUFFER_RECORDS,
        .tick_hz = target->tick_hz,
        .boot_id = target->boot_id,
        .dictionary = TT_DICTIONARY_HASH,
        .ticks = tt_clock_now(),
        .flags = TT_CONFIG_HOOKS_OUTSIDE_LOCKS ? TT_HELLO_FLAG_HOOKS_OUTSIDE_LOCKS : 0u,
    };
    if (!tt_outlet_has_room(sizeof hello + name_bytes)) {
        return false;
    }
    if (target->build_id != NULL) {
        memcpy(hello.build_id, target->build_id, sizeof hello.build_id);
    }
    tt_frame_t frame;
    tt_outlet_begin(&frame, TT_FRAME_TYPE_HELLO, 0, 0);
    tt_frame_add(&frame, &hello, sizeof hello);
    tt_frame_add(&frame, target->name, name_bytes);
    tt_frame_end(&frame);
    announce.step = ANNOUNCE_NAMES;
    return true;
}

/* A stream that had a name and has none is gone. */
static bool describe_stream(uint32_t stream, tt_name_t *name)
{
    const char *text = tt_stream_name(stream);
    *name = (tt_name_t){.kind = TT_OBJECT_KIND_STREAM,
                        .id = stream,
                        .parent = tt_stream_namings(stream),
                        .text = text == NULL && tt_stream_namings(stream) > 0u ? "" : text};
    return stream < TT_CONFIG_STREAMS;
}

/* What is known of the next object, or of the next event type that was defined. */
static bool describe_next(tt_name_t *name)
{
    if (announce.step == ANNOUNCE_NAMES) {
        return announce.target->describe != NULL && announce.target->describe(announce.index, name);
    }
    if (announce.step == ANNOUNCE_STREAMS) {
        return describe_stream(announce.index, name);
    }
    *name = (tt_name_t){.kind = TT_OBJECT_KIND_EVENT,
                        .id = tt_definition(announce.index),
                        .text = tt_definition_name(announce.index)};
    return announce.index != TT_CONFIG_DEFINITIONS;
}

/* Send the next name; when there is none, go on with what comes behind. */
static bool send_name(void)
{
    tt_name_t name;
    do {
        if (!describe_next(&name)) {
            announce.step++;
            announce.index = 0;
            return true;
        }
        announce.index += name.text == NULL; /* nothing lives there */
    } while (name.text == NULL);
    uint32_t name_bytes = text_bytes(name.text);
    const tt_wire_name_t body = {
        .kind = (uint8_t)name.kind,
        .state = name.state,
        .priority = name.priority,
        .cpu = name.cpu,
        .id = name.id,
        .parent = name.parent,
    };
    if (!tt_outlet_has_room(sizeof body + name_bytes)) {
        return false;
    }
    tt_frame_t frame;
    tt_outlet_begin(&frame, TT_FRAME_TYPE_NAME, 0, name.cpu);
    tt_frame_add(&frame, &body, sizeof body);
    tt_frame_add(&frame, name.text, name_bytes);
    tt_frame_end(&frame);
    announce.index++;
    return true;
}

bool tt_send_status(uint32_t index)
{
    if (!tt_outlet_has_room(TT_STATUS_BODY_BYTES)) {
        return false;
    }
    uint32_t stream = index / TT_CONFIG_CPUS;
    uint32_t cpu = index % TT_CONFIG_CPUS;
    const tt_ring_t *ring = tt_ring_at(index);
    tt_ring_status_t now;
    bool final = tt_ring_at_rest(ring);
    (void)tt_ring_status(stream, cpu, &now);
    final = final && tt_ring_at_rest(ring); /* else somebody started the stream meanwhile */
    const tt_wire_status_t status = {
        /* At the end nothing waits, so all that was offered is settled. */
        .settled_ordinal = final ? now.offered : ring->settled.ordinal,
        .settled_dropped = final ? now.dropped : ring->settled.dropped,
        .settled_sent = now.sent,
        .offered = now.offered,
        .dropped = now.dropped,
        .overwritten = now.overwritten,
        .ticks = tt_clock_now(),
        .policy = (uint8_t)ring->policy,
        .running = now.running,
        .class_count = TT_CLASS_COUNT,
        .final = final,
        .high_water_buffers = now.high_water_buffers,
    };
    tt_frame_t frame;
    tt_outlet_begin(&frame, TT_FRAME_TYPE_STATUS, stream, cpu);
    tt_frame_add(&frame, &status, sizeof status);
    for (uint32_t i = 0; i < TT_CLASS_COUNT; i++) {
        tt_wire_class_counters_t counters;
        (void)tt_class_status(stream, cpu, i, &counters);
        tt_frame_add(&frame, &counters, sizeof counters);
    }
    tt_frame_end(&frame);
    return true;
}

bool tt_announce_step(void)
{
    switch (announce.step) {
    case ANNOUNCE_HELLO:
        return send_hello();
    case ANNOUNCE_NAMES:
    case ANNOUNCE_DEFINITIONS:
    case ANNOUNCE_STREAMS:
        return send_name();
    case ANNOUNCE_STATUS:
        if (!tt_send_status(announce.index)) {
            return false;
        }
        if (++announce.index == TT_RING_COUNT) {
            announce.step = ANNOUNCE_NOTHING;
        }
        return true;
    case ANNOUNCE_NOTHING:
    default:
        return false;
    }
}
