/* TraceEvent(): a table of commands, and the functions that execute them. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>

#include "classes.h"
#include "tickertape/filter.h"
#include "tickertape/qnx.h"
#include "tickertape/tickertape.h"

#define STREAM  0u
#define VERSION 101 /* version of the interface: 1.01 */

/* Return the error number of a result; `state` is the one for TT_ERROR_STATE. */
static int answer(int result, int state)
{
    return result == TT_OK ? 0 : result == TT_ERROR_STATE ? -state : -ENOTSUP;
}

/* Actions on recorded events (classes.h). */
static int take(uint32_t event_class, uint32_t event, const void *argument)
{
    return tt_select_event(STREAM, event_class, event, *(const bool *)argument);
}

static int widen(uint32_t event_class, uint32_t event, const void *argument)
{
    return tt_set_wide(event_class, event, *(const bool *)argument);
}

typedef struct thread {
    uint32_t pid;
    uint32_t tid;
} thread_t;

static int filter(uint32_t event_class, uint32_t event, const void *argument)
{
    const thread_t *thread = argument;
    return tt_set_thread_filter(event_class, event, thread->pid, thread->tid);
}

/* Handler of the recorder that calls a handler of TraceEvent(). */
static bool ask(const tt_event_view_t *view)
{
    event_data_t data = *(const event_data_t *)view->context;
    data.header = view->header;
    data.data_array = view->data;
    data.el_num = view->word_count;
    data.feature_mask = 1u << _NTO_TRACE_FIPID | 1u << _NTO_TRACE_FITID;
    data.feature[_NTO_TRACE_FIPID] = view->pid;
    data.feature[_NTO_TRACE_FITID] = view->tid;
    return data.handler(&data) != 0;
}

struct binding {
    event_data_t *data;
};

static int attach(uint32_t event_class, uint32_t event, const void *argument)
{
    const struct binding *binding = argument;
    return tt_add_handler(event_class, event, ask, binding->data);
}

static int detach(uint32_t event_class, uint32_t event, const void *argument)
{
    (void)argument;
    return tt_remove_handler(event_class, event);
}

static bool is_ready(void)
{
    return tt_clock_hz() != 0u;
}

static int waiting_records(void)
{
    uint64_t waiting = 0;
    for (uint32_t cpu = 0; cpu < TT_RING_CPUS; cpu++) {
        tt_ring_status_t status;
        (void)tt_ring_status(STREAM, cpu, &status);
        waiting += status.offered - status.dropped - status.overwritten - status.sent;
    }
    return (int)waiting;
}

/* Commands. -------------------------------------------------------------------------------------
 */

/* A command being executed: the value in its row, its class and event, and its other arguments. */
typedef struct call {
    int value;
    uint32_t outer; /* class of TraceEvent() */
    uint32_t event;
    va_list arguments;
} call_t;

static int give(call_t *call)
{
    return call->value;
}

static int start(call_t *call)
{
    bool with_state = call->value != 0;
    return answer(with_state ? tt_start(STREAM) : tt_start_without_state(STREAM), ECANCELED);
}

static int stop(call_t *call)
{
    (void)call;
    return is_ready() ? answer(tt_stop(STREAM), ECANCELED) : -ECANCELED;
}

static int flush(call_t *call)
{
    (void)call;
    if (!is_ready()) {
        return -EFAULT;
    }
    tt_flush_all(STREAM);
    return 0;
}

static int query_events(call_t *call)
{
    (void)call;
    return is_ready() ? waiting_records() : -EFAULT;
}

static int set_policy(call_t *call)
{
    return answer(tt_set_policy(STREAM, (uint32_t)call->value), ECANCELED);
}

static int select_all(call_t *call)
{
    return answer(tt_select_all(STREAM, call->value != 0), ECANCELED);
}

static int widen_all(call_t *call)
{
    for (uint32_t i = 0; i < TT_CLASS_COUNT; i++) {
        (void)tt_set_wide(i, TT_EVERY_EVENT, call->value != 0);
    }
    return 0;
}

static int select_events(call_t *call)
{
    const bool yes = call->value != 0;
    return answer(qnx_for_each(call->outer, call->event, false, take, &yes), ENOMEM);
}

static int widen_events(call_t *call)
{
    const bool yes = call->value != 0;
    return answer(qnx_for_each(call->outer, call->event, false, widen, &yes), ECANCELED);
}

/* Set a filter. `value` is the number of words that select a thread: 1 pid, 2 pid and tid; 0
 * removes the filter. */
static int set_filter(call_t *call)
{
    thread_t thread = {0, 0};
    if (call->value > 0) {
        thread.pid = va_arg(call->arguments, uint32_t);
    }
    if (call->value > 1) {
        thread.tid = va_arg(call->arguments, uint32_t);
    }
    return answer(qnx_for_each(call->outer, call->event, true, filter, &thread), ENOMEM);
}

static int add_handler(call_t *call)
{
    trace_handler_t handler = va_arg(call->arguments, trace_handler_t);
    const struct binding binding = {va_arg(call->arguments, event_data_t *)};
    if (handler == NULL || binding.data == NULL) {
        return -ENOTSUP;
    }
    binding.data->handler = handler;
    return answer(qnx_for_each(call->outer, call->event, true, attach, &binding), ENOMEM);
}

static int remove_handler(call_t *call)
{
    return answer(qnx_for_each(call->outer, call->event, true, detach, NULL), EINVAL);
}

static int insert_words(call_t *call)
{
    uint32_t data0 = va_arg(call->arguments, uint32_t);
    tt_add_event(call->outer, call->event, data0, va_arg(call->arguments, uint32_t));
    return 0;
}

static int insert_buffer(call_t *call)
{
    const void *words = va_arg(call->arguments, const void *);
    uint32_t count = va_arg(call->arguments, uint32_t);
    tt_add_buffer(call->outer, call->event, words, count * (uint32_t)sizeof(uint32_t));
    return 0;
}

static int insert_string(call_t *call)
{
    tt_add_string(call->outer, call->event, va_arg(call->arguments, const char *));
    return 0;
}

/* The arguments begin with a header and a time; the recorder takes its own time. */
static int insert_raw(call_t *call)
{
    uint32_t header = va_arg(call->arguments, uint32_t);
    (void)va_arg(call->arguments, uint32_t);
    call->outer = tt_record_class(header);
    call->event = tt_record_event(header);
    return insert_words(call);
}

/* The first arguments of a command. */
typedef enum subject {
    NONE,
    CLASS,     /* a class, all its events */
    EVENT,     /* a class and an event */
    NEW_USER,  /* an event of class USER to insert: `outer` is the recorded class */
    NEW_EVENT, /* a class and an event to insert: as NEW_USER */
} subject_t;

static const struct command {
    uint32_t number;
    int (*run)(call_t *call);
    int value;
    uint8_t subject; /* subject_t */
} commands[] = {
    {_NTO_TRACE_ADDALLCLASSES, select_all, true, NONE},
    {_NTO_TRACE_DELALLCLASSES, select_all, false, NONE},
    {_NTO_TRACE_ADDCLASS, select_events, true, CLASS},
    {_NTO_TRACE_DELCLASS, select_events, false, CLASS},
    {_NTO_TRACE_ADDEVENT, select_events, true, EVENT},
    {_NTO_TRACE_DELEVENT, select_events, false, EVENT},
    {_NTO_TRACE_ADDEVENTHANDLER, add_handler, 0, EVENT},
    {_NTO_TRACE_DELEVENTHANDLER, remove_handler, 0, EVENT},
    {_NTO_TRACE_ADDCLASSEVHANDLER, add_handler, 0, CLASS},
    {_NTO_TRACE_DELCLASSEVHANDLER, remove_handler, 0, CLASS},
    {_NTO_TRACE_START, start, true, NONE},
    {_NTO_TRACE_STARTNOSTATE, start, false, NONE},
    {_NTO_TRACE_STOP, stop, 0, NONE},
    {_NTO_TRACE_ALLOCBUFFER, give, -EEXIST, NONE},
    {_NTO_TRACE_FLUSHBUFFER, flush, 0, NONE},
    {_NTO_TRACE_QUERYEVENTS, query_events, 0, NONE},
    {_NTO_TRACE_SETALLCLASSESFAST, widen_all, false, NONE},
    {_NTO_TRACE_SETALLCLASSESWIDE, widen_all, true, NONE},
    {_NTO_TRACE_SETCLASSFAST, widen_events, false, CLASS},
    {_NTO_TRACE_SETCLASSWIDE, widen_events, true, CLASS},
    {_NTO_TRACE_SETEVENTFAST, widen_events, false, EVENT},
    {_NTO_TRACE_SETEVENTWIDE, widen_events, true, EVENT},
    {_NTO_TRACE_SETCLASSPID, set_filter, 1, CLASS},
    {_NTO_TRACE_SETCLASSTID, set_filter, 2, CLASS},
    {_NTO_TRACE_CLRCLASSPID, set_filter, 0, CLASS},
    {_NTO_TRACE_CLRCLASSTID, set_filter, 0, CLASS},
    {_NTO_TRACE_SETEVENTPID, set_filter, 1, EVENT},
    {_NTO_TRACE_SETEVENTTID, set_filter, 2, EVENT},
    {_NTO_TRACE_CLREVENTPID, set_filter, 0, EVENT},
    {_NTO_TRACE_CLREVENTTID, set_filter, 0, EVENT},
    {_NTO_TRACE_INSERTSUSEREVENT, insert_words, 0, NEW_USER},
    {_NTO_TRACE_INSERTCUSEREVENT, insert_buffer, 0, NEW_USER},
    {_NTO_TRACE_INSERTUSRSTREVENT, insert_string, 0, NEW_USER},
    {_NTO_TRACE_INSERTSCLASSEVENT, insert_words, 0, NEW_EVENT},
    {_NTO_TRACE_INSERTCCLASSEVENT, insert_buffer, 0, NEW_EVENT},
    {_NTO_TRACE_INSERTEVENT, insert_raw, 0, NONE},
    {_NTO_TRACE_SETRINGMODE, set_policy, TT_POLICY_OVERWRITE, NONE},
    {_NTO_TRACE_OVERWRITEBUFFER, set_policy, TT_POLICY_OVERWRITE, NONE},
    {_NTO_TRACE_SETLINEARMODE, set_policy, TT_POLICY_UNTIL_FULL, NONE},
    {_NTO_TRACE_SKIPBUFFER, set_policy, TT_POLICY_DROP, NONE},
    {_NTO_TRACE_QUERYVERSION, give, VERSION, NONE},
    {_NTO_TRACE_QUERYSUPPORT, give, 1, NONE},
};

static int run(const struct command *command, call_t *call)
{
    call->value = command->value;
    call->outer = _NTO_TRACE_USER;
    call->event = QNX_EVERY_EVENT;
    if (command->subject != NONE && command->subject != NEW_USER) {
        call->outer = va_arg(call->arguments, uint32_t);
    }
    if (command->subject >= EVENT) {
        call->event = va_arg(call->arguments, uint32_t);
    }
    if (command->subject >= NEW_USER) {
        call->outer = qnx_recorded_class(call->outer);
        if (call->outer >= TT_CLASS_COUNT || call->event > TT_RECORD_EVENT_MASK) {
            return -ENOTSUP;
        }
    }
    return command->run(call);
}

int TraceEvent(uint32_t command, ...)
{
    call_t call;
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (commands[i].number == command) {
            va_start(call.arguments, command);
            int result = run(&commands[i], &call);
            va_end(call.arguments);
            return result;
        }
    }
    return -ENOTSUP;
}
