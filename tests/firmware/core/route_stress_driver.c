/*
 * The route table on several CPUs, each a Linux thread: they select, start and stop, one of them
 * also filters, and one records meanwhile. At the end, every route follows from the selection, the
 * running streams, the filters, the masks of single events and the wide marks.
 *
 *     route_stress_driver CALLS
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "ring.h"
#include "route.h"
#include "selection.h"
#include "tickertape/add.h"
#include "tickertape/emitters.h"
#include "tickertape/filter.h"

_Thread_local uint32_t stress_cpu;

static atomic_uint ticks;
static atomic_uint ready;
static atomic_uint failures;
static uint32_t call_count;

#define FILTERING_CPU 0u
#define RECORDING_CPU (TT_CONFIG_CPUS - 1u)
#define FILTERED      TT_CLASS_KERCALL

uint32_t tt_port_ticks(void)
{
    return atomic_fetch_add_explicit(&ticks, 1u, memory_order_relaxed);
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
    (void)bytes;
    (void)count;
}

static void expect(bool holds)
{
    if (!holds) {
        atomic_fetch_add(&failures, 1u);
    }
}

static void change_something(uint32_t *state, bool *filters)
{
    *state = *state * 1664525u + 1013904223u;
    uint32_t stream = (*state >> 8) % TT_CONFIG_STREAMS;
    uint32_t event_class = (*state >> 12) % TT_CLASS_COUNT;
    bool take = (*state & (1u << 20)) != 0u;
    switch ((*state >> 24) % (stress_cpu == FILTERING_CPU ? 7u : 6u)) {
    case 0:
        expect(tt_start_without_state(stream) == TT_OK);
        break;
    case 1:
        expect(tt_stop(stream) == TT_OK);
        break;
    case 2:
        expect(tt_select_all(stream, take) == TT_OK);
        break;
    case 3:
        expect(tt_set_wide(event_class, TT_EVERY_EVENT, take) == TT_OK);
        break;
    case 6:
        *filters = !*filters;
        expect(tt_set_thread_filter(FILTERED, TT_EVERY_EVENT, 0, *filters ? 1u : 0u) == TT_OK);
        break;
    case 4: {
        /* More events than masks; each class has one entry. */
        int result = tt_select_event(stream, 16u + event_class % 3u, *state >> 28, take);
        expect(result == TT_OK || (TT_CONFIG_EVENT_MASKS && result == TT_ERROR_STATE));
        break;
    }
    default:
        expect(tt_select_class(stream, event_class, take) == TT_OK);
        break;
    }
}

static bool filters_at_end;

static void *run(void *argument)
{
    stress_cpu = (uint32_t)(uintptr_t)argument;
    uint32_t state = stress_cpu + 1u;
    bool filters = false;
    atomic_fetch_add(&ready, 1u);
    while (atomic_load(&ready) < TT_CONFIG_CPUS) {
    }
    for (uint32_t i = 0; i < call_count; i++) {
        if (stress_cpu != RECORDING_CPU) {
            change_something(&state, &filters);
        } else {
            tt_emit_user_user(1, i, i);
            tt_add_event(16u + i % 3u, i % 16u, i, i);
        }
    }
    if (stress_cpu == FILTERING_CPU) {
        filters_at_end = filters;
    }
    return NULL;
}

/* Check that a route follows from selection, masks, running streams and filters. */
static void check_route(uint32_t i)
{
    uint32_t route = 0;
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        if (tt_route_selected(stream, i) && tt_is_set(&tt_streams[stream].running)) {
            route |= 1u << stream;
        }
    }
    uint32_t masks = tt_event_masks_of_route(i);
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        if (((masks >> stream) & 1u) != 0u && tt_is_set(&tt_streams[stream].running)) {
            route |= 1u << stream;
        }
    }
    bool is_filtered = filters_at_end && i >= tt_class_first_route(FILTERED) &&
                       i < tt_class_first_route(FILTERED + 1u);
    expect((tt_route[i] & TT_ROUTE_STREAMS_MASK) == route);
    expect(((tt_route[i] & TT_ROUTE_SLOW) != 0u) == (route != 0u && (is_filtered || masks != 0u)));
    expect((tt_route[i] & TT_ROUTE_WIDE) == 0u || tt_route_has_wide(i));
}

int main(int argc, char **argv)
{
    static const tt_target_t target = {.name = "route_stress", .tick_hz = 1000000u};
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    pthread_t threads[TT_CONFIG_CPUS];
    if (argc != 2) {
        fprintf(stderr, "usage: route_stress_driver CALLS\n");
        return 2;
    }
    call_count = (uint32_t)strtoul(argv[1], NULL, 10);
    expect(tt_init(&target, &link) == TT_OK);
    for (uint32_t i = 0; i < TT_CONFIG_CPUS; i++) {
        expect(pthread_create(&threads[i], NULL, run, (void *)(uintptr_t)i) == 0);
    }
    for (uint32_t i = 0; i < TT_CONFIG_CPUS; i++) {
        (void)pthread_join(threads[i], NULL);
    }
    for (uint32_t i = 0; i < TT_ROUTE_COUNT; i++) {
        check_route(i);
    }
    printf("%u\n", atomic_load(&failures));
    return 0;
}
