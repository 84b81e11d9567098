#include "fake_recorder.h"

#include <stdatomic.h>

#include "kernel_port.h"
#include "tickertape/emit.h"
#include "tickertape/tickertape.h"

#define EVENT_COUNT 4096u

tt_route_t tt_route[TT_ROUTE_COUNT];

static fake_event_t events[EVENT_COUNT];
static uint32_t event_count;
static atomic_flag taken = ATOMIC_FLAG_INIT;

static kernel_port_key_t lock(void)
{
    kernel_port_key_t key = kernel_port_lock();
    while (atomic_flag_test_and_set(&taken)) {
        kernel_port_spin();
    }
    return key;
}

static void unlock(kernel_port_key_t key)
{
    atomic_flag_clear(&taken);
    kernel_port_unlock(key);
}

void fake_recorder_clear(void)
{
    kernel_port_key_t key = lock();
    for (uint32_t i = 0; i < TT_ROUTE_COUNT; i++) {
        tt_route[i] = 1; /* recorded */
    }
    fake_recorder_take_irqstate(false);
    event_count = 0;
    unlock(key);
}

void fake_recorder_take_irqstate(bool take)
{
    for (uint32_t i = TT_ROUTE_IRQSTATE_HARD_CLI; i <= TT_ROUTE_IRQSTATE_OTHER; i++) {
        tt_route[i] = take;
    }
}

uint32_t fake_recorder_count(void)
{
    return event_count;
}

const fake_event_t *fake_recorder_event(uint32_t index)
{
    return &events[index];
}

uint32_t fake_recorder_count_of(uint32_t event_class, uint32_t event)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < event_count; i++) {
        count += events[i].event_class == event_class && events[i].event == event;
    }
    return count;
}

void tt_record(uint32_t data0, uint32_t data1, uint32_t header, uint32_t route)
{
    (void)route;
    kernel_port_key_t key = lock();
    if (event_count < EVENT_COUNT) {
        events[event_count] = (fake_event_t){
            .event_class = (header & TT_RECORD_CLASS_MASK) >> TT_RECORD_CLASS_FIRST_BIT,
            .event = header & TT_RECORD_EVENT_MASK,
            .domain = (header & TT_RECORD_DOMAIN_MASK) >> TT_RECORD_DOMAIN_FIRST_BIT,
            .data = {data0, data1},
        };
        event_count++;
    }
    unlock(key);
}

/* Record the first two words, which are the same in both forms of an event. */
void tt_record_wide(uint32_t data0, uint32_t data1, uint32_t header, uint32_t route,
                    const uint32_t *words, uint32_t word_count)
{
    (void)words;
    (void)word_count;
    tt_record(data0, data1, header, route);
}

/* Called by the UART of a board; there is no drain. */
bool tt_drain_waits(void)
{
    return false;
}

void tt_record_string(uint32_t header, uint32_t route, uint32_t data0, uint32_t data1,
                      const char *text)
{
    (void)text;
    tt_record(data0, data1, header, route);
}
