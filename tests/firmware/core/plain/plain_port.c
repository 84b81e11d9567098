#include "plain_port.h"

#include <inttypes.h>
#include <stdlib.h>

#include "tickertape/port.h"

plain_port_t plain_port = {.step_ticks = 1};

tt_port_key_t tt_port_lock(void)
{
    return plain_port.lock_depth++;
}

void tt_port_unlock(tt_port_key_t key)
{
    EXPECT(plain_port.lock_depth == key + 1u);
    plain_port.lock_depth = key;
}

uint32_t tt_port_ticks(void)
{
    plain_port.now_ticks += plain_port.step_ticks;
    return plain_port.now_ticks;
}

uint32_t tt_port_exception(void)
{
    return plain_port.exception;
}

void tt_port_notify_drain(void)
{
    plain_port.notified++;
}

static uint32_t no_room(void *context)
{
    (void)context;
    return 0;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
    EXPECT(false); /* never called: there is no room */
}

const tt_link_t plain_port_closed_link = {.room_bytes = no_room, .put = put};

void plain_port_equal(int64_t actual, int64_t expected, const char *what, int line)
{
    if (actual != expected) {
        printf("line %d: %s is %" PRId64 ", expected %" PRId64 "\n", line, what, actual, expected);
        exit(1);
    }
}
