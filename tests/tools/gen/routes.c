/* Every event type has a route of its class, and every declared type has a route of its own. */
#include <stdio.h>

#include "tickertape/events.h"

uint16_t tt_route[TT_ROUTE_COUNT];

static int failures;

static void expect(int holds, const char *what, uint32_t event_class, uint32_t event)
{
    if (!holds) {
        printf("%s: class %u event %u\n", what, (unsigned)event_class, (unsigned)event);
        failures++;
    }
}

static void check_type(uint32_t event_class, uint32_t event)
{
    uint32_t first = tt_class_first_route(event_class);
    uint32_t other = tt_class_first_route(event_class + 1u) - 1u;
    uint32_t index = tt_route_index(event_class, event);
    expect(index >= first && index <= other, "foreign route", event_class, event);
    uint32_t expected = event_class << 10 | (index == other ? TT_ROUTE_TYPE_OTHER : event);
    expect(tt_route_event_type(index) == expected, "type of the route", event_class, event);
    uint32_t same = tt_route_index(event_class + 32u, event + 1024u);
    expect(same == index, "bits beyond class and event", event_class, event);
}

int main(void)
{
    uint32_t declared = 0;
    for (uint32_t event_class = 0; event_class < TT_CLASS_COUNT; event_class++) {
        for (uint32_t event = 0; event < 1024u; event++) {
            check_type(event_class, event);
        }
    }
    for (uint32_t index = 0; index < TT_ROUTE_COUNT; index++) {
        uint32_t type = tt_route_event_type(index);
        if ((type & TT_ROUTE_TYPE_OTHER) == 0u) {
            declared++;
            uint32_t back = tt_route_index(type >> 10, type & 0x3ffu);
            expect(back == index, "way back", type >> 10, type & 0x3ffu);
        }
    }
    expect(declared + TT_CLASS_COUNT == TT_ROUTE_COUNT, "count", declared, 0);
    expect(tt_class_first_route(TT_CLASS_COUNT) == TT_ROUTE_COUNT, "end", 0, 0);
    expect(tt_route_index(TT_CLASS_SCHED, TT_SCHED_TICK) == TT_ROUTE_SCHED_TICK, "constant", 9, 4);
    expect(tt_route_index(16, 5) == TT_ROUTE_CLASS16_OTHER, "application", 16, 5);
    return failures != 0;
}
