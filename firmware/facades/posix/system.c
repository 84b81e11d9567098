/*
 * Translates kernel events to system events of RTL-POSIX-Trace. A stream records the kernel's own
 * events, and the reader translates them. Some data of RTL-POSIX-Trace are in no record: the
 * calling task, a task's priority. A stream that takes any of these events therefore takes context
 * switches and priorities too; the reader follows them and reports only events that pass the
 * filter.
 */
#include "posix_stream.h"
#include "tickertape/events.h"
#include "tickertape/wire.h"

#define LAST_STATE 20u /* last state among the events of class THREAD */

/* Kernel events that are one POSIX event: numbers `first` to `last` of a class. */
typedef struct source {
    trace_event_id_t id; /* 0: needed to translate others */
    uint16_t event_class;
    uint16_t first;
    uint16_t last;
} source_t;

static const source_t sources[] = {
    {POSIX_TRACE_CONTEXT_SWITCH, TT_CLASS_SCHED, TT_SCHED_CONTEXT_SWITCH, TT_SCHED_CONTEXT_SWITCH},
    {POSIX_TRACE_TASK_STATE, TT_CLASS_THREAD, 0, LAST_STATE},
    {POSIX_TRACE_TASK_STATE, TT_CLASS_SCHED, TT_SCHED_ACTIVATION, TT_SCHED_ACTIVATION},
    {POSIX_TRACE_TASK_STATE, TT_CLASS_SCHED, TT_SCHED_COMPLETION, TT_SCHED_COMPLETION},
    {POSIX_TRACE_KERNEL_OVERHEAD, TT_CLASS_SCHED, TT_SCHED_OVERHEAD_BEGIN, TT_SCHED_OVERHEAD_BEGIN},
    {POSIX_TRACE_KERNEL_OVERHEAD, TT_CLASS_SCHED, TT_SCHED_OVERHEAD_END, TT_SCHED_OVERHEAD_END},
    {POSIX_TRACE_SYSTEM_CALL, TT_CLASS_KERCALL, 0, 127},
    {POSIX_TRACE_MUTEX_LOCK, TT_CLASS_SYNC, TT_SYNC_MUTEX_LOCK_GRANTED, TT_SYNC_MUTEX_LOCK_GRANTED},
    {POSIX_TRACE_MUTEX_LOCK, TT_CLASS_SYNC, TT_SYNC_MUTEX_LOCK_DENIED, TT_SYNC_MUTEX_LOCK_DENIED},
    {POSIX_TRACE_MUTEX_LOCK, TT_CLASS_SYNC, TT_SYNC_MUTEX_TRY_REFUSED, TT_SYNC_MUTEX_TRY_REFUSED},
    {POSIX_TRACE_MUTEX_UNLOCK, TT_CLASS_SYNC, TT_SYNC_MUTEX_UNLOCK, TT_SYNC_MUTEX_UNLOCK},
    {POSIX_TRACE_COND_WAIT, TT_CLASS_SYNC, TT_SYNC_COND_WAIT, TT_SYNC_COND_WAIT},
    {POSIX_TRACE_COND_BROADCAST, TT_CLASS_SYNC, TT_SYNC_COND_SIGNAL, TT_SYNC_COND_SIGNAL},
    {POSIX_TRACE_COND_BROADCAST, TT_CLASS_SYNC, TT_SYNC_COND_BROADCAST, TT_SYNC_COND_BROADCAST},
    {0, TT_CLASS_SCHED, TT_SCHED_PRIORITY, TT_SCHED_PRIORITY},
};

#define SOURCE_COUNT (sizeof sources / sizeof sources[0])

static bool wants_any(const trace_event_set_t *filter)
{
    for (uint32_t i = 0; i < SOURCE_COUNT; i++) {
        if (sources[i].id != 0 && !posix_is_member(filter, sources[i].id)) {
            return true;
        }
    }
    return false;
}

void posix_select_system(uint32_t stream, const trace_event_set_t *filter)
{
    bool any = wants_any(filter);
    for (uint32_t i = 0; i < SOURCE_COUNT; i++) {
        const source_t *source = &sources[i];
        bool is_help = source->id == 0 || source->id == POSIX_TRACE_CONTEXT_SWITCH;
        bool take = is_help ? any : !posix_is_member(filter, source->id);
        for (uint32_t event = source->first; event <= source->last; event++) {
            if (tt_selected(stream, source->event_class, event) != take) {
                (void)tt_select_event(stream, source->event_class, event, take);
            }
        }
    }
}

static trace_event_id_t id_of(uint32_t event_class, uint32_t event)
{
    for (uint32_t i = 0; i < SOURCE_COUNT; i++) {
        const source_t *source = &sources[i];
        if (source->event_class == event_class && event >= source->first && event <= source->last) {
            return source->id;
        }
    }
    return 0;
}

static void *task_of(uint32_t tid)
{
    return (void *)(uintptr_t)tid;
}

static void *object_of(uint32_t address)
{
    return (void *)(uintptr_t)address;
}

static bool knows_running(const posix_reader_t *reader)
{
    return reader->cpu < POSIX_CPUS && ((reader->running_known >> reader->cpu) & 1u) != 0u;
}

/* Return the task that ran on the CPU of the record; 0 also when it is unknown. */
static uint32_t running_tid(const posix_reader_t *reader)
{
    return knows_running(reader) ? reader->running[reader->cpu] : 0u;
}

static void *running(const posix_reader_t *reader)
{
    return task_of(running_tid(reader));
}

static void keep_running(posix_reader_t *reader, uint32_t tid)
{
    if (reader->cpu < POSIX_CPUS) {
        reader->running[reader->cpu] = tid;
        reader->running_known |= 1u << reader->cpu;
    }
}

/* Return the index of a task among those with a known priority; `task_count` when it is unknown. A
 * search, because task numbers may be addresses. */
static uint32_t place_of(const posix_reader_t *reader, uint32_t tid)
{
    uint32_t place = 0;
    while (place < reader->task_count && reader->tasks[place] != tid) {
        place++;
    }
    return place;
}

static void keep_priority(posix_reader_t *reader, uint32_t tid, uint32_t priority)
{
    uint32_t place = place_of(reader, tid);
    if (place == POSIX_TASKS) {
        return;
    }
    if (place == reader->task_count) {
        reader->tasks[place] = tid;
        reader->task_count++;
    }
    reader->priorities[place] = (int16_t)priority;
}

/* Return the priority of a task; -1 when it is unknown. */
static int priority_of(const posix_reader_t *reader, uint32_t tid)
{
    uint32_t place = place_of(reader, tid);
    return place < reader->task_count ? reader->priorities[place] : -1;
}

/* Return the index of a condition; `cond_count` when it is unknown. */
static uint32_t place_of_cond(const posix_reader_t *reader, uint32_t cond)
{
    uint32_t place = 0;
    while (place < reader->cond_count && reader->conds[place] != cond) {
        place++;
    }
    return place;
}

static void keep_mutex(posix_reader_t *reader, uint32_t cond, uint32_t mutex)
{
    uint32_t place = place_of_cond(reader, cond);
    if (place == POSIX_CONDS) {
        return;
    }
    reader->cond_count = place < reader->cond_count ? reader->cond_count : place + 1u;
    reader->conds[place] = cond;
    reader->mutexes[place] = mutex;
}

/* Return the mutex of the last wait for a condition; NULL when it is unknown. */
static void *mutex_of(const posix_reader_t *reader, uint32_t cond)
{
    uint32_t place = place_of_cond(reader, cond);
    return place < reader->cond_count ? object_of(reader->mutexes[place]) : NULL;
}

/* Update running task, priorities and mutexes from a record. */
static void follow(posix_reader_t *reader, uint32_t event_class, uint32_t event,
                   const uint32_t words[2])
{
    /* A running thread in a state dump. */
    bool is_dumped = event_class == TT_CLASS_THREAD && event == TT_THREAD_RUNNING;
    if (is_dumped || (event_class == TT_CLASS_SCHED && event == TT_SCHED_CONTEXT_SWITCH)) {
        keep_running(reader, words[1]);
    } else if (event_class == TT_CLASS_SCHED && event == TT_SCHED_PRIORITY) {
        keep_priority(reader, words[0], words[1]);
    } else if (event_class == TT_CLASS_SYNC && event == TT_SYNC_COND_WAIT) {
        keep_mutex(reader, words[0], words[1]);
    }
}

static void put_task(const posix_reader_t *reader, uint32_t tid, task_state_t state,
                     posix_data_t *data)
{
    const posix_trace_task_state_event_data info = {
        .task = task_of(tid),
        .priority = priority_of(reader, tid),
        .state = state,
        .is_linux = tid == 0u,
    };
    posix_data_add(data, &info, sizeof info);
}

static void put_state(const posix_reader_t *reader, uint32_t event_class, uint32_t event,
                      const uint32_t words[2], posix_data_t *data)
{
    if (event_class == TT_CLASS_SCHED) {
        put_task(reader, words[0],
                 event == TT_SCHED_ACTIVATION ? TASK_STATE_RELEASED : TASK_STATE_ENDED, data);
        return;
    }
    task_state_t state = event == TT_THREAD_DEAD ? TASK_STATE_ENDED
                         : event == TT_THREAD_RUNNING || event == TT_THREAD_READY
                             ? TASK_STATE_READY
                             : TASK_STATE_SUSPENDED;
    put_task(reader, words[1], state, data);
}

static void put_overhead(uint32_t event, const uint32_t words[2], posix_data_t *data)
{
    const posix_trace_overhead_event_data info = {
        .type = event == TT_SCHED_OVERHEAD_BEGIN ? OVERHEAD_START : OVERHEAD_END,
        .task = task_of(words[1]),
        .is_linux = words[1] == 0u,
    };
    posix_data_add(data, &info, sizeof info);
}

static void put_call(const posix_reader_t *reader, uint32_t event, posix_data_t *data)
{
    const posix_trace_syscall_event_data info = {
        .syscall = event,
        .task = running(reader),
        .is_linux = knows_running(reader) && running_tid(reader) == 0u,
    };
    posix_data_add(data, &info, sizeof info);
}

/* Granted locks and unlocks are calls of the owner, whom the record names; another thread, the
 * running one, makes calls that are denied. */
static void put_mutex(const posix_reader_t *reader, uint32_t event, const uint32_t words[2],
                      posix_data_t *data)
{
    bool by_owner = event == TT_SYNC_MUTEX_LOCK_GRANTED || event == TT_SYNC_MUTEX_UNLOCK;
    const posix_trace_mutex_event_data info = {
        .op = event == TT_SYNC_MUTEX_LOCK_GRANTED  ? MUTEX_LOCK_GRANTED
              : event == TT_SYNC_MUTEX_LOCK_DENIED ? MUTEX_LOCK_DENIED
              : event == TT_SYNC_MUTEX_TRY_REFUSED ? MUTEX_LOCK_TRIED
                                                   : MUTEX_UNLOCK,
        .mutex = object_of(words[0]),
        .task = by_owner ? task_of(words[1]) : running(reader),
    };
    posix_data_add(data, &info, sizeof info);
}

static void put_cond(const posix_reader_t *reader, uint32_t event, const uint32_t words[2],
                     posix_data_t *data)
{
    const posix_trace_cond_event_data info = {
        .op = event == TT_SYNC_COND_WAIT     ? COND_WAIT
              : event == TT_SYNC_COND_SIGNAL ? COND_SIGNAL
                                             : COND_BROADCAST,
        .task = running(reader),
        .cond = object_of(words[0]),
        .mutex = mutex_of(reader, words[0]),
    };
    posix_data_add(data, &info, sizeof info);
}

bool posix_translate(posix_reader_t *reader, const tt_record_t *record, posix_found_t *found,
                     posix_data_t *data)
{
    uint32_t event_class = tt_record_class(record->header);
    uint32_t event = tt_record_event(record->header);
    reader->cpu = (record->header & TT_RECORD_CPU_MASK) >> TT_RECORD_CPU_FIRST_BIT;
    follow(reader, event_class, event, record->data);
    found->id = id_of(event_class, event);
    found->thread = running_tid(reader);
    switch (found->id) {
    case POSIX_TRACE_CONTEXT_SWITCH:
        put_task(reader, record->data[1], TASK_STATE_READY, data);
        return true;
    case POSIX_TRACE_TASK_STATE:
        put_state(reader, event_class, event, record->data, data);
        return true;
    case POSIX_TRACE_KERNEL_OVERHEAD:
        put_overhead(event, record->data, data);
        return true;
    case POSIX_TRACE_SYSTEM_CALL:
        put_call(reader, event, data);
        return true;
    case POSIX_TRACE_MUTEX_LOCK:
    case POSIX_TRACE_MUTEX_UNLOCK:
        put_mutex(reader, event, record->data, data);
        return true;
    case POSIX_TRACE_COND_WAIT:
    case POSIX_TRACE_COND_BROADCAST:
        put_cond(reader, event, record->data, data);
        return true;
    default:
        return false;
    }
}
