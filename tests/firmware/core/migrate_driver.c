/*
 * Two CPUs record. A third thread flushes, reads counters, polls and drains, and moves from one CPU
 * to the other whenever nothing is masked. Each CPU is a mutex, which masking takes. A CPU number
 * that is read without masking is wrong by the time it is used.
 *
 *     migrate_driver STEPS LINK_FILE
 *
 * The CPUs record until the third thread has made STEPS steps. Prints the number of events that
 * each CPU offered; the cursor of every ring has to stay in its buffer.
 */
#include <assert.h>
#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

#include "ring.h"
#include "tickertape/emitters.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"

#define POLL_EVERY 64u

static pthread_mutex_t cpus[TT_CONFIG_CPUS];
static _Thread_local uint32_t cpu_now;
static _Thread_local uint32_t lock_depth;
static _Thread_local bool moves;
static _Thread_local uint64_t random_state = 1;
static atomic_uint ticks;
static atomic_uint writers; /* number of recording threads */
static atomic_bool enough;  /* the writers stop recording */
static atomic_bool drained; /* the other CPUs may stop polling */
static uint64_t offered[TT_CONFIG_CPUS];
static FILE *link_file;

/* Move to the other CPU with probability 1/2, if this thread is the one that moves. */
static void move(void)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    if (moves && lock_depth == 0u && (random_state >> 63) != 0u) {
        cpu_now = (cpu_now + 1u) % TT_CONFIG_CPUS;
    }
}

tt_port_key_t tt_port_lock(void)
{
    if (lock_depth == 0u) {
        move();
        (void)pthread_mutex_lock(&cpus[cpu_now]);
    }
    return lock_depth++;
}

void tt_port_unlock(tt_port_key_t key)
{
    lock_depth = key;
    if (lock_depth == 0u) {
        (void)pthread_mutex_unlock(&cpus[cpu_now]);
        move();
    }
}

uint32_t tt_port_cpu(void)
{
    uint32_t cpu = cpu_now;
    move();
    return cpu;
}

void tt_port_spin(void)
{
    (void)sched_yield();
}

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

/* Check the ring of this CPU, which no other code may change while it is masked. */
static void check_cursor(void)
{
    tt_port_key_t key = tt_port_lock();
    const tt_ring_t *ring = &tt_rings[0][tt_port_cpu()];
    assert(ring->cursor >= ring->base);
    assert(ring->cursor <= ring->limit);
    assert(ring->limit <= ring->base + TT_CONFIG_BUFFER_RECORDS);
    tt_port_unlock(key);
}

static void *writer(void *argument)
{
    cpu_now = (uint32_t)(uintptr_t)argument;
    atomic_fetch_add(&writers, 1u);
    for (uint32_t i = 0; !atomic_load(&enough); i++) {
        offered[cpu_now]++;
        tt_emit_user_user(cpu_now, i, i * 2654435761u);
        check_cursor();
        if (i % POLL_EVERY == 0u) {
            tt_clock_poll();
        }
    }
    atomic_fetch_sub(&writers, 1u);
    while (!atomic_load(&drained)) {
        tt_clock_poll();
        (void)sched_yield();
    }
    return NULL;
}

static void drain(uint32_t step_count)
{
    while (atomic_load(&writers) < TT_CONFIG_CPUS) {
        (void)sched_yield();
    }
    moves = true;
    for (uint32_t step = 0; step < step_count; step++) {
        tt_ring_status_t status;
        tt_flush(0);
        tt_flush_all(0);
        tt_clock_poll();
        int result = tt_ring_status(0, step % TT_CONFIG_CPUS, &status);
        assert(result == TT_OK);
        assert(status.offered >= status.dropped + status.overwritten + status.sent);
        tt_drain_announce();
        while (tt_drain_step()) {
        }
    }
    atomic_store(&enough, true);
    while (atomic_load(&writers) > 0u) {
        (void)sched_yield();
    }
    int result = tt_stop(0);
    assert(result == TT_OK);
    while (!tt_drain_done()) {
        (void)tt_drain_step();
        (void)sched_yield();
    }
    atomic_store(&drained, true);
}

int main(int argc, char **argv)
{
    static const tt_target_t target = {.name = "migrate_driver", .tick_hz = 1000000u};
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    pthread_t threads[TT_CONFIG_CPUS];
    assert(argc == 3);
    link_file = fopen(argv[2], "wb");
    assert(link_file != NULL);
    for (uint32_t i = 0; i < TT_CONFIG_CPUS; i++) {
        (void)pthread_mutex_init(&cpus[i], NULL);
    }
    int result = tt_init(&target, &link);
    result |= tt_select_class(0, TT_CLASS_USER, true);
    result |= tt_start_without_state(0);
    assert(result == TT_OK);
    for (uint32_t i = 0; i < TT_CONFIG_CPUS; i++) {
        result = pthread_create(&threads[i], NULL, writer, (void *)(uintptr_t)i);
        assert(result == 0);
    }
    drain((uint32_t)strtoul(argv[1], NULL, 10));
    for (uint32_t i = 0; i < TT_CONFIG_CPUS; i++) {
        (void)pthread_join(threads[i], NULL);
        printf("%" PRIu64 "\n", offered[i]);
    }
    int failed = fclose(link_file);
    assert(failed == 0);
    return 0;
}
