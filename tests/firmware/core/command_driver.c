/*
 * Passes standard input to the recorder as bytes of the link, and writes the bytes that it sends to
 * standard output. All events are selected, and none is lost, because the link always has room.
 * Exit code 0.
 */
#include <assert.h>
#include <stdio.h>

#include "tickertape/port.h"
#include "tickertape/tickertape.h"

static uint8_t received[1 << 20];
static uint32_t received_count;
static uint32_t received_taken;
static uint32_t lock_depth;
static uint32_t now_ticks;

tt_port_key_t tt_port_lock(void)
{
    return lock_depth++;
}

void tt_port_unlock(tt_port_key_t key)
{
    assert(lock_depth == key + 1u);
    lock_depth = key;
}

uint32_t tt_port_ticks(void)
{
    return ++now_ticks;
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

static uint32_t get(void *context, uint8_t *bytes, uint32_t count)
{
    (void)context;
    assert(count == 1u);
    if (received_taken == received_count) {
        return 0;
    }
    *bytes = received[received_taken++];
    return 1;
}

int main(void)
{
    static const tt_target_t target = {.name = "command_driver", .tick_hz = 1000000u};
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put, .get = get};
    received_count = (uint32_t)fread(received, 1, sizeof received, stdin);
    int result = tt_init(&target, &link);
    result |= tt_select_all(0, true);
    result |= tt_start(0);
    assert(result == TT_OK);
    while (received_taken < received_count || !tt_drain_done()) {
        if (!tt_drain_step() && received_taken == received_count) {
            result = tt_stop(0);
            assert(result == TT_OK);
            tt_flush(0);
        }
    }
    while (tt_drain_step()) {
    }
    assert(lock_depth == 0u);
    return fflush(stdout);
}
