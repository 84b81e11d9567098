/*
 * Cases for the state dump at the start of a stream, under interrupts that come whenever they are
 * not masked and change the described threads. Exit code: 0 if all expectations hold; prints the
 * failed one otherwise.
 */
#include <stdio.h>
#include <string.h>

#include "ring.h"
#include "tickertape/emitters.h"
#include "tickertape/filter.h"

#define THREADS 6u
#define OBJECTS 2u
#define DOMAINS 1u

static uint32_t lock_depth;
static uint32_t now_ticks;
static uint32_t describe_count;
static uint32_t preempted_ticks;   /* duration of the first describe() */
static uint32_t interrupt_percent; /* probability of an interrupt when a lock is released */
static uint64_t random_state;
static int failures;

/* The described system: states of threads by number; DEAD: no such thread. */
static uint32_t states[THREADS];
static uint32_t states_at_start[THREADS];
static bool
    is_unknown[THREADS]; /* changed before the route was open, so the change was not recorded */

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            printf("%s:%d: expected %s\n", __func__, __LINE__, #condition);                        \
        }                                                                                          \
    } while (0)

static uint32_t random_below(uint32_t limit)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(random_state >> 33) % limit;
}

/* Change the state of a thread and trace it in one step, like a kernel. */
static void change_state(void)
{
    uint32_t tid = random_below(THREADS);
    if (states[tid] != TT_THREAD_DEAD) {
        states[tid] = 2u + random_below(18);
        is_unknown[tid] |= tt_route[tt_route_index(TT_CLASS_THREAD, states[tid])] == 0u;
        tt_emit_thread_state(states[tid], 0, tid, 0, 0, 0);
    }
}

tt_port_key_t tt_port_lock(void)
{
    return lock_depth++;
}

void tt_port_unlock(tt_port_key_t key)
{
    static bool in_interrupt;
    lock_depth = key;
    if (lock_depth == 0u && !in_interrupt && random_below(100) < interrupt_percent) {
        in_interrupt = true;
        change_state();
        in_interrupt = false;
    }
}

uint32_t tt_port_ticks(void)
{
    return ++now_ticks;
}

uint32_t tt_port_exception(void)
{
    return 0;
}

void tt_port_notify_drain(void)
{
}

static bool describe(uint32_t index, tt_name_t *name)
{
    static const char *const texts[THREADS] = {"idle", "a", "motor", "four", "a longer name", ""};
    describe_count++;
    for (; preempted_ticks > 0u; preempted_ticks -= 1u << 28) {
        now_ticks += 1u << 28;
        tt_clock_poll(); /* by the tick */
    }
    if (index >= THREADS + OBJECTS + DOMAINS) {
        return false;
    }
    if (index >= THREADS + OBJECTS) {
        *name = (tt_name_t){.kind = TT_OBJECT_KIND_DOMAIN, .id = 3, .text = "guest"};
    } else if (index >= THREADS) {
        *name = (tt_name_t){.kind = TT_OBJECT_KIND_MUTEX, .id = 0x2000u + index, .text = "bus"};
    } else {
        *name = (tt_name_t){.kind = TT_OBJECT_KIND_THREAD,
                            .id = index,
                            .parent = 3,
                            .state = (uint8_t)states[index],
                            .priority = (uint8_t)(10u + index),
                            .text = states[index] == TT_THREAD_DEAD ? NULL : texts[index]};
    }
    return true;
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
}

/* Initialise a recorder without starting it; thread 5 does not exist. */
static void begin(void)
{
    static const tt_target_t target = {
        .name = "state_driver", .tick_hz = 1000000u, .describe = describe};
    static const tt_link_t link = {.room_bytes = no_room, .put = put};
    interrupt_percent = 0;
    EXPECT(tt_init(&target, &link) == TT_OK);
    EXPECT(tt_select_all(0, true) == TT_OK);
    for (uint32_t tid = 0; tid < THREADS; tid++) {
        states[tid] = tid == 5u ? TT_THREAD_DEAD : 1u + tid;
        states_at_start[tid] = states[tid];
        is_unknown[tid] = false;
    }
}

/* Return record number `index` of the ring, which must not have wrapped. */
static const tt_record_t *record(uint64_t index)
{
    return &tt_rings[0][0].records[index];
}

static uint64_t offered(void)
{
    tt_ring_status_t status;
    EXPECT(tt_ring_status(0, 0, &status) == TT_OK);
    return status.offered;
}

static uint32_t type_of(const tt_record_t *one)
{
    return one->header & 0x7fffu;
}

#define TYPE(event_class, event) ((uint32_t)(event_class) << 10 | (uint32_t)(event))

/* Return the number of events (not records) of a type in the ring. */
static uint32_t count_of(uint32_t type)
{
    uint32_t count = 0;
    for (uint64_t i = 0; i < offered(); i++) {
        uint32_t place = record(i)->header >> TT_RECORD_STRUCT_FIRST_BIT;
        count +=
            type_of(record(i)) == type && (place == TT_RECORD_SIMPLE || place == TT_RECORD_BEGIN);
    }
    return count;
}

static void all_that_lives_is_said(void)
{
    begin();
    EXPECT(tt_start(0) == TT_OK);
    EXPECT(type_of(record(0)) == TYPE(TT_CLASS_TRACER, TT_TRACER_START));
    EXPECT(count_of(TYPE(TT_CLASS_THREAD, TT_THREAD_CREATE)) == 5);
    EXPECT(count_of(TYPE(TT_CLASS_THREAD, TT_THREAD_NAME)) == 5);
    EXPECT(count_of(TYPE(TT_CLASS_SCHED, TT_SCHED_PRIORITY)) == 5);
    EXPECT(count_of(TYPE(TT_CLASS_SYSTEM, TT_SYSTEM_MAPNAME)) == OBJECTS);
    EXPECT(count_of(TYPE(TT_CLASS_THREAD, TT_THREAD_PROCESS_CREATE)) == DOMAINS);
    for (uint32_t tid = 0; tid < 5u; tid++) {
        EXPECT(count_of(TYPE(TT_CLASS_THREAD, states[tid])) == 1);
    }
    /* The first thread, record by record. */
    static const tt_record_t expected[] = {
        {TYPE(TT_CLASS_THREAD, TT_THREAD_CREATE), 0, {3, 0}},
        {TYPE(TT_CLASS_SCHED, TT_SCHED_PRIORITY), 0, {0, 10}},
        {TYPE(TT_CLASS_THREAD, TT_THREAD_RUNNING), 0, {3, 0}},
        {TYPE(TT_CLASS_THREAD, TT_THREAD_NAME) | 1u << 30, 0, {3, 0}},
        {TYPE(TT_CLASS_THREAD, TT_THREAD_NAME) | 3u << 30, 0, {0x656c6469u, 12}},
    };
    for (uint32_t i = 0; i < sizeof expected / sizeof expected[0]; i++) {
        EXPECT(record(i + 1u)->header == expected[i].header);
        EXPECT(memcmp(record(i + 1u)->data, expected[i].data, sizeof expected[i].data) == 0);
    }
    /* The domain comes last: its creator, its number and its name. */
    const tt_record_t *domain = record(offered() - 3u);
    EXPECT(type_of(domain) == TYPE(TT_CLASS_THREAD, TT_THREAD_PROCESS_CREATE));
    EXPECT(domain->data[0] == 0u && domain->data[1] == 3u);
    EXPECT(memcmp(domain[1].data, "guest", 5) == 0);
}

static void masks_and_filters(void)
{
    begin();
    EXPECT(tt_start_without_state(0) == TT_OK);
    EXPECT(offered() == 1);
    begin();
    EXPECT(tt_select_class(0, TT_CLASS_THREAD, false) == TT_OK);
    EXPECT(tt_select_event(0, TT_CLASS_THREAD, TT_THREAD_NAME, true) == TT_OK);
    /* A thread filter checks the emitting thread, not the described one. */
    EXPECT(tt_set_thread_filter(TT_CLASS_THREAD, TT_EVERY_EVENT, 0, 77) == TT_OK);
    EXPECT(tt_set_wide(TT_CLASS_THREAD, TT_EVERY_EVENT, true) == TT_OK);
    EXPECT(tt_start(0) == TT_OK);
    EXPECT(count_of(TYPE(TT_CLASS_THREAD, TT_THREAD_CREATE)) == 0);
    EXPECT(count_of(TYPE(TT_CLASS_THREAD, TT_THREAD_NAME)) == 5);
    EXPECT(count_of(TYPE(TT_CLASS_SCHED, TT_SCHED_PRIORITY)) == 5);
    begin();
    EXPECT(tt_select_all(0, false) == TT_OK);
    EXPECT(tt_start(0) == TT_OK);
    EXPECT(offered() == 0);
}

static void a_second_start_says_it_again(void)
{
    begin();
    EXPECT(tt_start(0) == TT_OK);
    uint64_t once = offered();
    EXPECT(tt_stop(0) == TT_OK);
    states[5] = TT_THREAD_SEM;
    EXPECT(tt_start(0) == TT_OK);
    EXPECT(count_of(TYPE(TT_CLASS_THREAD, TT_THREAD_CREATE)) == 11);
    EXPECT(count_of(TYPE(TT_CLASS_THREAD, TT_THREAD_SEM)) == 1);
    EXPECT(offered() > 2u * once);
}

/* The state in the dump equals the last state recorded before it. */
static void states_are_never_stale(uint32_t percent)
{
    begin();
    uint32_t known[THREADS];
    memcpy(known, states_at_start, sizeof known);
    interrupt_percent = percent;
    EXPECT(tt_start(0) == TT_OK);
    interrupt_percent = 0;
    uint32_t time = 0;
    for (uint64_t i = 0; i < offered(); i++) {
        const tt_record_t *one = record(i);
        uint32_t place = one->header >> TT_RECORD_STRUCT_FIRST_BIT;
        if (place == TT_RECORD_SIMPLE || place == TT_RECORD_BEGIN) {
            EXPECT(one->time >= time);
            time = one->time;
        }
        if (tt_record_class(one->header) != TT_CLASS_THREAD || (one->header & 0x3ffu) > 20u) {
            continue;
        }
        uint32_t tid = one->data[1];
        if (one->data[0] == 3u) {
            /* pid 3: recorded by the dump */
            EXPECT(is_unknown[tid] || (one->header & 0x3ffu) == known[tid]);
            is_unknown[tid] = false;
        }
        known[tid] = one->header & 0x3ffu;
    }
    EXPECT(memcmp(known, states, sizeof known) == 0);
}

/* With interrupts between any two steps the dump ends, and omits objects that keep changing. */
static void a_storm_does_not_hold_it_up(void)
{
    begin();
    describe_count = 0;
    states[5] = TT_THREAD_SEM; /* every interrupt finds a thread to change */
    interrupt_percent = 100;
    EXPECT(tt_start(0) == TT_OK);
    interrupt_percent = 0;
    EXPECT(describe_count <= 8u * (THREADS + OBJECTS + DOMAINS) + 1u);
    EXPECT(count_of(TYPE(TT_CLASS_THREAD, TT_THREAD_CREATE)) == 0);
}

/* The caller is preempted for most of a period. The dump must not open a buffer at the old time,
 * which a host would take for a time in the next period. */
static void a_long_preemption_leaves_the_clock_alone(uint32_t quarters)
{
    begin();
    uint64_t before = tt_clock_now();
    EXPECT(tt_select_class(0, TT_CLASS_TRACER, false) == TT_OK);
    preempted_ticks = quarters << 30;
    EXPECT(tt_start(0) == TT_OK);
    EXPECT(preempted_ticks == 0u && tt_clock_now() - before < ((uint64_t)quarters << 30) + 1000u);
    EXPECT(count_of(TYPE(TT_CLASS_THREAD, TT_THREAD_CREATE)) == 5);
    EXPECT(tt_rings[0][0].filling->ticks >= before + ((uint64_t)quarters << 30));
    EXPECT(tt_rings[0][0].filling->ticks <= tt_clock_now());
}

/* A ring that is too small loses records, and counts them. */
static void what_does_not_fit_is_counted(tt_policy_t policy)
{
    begin();
    EXPECT(tt_set_policy(0, policy) == TT_OK);
    uint64_t capacity = (uint64_t)TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS;
    uint64_t whole = 0;
    for (uint32_t starts = 0; whole <= 3u * capacity; starts++) {
        EXPECT(tt_start(0) == TT_OK);
        whole = offered();
        if (policy == TT_POLICY_UNTIL_FULL && whole > capacity) {
            break;
        }
    }
    tt_ring_status_t status;
    EXPECT(tt_ring_status(0, 0, &status) == TT_OK);
    EXPECT(status.dropped + status.overwritten > 0u);
    EXPECT(status.offered - status.dropped - status.overwritten <= capacity);
    EXPECT(status.running == (policy != TT_POLICY_UNTIL_FULL));
}

int main(void)
{
    random_state = 1;
    all_that_lives_is_said();
    masks_and_filters();
    a_second_start_says_it_again();
    for (uint32_t round = 0; round < 2000u; round++) {
        states_are_never_stale(round % 60u);
    }
    a_storm_does_not_hold_it_up();
    for (uint32_t quarters = 1; quarters < 4u; quarters++) {
        a_long_preemption_leaves_the_clock_alone(quarters);
    }
    what_does_not_fit_is_counted(TT_POLICY_DROP);
    what_does_not_fit_is_counted(TT_POLICY_OVERWRITE);
    what_does_not_fit_is_counted(TT_POLICY_UNTIL_FULL);
    EXPECT(lock_depth == 0);
    return failures == 0 ? 0 : 1;
}
