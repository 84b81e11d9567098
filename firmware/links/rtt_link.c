#include "rtt_link.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#define POINTER_BYTES ((uint32_t)sizeof(void *))
_Static_assert(offsetof(rtt_control_t, up) == 24, "the layout of the convention");
_Static_assert(sizeof(rtt_channel_t) == 2u * POINTER_BYTES + 16u, "the layout of the convention");

/* The name, reversed, so that no host finds it among the constants. */
static const char reversed_name[] = "TTR REGGES";

/* Make earlier stores visible to the other side before later ones. */
static void order_stores(void)
{
    atomic_thread_fence(memory_order_seq_cst);
}

/* Return the number of bytes in a ring, or `otherwise` if an offset lies outside of the ring, which
 * violates the convention. */
static uint32_t waiting_bytes(const rtt_channel_t *ring, uint32_t otherwise)
{
    const uint32_t write = ring->write;
    const uint32_t read = ring->read;
    if (write >= ring->size_bytes || read >= ring->size_bytes) {
        return otherwise;
    }
    return write >= read ? write - read : ring->size_bytes - (read - write);
}

static uint32_t room_up_bytes(void *context)
{
    const rtt_channel_t *ring = &((rtt_link_t *)context)->control->up[RTT_TRACE];
    const uint32_t most = ring->size_bytes - 1u;
    return most - waiting_bytes(ring, most);
}

static uint32_t acquire(void *context, uint32_t ahead, uint8_t **bytes)
{
    const rtt_channel_t *ring = &((rtt_link_t *)context)->control->up[RTT_TRACE];
    const uint32_t room = room_up_bytes(context);
    uint32_t begin = ring->write + ahead;
    begin = begin < ring->size_bytes ? begin : begin - ring->size_bytes;
    if (ahead >= room) {
        return 0;
    }
    const uint32_t together = ring->size_bytes - begin;
    *bytes = ring->bytes + begin;
    return together < room - ahead ? together : room - ahead;
}

static void commit_up(void *context, uint32_t count)
{
    rtt_channel_t *ring = &((rtt_link_t *)context)->control->up[RTT_TRACE];
    const uint32_t write = ring->write + count;
    order_stores();
    ring->write = write < ring->size_bytes ? write : write - ring->size_bytes;
}

static void put_up(void *context, const uint8_t *bytes, uint32_t count)
{
    uint8_t *to;
    uint32_t done = 0;
    uint32_t part;
    while (done < count && (part = acquire(context, done, &to)) != 0u) {
        part = part < count - done ? part : count - done;
        memcpy(to, bytes + done, part);
        done += part;
    }
    commit_up(context, done);
}

static uint32_t get(void *context, uint8_t *bytes, uint32_t count)
{
    rtt_channel_t *ring = &((rtt_link_t *)context)->control->down[RTT_TRACE];
    const uint32_t waiting = waiting_bytes(ring, 0);
    uint32_t read = ring->read;
    order_stores();
    count = count < waiting ? count : waiting;
    for (uint32_t i = 0; i < count; i++) {
        bytes[i] = ring->bytes[read];
        read = read + 1u < ring->size_bytes ? read + 1u : 0u;
    }
    order_stores();
    ring->read = read;
    return count;
}

const tt_link_t *rtt_link_open(rtt_link_t *self, rtt_control_t *control, uint8_t *up,
                               uint32_t up_bytes, uint8_t *down, uint32_t down_bytes)
{
    *self = (rtt_link_t){
        .link = {.context = self,
                 .room_bytes = room_up_bytes,
                 .put = put_up,
                 .get = get,
                 .acquire = acquire,
                 .commit = commit_up},
        .control = control,
    };
    control->name[0] = '\0'; /* invalidate the block from before a reset */
    order_stores();
    *control = (rtt_control_t){
        .up_count = RTT_CHANNELS,
        .down_count = RTT_CHANNELS,
        .up[RTT_TRACE] = {.name = "tickertape", .size_bytes = up_bytes},
        .down[RTT_TRACE] = {.name = "tickertape", .size_bytes = down_bytes},
    };
    control->up[RTT_TRACE].bytes = up;
    control->down[RTT_TRACE].bytes = down;
    order_stores();
    const uint32_t length = sizeof reversed_name - 1u;
    for (uint32_t i = 0; i < length; i++) {
        control->name[length - 1u - i] = reversed_name[i];
    }
    return &self->link;
}

bool rtt_link_sent(const rtt_link_t *self)
{
    return waiting_bytes(&self->control->up[RTT_TRACE], 1) == 0u;
}
