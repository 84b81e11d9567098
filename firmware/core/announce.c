/*
 * What the target says of itself: HELLO, the names of its objects, the counters of its rings, in
 * rounds. A round that has begun is finished; only one that was asked for now takes the place of a
 * periodic one. A periodic round has the counters of every ring, but names only every fourth time
 * and not all of them: the next ones follow in the next round.
 */
#include <stddef.h>
#include <string.h>

#include "outlet.h"
#include "tickertape/define.h"
#include "tickertape/events.h"
#include "tickertape/stream.h"

/* Names longer than this are cut; the frame carries what is left. */
#define NAME_TEXT_BYTES 64u

/* One of so many periodic rounds has names, and so many of them; in the share of a busy link one.
 */
#define ROUNDS_PER_NAMES 4u
#define NAMES_PER_ROUND  32u

typedef enum announce_step {
    ANNOUNCE_NOTHING,
    ANNOUNCE_HELLO,
    ANNOUNCE_NAMES,
    ANNOUNCE_STATUS,
} announce_step_t;

/* What has names. */
typedef enum named {
    NAMED_OBJECTS,
    NAMED_DEFINITIONS,
    NAMED_STREAMS,
    NAMED_KINDS,
} named_t;

static struct {
    const tt_target_t *target;
    _Atomic uint32_t asked; /* TT_ANNOUNCE_ bits */
    announce_step_t step;
    bool now;       /* the round was asked for now */
    bool classes;   /* with counters of classes */
    uint32_t round; /* counts the periodic ones */
    uint32_t names_left;
    uint32_t rings_left;
    named_t named;  /* of which kind the next name is, */
    uint32_t index; /* and of which object */
    uint32_t ring;  /* whose counters are next */
} announce;

void tt_announce_reset(const tt_target_t *target)
{
    memset(&announce, 0, sizeof announce);
    announce.target = target;
}

void tt_announce_ask(uint32_t kind)
{
    atomic_fetch_or_explicit(&announce.asked, kind, TT_ORDER(release));
}

bool tt_announce_done(void)
{
    return announce.step == ANNOUNCE_NOTHING && tt_load(&announce.asked) == 0u;
}

static void begin_round(void)
{
    uint32_t asked = tt_load(&announce.asked);
    bool now = asked > TT_ANNOUNCE_PERIODIC;
    if (asked == 0u || (announce.step != ANNOUNCE_NOTHING && (announce.now || !now))) {
        return;
    }
    atomic_fetch_and_explicit(&announce.asked, ~asked, TT_ORDER(acquire));
    announce.now = now;
    announce.classes = asked != TT_ANNOUNCE_NAMES;
    announce.step = ANNOUNCE_HELLO;
    announce.rings_left = TT_RING_COUNT;
    announce.names_left = 0;
    if (asked >= TT_ANNOUNCE_NAMES) {
        announce.names_left = UINT32_MAX;
        announce.named = NAMED_OBJECTS;
        announce.index = 0;
    } else if (!now && ++announce.round % ROUNDS_PER_NAMES == 0u) {
        announce.names_left = NAMES_PER_ROUND;
    }
}

static uint32_t text_bytes(const char *text)
{
    uint32_t count = 0;
    while (count < NAME_TEXT_BYTES && text[count] != '\0') {
        count++;
    }
    return count;
}

/* In the share of a busy link it is sent every fourth time, and not together with names. */
static bool send_hello(bool spare)
{
    if (!spare && announce.round % ROUNDS_PER_NAMES != ROUNDS_PER_NAMES / 2u) {
        announce.step = ANNOUNCE_NAMES;
        return true;
    }
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
    tt_outlet_end(&frame);
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

/* What is known of the next object, event type that was defined, or stream. */
static bool describe_next(tt_name_t *name)
{
    if (announce.named == NAMED_OBJECTS) {
        return announce.target->describe != NULL && announce.target->describe(announce.index, name);
    }
    if (announce.named == NAMED_STREAMS) {
        return describe_stream(announce.index, name);
    }
    *name = (tt_name_t){.kind = TT_OBJECT_KIND_EVENT,
                        .id = tt_definition(announce.index),
                        .text = tt_definition_name(announce.index)};
    return announce.index != TT_CONFIG_DEFINITIONS;
}

/* Find the next object with a name. False behind the last one; the first one is next then. */
static bool next_name(tt_name_t *name)
{
    for (;; announce.index++) {
        while (!describe_next(name)) {
            announce.index = 0;
            announce.named++;
            if (announce.named == NAMED_KINDS) {
                announce.named = NAMED_OBJECTS;
                return false;
            }
        }
        if (name->text != NULL) {
            return true;
        }
    }
}

/* Send the next name. `cost`: so much it takes of what the round has for names. */
static bool send_name(uint32_t cost)
{
    tt_name_t name;
    if (announce.names_left < cost || !next_name(&name)) {
        announce.step = ANNOUNCE_STATUS;
        return true;
    }
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
    tt_outlet_end(&frame);
    announce.index++;
    announce.names_left -= cost;
    return true;
}

/* The classes up to the last one with a counter other than 0, at least one: a frame with none does
 * not say. */
static uint32_t classes_in_use(uint32_t index)
{
    tt_wire_class_counters_t last;
    uint32_t count = TT_CLASS_COUNT;
    for (; count > 1u; count--) {
        (void)tt_class_status(index / TT_CONFIG_CPUS, index % TT_CONFIG_CPUS, count - 1u, &last);
        if ((last.dropped | last.overwritten | last.sent) != 0u) {
            break;
        }
    }
    return count;
}

bool tt_send_status(uint32_t index, uint32_t class_count)
{
    if (!tt_outlet_has_room(TT_STATUS_BODY_BYTES)) {
        return false;
    }
    uint32_t stream = index / TT_CONFIG_CPUS;
    uint32_t cpu = index % TT_CONFIG_CPUS;
    const tt_ring_t *ring = tt_ring_at(index);
    tt_receipt_t settled;
    tt_ring_status_t now;
    uint32_t start = tt_load(&tt_streams[stream].starts);
    bool final = tt_ring_at_rest(ring);
    tt_ring_account(stream, cpu, &settled, &now);
    /* Not when the stream was started meanwhile, even if it has stopped again. */
    final = final && tt_ring_at_rest(ring) && start == tt_load(&tt_streams[stream].starts);
    const tt_wire_status_t status = {
        /* At the end nothing waits, so all that was offered is settled. */
        .settled_ordinal = final ? now.offered : settled.ordinal,
        .settled_dropped = final ? now.dropped : settled.dropped,
        .settled_sent = now.sent,
        .offered = now.offered,
        .dropped = now.dropped,
        .overwritten = now.overwritten,
        .ticks = tt_clock_now(),
        .policy = (uint8_t)ring->policy,
        .running = now.running,
        .class_count = (uint8_t)class_count,
        .final = final,
        .high_water_buffers = now.high_water_buffers,
    };
    tt_frame_t frame;
    tt_outlet_begin(&frame, TT_FRAME_TYPE_STATUS, stream, cpu);
    tt_frame_add(&frame, &status, sizeof status);
    for (uint32_t i = 0; i < class_count; i++) {
        tt_wire_class_counters_t counters;
        (void)tt_class_status(stream, cpu, i, &counters);
        tt_frame_add(&frame, &counters, sizeof counters);
    }
    tt_outlet_end(&frame);
    return true;
}

bool tt_announce_step(bool now, bool spare)
{
    begin_round();
    if (now && !announce.now) {
        return false;
    }
    switch (announce.step) {
    case ANNOUNCE_HELLO:
        return send_hello(spare);
    case ANNOUNCE_NAMES:
        return send_name(spare ? 1u : NAMES_PER_ROUND);
    case ANNOUNCE_STATUS:
        if (!tt_send_status(announce.ring,
                            spare && announce.classes ? classes_in_use(announce.ring) : 0u)) {
            return false;
        }
        announce.ring = (announce.ring + 1u) % TT_RING_COUNT;
        if (--announce.rings_left == 0u) {
            announce.step = ANNOUNCE_NOTHING;
            announce.now = false;
        }
        return true;
    case ANNOUNCE_NOTHING:
    default:
        return false;
    }
}
