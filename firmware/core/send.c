/*
 * Send buffers as frames: raw, or packed if built in and enabled. If the link has less room than a
 * frame takes, the header of the body is sent at once and the rest in parts.
 */
#include "send.h"

#include <stddef.h>

#include "clock.h"
#include "outlet.h"
#include "pack.h"

/* A part of a frame, handed to the link as it has room. */
typedef struct part {
    const void *bytes;
    uint32_t count;
} part_t;

#define PARTS 3u

/* The buffer that is being sent. */
static struct {
    const tt_buffer_t *buffer; /* NULL: none */
    tt_record_t *records;
    uint32_t count;      /* number of `records` */
    uint32_t index;      /* index of its ring */
    uint32_t first;      /* first record of the body at hand */
    uint32_t body_count; /* records in this body; 0: not begun */
    bool packed;
    part_t parts[PARTS]; /* remaining parts of the body; `count` 0: part was handed over */
} sending;

#if TT_CONFIG_PACKING
static tt_pack_t pack;
static bool packing;
#endif

void tt_send_reset(void)
{
    sending.buffer = NULL;
#if TT_CONFIG_PACKING
    tt_pack_reset(&pack);
    packing = !tt_outlet_is_plain();
#endif
}

int tt_set_packing(bool packed)
{
#if TT_CONFIG_PACKING
    if (packed && tt_outlet_is_plain()) {
        return TT_ERROR_STATE;
    }
    packing = packed;
    return TT_OK;
#else
    return packed ? TT_ERROR_STATE : TT_OK;
#endif
}

static void begin_frame(tt_frame_type_t type)
{
    tt_outlet_begin(type, sending.index / TT_RING_CPUS, sending.index % TT_RING_CPUS);
}

static void begin_raw_body(const tt_ring_t *ring)
{
    const tt_buffer_t *buffer = sending.buffer;
    const tt_wire_buffer_header_t header = {
        .first_ordinal = buffer->first_ordinal,
        .dropped = buffer->dropped,
        .sent = ring->settled.sent,
        .ticks = buffer->ticks,
        .sequence = buffer->sequence,
        .count = (uint16_t)sending.count,
        .ring_number = (uint8_t)(buffer - ring->buffers),
    };
    begin_frame(TT_FRAME_TYPE_BUFFER);
    (void)tt_outlet_add(&header, sizeof header);
    sending.parts[0] =
        (part_t){.bytes = sending.records, .count = sending.count * (uint32_t)sizeof(tt_record_t)};
    sending.parts[1].count = 0;
    sending.parts[2].count = 0;
    sending.body_count = sending.count;
}

/* Count the records of a raw body by class. Two records per iteration take fewer instructions. */
static void count_raw_classes(tt_ring_t *ring)
{
    _Atomic uint32_t *sent = ring->sent_by_class;
    const tt_record_t *record = sending.records;
    const tt_record_t *end = record + sending.count;
    if ((sending.count & 1u) != 0u) {
        tt_count(&sent[tt_record_class((record++)->header)], 1);
    }
    for (; record != end; record += 2) {
        tt_count(&sent[tt_record_class(record[0].header)], 1);
        tt_count(&sent[tt_record_class(record[1].header)], 1);
    }
}

#if TT_CONFIG_PACKING

/* Return whether to pack a buffer. A buffer opened half a period of the counter ago or earlier is
 * sent raw, so that the times of packed records lie within half a period after the buffer's. */
static bool may_pack(const tt_buffer_t *buffer)
{
    return packing && tt_clock_now() - buffer->ticks < (1u << 31);
}

static void add_packed_header(const tt_ring_t *ring)
{
    const tt_buffer_t *buffer = sending.buffer;
    _Alignas(4) uint8_t header[TT_PACK_HEADER_BYTES];
    uint8_t *end = tt_pack_varint(header, buffer->first_ordinal + sending.first);
    end = tt_pack_varint(end, buffer->dropped);
    end = tt_pack_varint(end, ring->settled.sent + sending.first);
    end = tt_pack_varint(end, buffer->ticks);
    end = tt_pack_varint(end, buffer->sequence);
    end = tt_pack_varint(end, pack.record_count);
    *end++ = (uint8_t)(buffer - ring->buffers);
    (void)tt_outlet_add(header, (uint32_t)(end - header));
}

/* Add the table of kinds to the frame, in parts that fit the stack. */
static void add_table(void)
{
    /* Aligned, because tt_outlet_add() encodes words faster. */
    _Alignas(4) uint8_t kinds[TT_PACK_TABLE_PART_BYTES];
    uint32_t next = 0;
    do {
        uint32_t count = tt_pack_table(&pack, &next, kinds);
        (void)tt_outlet_add(kinds, count);
    } while (next < pack.kind_count);
}

static void begin_packed_body(const tt_ring_t *ring)
{
    const tt_buffer_t *buffer = sending.buffer;
    tt_record_t *records = sending.records + sending.first;
    sending.body_count =
        tt_pack_encode(&pack, records, sending.count - sending.first, (uint32_t)buffer->ticks);
    uint32_t escape_bytes = tt_pack_escapes(&pack);
    begin_frame(TT_FRAME_TYPE_PACKED);
    add_packed_header(ring);
    add_table();
    sending.parts[0] = (part_t){.bytes = pack.control, .count = pack.record_count};
    sending.parts[1] = (part_t){.bytes = pack.escapes, .count = escape_bytes};
    sending.parts[2] = (part_t){.bytes = records, .count = pack.value_bytes};
}

static void count_packed_classes(tt_ring_t *ring)
{
    tt_pack_end(&pack, ring->sent_by_class);
}

#else

static bool may_pack(const tt_buffer_t *buffer)
{
    (void)buffer;
    return false;
}

static void begin_packed_body(const tt_ring_t *ring)
{
    (void)ring;
}

static void count_packed_classes(tt_ring_t *ring)
{
    (void)ring;
}

#endif

static void begin(uint32_t index, const tt_buffer_t *buffer, tt_record_t *records, uint32_t count,
                  bool packed)
{
    sending.buffer = buffer;
    sending.records = records;
    sending.count = count;
    sending.index = index;
    sending.first = 0;
    sending.body_count = 0;
    sending.packed = packed;
}

void tt_send_begin(uint32_t ring_index, const tt_buffer_t *buffer, tt_record_t *records,
                   uint32_t count)
{
    begin(ring_index, buffer, records, count, may_pack(buffer));
}

#if TT_CONFIG_PACKING
void tt_send_begin_packed(uint32_t ring_index, const tt_buffer_t *buffer, tt_record_t *records)
{
    begin(ring_index, buffer, records, buffer->count, true);
}
#endif

static void begin_body(tt_ring_t *ring)
{
    if (sending.packed) {
        begin_packed_body(ring);
    } else {
        begin_raw_body(ring);
    }
}

/* Send the remaining parts of the body at hand. Returns false when the link does not take all of
 * them. */
static bool send_body(void)
{
    for (part_t *part = sending.parts; part != sending.parts + PARTS; part++) {
        if (part->count == 0u) {
            continue;
        }
        uint32_t added = tt_outlet_add(part->bytes, part->count);
        part->bytes = (const uint8_t *)part->bytes + added;
        part->count -= added;
        if (part->count != 0u) {
            return false;
        }
    }
    return tt_outlet_end();
}

static void count_classes(tt_ring_t *ring)
{
    if (sending.packed) {
        count_packed_classes(ring);
    } else {
        count_raw_classes(ring);
    }
}

bool tt_send_busy(void)
{
    return sending.buffer != NULL;
}

bool tt_send_go_on(void)
{
    tt_ring_t *ring = tt_ring_at(sending.index);
    if (sending.body_count != 0u && !tt_outlet_may_go_on()) {
        return false;
    }
    for (;;) {
        if (sending.body_count == 0u) {
            if (!tt_send_buffer_room()) {
                return false;
            }
            begin_body(ring);
        }
        if (!send_body()) {
            return false;
        }
        count_classes(ring);
        sending.first += sending.body_count;
        sending.body_count = 0;
        if (sending.first == sending.count) {
            sending.buffer = NULL;
            return true;
        }
    }
}

bool tt_send_buffer_room(void)
{
    return tt_outlet_has_room(tt_outlet_is_plain() ? TT_BUFFER_BODIES_BYTES : TT_BODY_BEGIN_BYTES);
}
