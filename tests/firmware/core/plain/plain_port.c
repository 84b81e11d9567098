#include "plain_port.h"

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
}
