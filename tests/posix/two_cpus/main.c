/*
 * A thread on each of two CPUs traces into the same streams, while a third thread creates, reads
 * and shuts down streams. Prints for each stream the number of whole events in order by writer, and
 * the counters of its ring:
 *
 *     all        every event, read meanwhile
 *     filtered   without the events of CPU 1, read meanwhile
 *     loop       too small for all events, read at the end
 *     full       records until it is full, read at the end
 *     calls      kernel calls, read meanwhile: those of a writer have its thread; some may be lost,
 *                because writers that wait for the reader also make calls
 *     again      created, read and shut down many times, also by a thread on CPU 1
 */
#include <stdatomic.h>
#include <stdint.h>
#include <trace.h>

#include "board.h"
#include "kernel.h"
#include "posix_stream.h"
#include "tickertape/events.h"
#include "tracer.h"

#define CPUS        2u
#define EVENTS      400u
#define LEAD        60u /* events for which every stream has room */
#define TIMES       8u
#define STREAMS     5u
#define STACK_BYTES 8192u

typedef struct counts {
    uint32_t next[CPUS]; /* number of events in order, by writer */
    uint32_t wrong;      /* number of events that are torn, out of order, or of another thread */
    uint32_t begun;      /* number of START events */
    struct timespec last;
} counts_t;

static kernel_thread_t writers[CPUS];
static kernel_thread_t reader;
static kernel_thread_t other;
static _Alignas(8) uint8_t stacks[CPUS + 2u][STACK_BYTES];
static trace_event_id_t events[CPUS];
static kernel_flags_t flags;
static atomic_uint written[CPUS];
static atomic_uint read_count;
static atomic_uint ended;
static atomic_bool goes_on;

static void say(const char *what, uint32_t number)
{
    char text[] = "           ";
    for (uint32_t i = sizeof text - 2u;; i--) {
        text[i] = (char)('0' + number % 10u);
        number /= 10u;
        if (number == 0u) {
            break;
        }
    }
    board_console_write(what);
    board_console_write(text);
}

static void write_events(void *argument)
{
    const uint32_t cpu = *(const uint32_t *)argument;
    for (uint32_t i = 0; i < EVENTS; i++) {
        while (atomic_load(&written[0]) + atomic_load(&written[1]) - atomic_load(&read_count) >=
               LEAD) {
            (void)kernel_sleep(1);
        }
        posix_trace_event(events[cpu], &i, sizeof i);
        atomic_fetch_add(&written[cpu], 1u);
        if (cpu == 0u) {
            (void)kernel_flags_clear(&flags, 1);
        } else {
            kernel_yield();
        }
    }
    atomic_fetch_add(&ended, 1u);
    while (!atomic_load(&goes_on)) {
        (void)kernel_sleep(1);
    }
    for (uint32_t i = 0; atomic_load(&goes_on); i++) { /* events of several records */
        const uint32_t words[] = {i, i, i, i, i};
        posix_trace_event(events[cpu], words, sizeof words);
    }
}

static trace_id_t create(const trace_event_id_t *taken, uint32_t count, int policy, size_t bytes)
{
    trace_attr_t attr;
    trace_id_t trid = 0;
    trace_event_set_t set;
    (void)posix_trace_attr_init(&attr);
    (void)posix_trace_attr_setstreamfullpolicy(&attr, policy);
    (void)posix_trace_attr_setstreamsize(&attr, bytes);
    (void)posix_trace_attr_setmaxdatasize(&attr, 64);
    (void)posix_trace_create(0, &attr, &trid);
    (void)posix_trace_eventset_fill(&set, POSIX_TRACE_ALL_EVENTS);
    (void)posix_trace_eventset_del(POSIX_TRACE_START, &set);
    for (uint32_t i = 0; i < count; i++) {
        (void)posix_trace_eventset_del(taken[i], &set);
    }
    (void)posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET);
    (void)posix_trace_start(trid);
    return trid;
}

static bool is_later(const struct timespec *time, const struct timespec *before)
{
    return time->tv_sec > before->tv_sec ||
           (time->tv_sec == before->tv_sec && time->tv_nsec >= before->tv_nsec);
}

/* Return whether an event is whole, of its writer's thread and, without losses, the next one. */
static bool is_right(counts_t *counts, uint32_t cpu, const struct posix_trace_event_info *info,
                     const uint32_t *words, size_t bytes, bool may_lose)
{
    bool is_whole = bytes == sizeof *words;
    for (size_t i = 1; bytes == 5u * sizeof *words && i < 5u; i++) {
        is_whole = words[i] == words[0];
    }
    return is_whole && (may_lose || bytes != sizeof *words || words[0] == counts->next[cpu]) &&
           (uint32_t)(uintptr_t)info->posix_thread_id == kernel_thread_number(&writers[cpu]);
}

static void count(counts_t *counts, const struct posix_trace_event_info *info,
                  const uint32_t *words, size_t bytes, bool may_lose)
{
    bool is_right_one = is_later(&info->posix_timestamp, &counts->last);
    counts->last = info->posix_timestamp;
    if (info->posix_event_id == POSIX_TRACE_SYSTEM_CALL) {
        const posix_trace_syscall_event_data *call = (const void *)words;
        for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
            if (call->syscall == (cpu == 0u ? TT_KERCALL_FLAGS_CLEAR : TT_KERCALL_SCHED_YIELD)) {
                bool is_known = call->task != NULL; /* NULL after a loss */
                is_right_one &= !is_known || (uint32_t)(uintptr_t)call->task ==
                                                 kernel_thread_number(&writers[cpu]);
                counts->next[cpu] += is_known;
            }
        }
    } else if (info->posix_event_id == POSIX_TRACE_START) {
        counts->begun++;
    } else if (info->posix_event_id == events[0] || info->posix_event_id == events[1]) {
        uint32_t cpu = info->posix_event_id == events[1];
        is_right_one &= is_right(counts, cpu, info, words, bytes, may_lose);
        counts->next[cpu]++;
    } else {
        is_right_one = may_lose && (info->posix_event_id == POSIX_TRACE_OVERFLOW ||
                                    info->posix_event_id == POSIX_TRACE_RESUME);
    }
    counts->wrong += !is_right_one;
}

/* Read at most `most` events, because writers may be faster than a reader. */
static void read_some(trace_id_t trid, counts_t *counts, bool may_lose, uint32_t most)
{
    for (uint32_t i = 0; i < most; i++) {
        struct posix_trace_event_info info;
        uint32_t words[16];
        size_t bytes = 0;
        int unavailable = 0;
        int result =
            posix_trace_trygetnext_event(trid, &info, words, sizeof words, &bytes, &unavailable);
        if (result != 0 || unavailable != 0) {
            return;
        }
        count(counts, &info, words, bytes, may_lose);
    }
}

static void read_all(trace_id_t trid, counts_t *counts, bool may_lose)
{
    read_some(trid, counts, may_lose, UINT32_MAX);
}

static void tell(const char *name, uint32_t stream, const counts_t *counts)
{
    tt_ring_status_t now;
    (void)tt_ring_status(stream, 0, &now);
    board_console_write(name);
    say(" first", counts->next[0]);
    say(" second", counts->next[1]);
    say(" begun", counts->begun);
    say(" wrong", counts->wrong);
    say(" offered", (uint32_t)now.offered);
    say(" read", (uint32_t)now.read);
    say(" overwritten", (uint32_t)now.overwritten);
    say(" dropped", (uint32_t)now.dropped);
    say(" in_use", tt_buffers_in_use(stream));
    board_console_write("\n");
}

/* Create, read and shut down streams while both writers trace as fast as they can. */
static void use_again(uint32_t times, counts_t *counts)
{
    for (uint32_t i = 0; i < times; i++) {
        trace_id_t trid = create(events, CPUS, POSIX_TRACE_LOOP, 6000);
        (void)kernel_sleep(1);
        read_some(trid, counts, true, 50);
        (void)posix_trace_stop(trid);
        read_all(trid, counts, true);
        counts->last = (struct timespec){0};
        if (posix_trace_shutdown(trid) != 0) {
            counts->wrong++;
        }
    }
}

static void use_on_second(void *argument)
{
    use_again(TIMES, argument);
}

static void begin(kernel_thread_t *thread, const char *name, kernel_entry_t entry, void *argument,
                  uint32_t cpu, uint32_t priority, uint32_t stack)
{
    (void)kernel_thread_create(thread, name, entry, argument, priority, stacks[stack], STACK_BYTES);
    if (cpu < CPUS) {
        (void)kernel_thread_bind(thread, cpu);
    }
}

static void read_events(void *argument)
{
    static const uint32_t cpus[CPUS] = {0, 1};
    static const trace_event_id_t calls[] = {POSIX_TRACE_SYSTEM_CALL};
    static counts_t counts[STREAMS + CPUS];
    static const char *const names[STREAMS] = {"all", "filtered", "calls", "loop", "full"};
    trace_id_t trids[STREAMS];
    (void)argument;
    (void)posix_trace_eventid_open("first", &events[0]);
    (void)posix_trace_eventid_open("second", &events[1]);
    trids[0] = create(events, 2, POSIX_TRACE_LOOP, 14000);
    trids[1] = create(events, 1, POSIX_TRACE_LOOP, 14000);
    trids[2] = create(calls, 1, POSIX_TRACE_LOOP, 14000);
    trids[3] = create(events, 2, POSIX_TRACE_LOOP, 6000);
    trids[4] = create(events, 2, POSIX_TRACE_UNTIL_FULL, 6000);
    for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
        begin(&writers[cpu], "writer", write_events, (void *)&cpus[cpu], cpu, 10, cpu);
    }
    while (atomic_load(&ended) < CPUS) {
        (void)kernel_sleep(1);
        for (uint32_t i = 0; i < 3u; i++) {
            read_all(trids[i], &counts[i], i == 2u);
        }
        atomic_store(&read_count, counts[0].next[0] + counts[0].next[1]);
    }
    for (uint32_t i = 0; i < STREAMS; i++) {
        (void)posix_trace_stop(trids[i]);
        read_all(trids[i], &counts[i], i >= 2u);
        tell(names[i], i, &counts[i]);
        (void)posix_trace_shutdown(trids[i]);
    }
    atomic_store(&goes_on, true);
    begin(&other, "other", use_on_second, &counts[STREAMS], 1, 20, CPUS + 1u);
    use_again(TIMES, &counts[STREAMS + 1u]);
    (void)kernel_thread_join(&other, KERNEL_FOREVER);
    atomic_store(&goes_on, false);
    for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
        (void)kernel_thread_join(&writers[cpu], KERNEL_FOREVER);
        tell("again", cpu, &counts[STREAMS + cpu]);
    }
    board_exit(0);
}

void application_main(void)
{
    tracer_open("two_cpus", NULL, 0);
    begin(&reader, "reader", read_events, NULL, CPUS, 20, CPUS);
    kernel_start();
}
