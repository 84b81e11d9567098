/* Buffers as frames: raw, or packed if built in and enabled. */
#include "send.h"

#include <string.h>

#include "clock.h"
#include "outlet.h"
#include "pack.h"

#if TT_CONFIG_PACKING
static tt_pack_t pack;
static bool packing;
#endif

void tt_send_reset(void)
{
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

static void send_raw(uint32_t index, tt_ring_t *ring, const tt_buffer_t *buffer,
                     const tt_record_t *records)
{
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
    tt_outlet_begin(&frame, TT_FRAME_TYPE_BUFFER, index / TT_CONFIG_CPUS, index % TT_CONFIG_CPUS);
    tt_frame_add(&frame, &header, sizeof header);
    tt_frame_add(&frame, records, buffer->count * (uint32_t)sizeof *records);
    tt_outlet_end(&frame);
    _Atomic uint32_t *sent = ring->sent_by_class;
    for (const tt_record_t *end = records + buffer->count; records != end; records++) {
        tt_count(&sent[tt_record_class(records->header)], 1);
    }
}

#if TT_CONFIG_PACKING

/* A buffer that was open, or waited, for half a period of the counter goes raw: so the times of
 * packed records all lie within half a period of their buffer's. */
static bool may_pack(const tt_buffer_t *buffer)
{
    return packing && tt_clock_now() - buffer->ticks < (1u << 31);
}

static void send_packed_body(uint32_t index, const tt_ring_t *ring, const tt_buffer_t *buffer,
                             const tt_record_t *records, uint32_t first)
{
    uint8_t header[TT_PACK_HEADER_BYTES];
    uint8_t *end = tt_pack_varint(header, buffer->first_ordinal + first);
    end = tt_pack_varint(end, buffer->dropped);
    end = tt_pack_varint(end, ring->settled.sent + first);
    end = tt_pack_varint(end, buffer->ticks);
    end = tt_pack_varint(end, buffer->sequence);
    end = tt_pack_varint(end, pack.record_count);
    *end++ = (uint8_t)(buffer - ring->buffers);
    uint32_t table_bytes = tt_pack_table(&pack);
    uint32_t escape_bytes = tt_pack_escapes(&pack);
    tt_frame_t frame;
    tt_outlet_begin(&frame, TT_FRAME_TYPE_PACKED, index / TT_CONFIG_CPUS, index % TT_CONFIG_CPUS);
    tt_frame_add(&frame, header, (uint32_t)(end - header));
    tt_frame_add(&frame, pack.table, table_bytes);
    tt_frame_add(&frame, pack.control, pack.record_count);
    tt_frame_add(&frame, pack.escapes, escape_bytes);
    tt_frame_add(&frame, records + first, pack.value_bytes);
    tt_outlet_end(&frame);
}

void tt_send_packed(uint32_t index, const tt_buffer_t *buffer, tt_record_t *records)
{
    tt_ring_t *ring = tt_ring_at(index);
    uint32_t time = (uint32_t)buffer->ticks;
    uint32_t first = 0;
    while (first < buffer->count) {
        uint32_t count = tt_pack_encode(&pack, records + first, buffer->count - first, time);
        send_packed_body(index, ring, buffer, records, first);
        for (uint32_t i = 0; i < pack.kind_count; i++) {
            const tt_pack_kind_t *kind = pack.kind_of[i];
            tt_count(&ring->sent_by_class[tt_record_class(kind->header)],
                     kind->use & TT_PACK_RECORDS_MASK);
        }
        first += count;
    }
}

#endif

void tt_send_buffer(uint32_t index, const tt_buffer_t *buffer, tt_record_t *records)
{
    tt_ring_t *ring = tt_ring_at(index);
#if TT_CONFIG_PACKING
    if (may_pack(buffer)) {
        tt_send_packed(index, buffer, records);
        return;
    }
#endif
    send_raw(index, ring, buffer, records);
}

bool tt_send_buffer_room(void)
{
    return tt_outlet_has_room(TT_BUFFER_BODIES_BYTES);
}
