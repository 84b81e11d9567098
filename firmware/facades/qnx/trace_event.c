/* TraceEvent(): commands by number, with the arguments that each has. */
#include <errno.h>
#include <stdarg.h>
#include <stddef.h>

#include "classes.h"
#include "tickertape/filter.h"
#include "tickertape/qnx.h"
#include "tickertape/tickertape.h"

#define STREAM  0u
#define VERSION 101 /* of the interface: 1.01 */

/* The error number of a result; `state` is what "not now" means to this command. */
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

/* What the recorder's handler sees, as one of QNX sees it. */
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

static int add_handler(uint32_t outer, uint32_t event, trace_handler_t handler, event_data_t *data)
{
    if (handler == NULL || data == NULL) {
        return -ENOTSUP;
    }
    data->handler = handler;
    const struct binding binding = {data};
    return answer(qnx_for_each(outer, event, true, attach, &binding), ENOMEM);
}

static int set_wide_everywhere(bool wide)
{
    for (uint32_t i = 0; i < TT_CLASS_COUNT; i++) {
        (void)tt_set_wide(i, TT_EVERY_EVENT, wide);
    }
    return 0;
}

static bool is_ready(void)
{
    return tt_clock_hz() != 0u;
}

static int waiting_records(void)
{
    uint64_t waiting = 0;
    for (uint32_t cpu = 0; cpu < TT_CONFIG_CPUS; cpu++) {
        tt_ring_status_t status;
        (void)tt_ring_status(STREAM, cpu, &status);
        waiting += status.offered - status.dropped - status.overwritten - status.sent;
    }
    return (int)waiting;
}

static int flush(void)
{
    tt_flush_all(STREAM);
    return 0;
}

/* Commands without arguments. */
static int plain(uint32_t command)
{
    switch (command) {
    case _NTO_TRACE_ADDALLCLASSES:
    case _NTO_TRACE_DELALLCLASSES:
        return answer(tt_select_all(STREAM, command == _NTO_TRACE_ADDALLCLASSES), ECANCELED);
    case _NTO_TRACE_START:
        return answer(tt_start(STREAM), ECANCELED);
    case _NTO_TRACE_STARTNOSTATE:
        return answer(tt_start_without_state(STREAM), ECANCELED);
    case _NTO_TRACE_STOP:
        return is_ready() ? answer(tt_stop(STREAM), ECANCELED) : -ECANCELED;
    case _NTO_TRACE_DEALLOCBUFFER:
        return -ENOTSUP;
    case _NTO_TRACE_FLUSHBUFFER:
        return is_ready() ? flush() : -EFAULT;
    case _NTO_TRACE_QUERYEVENTS:
        return is_ready() ? waiting_records() : -EFAULT;
    case _NTO_TRACE_SETALLCLASSESFAST:
    case _NTO_TRACE_SETALLCLASSESWIDE:
        return set_wide_everywhere(command == _NTO_TRACE_SETALLCLASSESWIDE);
    case _NTO_TRACE_SETRINGMODE:
    case _NTO_TRACE_OVERWRITEBUFFER:
        return answer(tt_set_policy(STREAM, TT_POLICY_OVERWRITE), ECANCELED);
    case _NTO_TRACE_SETLINEARMODE:
        return answer(tt_set_policy(STREAM, TT_POLICY_UNTIL_FULL), ECANCELED);
    case _NTO_TRACE_SKIPBUFFER:
        return answer(tt_set_policy(STREAM, TT_POLICY_DROP), ECANCELED);
    case _NTO_TRACE_QUERYVERSION:
        return VERSION;
    case _NTO_TRACE_QUERYSUPPORT:
        return 1;
    default:
        return -ENOTSUP;
    }
}

/* Commands that begin with a class, and an event or QNX_EVERY_EVENT. */
static int of_class(uint32_t command, uint32_t outer, uint32_t event, va_list *arguments)
{
    const bool yes = true;
    const bool no = false;
    thread_t thread = {0, 0};
    switch (command) {
    case _NTO_TRACE_ADDCLASS:
    case _NTO_TRACE_ADDEVENT:
        return answer(qnx_for_each(outer, event, false, take, &yes), ECANCELED);
    case _NTO_TRACE_DELCLASS:
    case _NTO_TRACE_DELEVENT:
        return answer(qnx_for_each(outer, event, false, take, &no), ECANCELED);
    case _NTO_TRACE_SETCLASSWIDE:
    case _NTO_TRACE_SETEVENTWIDE:
        return answer(qnx_for_each(outer, event, false, widen, &yes), ECANCELED);
    case _NTO_TRACE_SETCLASSFAST:
    case _NTO_TRACE_SETEVENTFAST:
        return answer(qnx_for_each(outer, event, false, widen, &no), ECANCELED);
    case _NTO_TRACE_SETCLASSTID:
    case _NTO_TRACE_SETEVENTTID:
        thread.pid = va_arg(*arguments, uint32_t);
        thread.tid = va_arg(*arguments, uint32_t);
        break;
    case _NTO_TRACE_SETCLASSPID:
    case _NTO_TRACE_SETEVENTPID:
        thread.pid = va_arg(*arguments, uint32_t);
        break;
    case _NTO_TRACE_DELEVENTHANDLER:
    case _NTO_TRACE_DELCLASSEVHANDLER:
        return answer(qnx_for_each(outer, event, true, detach, NULL), EINVAL);
    default: /* CLR...: without a thread there is no filter */
        break;
    }
    return answer(qnx_for_each(outer, event, true, filter, &thread), ENOMEM);
}

static int insert(uint32_t command, uint32_t event_class, uint32_t event, va_list *arguments)
{
    if (command == _NTO_TRACE_INSERTUSRSTREVENT) {
        tt_add_string(event_class, event, va_arg(*arguments, const char *));
    } else if (command == _NTO_TRACE_INSERTCUSEREVENT || command == _NTO_TRACE_INSERTCCLASSEVENT) {
        const void *words = va_arg(*arguments, const void *);
        tt_add_buffer(event_class, event, words, va_arg(*arguments, uint32_t) * sizeof(uint32_t));
    } else {
        uint32_t data0 = va_arg(*arguments, uint32_t);
        tt_add_event(event_class, event, data0, va_arg(*arguments, uint32_t));
    }
    return 0;
}

static int insert_of_class(uint32_t command, va_list *arguments)
{
    uint32_t event_class = qnx_recorded_class(va_arg(*arguments, uint32_t));
    uint32_t event = va_arg(*arguments, uint32_t);
    if (event_class >= TT_CLASS_COUNT) {
        return -ENOTSUP;
    }
    return insert(command, event_class, event & TT_RECORD_EVENT_MASK, arguments);
}

static int insert_raw(va_list *arguments)
{
    uint32_t header = va_arg(*arguments, uint32_t);
    (void)va_arg(*arguments, uint32_t); /* the recorder takes the time itself */
    return insert(_NTO_TRACE_INSERTEVENT, _NTO_TRACE_GETEVENT_C(header),
                  _NTO_TRACE_GETEVENT(header), arguments);
}

static int handler_of_class(uint32_t command, va_list *arguments)
{
    uint32_t outer = va_arg(*arguments, uint32_t);
    uint32_t event = QNX_EVERY_EVENT;
    if (command == _NTO_TRACE_ADDEVENTHANDLER) {
        event = va_arg(*arguments, uint32_t);
    }
    trace_handler_t handler = va_arg(*arguments, trace_handler_t);
    return add_handler(outer, event, handler, va_arg(*arguments, event_data_t *));
}

static int with_arguments(uint32_t command, va_list *arguments)
{
    uint32_t first;
    switch (command) {
    case _NTO_TRACE_ALLOCBUFFER:
        return -EEXIST;
    case _NTO_TRACE_INSERTEVENT:
        return insert_raw(arguments);
    case _NTO_TRACE_INSERTSUSEREVENT:
    case _NTO_TRACE_INSERTCUSEREVENT:
    case _NTO_TRACE_INSERTUSRSTREVENT:
        first = va_arg(*arguments, uint32_t) & TT_RECORD_EVENT_MASK;
        return insert(command, TT_CLASS_USER, first, arguments);
    case _NTO_TRACE_INSERTSCLASSEVENT:
    case _NTO_TRACE_INSERTCCLASSEVENT:
        return insert_of_class(command, arguments);
    case _NTO_TRACE_ADDEVENTHANDLER:
    case _NTO_TRACE_ADDCLASSEVHANDLER:
        return handler_of_class(command, arguments);
    case _NTO_TRACE_ADDCLASS:
    case _NTO_TRACE_DELCLASS:
    case _NTO_TRACE_SETCLASSFAST:
    case _NTO_TRACE_SETCLASSWIDE:
    case _NTO_TRACE_SETCLASSPID:
    case _NTO_TRACE_SETCLASSTID:
    case _NTO_TRACE_CLRCLASSPID:
    case _NTO_TRACE_CLRCLASSTID:
    case _NTO_TRACE_DELCLASSEVHANDLER:
        first = va_arg(*arguments, uint32_t);
        return of_class(command, first, QNX_EVERY_EVENT, arguments);
    case _NTO_TRACE_ADDEVENT:
    case _NTO_TRACE_DELEVENT:
    case _NTO_TRACE_SETEVENTFAST:
    case _NTO_TRACE_SETEVENTWIDE:
    case _NTO_TRACE_SETEVENTPID:
    case _NTO_TRACE_SETEVENTTID:
    case _NTO_TRACE_CLREVENTPID:
    case _NTO_TRACE_CLREVENTTID:
    case _NTO_TRACE_DELEVENTHANDLER:
        first = va_arg(*arguments, uint32_t);
        return of_class(command, first, va_arg(*arguments, uint32_t), arguments);
    default:
        return -ENOTSUP;
    }
}

int TraceEvent(uint32_t command, ...)
{
    va_list arguments;
    if (command >> 28 == 1u) {
        return plain(command);
    }
    va_start(arguments, command);
    int result = with_arguments(command, &arguments);
    va_end(arguments);
    return result;
}
