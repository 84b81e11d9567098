/*
 * A thread moves to the other CPU in the middle of an event, between any two masked sections. The
 * ring that it leaves is in an intermediate state: a buffer was closed, claimed, counted or opened.
 * Then the stream stops, and its counters, read on either CPU, have to agree. Or recording
 * continues after more than a period of the counter, and the time of the next record has to be
 * right.
 */
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>

#include "ring_read.h"
#include "tickertape/emitters.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"

#define SECTIONS 20u
#define QUARTERS 6u /* quarters of the counter's period until recording continues */

static uint32_t cpu_now;
static uint32_t lock_depth;
static uint32_t sections_left; /* until the thread moves to CPU 1; 0: it stays */
static uint64_t now_ticks;

tt_port_key_t tt_port_lock(void)
{
    return lock_depth++;
}

void tt_port_unlock(tt_port_key_t key)
{
    lock_depth = key;
    if (lock_depth == 0u && sections_left > 0u) {
        sections_left--;
        cpu_now = sections_left == 0u ? 1u : cpu_now;
    }
}

uint32_t tt_port_cpu(void)
{
    return cpu_now;
}

void tt_port_spin(void)
{
}

uint32_t tt_port_ticks(void)
{
    return (uint32_t)++now_ticks;
}

void tt_port_notify_drain(void)
{
}

static uint32_t room_bytes(void *context)
{
    (void)context;
    return 0;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
}

static void take_everything(tt_ring_t *ring)
{
    for (tt_buffer_t *buffer = tt_ring_acquire(ring); buffer != NULL;
         buffer = tt_ring_acquire(ring)) {
        tt_ring_release(ring, buffer);
    }
}

/* Check the counters of a ring, read on each CPU; returns the number of offered records. */
static uint64_t check_law(uint32_t ring_cpu, uint32_t section)
{
    uint64_t offered = 0;
    for (cpu_now = 0; cpu_now < TT_CONFIG_CPUS; cpu_now++) {
        tt_ring_status_t status;
        int result = tt_ring_status(0, ring_cpu, &status);
        assert(result == TT_OK);
        if (status.offered != status.sent + status.dropped + status.overwritten) {
            printf("left after %" PRIu32 " sections, ring of CPU %" PRIu32 " read on CPU %" PRIu32
                   ": offered %" PRIu64 ", sent %" PRIu64 ", dropped %" PRIu64
                   ", overwritten %" PRIu64 "\n",
                   section, ring_cpu, cpu_now, status.offered, status.sent, status.dropped,
                   status.overwritten);
        }
        offered = status.offered;
    }
    cpu_now = 0;
    return offered;
}

/* Fill a stream, then record an event that leaves CPU 0 after `section` masked sections. Returns
 * the number of events. */
static uint32_t leave_after(uint32_t section, uint32_t policy)
{
    static const tt_target_t target = {.name = "left_ring_driver", .tick_hz = 1000000u};
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    const uint32_t count = TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS;
    int result = tt_init(&target, &link);
    result |= tt_set_policy(0, policy);
    result |= tt_select_class(0, TT_CLASS_USER, true);
    result |= tt_start_without_state(0);
    assert(result == TT_OK);
    for (uint32_t i = 0; i < count; i++) {
        tt_emit_user_user(0, i, 0);
    }
    sections_left = section;
    tt_emit_user_user(0, count, 0);
    sections_left = 0;
    return count + 1u;
}

static void stop_after(uint32_t section, uint32_t policy)
{
    uint32_t count = leave_after(section, policy);
    int result = tt_stop(0);
    assert(result == TT_OK);
    for (cpu_now = 0; cpu_now < TT_CONFIG_CPUS; cpu_now++) {
        tt_ring_flush(&tt_rings[0][cpu_now]);
        take_everything(&tt_rings[0][cpu_now]);
        assert(tt_ring_at_rest(&tt_rings[0][cpu_now]));
    }
    uint64_t offered = check_law(0, section) + check_law(1, section);
    if (offered != count) {
        printf("left after %" PRIu32 " sections: offered %" PRIu64 "\n", section, offered);
    }
}

/* Return the time of CPU 0's newest record, extended from the buffer header as a host does. */
static uint64_t newest_time(void)
{
    const tt_ring_t *ring = &tt_rings[0][0];
    uint64_t time = ring->filling->ticks;
    for (const tt_record_t *record = ring->base; record < ring->cursor; record++) {
        time += record->time - (uint32_t)time;
    }
    return time;
}

static void go_on_after(uint32_t section)
{
    now_ticks = 0;
    (void)leave_after(section, TT_POLICY_OVERWRITE);
    for (uint32_t quarter = 0; quarter < QUARTERS; quarter++) {
        now_ticks += 1u << 30;
        for (cpu_now = 0; cpu_now < TT_CONFIG_CPUS; cpu_now++) {
            tt_clock_poll();
        }
    }
    cpu_now = 0;
    tt_emit_user_user(0, 0, 0);
    if (newest_time() != now_ticks) {
        printf("left after %" PRIu32 " sections: time %" PRIu64 " instead of %" PRIu64 "\n",
               section, newest_time(), now_ticks);
    }
}

int main(void)
{
    for (uint32_t section = 1; section <= SECTIONS; section++) {
        stop_after(section, TT_POLICY_OVERWRITE);
        stop_after(section, TT_POLICY_DROP);
        go_on_after(section);
    }
    return 0;
}
