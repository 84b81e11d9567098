#include "target.h"

#include <stddef.h>

static const tt_target_t *the_target;

void tt_target_set(const tt_target_t *target)
{
    the_target = target;
}

const tt_target_t *tt_target(void)
{
    return the_target;
}

uint32_t tt_clock_hz(void)
{
    return the_target == NULL ? 0u : the_target->tick_hz;
}

void tt_current_thread(uint32_t *pid, uint32_t *tid)
{
    *pid = 0;
    *tid = 0;
    if (the_target != NULL && the_target->current_thread != NULL) {
        the_target->current_thread(pid, tid);
    }
}
