#include "tracer.h"

#include <stdatomic.h>

#include "board.h"
#include "kernel.h"
#include "tickertape/events.h"
#include "tickertape/stream.h"

/* Longest time that the drain sleeps, so that records are also sent when no buffer fills. */
#define DRAIN_PERIOD_TICKS (KERNEL_TICK_HZ / 100)

/* Period in which the drain sends the partly filled buffer, so that a trace of few events can be
 * watched live; and then identity, names and counters, for hosts that connect late. */
#define ANNOUNCE_PERIOD_TICKS KERNEL_TICK_HZ

/* The stream of the examples. */
#define STREAM 0u

static const tt_name_t *object_names;
static size_t object_name_count;
static tt_target_t target;

static kernel_thread_t drain_thread;
static _Alignas(8) uint8_t drain_stack[BOARD_DRAIN_STACK_BYTES];
static kernel_sem_t drain_work = KERNEL_SEM_INIT(0, 1);
static kernel_mutex_t drain_turn;
static atomic_bool drain_is_shared;
static atomic_bool records_everything;
static atomic_bool finishing;

#if KERNEL_CPUS > 1
static kernel_thread_t pollers[KERNEL_CPUS - 1u];
static _Alignas(8) uint8_t poller_stacks[KERNEL_CPUS - 1u][512];
#endif

static void describe_thread(uint32_t tid, tt_name_t *name)
{
    kernel_thread_info_t info;
    *name = (tt_name_t){.kind = TT_OBJECT_KIND_THREAD};
    if (kernel_thread_by_index(tid, &info)) {
        *name = (tt_name_t){
            .kind = TT_OBJECT_KIND_THREAD,
            .id = info.tid,
            .parent = info.domain,
            .state = (uint8_t)info.state,
            .cpu = (uint8_t)info.cpu,
            .priority = (uint8_t)info.priority,
            .text = info.name,
        };
    }
}

/* Describe an object: domains by number, then threads by number, then the other objects. */
static bool describe(uint32_t index, tt_name_t *name)
{
    if (index <= KERNEL_DOMAIN_LAST) {
        *name = (tt_name_t){
            .kind = TT_OBJECT_KIND_DOMAIN, .id = index, .text = kernel_domain_name(index)};
        return true;
    }
    index -= KERNEL_DOMAIN_LAST + 1u;
    if (index < KERNEL_MAX_THREADS) {
        describe_thread(index, name);
        return true;
    }
    index -= KERNEL_MAX_THREADS;
    if (index < object_name_count) {
        *name = object_names[index];
        return true;
    }
    return false;
}

static void current_thread(uint32_t *pid, uint32_t *tid)
{
    const kernel_thread_t *self = kernel_thread_self();
    *pid = kernel_thread_domain(self);
    *tid = kernel_thread_number(self);
}

static void wake_drain(void *argument)
{
    (void)argument;
    (void)kernel_sem_post(&drain_work); /* if the semaphore is full, the drain is already awake */
}

/* Send the waiting buffers, alone or in turns with other threads. */
static void send_all(void)
{
    bool shared = atomic_load(&drain_is_shared);
    if (shared) {
        (void)kernel_mutex_lock(&drain_turn, KERNEL_FOREVER);
    }
    while (tt_drain_step()) {
        board_yield();
    }
    if (shared) {
        (void)kernel_mutex_unlock(&drain_turn);
    }
}

static void drain(void *argument)
{
    (void)argument;
    uint32_t announced_tick = kernel_ticks();
    uint32_t flushed_tick = announced_tick;
    for (;;) {
        (void)kernel_sem_wait(&drain_work, DRAIN_PERIOD_TICKS);
        if (kernel_ticks() - flushed_tick >= DRAIN_PERIOD_TICKS) {
            flushed_tick = kernel_ticks();
#if TT_CONFIG_STREAM_NAMES
            tt_flush_attached();
#endif
        }
        if (kernel_ticks() - announced_tick >= ANNOUNCE_PERIOD_TICKS) {
            announced_tick += ANNOUNCE_PERIOD_TICKS;
            if (atomic_load(&records_everything)) {
                tt_flush(STREAM);
            }
            tt_drain_announce();
        }
        send_all();
        if (atomic_load(&finishing) && tt_drain_done() && board_trace_sent()) {
            board_exit(0);
        }
    }
}

#if KERNEL_CPUS > 1

/* Let this CPU close its own buffers when the drain requests it. */
static void poll(void *argument)
{
    (void)argument;
    for (;;) {
        tt_clock_poll();
        (void)kernel_sleep(DRAIN_PERIOD_TICKS);
    }
}

/* Bind the drain to the first CPU, which serves the link's interrupts, and create a poller on each
 * other CPU. */
static void spread_over_cpus(void)
{
    (void)kernel_thread_bind(&drain_thread, 0);
    for (uint32_t cpu = 1; cpu < KERNEL_CPUS; cpu++) {
        kernel_thread_t *poller = &pollers[cpu - 1u];
        (void)kernel_thread_create(poller, "poller", poll, NULL, TRACER_PRIORITY,
                                   poller_stacks[cpu - 1u], sizeof poller_stacks[0]);
        (void)kernel_thread_bind(poller, cpu);
    }
}

#else

static void spread_over_cpus(void)
{
}

#endif

/* Exclude frequent events with little information: critical sections, and handlers (one per
 * interrupt). */
static void leave_out_detail(void)
{
    (void)tt_select_class(STREAM, TT_CLASS_IRQSTATE, false);
    (void)tt_select_event(STREAM, TT_CLASS_INT, TT_INT_HANDLER_ENTRY, false);
    (void)tt_select_event(STREAM, TT_CLASS_INT, TT_INT_HANDLER_EXIT, false);
}

/* Exclude events of interrupts, ticks, kernel calls and states of threads, so that a slow link can
 * carry the decisions of the program and of the scheduler. */
static void leave_out_frequent(void)
{
    (void)tt_select_class(STREAM, TT_CLASS_INT, false);
    (void)tt_select_class(STREAM, TT_CLASS_KERCALL, false);
    (void)tt_select_class(STREAM, TT_CLASS_THREAD, false);
    (void)tt_select_event(STREAM, TT_CLASS_SCHED, TT_SCHED_TICK, false);
    (void)tt_select_event(STREAM, TT_CLASS_SCHED, TT_SCHED_OVERHEAD_BEGIN, false);
    (void)tt_select_event(STREAM, TT_CLASS_SCHED, TT_SCHED_OVERHEAD_END, false);
}

static void prepare(const char *application, const tt_name_t *names, size_t name_count)
{
    object_names = names;
    object_name_count = name_count;
    target = (tt_target_t){
        .name = application,
        .tick_hz = BOARD_CLOCK_HZ,
        .boot_id = board_option("boot_id", 0),
        .build_id = board_build_id(),
        .describe = describe,
        .current_thread = current_thread,
    };
    (void)tt_init(&target, board_trace_link());
    kernel_on_tick(tt_clock_poll); /* not in the drain, which other threads may keep from running */
}

static void create_drain(void)
{
    (void)kernel_irq_attach(BOARD_DRAIN_IRQ, KERNEL_IRQ_LEVEL_KERNEL, wake_drain, NULL);
    (void)kernel_thread_create(&drain_thread, "tracer", drain, NULL, TRACER_PRIORITY, drain_stack,
                               sizeof drain_stack);
    spread_over_cpus();
}

void tracer_start(const char *application, const tt_name_t *names, size_t name_count)
{
    prepare(application, names, name_count);
    atomic_store(&records_everything, true);
    (void)tt_select_all(STREAM, true);
    if (board_option("detail", 0) == 0u) {
        leave_out_detail();
    }
    if (board_option("brief", 0) != 0u) {
        leave_out_frequent();
    }
    (void)tt_start(STREAM);
    if (board_option("cost", 0) != 0u) {
        (void)tt_measure_cost();
    }
    create_drain();
}

void tracer_open(const char *application, const tt_name_t *names, size_t name_count)
{
    prepare(application, names, name_count);
    create_drain();
}

void tracer_share_drain(void)
{
    atomic_store(&drain_is_shared, true);
}

void tracer_drain_begin(void)
{
    (void)kernel_mutex_lock(&drain_turn, KERNEL_FOREVER);
}

void tracer_drain_end(void)
{
    (void)kernel_mutex_unlock(&drain_turn);
}

/* Stop the running streams. The drain and the pollers then close the open buffers, each on its own
 * CPU. */
static void stop_all(void)
{
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        tt_ring_status_t status;
        if (tt_ring_status(stream, 0, &status) == TT_OK && status.running) {
            (void)tt_stop(stream);
        }
    }
}

void tracer_finish(void)
{
    stop_all();
    atomic_store(&finishing, true);
    (void)kernel_sem_post(&drain_work);
}
