/*
 * linux_and_rt - the real-time part of an application whose other part are Linux processes: the
 * example of RTL-POSIX-Trace (its appendix A.1), which uses <trace.h> as the reference does.
 *
 *     task      every   does
 *     writer    100 ms  locks the mutex, traces a character, a number and a text
 *     execute1   20 ms  computes
 *     execute2   25 ms  locks the mutex, computes
 *     execute3   50 ms  computes
 *
 * All tasks and all Linux processes (examples/linux_and_rt) trace into one stream, which a Linux
 * analyzer reads by its public name. The kernel's own events are recorded by the kernel trace
 * facility. Options: times, the number of times that the writer writes (50; 0: until the end);
 * wait_ms and after_ms, how long the stream exists before that (1000) and after it (500), so that
 * processes may start and end; work, the time that the other tasks compute, in percent of their
 * default (100). A process that is done may end the wait after the writer sooner, by opening the
 * event type DONE_NAME.
 */
#include <errno.h>
#include <stdatomic.h>
#include <string.h>

#include "board.h"
#include "kernel.h"
#include "posix_port.h"
#include "trace.h"
#include "tracer.h"

#define STACK_BYTES         2048u
#define DEFAULT_TIMES       50u
#define DEFAULT_BEFORE_MS   1000u
#define DEFAULT_AFTER_MS    500u
#define CONSUMED_US         400u
#define SUPERVISOR_PRIORITY 20u
#define DEFAULT_WORK        100u
#define LOOK_MS             50u
#define DONE_NAME           "linux has done"

typedef struct task {
    const char *name;
    kernel_entry_t entry;
    uint32_t priority;
    uint32_t period_ms;
    uint32_t work_us;
    kernel_thread_t thread;
    _Alignas(8) uint8_t stack[STACK_BYTES];
} task_t;

static void writer(void *argument);
static void just_execute(void *argument);

static task_t tasks[] = {
    {.name = "writer", .entry = writer, .priority = 10, .period_ms = 100},
    {.name = "execute1", .entry = just_execute, .priority = 14, .period_ms = 20, .work_us = 1000},
    {.name = "execute2", .entry = just_execute, .priority = 12, .period_ms = 25, .work_us = 3000},
    {.name = "execute3", .entry = just_execute, .priority = 8, .period_ms = 50, .work_us = 2000},
};

#define TASK_COUNT (sizeof tasks / sizeof tasks[0])

static kernel_mutex_t mutex;
static trace_id_t trid;
static kernel_thread_t supervisor_thread;
static _Alignas(8) uint8_t supervisor_stack[STACK_BYTES];
static atomic_bool ends;

static tt_name_t mutex_name = {.kind = TT_OBJECT_KIND_MUTEX, .text = "mutex"};

static uint32_t ms_to_ticks(uint32_t ms)
{
    return (uint32_t)((uint64_t)ms * KERNEL_TICK_HZ / 1000u);
}

static void writer(void *argument)
{
    const task_t *self = argument;
    trace_event_id_t ev_string;
    trace_event_id_t ev_char;
    trace_event_id_t ev_int;
    char s[32] = "RT-Linux says: Hello world!";
    char c = 'A';
    int k = 0;

    (void)posix_trace_eventid_open("user event string", &ev_string);
    (void)posix_trace_eventid_open("user event char", &ev_char);
    (void)posix_trace_eventid_open("user event int", &ev_int);
    (void)kernel_thread_set_period(kernel_thread_self(), ms_to_ticks(self->period_ms));

    uint32_t times = board_option("times", DEFAULT_TIMES);
    for (uint32_t i = 0; times == 0u ? !atomic_load(&ends) : i < times; i++) {
        (void)kernel_mutex_lock(&mutex, KERNEL_FOREVER);
        posix_trace_event(ev_char, &c, sizeof c);
        c = c == 'Z' ? 'A' : (char)(c + 1);
        kernel_work_us(CONSUMED_US);

        posix_trace_event(ev_int, &k, sizeof k);
        k++;
        kernel_work_us(CONSUMED_US);

        posix_trace_event(ev_string, s, sizeof s);
        kernel_work_us(CONSUMED_US);
        (void)kernel_mutex_unlock(&mutex);
        (void)kernel_wait_period();
    }
}

static void just_execute(void *argument)
{
    const task_t *self = argument;
    bool locks = self == &tasks[2];
    uint32_t work_us = self->work_us * board_option("work", DEFAULT_WORK) / 100u;
    (void)kernel_thread_set_period(kernel_thread_self(), ms_to_ticks(self->period_ms));
    for (;;) {
        if (locks) {
            (void)kernel_mutex_lock(&mutex, KERNEL_FOREVER);
        }
        kernel_work_us(work_us);
        if (locks) {
            (void)kernel_mutex_unlock(&mutex);
        }
        (void)kernel_wait_period();
    }
}

/* Initialise as the reference does when its module is loaded. Returns 0 or an error number. */
static int init_module(void)
{
    trace_attr_t attr;
    trace_event_set_t set;

    /* Start the automatic tracing of kernel events. */
    (void)rtl_ktrace_start();

    (void)posix_trace_attr_init(&attr);
    (void)posix_trace_attr_setstreamfullpolicy(&attr, POSIX_TRACE_UNTIL_FULL);
    (void)posix_trace_attr_setname(&attr, TRACE_STREAM1_NAME);
    int error = posix_trace_create(0, &attr, &trid);
    if (error != 0) {
        return error;
    }
    /* Record only user events. */
    (void)posix_trace_eventset_fill(&set, POSIX_TRACE_SYSTEM_EVENTS);
    (void)posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET);
    return posix_trace_start(trid);
}

static void create_tasks(void)
{
    for (uint32_t i = 0; i < TASK_COUNT; i++) {
        task_t *task = &tasks[i];
        (void)kernel_thread_create(&task->thread, task->name, task->entry, task, task->priority,
                                   task->stack, sizeof task->stack);
    }
}

static void cleanup_module(void)
{
    (void)posix_trace_stop(trid);
    (void)posix_trace_shutdown(trid);
    for (uint32_t i = 1; i < TASK_COUNT; i++) {
        (void)kernel_thread_end(&tasks[i].thread);
    }
    (void)rtl_ktrace_stop();
    posix_shutdown_all();
}

/* Return whether a task or Linux process has opened the event type `name`. */
static bool is_open(const char *name)
{
    char text[TRACE_NAME_MAX];
    trace_event_id_t event;
    int none = 0;
    bool found = false;
    (void)posix_trace_eventtypelist_rewind(trid);
    while (!found && posix_trace_eventtypelist_getnext_id(trid, &event, &none) == 0 && none == 0) {
        found = posix_trace_eventid_get_name(trid, event, text) == 0 && strcmp(text, name) == 0;
    }
    return found;
}

static void wait_for_linux(uint32_t most_ms)
{
    for (uint32_t ms = 0; ms < most_ms && !is_open(DONE_NAME); ms += LOOK_MS) {
        (void)kernel_sleep(ms_to_ticks(LOOK_MS));
    }
}

static void supervise(void *argument)
{
    (void)argument;
    int error = init_module();
    if (error != 0 && error != ENOSYS) { /* ENOSYS: without the recorder the tasks also run */
        board_console_write("the stream cannot be created\n");
        board_exit(1);
    }
    (void)kernel_sleep(ms_to_ticks(board_option("wait_ms", DEFAULT_BEFORE_MS)));
    create_tasks();
    if (board_option("times", DEFAULT_TIMES) != 0u) {
        (void)kernel_thread_join(&tasks[0].thread, KERNEL_FOREVER);
    }
    wait_for_linux(board_option("after_ms", DEFAULT_AFTER_MS));
    atomic_store(&ends, true);
    (void)kernel_thread_join(&tasks[0].thread, KERNEL_FOREVER);
    cleanup_module();
    tracer_finish();
}

void application_main(void)
{
    mutex_name.id = (uint32_t)(uintptr_t)&mutex;
    tracer_open("linux_and_rt", &mutex_name, 1);
    (void)kernel_thread_create(&supervisor_thread, "supervisor", supervise, NULL,
                               SUPERVISOR_PRIORITY, supervisor_stack, sizeof supervisor_stack);
    kernel_start();
}
