/* System events of the kernel; runs types_limit(), which has to be last. */
#include <errno.h>
#include <string.h>
#include <trace.h>

#include "side.h"
#include "stream.h"

#define KINDS 17

/* Counts of each event type and operation, and whether their data were valid. */
static struct {
    int events[KINDS];
    int mutex_ops[4];
    int cond_ops[3];
    int overheads[2];
    int states[4];
    bool tasks_known;
    bool priorities_known;
    bool sizes_right;
    bool objects_known;
} seen;

static void see_mutex(const got_t *got)
{
    posix_trace_mutex_event_data data;
    memcpy(&data, got->data, sizeof data);
    seen.sizes_right = seen.sizes_right && got->bytes == sizeof data;
    seen.objects_known = seen.objects_known && data.mutex != NULL;
    seen.tasks_known = seen.tasks_known && data.task != NULL;
    seen.mutex_ops[data.op]++;
}

static void see_cond(const got_t *got)
{
    posix_trace_cond_event_data data;
    memcpy(&data, got->data, sizeof data);
    seen.sizes_right = seen.sizes_right && got->bytes == sizeof data;
    seen.objects_known = seen.objects_known && data.cond != NULL && data.mutex != NULL;
    seen.tasks_known = seen.tasks_known && data.task != NULL;
    seen.cond_ops[data.op]++;
}

static void see_task(const got_t *got)
{
    posix_trace_task_state_event_data data;
    memcpy(&data, got->data, sizeof data);
    seen.sizes_right = seen.sizes_right && got->bytes == sizeof data;
    seen.priorities_known = seen.priorities_known && data.priority >= 0;
    seen.states[data.state]++;
}

static void see_overhead(const got_t *got)
{
    posix_trace_overhead_event_data data;
    memcpy(&data, got->data, sizeof data);
    seen.sizes_right = seen.sizes_right && got->bytes == sizeof data;
    seen.overheads[data.type]++;
}

static void see(const got_t *got)
{
    trace_event_id_t event = got->info.posix_event_id;
    if (event > 0 && event < KINDS) {
        seen.events[event]++;
    }
    switch (event) {
    case POSIX_TRACE_MUTEX_LOCK:
    case POSIX_TRACE_MUTEX_UNLOCK:
        see_mutex(got);
        break;
    case POSIX_TRACE_COND_WAIT:
    case POSIX_TRACE_COND_BROADCAST:
        see_cond(got);
        break;
    case POSIX_TRACE_CONTEXT_SWITCH:
    case POSIX_TRACE_TASK_STATE:
        see_task(got);
        break;
    case POSIX_TRACE_KERNEL_OVERHEAD:
        see_overhead(got);
        break;
    default:
        break;
    }
}

static void check_kernel(void)
{
    trace_id_t trid = create_plain();
    memset(&seen, 0, sizeof seen);
    seen.tasks_known = seen.priorities_known = seen.sizes_right = seen.objects_known = true;
    (void)posix_trace_start(trid);
    side_use_kernel();
    (void)posix_trace_stop(trid);
    bool in_order = true;
    struct timespec before = {0, 0};
    for (got_t got = read_now(trid); got.unavailable == 0; got = read_now(trid)) {
        const struct timespec *time = &got.info.posix_timestamp;
        in_order = in_order && (time->tv_sec > before.tv_sec ||
                                (time->tv_sec == before.tv_sec && time->tv_nsec >= before.tv_nsec));
        before = *time;
        see(&got);
    }
    CHECK("getnext_event", "system events are in order of time", in_order);
    CHECK("getnext_event", "posix_trace_context_switch",
          seen.events[POSIX_TRACE_CONTEXT_SWITCH] > 2);
    CHECK("getnext_event", "posix_trace_task_state", seen.events[POSIX_TRACE_TASK_STATE] > 2);
    CHECK("getnext_event", "posix_trace_system_call", seen.events[POSIX_TRACE_SYSTEM_CALL] > 5);
    CHECK("getnext_event", "posix_trace_kernel_overhead begins",
          seen.overheads[OVERHEAD_START] > 0);
    CHECK("getnext_event", "posix_trace_kernel_overhead ends", seen.overheads[OVERHEAD_END] > 0);
    CHECK("getnext_event", "lock granted", seen.mutex_ops[MUTEX_LOCK_GRANTED] >= 3);
    CHECK("getnext_event", "lock denied", seen.mutex_ops[MUTEX_LOCK_DENIED] >= 1);
    CHECK("getnext_event", "lock tried", seen.mutex_ops[MUTEX_LOCK_TRIED] == 1);
    CHECK("getnext_event", "unlocked", seen.mutex_ops[MUTEX_UNLOCK] >= 3);
    CHECK("getnext_event", "condition waited for", seen.cond_ops[COND_WAIT] == 2);
    CHECK("getnext_event", "condition signalled", seen.cond_ops[COND_SIGNAL] == 1);
    CHECK("getnext_event", "condition broadcast", seen.cond_ops[COND_BROADCAST] == 1);
    CHECK("getnext_event", "tasks become ready", seen.states[TASK_STATE_READY] > 0);
    CHECK("getnext_event", "tasks are suspended", seen.states[TASK_STATE_SUSPENDED] > 0);
    CHECK("getnext_event", "the data are the reference's", seen.sizes_right);
    CHECK("getnext_event", "objects have addresses", seen.objects_known);
    CHECK("getnext_event", "tasks are known", seen.tasks_known);
    CHECK("getnext_event", "priorities are known", seen.priorities_known);
    (void)posix_trace_shutdown(trid);
}

static void check_filtered(void)
{
    const trace_event_id_t told[] = {POSIX_TRACE_MUTEX_LOCK};
    trace_id_t trid = create_plain();
    filter_all_system_but(trid, told, 1);
    (void)posix_trace_start(trid);
    side_use_kernel();
    (void)posix_trace_stop(trid);
    int locks = 0;
    int others = 0;
    for (got_t got = read_now(trid); got.unavailable == 0; got = read_now(trid)) {
        locks += got.info.posix_event_id == POSIX_TRACE_MUTEX_LOCK;
        others += got.info.posix_event_id != POSIX_TRACE_MUTEX_LOCK;
    }
    CHECK("set_filter", "system events come one by one", locks >= 5 && others == 0);
    (void)posix_trace_shutdown(trid);
}

/* The log of a stream contains no filtered events, even if other events needed their records. */
static void check_logged(void)
{
    const trace_event_id_t told[] = {POSIX_TRACE_MUTEX_LOCK};
    trace_id_t trid = NO_TRID;
    (void)posix_trace_create_withlog(0, NULL, side_log(0), &trid);
    filter_all_system_but(trid, told, 1);
    (void)posix_trace_start(trid);
    side_use_kernel();
    (void)posix_trace_shutdown(trid);
    (void)posix_trace_open(side_log(0), &trid);
    int locks = 0;
    int others = 0;
    for (;;) {
        got_t got = {.unavailable = -1};
        if (posix_trace_getnext_event(trid, &got.info, got.data, sizeof got.data, &got.bytes,
                                      &got.unavailable) != 0 ||
            got.unavailable != 0) {
            break;
        }
        locks += got.info.posix_event_id == POSIX_TRACE_MUTEX_LOCK;
        others += got.info.posix_event_id != POSIX_TRACE_MUTEX_LOCK;
    }
    CHECK("open", "a log has system events, and what was filtered out is not among them",
          locks >= 5 && others == 0);
    (void)posix_trace_close(trid);
}

/* The kernel trace facility occupies one stream. */
static void check_ktrace(void)
{
    trace_id_t trids[TRACE_SYS_MAX];
    trace_id_t one_more = NO_TRID;
    CHECK("create", "rtl_ktrace_start() returns 0", rtl_ktrace_start() == 0);
    CHECK("create", "and again", rtl_ktrace_start() == 0);
    int created = 0;
    for (int i = 0; i < TRACE_SYS_MAX - 1; i++) {
        created += posix_trace_create(0, NULL, &trids[i]) == 0;
    }
    CHECK("create", "seven streams are left", created == TRACE_SYS_MAX - 1);
    CHECK("create", "and no more", posix_trace_create(0, NULL, &one_more) == EAGAIN);
    for (int i = 0; i < TRACE_SYS_MAX - 1; i++) {
        (void)posix_trace_shutdown(trids[i]);
    }
    CHECK("create", "rtl_ktrace_stop() returns 0", rtl_ktrace_stop() == 0);
}

void suite_kernel(void)
{
    if (side_has_kernel()) {
        check_kernel();
        check_filtered();
        check_logged();
    }
    check_ktrace();
    types_limit();
}
