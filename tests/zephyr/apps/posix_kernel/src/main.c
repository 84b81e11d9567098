/*
 * Reads traces of POSIX Trace on the target under Zephyr: events of two threads and of an
 * interrupt, kernel events, and calls that wait. Prints a line per result.
 */
#include <errno.h>
#include <string.h>
#include <time.h>
#include <trace.h>
#include <zephyr/kernel.h>

#include "finish.h"

#define WORKERS         2
#define STACK_BYTES     1024
#define WORKER_PRIORITY 5
#define EVENTS          20
#define DELAY_MS        50

static K_THREAD_STACK_ARRAY_DEFINE(stacks, WORKERS, STACK_BYTES);
static struct k_thread workers[WORKERS];
static K_MUTEX_DEFINE(mutex);
static trace_event_id_t door;
static trace_event_id_t bell;

static struct {
    int events[WORKERS];
    int switches;
    int granted;
    int denied;
    int calls;
    int priorities;
} seen;

static void work(void *number, void *unused1, void *unused2)
{
    for (int i = 0; i < EVENTS; i++) {
        k_mutex_lock(&mutex, K_FOREVER);
        posix_trace_event(door, &i, sizeof i);
        k_msleep(1); /* meanwhile the other worker's lock is denied */
        k_mutex_unlock(&mutex);
    }
}

static void ring(struct k_timer *timer)
{
    posix_trace_event(bell, "ding", 4);
}

static K_TIMER_DEFINE(bell_timer, ring, NULL);

static void start_workers(void)
{
    for (int i = 0; i < WORKERS; i++) {
        k_thread_create(&workers[i], stacks[i], STACK_BYTES, work, NULL, NULL, NULL,
                        WORKER_PRIORITY + i, 0, K_NO_WAIT);
    }
    for (int i = 0; i < WORKERS; i++) {
        k_thread_join(&workers[i], K_FOREVER);
    }
}

static void see_user(const struct posix_trace_event_info *info, const void *data)
{
    for (int i = 0; i < WORKERS; i++) {
        int number;
        memcpy(&number, data, sizeof number);
        if (info->posix_thread_id == (uintptr_t)&workers[i] && number == seen.events[i]) {
            seen.events[i]++;
        }
    }
}

static void see_mutex(const void *data)
{
    posix_trace_mutex_event_data said;
    memcpy(&said, data, sizeof said);
    if (said.mutex == &mutex) {
        seen.granted += said.op == MUTEX_LOCK_GRANTED;
        seen.denied += said.op == MUTEX_LOCK_DENIED;
    }
}

static void see_switch(const void *data)
{
    posix_trace_task_state_event_data said;
    memcpy(&said, data, sizeof said);
    seen.switches++;
    for (int i = 0; i < WORKERS; i++) {
        bool is_worker = said.task == &workers[i];
        seen.priorities += is_worker && said.priority == K_LOWEST_THREAD_PRIO - WORKER_PRIORITY - i;
    }
}

static void read_all(trace_id_t stream)
{
    struct posix_trace_event_info info;
    _Alignas(8) char data[64];
    size_t bytes;
    int unavailable = 0;
    while (posix_trace_trygetnext_event(stream, &info, data, sizeof data, &bytes, &unavailable) ==
               0 &&
           unavailable == 0) {
        if (info.posix_event_id == door) {
            see_user(&info, data);
        } else if (info.posix_event_id == POSIX_TRACE_MUTEX_LOCK) {
            see_mutex(data);
        } else if (info.posix_event_id == POSIX_TRACE_CONTEXT_SWITCH) {
            see_switch(data);
        }
        seen.calls += info.posix_event_id == POSIX_TRACE_SYSTEM_CALL;
    }
}

/* Wait for an event that a timer interrupt traces, then for one that never comes. */
static void wait_for_bell(trace_id_t stream)
{
    struct posix_trace_event_info info;
    struct timespec until = {.tv_sec = 3600};
    char data[8];
    size_t bytes = 0;
    int unavailable = 1;
    trace_event_set_t system_events;

    posix_trace_eventset_fill(&system_events, POSIX_TRACE_SYSTEM_EVENTS);
    posix_trace_set_filter(stream, &system_events, POSIX_TRACE_SET_EVENTSET);
    posix_trace_clear(stream);
    k_timer_start(&bell_timer, K_MSEC(DELAY_MS), K_NO_WAIT);
    int result = posix_trace_timedgetnext_event(stream, &info, data, sizeof data, &bytes,
                                                &unavailable, &until);
    printk("bell: %d, %d bytes\n", result, info.posix_event_id == bell ? (int)bytes : -1);
    until = info.posix_timestamp;
    until.tv_sec++;
    result = posix_trace_timedgetnext_event(stream, &info, data, sizeof data, &bytes, &unavailable,
                                            &until);
    printk("silence: %s\n", result == ETIMEDOUT ? "ETIMEDOUT" : "another");
}

int main(void)
{
    trace_id_t stream;
    struct posix_trace_status_info status;
    int result = posix_trace_create(0, NULL, &stream);
    result |= posix_trace_eventid_open("door", &door);
    result |= posix_trace_eventid_open("bell", &bell);
    result |= posix_trace_start(stream);
    start_workers();
    result |= posix_trace_stop(stream);
    result |= posix_trace_get_status(stream, &status);
    bool overrun = status.posix_stream_overrun_status == POSIX_TRACE_OVERRUN;
    read_all(stream);
    printk("result %d, %s\n", result, overrun ? "overrun" : "no overrun");
    printk("workers: %d and %d events\n", seen.events[0], seen.events[1]);
    printk("mutex: %d granted, %d denied\n", seen.granted, seen.denied);
    printk("switches: %d, with priority: %d, calls: %d\n", seen.switches, seen.priorities,
           seen.calls);
    posix_trace_start(stream);
    wait_for_bell(stream);
    result = posix_trace_shutdown(stream);
    printk("shutdown: %d, then %s\n", result,
           posix_trace_start(stream) == EINVAL ? "EINVAL" : "another");
    leave();
    return 0;
}
