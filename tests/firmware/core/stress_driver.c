/*
 * Two CPUs that record as fast as they can and a drain on a third, each a Linux thread. Sanitizers
 * and the balance check them under real concurrency. Writes the bytes of the link to a file and
 * prints the records offered by each CPU, for comparison with the host's count.
 *
 *     stress_driver EVENTS POLICY STOP LINK_FILE
 *
 * Each writer records EVENTS simple events, every 64th followed by a text, and then keeps polling
 * like a CPU with a tick. Meanwhile the drain reads all counters, and selects and sheds a class
 * without events. STOP 0 lets the writers finish; STOP 1 stops the stream while they record,
 * and they continue until shortly after the drain is done.
 */
#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tickertape/emitters.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"

#define WRITERS   2u
#define DRAIN_CPU WRITERS

#define TEXT_EVERY 64u
#define POLL_EVERY 1000u
#define LOOK_EVERY 16u

#define LATE_EVENTS 1000u

/* The text's event has two words, the letters, four per word, and the length; two words per record.
 */
#define TEXT         "a text of several records"
#define TEXT_WORDS   (2u + (sizeof TEXT - 1u + 3u) / 4u + 1u)
#define TEXT_RECORDS ((TEXT_WORDS + 1u) / 2u)

_Thread_local uint32_t stress_cpu;

static atomic_uint ticks = 0xfffff000u; /* shortly before the first wrap */
static atomic_uint ready;               /* number of threads that are ready to begin */
static atomic_uint enough;              /* number of writers with event_count events */
static atomic_bool drained;             /* the drain is done */
static uint32_t event_count;
static bool stops;
static FILE *link_file;

/* Records offered by each CPU: simple events and texts. */
static uint64_t offered_user[WRITERS];
static uint64_t offered_system[WRITERS];

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
    size_t written = fwrite(bytes, 1, count, link_file);
    assert(written == count);
}

static void wait_for_all(void)
{
    atomic_fetch_add(&ready, 1u);
    while (atomic_load(&ready) < WRITERS + 1u) {
        sched_yield();
    }
}

static void record(void)
{
    uint32_t late = 0;
    for (uint32_t i = 0; stops ? late < LATE_EVENTS : i < event_count; i++) {
        late += atomic_load_explicit(&drained, memory_order_relaxed);
        offered_user[stress_cpu]++;
        tt_emit_user_user(stress_cpu, i, i * 2654435761u);
        if (i % TEXT_EVERY == 0u) {
            offered_system[stress_cpu] += TEXT_RECORDS;
            tt_emit_system_slog(i, stress_cpu, TEXT);
        }
        if (i % POLL_EVERY == 0u) {
            tt_clock_poll();
        }
        if (i + 1u == event_count) {
            atomic_fetch_add(&enough, 1u);
        }
    }
}

static void *writer(void *argument)
{
    stress_cpu = (uint32_t)(uintptr_t)argument;
    wait_for_all();
    record();
    while (!atomic_load(&drained)) {
        tt_clock_poll();
        sched_yield();
    }
    return NULL;
}

/* Further actions of the drain's CPU: read counters, select, shed, announce. */
static void look_around(uint32_t step)
{
    tt_ring_status_t status;
    uint32_t cpu = step % WRITERS;
    int result = tt_ring_status(0, cpu, &status);
    assert(result == TT_OK);
    assert(status.offered >= status.dropped + status.overwritten);
    static uint64_t offered[WRITERS];
    assert(status.offered >= offered[cpu]);
    offered[cpu] = status.offered;
    result = tt_select_class(0, TT_CLASS_COMM, step % 2u == 0u);
    result |= tt_set_shedding(0, 1u << TT_CLASS_COMM, step % TT_CONFIG_BUFFERS);
    assert(result == TT_OK);
    tt_drain_announce();
}

static void drain(void)
{
    uint32_t step = 0;
    while (atomic_load(&enough) < WRITERS) {
        if (step++ % LOOK_EVERY == 0u) {
            look_around(step / LOOK_EVERY);
        }
        if (!tt_drain_step()) {
            sched_yield();
        }
        tt_clock_poll();
    }
    int result = tt_stop(0);
    assert(result == TT_OK);
    while (!tt_drain_done()) {
        (void)tt_drain_step();
    }
    atomic_store(&drained, true);
}

static void start(uint32_t policy)
{
    static const tt_target_t target = {.name = "stress_driver", .tick_hz = 1000000u};
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    int result = tt_init(&target, &link);
    result |= tt_set_policy(0, (tt_policy_t)policy);
    result |= tt_select_class(0, TT_CLASS_USER, true);
    result |= tt_select_class(0, TT_CLASS_SYSTEM, true);
    result |= tt_start(0);
    assert(result == TT_OK);
}

int main(int argc, char **argv)
{
    pthread_t threads[WRITERS];
    if (argc != 5) {
        fprintf(stderr, "usage: stress_driver EVENTS POLICY STOP LINK_FILE\n");
        return 2;
    }
    event_count = (uint32_t)strtoul(argv[1], NULL, 10);
    link_file = fopen(argv[4], "wb");
    if (link_file == NULL) {
        perror(argv[4]);
        return 2;
    }
    stops = strcmp(argv[3], "0") != 0;
    stress_cpu = DRAIN_CPU;
    start((uint32_t)strtoul(argv[2], NULL, 10));
    for (uint32_t i = 0; i < WRITERS; i++) {
        int result = pthread_create(&threads[i], NULL, writer, (void *)(uintptr_t)i);
        assert(result == 0);
    }
    wait_for_all();
    drain();
    for (uint32_t i = 0; i < WRITERS; i++) {
        (void)pthread_join(threads[i], NULL);
        printf("%" PRIu64 " %" PRIu64 "\n", offered_user[i], offered_system[i]);
    }
    bool sent = tt_drain_step(); /* late events were not recorded */
    assert(!sent);
    int failed = fclose(link_file);
    assert(failed == 0);
    return 0;
}
