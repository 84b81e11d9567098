/*
 * Announcements of the target, in rounds: HELLO, names of its objects, counters of its rings. A
 * round always ends, except that an immediate round replaces a periodic one. A periodic round sends
 * the counters of every ring; every fourth periodic round also sends the next few names, in turn.
 */
#include "announce.h"

#include <stddef.h>
#include <string.h>

#include "clock.h"
#include "names.h"
#include "outlet.h"
#include "ring_read.h"
#include "target.h"
#include "tickertape/events.h"

/* Not inlined, so that the frames of these functions lie on the stack one at a time. */
#define ALONE static __attribute__((noinline))

/* Longer names are cut, bytes. */
#define NAME_TEXT_BYTES 64u

/* One of ROUNDS_PER_NAMES periodic rounds sends NAMES_PER_ROUND names, or one name while the link
 * is busy. */
#define ROUNDS_PER_NAMES 4u
#define NAMES_PER_ROUND  32u

#define CLOCK_SOURCE_FIRST_BIT 16u /* in the flags of HELLO */

typedef enum announce_step {
    ANNOUNCE_NOTHING,
    ANNOUNCE_HELLO,
    ANNOUNCE_NAMES,
    ANNOUNCE_STATUS,
} announce_step_t;

/* Kinds of named objects. */
typedef enum named {
    NAMED_OBJECTS,
    NAMED_DEFINITIONS,
    NAMED_STREAMS,
    NAMED_KINDS,
} named_t;

static struct {
    _Atomic uint32_t asked; /* TT_ANNOUNCE_ bits */
    uint32_t names_left;
    uint32_t index; /* index of the next name's object ... */
    named_t named;  /* ... and its kind */
    announce_step_t step;
    bool now;           /* an immediate round, not a periodic one */
    bool classes;       /* STATUS contains the counters by class */
    uint8_t round;      /* number of periodic rounds begun, modulo 256 */
    uint8_t rings_left; /* rings whose STATUS is not sent yet */
    uint8_t ring;       /* ring of the next STATUS */
} announce;

void tt_announce_reset(void)
{
    memset(&announce, 0, sizeof announce);
#if TT_CONFIG_PROBE
    tt_probe = (tt_probe_t){.dictionary = TT_DICTIONARY_HASH, .hello_flags = TT_HELLO_FLAGS};
#endif
}

void tt_announce_ask(uint32_t kind)
{
    atomic_fetch_or_explicit(&announce.asked, kind, TT_ORDER(release));
}

bool tt_announce_done(void)
{
    return announce.step == ANNOUNCE_NOTHING && tt_load(&announce.asked) == 0u &&
           !tt_is_set(&tt_names_changed);
}

bool tt_announce_waits(void)
{
    return announce.now;
}

/* Begin a requested round, unless one is under way that it does not replace. */
static void begin_round(void)
{
    if (tt_is_set(&tt_names_changed)) {
        tt_set(&tt_names_changed, false);
        tt_announce_ask(TT_ANNOUNCE_NAMES);
    }
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

static uint32_t hello_flags(const tt_target_t *target)
{
    return TT_HELLO_FLAGS | (uint32_t)target->clock << CLOCK_SOURCE_FIRST_BIT |
           (target->clock_runs_in_sleep ? TT_HELLO_FLAG_CLOCK_RUNS_IN_SLEEP : 0u) |
           (tt_is_set(&tt_clock_stops) ? TT_HELLO_FLAG_CLOCK_STOPS : 0u);
}

/* Send HELLO. While the link is busy, only every fourth periodic round sends it, and not the one
 * with names. */
ALONE bool send_hello(bool spare)
{
    if (!spare && announce.round % ROUNDS_PER_NAMES != ROUNDS_PER_NAMES / 2u) {
        announce.step = ANNOUNCE_NAMES;
        return true;
    }
    const tt_target_t *target = tt_target();
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
        .flags = hello_flags(target),
    };
    if (!tt_outlet_has_room(sizeof hello + name_bytes)) {
        return false;
    }
    if (target->build_id != NULL) {
        memcpy(hello.build_id, target->build_id, sizeof hello.build_id);
    }
    tt_outlet_begin(TT_FRAME_TYPE_HELLO, 0, 0);
    (void)tt_outlet_add(&hello, sizeof hello);
    (void)tt_outlet_add(target->name, name_bytes);
    (void)tt_outlet_end();
    announce.step = ANNOUNCE_NAMES;
    return true;
}

/* Describe a named stream. A stream that has lost its name was destroyed; its text is empty. */
static bool describe_stream(uint32_t stream, tt_name_t *name)
{
#if TT_CONFIG_STREAM_NAMES
    const char *text = tt_stream_name(stream);
    *name = (tt_name_t){.kind = TT_OBJECT_KIND_STREAM,
                        .id = stream,
                        .parent = tt_stream_generation(stream),
                        .text = text == NULL && tt_stream_generation(stream) > 0u ? "" : text};
    return stream < TT_CONFIG_STREAMS;
#else
    (void)stream;
    (void)name;
    return false;
#endif
}

static bool describe_definition(uint32_t handle, tt_name_t *name)
{
#if TT_CONFIG_DEFINITIONS > 0
    *name = (tt_name_t){.kind = TT_OBJECT_KIND_EVENT,
                        .id = tt_definition(handle),
                        .text = tt_definition_name(handle)};
    return handle < TT_CONFIG_DEFINITIONS;
#else
    (void)handle;
    (void)name;
    return false;
#endif
}

/* Describe the next object, defined event type or stream. Returns false after the last one of its
 * kind. */
static bool describe_next(tt_name_t *name)
{
    if (announce.named == NAMED_OBJECTS) {
        const tt_target_t *target = tt_target();
        return target->describe != NULL && target->describe(announce.index, name);
    }
    if (announce.named == NAMED_STREAMS) {
        return describe_stream(announce.index, name);
    }
    return describe_definition(announce.index, name);
}

/* Find the next object with a name. Returns false after the last one; the search then starts again
 * at the first one. */
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

/* Send the next name. `cost`: how many of the round's names it counts for. */
ALONE bool send_name(uint32_t cost)
{
    tt_description_t found;
    if (announce.names_left < cost || !next_name(&found.name)) {
        announce.step = ANNOUNCE_STATUS;
        return true;
    }
    const tt_name_t name = found.name;
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
    tt_outlet_begin(TT_FRAME_TYPE_NAME, 0, name.cpu);
    (void)tt_outlet_add(&body, sizeof body);
    (void)tt_outlet_add(name.text, name_bytes);
    (void)tt_outlet_end();
    announce.index++;
    announce.names_left -= cost;
    return true;
}

/* Return the number of classes up to the last one with a counter other than 0; at least 1, because
 * 0 means a frame without counters. */
static uint32_t classes_in_use(uint32_t index)
{
    tt_wire_class_counters_t last;
    uint32_t count = TT_CLASS_COUNT;
    for (; count > 1u; count--) {
        (void)tt_class_status(index / TT_RING_CPUS, index % TT_RING_CPUS, count - 1u, &last);
        if ((last.dropped | last.overwritten | last.sent) != 0u) {
            break;
        }
    }
    return count;
}

static uint32_t status_body_bytes(uint32_t class_count)
{
    return (uint32_t)(sizeof(tt_wire_status_t) + class_count * sizeof(tt_wire_class_counters_t));
}

bool tt_send_status(uint32_t index, uint32_t class_count)
{
    uint32_t stream = index / TT_RING_CPUS;
    uint32_t cpu = index % TT_RING_CPUS;
    const tt_ring_t *ring = tt_ring_at(index);
    tt_receipt_t settled;
    tt_ring_status_t now;
    uint32_t start = tt_load(&tt_streams[stream].starts);
    bool final = tt_ring_at_rest(ring);
    if (!tt_outlet_has_room(status_body_bytes(final ? TT_CLASS_COUNT : class_count))) {
        return false;
    }
    tt_ring_account(stream, cpu, &settled, &now);
    /* Not final if the stream was started meanwhile, even if it has stopped again. */
    final = final && tt_ring_at_rest(ring) && start == tt_load(&tt_streams[stream].starts);
    /* The final STATUS contains the counters of all classes in use. */
    if (final && class_count != TT_CLASS_COUNT) {
        class_count = classes_in_use(index);
    }
    const tt_wire_status_t status = {
        /* A final STATUS: no record waits, so all offered records are settled. */
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
    tt_outlet_begin(TT_FRAME_TYPE_STATUS, stream, cpu);
    (void)tt_outlet_add(&status, sizeof status);
    for (uint32_t i = 0; i < class_count; i++) {
        tt_wire_class_counters_t counters;
        (void)tt_class_status(stream, cpu, i, &counters);
        (void)tt_outlet_add(&counters, sizeof counters);
    }
    (void)tt_outlet_end();
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
        announce.ring = (uint8_t)((announce.ring + 1u) % TT_RING_COUNT);
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
