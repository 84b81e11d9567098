#include "tracer.h"

#include <stdatomic.h>

#include "board.h"
#include "kernel.h"
#include "tickertape/events.h"

/* The drain looks by itself so often, so that little is in flight when nothing fills a buffer. */
#define DRAIN_PERIOD_TICKS (KERNEL_TICK_HZ / 100)

/* So often the buffer being filled is sent as it is, so that a trace of few events can be watched;
 * then identity, names and counters, for hosts that come late. */
#define ANNOUNCE_PERIOD_TICKS KERNEL_TICK_HZ

/* The one stream of the examples. */
#define STREAM 0u

static const tt_name_t *object_names;
static size_t object_name_count;
static tt_target_t target;

static kernel_thread_t drain_thread;
static _Alignas(8) uint8_t drain_stack[1536];
static kernel_sem_t drain_work = KERNEL_SEM_INIT(0, 1);
static atomic_bool finishing;

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
            .priority = (uint8_t)info.priority,
            .text = info.name,
        };
    }
}

/* Threads by their number, then the other objects. */
static bool describe(uint32_t index, tt_name_t *name)
{
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
    (void)kernel_sem_post(&drain_work); /* a full semaphore: it is awake already */
}

static void drain(void *argument)
{
    (void)argument;
    uint32_t announced_tick = kernel_ticks();
    for (;;) {
        (void)kernel_sem_wait(&drain_work, DRAIN_PERIOD_TICKS);
        tt_clock_poll();
        if (kernel_ticks() - announced_tick >= ANNOUNCE_PERIOD_TICKS) {
            announced_tick += ANNOUNCE_PERIOD_TICKS;
            tt_flush(STREAM);
            tt_drain_announce();
        }
        while (tt_drain_step()) {
        }
        if (atomic_load(&finishing) && tt_drain_done() && board_trace_sent()) {
            board_exit(0);
        }
    }
}

/* What comes in masses and tells nothing new of a kernel that works: the critical sections, and
 * handlers, of which each interrupt has exactly one. */
static void leave_out_detail(void)
{
    (void)tt_select_class(STREAM, TT_CLASS_IRQSTATE, false);
    (void)tt_select_event(STREAM, TT_CLASS_INT, TT_INT_HANDLER_ENTRY, false);
    (void)tt_select_event(STREAM, TT_CLASS_INT, TT_INT_HANDLER_EXIT, false);
}

void tracer_start(const char *application, const tt_name_t *names, size_t name_count)
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
    (void)tt_select_all(STREAM, true);
    if (board_option("detail", 0) == 0u) {
        leave_out_detail();
    }
    (void)tt_start(STREAM);
    (void)kernel_irq_attach(BOARD_DRAIN_IRQ, KERNEL_IRQ_LEVEL_KERNEL, wake_drain, NULL);
    (void)kernel_thread_create(&drain_thread, "tracer", drain, NULL, TRACER_PRIORITY, drain_stack,
                               sizeof drain_stack);
}

void tracer_finish(void)
{
    (void)tt_stop(STREAM);
    tt_flush(STREAM);
    atomic_store(&finishing, true);
    (void)kernel_sem_post(&drain_work);
}
