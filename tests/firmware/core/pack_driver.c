/*
 * Sends arbitrary buffers packed: reads them from standard input, writes the bytes of the link to
 * standard output.
 *
 * A buffer is struct input_header and its records, each any 16 bytes: the ring does not interpret
 * them.
 */
#include <assert.h>
#include <stdio.h>

#include "send.h"
#include "tickertape/tickertape.h"

struct input_header {
    uint64_t first_ordinal;
    uint64_t dropped;
    uint64_t sent;
    uint64_t ticks;
    uint32_t sequence;
    uint32_t count;
};

tt_port_key_t tt_port_lock(void)
{
    return 0;
}

void tt_port_unlock(tt_port_key_t key)
{
    (void)key;
}

uint32_t tt_port_ticks(void)
{
    return 0;
}

uint32_t tt_port_exception(void)
{
    return 0;
}

void tt_port_notify_drain(void)
{
}

static uint32_t room_bytes(void *context)
{
    (void)context;
    return 1u << 20;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    size_t written = fwrite(bytes, 1, count, stdout);
    assert(written == count);
}

int main(void)
{
    static const tt_target_t target = {.name = "pack_driver", .tick_hz = 1000000u};
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    tt_ring_t *ring = tt_ring_at(0);
    tt_buffer_t *buffer = &ring->buffers[1];
    struct input_header header;
    int result = tt_init(&target, &link);
    assert(result == TT_OK);
    while (fread(&header, sizeof header, 1, stdin) == 1) {
        size_t read = fread(ring->records + TT_CONFIG_BUFFER_RECORDS, sizeof(tt_record_t),
                            header.count, stdin);
        assert(read == header.count);
        ring->settled.sent = header.sent;
        buffer->first_ordinal = header.first_ordinal;
        buffer->dropped = header.dropped;
        buffer->ticks = header.ticks;
        buffer->sequence = header.sequence;
        buffer->count = header.count;
        tt_send_begin_packed(0, buffer, tt_ring_records(tt_ring_at(0), buffer));
        bool whole = tt_send_go_on();
        assert(whole);
    }
    return 0;
}
