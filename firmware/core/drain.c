/*
 * The drain: one frame a step, in this order: what was announced (HELLO, names, STATUS of every
 * ring), then full buffers, then buffers past their high-water mark, and after the end the last
 * STATUS. Everything here runs in one thread.
 */
#include <stddef.h>
#include <string.h>

#include "clock.h"
#include "core.h"
#include "frame.h"
#include "ring.h"
#include "tickertape/emitters.h"
#include "tickertape/filter.h"

#define RING_COUNT (TT_CONFIG_STREAMS * TT_CONFIG_CPUS)

/* Names longer than this are cut; the frame carries what is left. */
#define NAME_TEXT_BYTES 64u

typedef enum announce_step {
    ANNOUNCE_HELLO,
    ANNOUNCE_NAMES,
    ANNOUNCE_STATUS,
    ANNOUNCE_NOTHING,
} announce_step_t;

static struct {
    const tt_target_t *target;
    const tt_link_t *link;
    uint32_t frame_sequence;
    announce_step_t announce;
    uint32_t announce_index; /* which name or ring is next */
    uint32_t next_ring;      /* rings take turns */
} drain;

bool tt_drain_ready(void)
{
    return drain.link != NULL;
}

int tt_init(const tt_target_t *target, const tt_link_t *link)
{
    if (target == NULL || link == NULL || target->tick_hz == 0u) {
        return TT_ERROR_ARGUMENT;
    }
    memset(&drain, 0, sizeof drain);
    drain.target = target;
    drain.link = link;
    tt_clear_filters();
    tt_route_reset();
    for (uint32_t i = 0; i < RING_COUNT; i++) {
        tt_ring_reset(&tt_rings[i / TT_CONFIG_CPUS][i % TT_CONFIG_CPUS]);
    }
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        tt_streams[stream].policy = TT_CONFIG_POLICY;
        atomic_store(&tt_streams[stream].running, false);
    }
    tt_clock_reset();
    tt_drain_announce();
    return TT_OK;
}

void tt_current_thread(uint32_t *pid, uint32_t *tid)
{
    *pid = 0;
    *tid = 0;
    if (drain.target != NULL && drain.target->current_thread != NULL) {
        drain.target->current_thread(pid, tid);
    }
}

void tt_drain_announce(void)
{
    drain.announce = ANNOUNCE_HELLO;
    drain.announce_index = 0;
}

static uint32_t text_bytes(const char *text)
{
    uint32_t count = 0;
    while (count < NAME_TEXT_BYTES && text[count] != '\0') {
        count++;
    }
    return count;
}

static bool has_room(uint32_t body_bytes)
{
    return drain.link->room_bytes(drain.link->context) >= tt_frame_worst_bytes(body_bytes);
}

static void begin_frame(tt_frame_t *frame, tt_frame_type_t type, uint32_t stream, uint32_t cpu)
{
    const tt_wire_frame_header_t header = {
        .type = (uint8_t)type,
        .stream = (uint8_t)stream,
        .cpu = (uint8_t)cpu,
        .sequence = drain.frame_sequence++,
    };
    tt_frame_begin(frame, drain.link, &header);
}

static bool send_hello(void)
{
    const tt_target_t *target = drain.target;
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
    };
    if (!has_room(sizeof hello + name_bytes)) {
        return false;
    }
    if (target->build_id != NULL) {
        memcpy(hello.build_id, target->build_id, sizeof hello.build_id);
    }
    tt_frame_t frame;
    begin_frame(&frame, TT_FRAME_TYPE_HELLO, 0, 0);
    tt_frame_add(&frame, &hello, sizeof hello);
    tt_frame_add(&frame, target->name, name_bytes);
    tt_frame_end(&frame);
    drain.announce = ANNOUNCE_NAMES;
    return true;
}

/* Send the next name; when there is none, go on to the counters. */
static bool send_name(void)
{
    tt_name_t name;
    if (drain.target->describe == NULL || !drain.target->describe(drain.announce_index, &name)) {
        drain.announce = ANNOUNCE_STATUS;
        drain.announce_index = 0;
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
    if (!has_room(sizeof body + name_bytes)) {
        return false;
    }
    tt_frame_t frame;
    begin_frame(&frame, TT_FRAME_TYPE_NAME, 0, name.cpu);
    tt_frame_add(&frame, &body, sizeof body);
    tt_frame_add(&frame, name.text, name_bytes);
    tt_frame_end(&frame);
    drain.announce_index++;
    return true;
}

/* True when the ring has nothing left and nothing can come any more. */
static bool at_end(uint32_t index)
{
    return !atomic_load(&tt_streams[index / TT_CONFIG_CPUS].running) &&
           tt_ring_empty(&tt_rings[index / TT_CONFIG_CPUS][index % TT_CONFIG_CPUS]);
}

static bool send_status(uint32_t index)
{
    if (!has_room(sizeof(tt_wire_status_t) + TT_CLASS_COUNT * sizeof(tt_wire_class_counters_t))) {
        return false;
    }
    uint32_t stream = index / TT_CONFIG_CPUS;
    uint32_t cpu = index % TT_CONFIG_CPUS;
    bool final = at_end(index);
    const tt_ring_t *ring = &tt_rings[stream][cpu];
    tt_ring_status_t now;
    (void)tt_ring_status(stream, cpu, &now);
    const tt_wire_status_t status = {
        /* At the end nothing waits, so all that was offered is settled. */
        .settled_ordinal = final ? now.offered : ring->settled.ordinal,
        .settled_dropped = final ? now.dropped : ring->settled.dropped,
        .settled_sent = now.sent,
        .offered = now.offered,
        .dropped = now.dropped,
        .overwritten = now.overwritten,
        .ticks = tt_clock_now(),
        .policy = (uint8_t)tt_streams[stream].policy,
        .running = now.running,
        .class_count = TT_CLASS_COUNT,
        .final = final,
        .high_water_records = now.high_water_records,
    };
    tt_frame_t frame;
    begin_frame(&frame, TT_FRAME_TYPE_STATUS, stream, cpu);
    tt_frame_add(&frame, &status, sizeof status);
    for (uint32_t i = 0; i < TT_CLASS_COUNT; i++) {
        tt_wire_class_counters_t counters;
        (void)tt_class_status(stream, cpu, i, &counters);
        tt_frame_add(&frame, &counters, sizeof counters);
    }
    tt_frame_end(&frame);
    return true;
}

static bool send_announcement(void)
{
    switch (drain.announce) {
    case ANNOUNCE_HELLO:
        return send_hello();
    case ANNOUNCE_NAMES:
        return send_name();
    case ANNOUNCE_STATUS:
        if (!send_status(drain.announce_index)) {
            return false;
        }
        if (++drain.announce_index == RING_COUNT) {
            drain.announce = ANNOUNCE_NOTHING;
        }
        return true;
    case ANNOUNCE_NOTHING:
    default:
        return false;
    }
}

static void send_buffer(uint32_t index, tt_ring_t *ring, tt_buffer_t *buffer)
{
    const tt_record_t *records = tt_ring_records(ring, buffer);
    const tt_wire_buffer_header_t header = {
        .first_ordinal = buffer->first_ordinal,
        .dropped = buffer->dropped,
        .sent = ring->settled.sent,
        .ticks = buffer->ticks,
        .sequence = buffer->sequence,
        .count = (uint16_t)buffer->count,
        .ring_number = (uint8_t)(buffer - ring->buffers),
    };
    tt_frame_t frame;
    begin_frame(&frame, TT_FRAME_TYPE_BUFFER, index / TT_CONFIG_CPUS, index % TT_CONFIG_CPUS);
    tt_frame_add(&frame, &header, sizeof header);
    tt_frame_add(&frame, records, buffer->count * (uint32_t)sizeof *records);
    tt_frame_end(&frame);
    for (uint32_t i = 0; i < buffer->count; i++) {
        ring->sent_by_class[tt_record_class(records[i].header)]++;
    }
}

/* Close what waits in a buffer past its high-water mark; another CPU is asked to do it. */
static void close_high_water(tt_ring_t *ring, uint32_t cpu)
{
    if (atomic_load(&ring->wants_drain)) {
        if (cpu == tt_port_cpu()) {
            tt_ring_flush(ring);
        } else {
            atomic_store(&ring->wants_flush, true);
        }
    }
}

static bool send_any_buffer(void)
{
    if (!has_room(sizeof(tt_wire_buffer_header_t) +
                  TT_CONFIG_BUFFER_RECORDS * (uint32_t)sizeof(tt_record_t))) {
        return false;
    }
    for (uint32_t turn = 0; turn < RING_COUNT; turn++) {
        uint32_t index = (drain.next_ring + turn) % RING_COUNT;
        tt_ring_t *ring = &tt_rings[index / TT_CONFIG_CPUS][index % TT_CONFIG_CPUS];
        tt_buffer_t *buffer = tt_ring_take(ring);
        if (buffer == NULL) {
            close_high_water(ring, index % TT_CONFIG_CPUS);
            buffer = tt_ring_take(ring);
        }
        if (buffer != NULL) {
            send_buffer(index, ring, buffer);
            tt_ring_release(ring, buffer);
            drain.next_ring = index + 1u;
            return true;
        }
    }
    return false;
}

static bool send_final_status(void)
{
    for (uint32_t index = 0; index < RING_COUNT; index++) {
        tt_ring_t *ring = &tt_rings[index / TT_CONFIG_CPUS][index % TT_CONFIG_CPUS];
        if (!ring->final_sent && at_end(index) && send_status(index)) {
            ring->final_sent = true;
            return true;
        }
    }
    return false;
}

bool tt_drain_step(void)
{
    return send_announcement() || send_any_buffer() || send_final_status();
}

bool tt_drain_done(void)
{
    for (uint32_t index = 0; index < RING_COUNT; index++) {
        if (!tt_rings[index / TT_CONFIG_CPUS][index % TT_CONFIG_CPUS].final_sent) {
            return false;
        }
    }
    return drain.announce == ANNOUNCE_NOTHING;
}

void tt_flush(uint32_t stream)
{
    if (stream < TT_CONFIG_STREAMS) {
        tt_ring_flush(&tt_rings[stream][tt_port_cpu()]);
    }
}
