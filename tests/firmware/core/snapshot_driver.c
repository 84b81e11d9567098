/*
 * The counters of a ring, read on another CPU than the writer's. One of the two stops after each
 * single instruction, and the other one runs meanwhile:
 *
 *     the reader stops, the writer records:  the reader gets the counters before or after that
 *     the writer stops, the reader reads:    consistent counters; waits while they change
 */
#include <inttypes.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/time.h>

#include "ring.h"
#include "step_port.h"
#include "tickertape/emitters.h"
#include "tickertape/tickertape.h"

#define READER   0u
#define WRITER   1u
#define CAPACITY (TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS)

/* Processor time after which a reader counts as waiting; others take a thousandth of it. */
#define WAIT_US 20000

static uint32_t batch;
static uint32_t failures;
static tt_ring_status_t counters;

static void expect(bool holds, const char *what, long after)
{
    if (!holds) {
        failures++;
        printf("batch of %" PRIu32 ", stopped after %ld instructions: not %s\n", batch, after,
               what);
    }
}

static void record(uint32_t count)
{
    uint32_t cpu = step_port.cpu;
    step_port.cpu = WRITER;
    for (uint32_t i = 0; i < count; i++) {
        tt_emit_user_user(1, i, 0);
    }
    step_port.cpu = cpu;
}

static void record_batch(void)
{
    record(batch);
}

static void look(void)
{
    (void)tt_ring_status(0, WRITER, &counters);
}

static tt_ring_status_t look_at_rest(void)
{
    look();
    return counters;
}

static void begin(uint32_t policy)
{
    static const tt_target_t target = {.name = "snapshot_driver", .tick_hz = 1000};
    step_port.cpu = READER;
    int result = tt_init(&target, &step_port_link);
    result |= tt_set_policy(0, policy);
    result |= tt_select_class(0, TT_CLASS_USER, true);
    result |= tt_start_without_state(0);
    failures += result != TT_OK;
    record(policy == TT_POLICY_OVERWRITE ? CAPACITY + 8u : 8u);
}

static bool equal(const tt_ring_status_t *a, const tt_ring_status_t *b)
{
    return a->offered == b->offered && a->dropped == b->dropped && a->overwritten == b->overwritten;
}

static void step_reader(uint32_t policy)
{
    bool served = true;
    uint32_t as_before = 0;
    uint32_t as_after = 0;
    for (long after = 1; served; after++) {
        begin(policy);
        tt_ring_status_t before = look_at_rest();
        served = step_call(look, after, record_batch);
        tt_ring_status_t got = counters;
        tt_ring_status_t later = look_at_rest();
        as_before += equal(&got, &before);
        as_after += equal(&got, &later) && !equal(&before, &later);
        expect(equal(&got, &before) || equal(&got, &later), "counters of one moment", after);
    }
    expect(as_before != 0u && as_after != 0u, "counters of both", 0);
}

static uint32_t between; /* stops in the middle of a change */
static tt_ring_status_t lowest;
static sigjmp_buf out;

static void leave(int signal_number)
{
    (void)signal_number;
    siglongjmp(out, 1);
}

/* Return whether a reader that starts in the middle of a change still waits after WAIT_US of
 * processor time. */
static bool waits(void)
{
    static const struct itimerval wait = {.it_value = {.tv_usec = WAIT_US}};
    static const struct itimerval off;
    const struct sigaction action = {.sa_handler = leave};
    uint32_t lock_depth = step_port.lock_depth;
    volatile bool has_read = false;
    (void)sigaction(SIGVTALRM, &action, NULL);
    if (sigsetjmp(out, 1) == 0) {
        (void)setitimer(ITIMER_VIRTUAL, &wait, NULL);
        look();
        has_read = true;
    }
    (void)setitimer(ITIMER_VIRTUAL, &off, NULL);
    step_port.lock_depth = lock_depth;
    return !has_read;
}

/* Read the counters while the writer is stopped. */
static void read_meanwhile(void)
{
    step_port.cpu = READER;
    if ((atomic_load(&tt_rings[0][WRITER].snapshot.version) & 1u) == 0u) {
        look();
        expect(counters.offered >= lowest.offered && counters.dropped >= lowest.dropped &&
                   counters.overwritten >= lowest.overwritten,
               "counters that only grow", 0);
        expect(counters.offered - counters.dropped - counters.overwritten <= CAPACITY,
               "no more records than the ring has", 0);
        lowest = counters;
    } else if (between++ % 50u == 0u) {
        expect(waits(), "a reader that waits", 0);
    }
    step_port.cpu = WRITER;
}

static void step_writer(uint32_t policy)
{
    between = 0;
    begin(policy);
    lowest = look_at_rest();
    step_port.cpu = WRITER;
    (void)step_call(record_batch, STEP_EACH, read_meanwhile);
    step_port.cpu = READER;
    expect(between > 5u, "changes that were interrupted", 0);
}

int main(void)
{
    step_port.is_other_cpu = true;
    batch = CAPACITY + 8u;
    step_reader(TT_POLICY_OVERWRITE);
    step_writer(TT_POLICY_OVERWRITE);
    step_writer(TT_POLICY_DROP);
    batch = TT_CONFIG_BUFFER_RECORDS;
    step_reader(TT_POLICY_DROP);
    return failures == 0u ? 0 : 1;
}
