/*
 * Cases for the commands of TraceEvent(). The console lists failures; exit code 0: there are none.
 * The cases read the recorder's counters; no link carries the records.
 */
#include <errno.h>
#include <stddef.h>

#include "board.h"
#include "kernel.h"
#include "tickertape/add.h"
#include "tickertape/emitters.h"
#include "tickertape/filter.h"
#include "tickertape/qnx.h"
#include "tickertape/tickertape.h"

#define MUTEX_LOCK TT_KERCALL_SYNC_MUTEX_LOCK

static int failures;

static void tell(const char *what)
{
    failures++;
    board_console_write("does not hold: ");
    board_console_write(what);
    board_console_write("\n");
}

#define EXPECT(condition) ((condition) ? (void)0 : tell(#condition))

static uint32_t room_bytes(void *context)
{
    (void)context;
    return 1u << 20;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
}

static uint32_t running_pid;
static uint32_t running_tid;

static void current_thread(uint32_t *pid, uint32_t *tid)
{
    *pid = running_pid;
    *tid = running_tid;
}

static uint32_t offered(void)
{
    tt_ring_status_t status;
    (void)tt_ring_status(0, 0, &status);
    return (uint32_t)status.offered;
}

/* Each of these functions records one event and returns the number of its records. */
static uint32_t by_user(uint32_t event)
{
    uint32_t before = offered();
    tt_add_event(TT_CLASS_USER, event, 1, 2);
    return offered() - before;
}

static uint32_t by_call(void)
{
    uint32_t before = offered();
    tt_emit_kercall_enter(MUTEX_LOCK, 1, 2, 3, 4, 5, 6);
    return offered() - before;
}

static uint32_t by_return(void)
{
    uint32_t before = offered();
    tt_emit_kercall_exit(MUTEX_LOCK, 0, 0, 1, 2);
    return offered() - before;
}

static uint32_t by_state(void)
{
    uint32_t before = offered();
    tt_emit_thread_ready(0, 1, 2, 0, 3);
    return offered() - before;
}

static uint32_t by_process(void)
{
    uint32_t before = offered();
    tt_emit_thread_process_create(0, 3, "logger");
    tt_emit_thread_process_destroy(0, 3);
    return offered() - before;
}

static uint32_t by_interrupt(void)
{
    uint32_t before = offered();
    tt_emit_int_entry(25, 0, 7);
    return offered() - before;
}

static void before_it_is_ready(void)
{
    EXPECT(TraceEvent(_NTO_TRACE_QUERYSUPPORT) == 1);
    EXPECT(TraceEvent(_NTO_TRACE_QUERYVERSION) > 0);
    EXPECT(TraceEvent(_NTO_TRACE_START) == -ECANCELED);
    EXPECT(TraceEvent(_NTO_TRACE_STOP) == -ECANCELED);
    EXPECT(TraceEvent(_NTO_TRACE_FLUSHBUFFER) == -EFAULT);
    EXPECT(TraceEvent(_NTO_TRACE_QUERYEVENTS) == -EFAULT);
}

static void it_starts_and_stops(void)
{
    EXPECT(TraceEvent(_NTO_TRACE_ALLOCBUFFER, 4u, (void *)NULL) == -EEXIST);
    EXPECT(TraceEvent(_NTO_TRACE_DEALLOCBUFFER) == -ENOTSUP);
    EXPECT(TraceEvent(TT_QNX_COMMAND(1, 99u)) == -ENOTSUP);
    EXPECT(TraceEvent(TT_QNX_COMMAND(2, 99u), 1u) == -ENOTSUP);
    EXPECT(TraceEvent(_NTO_TRACE_ADDCLASS, 17u) == -ENOTSUP);
    EXPECT(TraceEvent(_NTO_TRACE_SETRINGMODE) == 0);
    EXPECT(TraceEvent(_NTO_TRACE_SETLINEARMODE) == 0);
    EXPECT(TraceEvent(_NTO_TRACE_OVERWRITEBUFFER) == 0);
    EXPECT(TraceEvent(_NTO_TRACE_SKIPBUFFER) == 0);
    EXPECT(TraceEvent(_NTO_TRACE_STARTNOSTATE) == 0);
    EXPECT(TraceEvent(_NTO_TRACE_SETRINGMODE) == -ECANCELED);
    EXPECT(TraceEvent(_NTO_TRACE_STOP) == 0);
    EXPECT(by_user(1) == 0u);
    EXPECT(TraceEvent(_NTO_TRACE_START) == 0);
}

/* Events without their own entry in the route table. */
static void single_masks(void)
{
    EXPECT(TraceEvent(_NTO_TRACE_DELCLASS, _NTO_TRACE_USER) == 0);
    EXPECT(TraceEvent(_NTO_TRACE_ADDEVENT, _NTO_TRACE_USER, 1023u) == 0);
    EXPECT(by_user(1023) == 1u && by_user(1022) == 0u && by_user(31) == 0u);
    EXPECT(TraceEvent(_NTO_TRACE_ADDCLASS, _NTO_TRACE_USER) == 0);
    EXPECT(TraceEvent(_NTO_TRACE_DELEVENT, _NTO_TRACE_USER, 100u) == 0);
    EXPECT(by_user(100) == 0u && by_user(101) == 1u && by_user(1023) == 1u);
    for (uint32_t i = 1; i < TT_CONFIG_EVENT_MASKS; i++) {
        EXPECT(TraceEvent(_NTO_TRACE_DELEVENT, _NTO_TRACE_USER, 100u + i) == 0);
    }
    EXPECT(TraceEvent(_NTO_TRACE_DELEVENT, _NTO_TRACE_USER, 900u) == -ENOMEM);
    EXPECT(by_user(900) == 1u);
    EXPECT(TraceEvent(_NTO_TRACE_ADDEVENT, _NTO_TRACE_USER, 100u) == 0);
    EXPECT(TraceEvent(_NTO_TRACE_DELEVENT, _NTO_TRACE_USER, 900u) == 0);
    EXPECT(by_user(900) == 0u && by_user(100) == 1u);
    EXPECT(TraceEvent(_NTO_TRACE_ADDCLASS, _NTO_TRACE_USER) == 0);
    EXPECT(by_user(900) == 1u && by_user(101) == 1u);
}

static void masks(void)
{
    EXPECT(by_user(1) == 0u);
    EXPECT(TraceEvent(_NTO_TRACE_ADDEVENT, _NTO_TRACE_USER, 1u) == 0);
    EXPECT(by_user(1) == 1u && by_user(2) == 0u);
    EXPECT(TraceEvent(_NTO_TRACE_ADDCLASS, _NTO_TRACE_USER) == 0);
    EXPECT(TraceEvent(_NTO_TRACE_DELEVENT, _NTO_TRACE_USER, 1u) == 0);
    EXPECT(by_user(1) == 0u && by_user(2) == 1u);
    EXPECT(TraceEvent(_NTO_TRACE_ADDEVENT, _NTO_TRACE_USER, 1024u) == -ENOTSUP);
    EXPECT(TraceEvent(_NTO_TRACE_ADDCLASS, _NTO_TRACE_KERCALLENTER) == 0);
    EXPECT(by_call() == 1u && by_return() == 0u);
    EXPECT(TraceEvent(_NTO_TRACE_DELCLASS, _NTO_TRACE_KERCALLENTER) == 0);
    EXPECT(TraceEvent(_NTO_TRACE_ADDEVENT, _NTO_TRACE_KERCALL, (uint32_t)MUTEX_LOCK) == 0);
    EXPECT(by_call() == 1u && by_return() == 1u);
    EXPECT(TraceEvent(_NTO_TRACE_DELEVENT, _NTO_TRACE_KERCALLEXIT, (uint32_t)MUTEX_LOCK) == 0);
    EXPECT(by_call() == 1u && by_return() == 0u);
    EXPECT(TraceEvent(_NTO_TRACE_ADDEVENT, _NTO_TRACE_THREAD, 1u << TT_THREAD_READY) == 0);
    EXPECT(by_state() == 1u);
    EXPECT(TraceEvent(_NTO_TRACE_ADDEVENT, _NTO_TRACE_THREAD, 3u) == -ENOTSUP);
    EXPECT(TraceEvent(_NTO_TRACE_ADDCLASS, _NTO_TRACE_PROCESS) == 0);
    EXPECT(by_process() == 4u); /* the creation with its name has three */
    EXPECT(TraceEvent(_NTO_TRACE_DELEVENT, _NTO_TRACE_PROCESS, 1u << 2) == 0);
    EXPECT(by_process() == 1u);
    EXPECT(TraceEvent(_NTO_TRACE_DELCLASS, _NTO_TRACE_PROCESS) == 0);
    EXPECT(by_process() == 0u && by_state() == 1u);
    EXPECT(TraceEvent(_NTO_TRACE_DELCLASS, _NTO_TRACE_THREAD) == 0);
    EXPECT(by_state() == 0u);
    EXPECT(TraceEvent(_NTO_TRACE_ADDEVENT, _NTO_TRACE_PROCESS, 1u << 1) == 0);
    EXPECT(by_process() == 1u);
    EXPECT(TraceEvent(_NTO_TRACE_DELCLASS, _NTO_TRACE_PROCESS) == 0);
    EXPECT(TraceEvent(_NTO_TRACE_ADDCLASS, _NTO_TRACE_INTENTER) == 0);
    EXPECT(by_interrupt() == 1u);
    EXPECT(TraceEvent(_NTO_TRACE_ADDEVENT, _NTO_TRACE_INTENTER, 5u) == -ENOTSUP);
    single_masks();
    EXPECT(TraceEvent(_NTO_TRACE_DELALLCLASSES) == 0);
    EXPECT(by_interrupt() == 0u && by_user(2) == 0u);
    EXPECT(TraceEvent(_NTO_TRACE_ADDALLCLASSES) == 0);
    EXPECT(by_interrupt() == 1u && by_user(2) == 1u);
}

static void forms(void)
{
    EXPECT(TraceEvent(_NTO_TRACE_SETEVENTWIDE, _NTO_TRACE_KERCALL, (uint32_t)MUTEX_LOCK) == 0);
    EXPECT(by_call() == 4u && by_return() == 3u && by_state() == 1u);
    EXPECT(TraceEvent(_NTO_TRACE_SETCLASSFAST, _NTO_TRACE_KERCALLEXIT) == 0);
    EXPECT(by_call() == 4u && by_return() == 1u);
    EXPECT(TraceEvent(_NTO_TRACE_SETALLCLASSESWIDE) == 0);
    EXPECT(by_state() == 3u && by_interrupt() == 2u);
    EXPECT(TraceEvent(_NTO_TRACE_SETCLASSFAST, _NTO_TRACE_THREAD) == 0);
    EXPECT(by_state() == 1u && by_interrupt() == 2u);
    EXPECT(TraceEvent(_NTO_TRACE_SETEVENTWIDE, _NTO_TRACE_THREAD, 1u << TT_THREAD_READY) == 0);
    EXPECT(by_state() == 3u);
    EXPECT(TraceEvent(_NTO_TRACE_SETALLCLASSESFAST) == 0);
    EXPECT(by_call() == 1u && by_state() == 1u && by_interrupt() == 1u);
}

static void threads(void)
{
    EXPECT(TraceEvent(_NTO_TRACE_SETCLASSPID, _NTO_TRACE_USER, 3u) == 0);
    EXPECT(by_user(1) == 0u);
    running_pid = 3;
    EXPECT(by_user(1) == 1u);
    EXPECT(TraceEvent(_NTO_TRACE_SETCLASSTID, _NTO_TRACE_USER, 3u, 5u) == 0);
    EXPECT(by_user(1) == 0u);
    running_tid = 5;
    EXPECT(by_user(1) == 1u);
    EXPECT(TraceEvent(_NTO_TRACE_SETEVENTTID, _NTO_TRACE_USER, 2u, 0u, 6u) == 0);
    EXPECT(by_user(1) == 1u && by_user(2) == 0u);
    EXPECT(TraceEvent(_NTO_TRACE_CLREVENTTID, _NTO_TRACE_USER, 2u) == 0);
    EXPECT(by_user(2) == 1u);
    EXPECT(TraceEvent(_NTO_TRACE_SETEVENTPID, _NTO_TRACE_KERCALL, (uint32_t)MUTEX_LOCK, 9u) == 0);
    EXPECT(by_call() == 0u && by_return() == 0u);
    EXPECT(TraceEvent(_NTO_TRACE_CLREVENTPID, _NTO_TRACE_KERCALL, (uint32_t)MUTEX_LOCK) == 0);
    EXPECT(by_call() == 1u && by_return() == 1u);
    EXPECT(TraceEvent(_NTO_TRACE_SETCLASSPID, _NTO_TRACE_KERCALLENTER, 9u) == -ENOTSUP);
    EXPECT(TraceEvent(_NTO_TRACE_CLRCLASSTID, _NTO_TRACE_USER) == 0);
    running_pid = 0;
    running_tid = 1;
    EXPECT(by_user(1) == 1u);
    for (uint32_t i = 0; i < TT_CONFIG_FILTERS; i++) {
        EXPECT(TraceEvent(_NTO_TRACE_SETEVENTPID, _NTO_TRACE_USER, i, 9u) == 0);
    }
    EXPECT(TraceEvent(_NTO_TRACE_SETEVENTPID, _NTO_TRACE_USER, 30u, 9u) == -ENOMEM);
    tt_clear_filters();
}

static event_data_t seen;
static uint32_t seen_word; /* last word: data_array is valid only inside the handler */
static int verdict;

static int look(event_data_t *data)
{
    uint32_t *calls = data->area;
    ++*calls;
    seen = *data;
    seen_word = data->data_array[data->el_num - 1u];
    return verdict;
}

static void handlers(void)
{
    static event_data_t class_data;
    static event_data_t event_data;
    static uint32_t class_calls;
    static uint32_t event_calls;
    class_data.area = &class_calls;
    event_data.area = &event_calls;
    EXPECT(TraceEvent(_NTO_TRACE_ADDCLASSEVHANDLER, _NTO_TRACE_USER, look, &class_data) == 0);
    EXPECT(TraceEvent(_NTO_TRACE_ADDEVENTHANDLER, _NTO_TRACE_USER, 1u, look, &event_data) == 0);
    EXPECT(by_user(1) == 0u && class_calls == 1u && event_calls == 0u);
    verdict = 1;
    EXPECT(by_user(1) == 1u && class_calls == 2u && event_calls == 1u);
    EXPECT(seen.el_num == 2u && seen_word == 2u && seen.feature[_NTO_TRACE_FITID] == 1u);
    EXPECT(_NTO_TRACE_GETEVENT_C(seen.header) == TT_CLASS_USER);
    EXPECT(_NTO_TRACE_GETEVENT(seen.header) == 1u && seen.feature_mask == 3u);
    EXPECT(TraceEvent(_NTO_TRACE_DELCLASSEVHANDLER, _NTO_TRACE_USER) == 0);
    EXPECT(by_user(1) == 1u && class_calls == 2u && event_calls == 2u);
    EXPECT(TraceEvent(_NTO_TRACE_DELEVENTHANDLER, _NTO_TRACE_USER, 1u) == 0);
    EXPECT(TraceEvent(_NTO_TRACE_DELEVENTHANDLER, _NTO_TRACE_USER, 1u) == -EINVAL);
    EXPECT(by_user(1) == 1u && event_calls == 2u);
}

static uint32_t inserted_since(uint32_t before)
{
    return offered() - before;
}

static void events(void)
{
    static const uint32_t words[3] = {1, 2, 3};
    uint32_t before = offered();
    EXPECT(TraceEvent(_NTO_TRACE_INSERTSUSEREVENT, 7u, 1u, 2u) == 0);
    EXPECT(inserted_since(before) == 1u);
    EXPECT(TraceEvent(_NTO_TRACE_INSERTCUSEREVENT, 7u, words, 3u) == 0);
    EXPECT(inserted_since(before) == 3u);
    EXPECT(TraceEvent(_NTO_TRACE_INSERTUSRSTREVENT, 7u, "twelve bytes") == 0);
    EXPECT(inserted_since(before) == 5u);
    EXPECT(TraceEvent(_NTO_TRACE_INSERTEVENT, _TRACE_MAKE_CODE(TT_CLASS_COMM, 2u), 0u, 1u, 2u) ==
           0);
    EXPECT(inserted_since(before) == 6u);
    EXPECT(TraceEvent(_NTO_TRACE_INSERTSCLASSEVENT, _NTO_TRACE_SYSTEM, 10u, 1u, 2u) == 0);
    EXPECT(TraceEvent(_NTO_TRACE_INSERTCCLASSEVENT, _NTO_TRACE_SYSTEM, 10u, words, 3u) == 0);
    EXPECT(inserted_since(before) == 9u);
    EXPECT(TraceEvent(_NTO_TRACE_INSERTSCLASSEVENT, 99u, 10u, 1u, 2u) == -ENOTSUP);
    /* An event without this number is refused, not recorded as another. */
    EXPECT(TraceEvent(_NTO_TRACE_INSERTSUSEREVENT, 1024u, 1u, 2u) == -ENOTSUP);
    EXPECT(TraceEvent(_NTO_TRACE_INSERTSUSEREVENT, 5000u, 1u, 2u) == -ENOTSUP);
    EXPECT(TraceEvent(_NTO_TRACE_INSERTUSRSTREVENT, 5000u, "text") == -ENOTSUP);
    EXPECT(TraceEvent(_NTO_TRACE_INSERTSCLASSEVENT, _NTO_TRACE_USER, 5000u, 1u, 2u) == -ENOTSUP);
    EXPECT(inserted_since(before) == 9u);
    EXPECT(TraceEvent(_NTO_TRACE_DELCLASS, _NTO_TRACE_USER) == 0);
    EXPECT(TraceEvent(_NTO_TRACE_INSERTSUSEREVENT, 7u, 1u, 2u) == 0);
    EXPECT(inserted_since(before) == 9u);
}

static void flushing(void)
{
    int waiting = TraceEvent(_NTO_TRACE_QUERYEVENTS);
    tt_ring_status_t status;
    (void)tt_ring_status(0, 0, &status);
    EXPECT(waiting > 0 && (uint64_t)waiting == status.offered - status.dropped);
    EXPECT(TraceEvent(_NTO_TRACE_FLUSHBUFFER) == 0);
    while (tt_drain_step()) {
    }
    EXPECT(TraceEvent(_NTO_TRACE_QUERYEVENTS) == 0);
}

static void check(void *argument)
{
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    static const tt_target_t target = {
        .name = "qnx", .tick_hz = BOARD_CLOCK_HZ, .current_thread = current_thread};
    (void)argument;
    before_it_is_ready();
    EXPECT(tt_init(&target, &link) == TT_OK);
    running_tid = 1;
    it_starts_and_stops();
    masks();
    forms();
    threads();
    handlers();
    events();
    flushing();
    EXPECT(TraceEvent(_NTO_TRACE_STOP) == 0);
    board_exit(failures == 0 ? 0 : 1);
}

void application_main(void)
{
#if BOARD_BARE_METAL
    check(NULL);
#else
    static kernel_thread_t thread;
    static _Alignas(8) uint8_t stack[8192];
    (void)kernel_thread_create(&thread, "qnx", check, NULL, 10, stack, sizeof stack);
    kernel_start();
#endif
}
