/*
 * The engine of the view: the queue of each event, and whether it is traced. Both determine the
 * selection of the queues' streams; the recorder does the rest.
 */
#include "trc.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "tickertape/add.h"
#include "tickertape/filter.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"
#include "trc_events.h"
#include "trc_port.h"
#include "trc_queue.h"

#define NO_QUEUE 0xffu

typedef struct queue_type {
    int (*create)(trc_queue_t *queue, void *args);
    int (*activate)(void *data, int number);
    int (*terminate)(void *data);
} queue_type_t;

static struct {
    queue_type_t types[TRC_QUEUETYPESNUMBER];
    trc_queue_t queues[TRC_MAXQUEUES];
    uint32_t queue_count;
    uint32_t activation; /* state of trc_repeats(); the kernel records both events under one lock */
    uint8_t queue_of[TRC_NUMEVENTS]; /* queue of each event, or NO_QUEUE */
    bool traced[TRC_NUMEVENTS];
    bool suspended;
} tracer;

static bool is_event(int event)
{
    return event >= 0 && event < TRC_NUMEVENTS;
}

_Static_assert(TT_CONFIG_EVENT_MASKS >= TRC_NUMEVENTS - TRC_F_LAST,
               "S.Ha.R.K.: TT_CONFIG_EVENT_MASKS: one for each event that TRC_TYPES_FILE adds");

/* Taken while an event is handed to a queue: one event at a time, on any CPU, with interrupts
 * masked. */
static atomic_flag handing_over = ATOMIC_FLAG_INIT;

static tt_port_key_t lock_queues(void)
{
    tt_port_key_t key = tt_port_lock();
    while (TT_CONFIG_CPUS > 1 &&
           atomic_flag_test_and_set_explicit(&handing_over, memory_order_acquire)) {
        tt_port_spin();
    }
    return key;
}

static void unlock_queues(tt_port_key_t key)
{
    atomic_flag_clear_explicit(&handing_over, memory_order_release);
    tt_port_unlock(key);
}

/* Handler of the events of a queue that stores events itself: pass the event to the queue, and
 * return false so that no ring records it. */
static bool hand_over(const tt_event_view_t *view)
{
    const trc_queue_t *queue = view->context;
    trc_event_t translated;
    if (view->data == NULL || !trc_translate(view->header, view->data, view->tid, &translated)) {
        return false;
    }
    translated.time = trc_time_us(tt_clock_now());
    tt_port_key_t key = lock_queues();
    bool repeats = trc_repeats(view->header, view->data, &tracer.activation);
    trc_event_t *slot = repeats ? NULL : queue->get(queue->data);
    if (slot != NULL) {
        *slot = translated;
        (void)queue->post(queue->data);
    }
    unlock_queues(key);
    return false;
}

/* Select one event type of the recorder for a queue, or remove it. */
static int select_source(uint32_t queue, trc_source_t source, bool take)
{
    trc_queue_t *at = &tracer.queues[queue];
    int result = TT_OK;
    if (at->get != NULL && take) {
        result = tt_add_handler(source.event_class, source.event, hand_over, at);
    } else if (at->get != NULL) {
        (void)tt_remove_handler(source.event_class, source.event);
    }
    return result != TT_OK ? result
                           : tt_select_event(queue, source.event_class, source.event, take);
}

/* Select all event types of an event for a queue, or remove them. */
static int apply(int event, uint32_t queue, bool take)
{
    trc_source_t sources[2];
    uint32_t count = trc_sources(event, sources);
    int result = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (select_source(queue, sources[i], take) != TT_OK) {
            result = -1;
        }
    }
    return result;
}

int trc_assign_event_to_queue(int event, int queue)
{
    if (!is_event(event) || queue < 0 || (uint32_t)queue >= tracer.queue_count) {
        return -1;
    }
    if (tracer.traced[event] && tracer.queue_of[event] != NO_QUEUE) {
        (void)apply(event, tracer.queue_of[event], false);
    }
    tracer.queue_of[event] = (uint8_t)queue;
    return tracer.traced[event] ? apply(event, (uint32_t)queue, true) : 0;
}

static int set_traced(int event, bool traced)
{
    if (!is_event(event)) {
        return -1;
    }
    if (tracer.traced[event] == traced) {
        return 0;
    }
    tracer.traced[event] = traced;
    uint32_t queue = tracer.queue_of[event];
    return queue == NO_QUEUE ? 0 : apply(event, queue, traced);
}

int trc_trace_event(int event)
{
    return set_traced(event, true);
}

int trc_notrace_event(int event)
{
    return set_traced(event, false);
}

static int set_class_traced(int event_class, bool traced)
{
    int result = trc_class_begin(event_class) < 0 ? -1 : 0;
    for (int event = trc_class_begin(event_class); event < trc_class_end(event_class); event++) {
        result |= set_traced(event, traced);
    }
    return result;
}

int trc_trace_class(int event_class)
{
    return set_class_traced(event_class, true);
}

int trc_notrace_class(int event_class)
{
    return set_class_traced(event_class, false);
}

int trc_assign_class_to_queue(int event_class, int queue)
{
    int result = trc_class_begin(event_class) < 0 ? -1 : 0;
    for (int event = trc_class_begin(event_class); event < trc_class_end(event_class); event++) {
        result |= trc_assign_event_to_queue(event, queue);
    }
    return result;
}

int trc_logevent(int event, const void *info)
{
    if (!is_event(event)) {
        return -1;
    }
    uint32_t words[2] = {0, 0};
    int event_class = trc_class_of(event);
    if (info != NULL && event_class == TRC_CLASS_SYSTEM) {
        trc_system_event_t system; /* `info` has only two bytes */
        memcpy(&system, info, sizeof system);
        words[0] = system.task;
    } else if (info != NULL) {
        memcpy(words, info, sizeof words[0]);
    }
    if (event_class == TRC_CLASS_SEM) {
        words[1] = words[0] >> 16;
        words[0] &= 0xffffu;
    }
    tt_add_event(TT_CLASS_TRC, (uint32_t)event, words[0], words[1]);
    return 0;
}

int trc_register_queuetype(int queuetype, int (*create)(trc_queue_t *queue, void *args),
                           int (*activate)(void *data, int number), int (*terminate)(void *data))
{
    if (queuetype < 0 || queuetype >= TRC_QUEUETYPESNUMBER || create == NULL) {
        return -1;
    }
    tracer.types[queuetype] = (queue_type_t){create, activate, terminate};
    return 0;
}

int trc_create_queue(int queuetype, void *args)
{
    if (queuetype < 0 || queuetype >= TRC_QUEUETYPESNUMBER ||
        tracer.types[queuetype].create == NULL || tracer.queue_count >= TRC_MAXQUEUES ||
        tracer.queue_count >= TT_CONFIG_STREAMS) {
        return -1;
    }
    uint32_t number = tracer.queue_count;
    trc_queue_t *queue = &tracer.queues[number];
    /* A type of this view finds its stream in `data`. */
    *queue = (trc_queue_t){.type = queuetype, .data = trc_stream_queue(number)};
    if (tracer.types[queuetype].create(queue, args) < 0) {
        return -1;
    }
    queue->type = queuetype;
    tracer.queue_count = number + 1u;
    if (queuetype != TRC_DUMMY_QUEUE && !tracer.suspended) {
        (void)tt_start_without_state(number);
    }
    return (int)number;
}

/* Start or stop the streams of all queues except dummies. */
static void run(bool running)
{
    for (uint32_t queue = 0; queue < tracer.queue_count; queue++) {
        if (tracer.queues[queue].type != TRC_DUMMY_QUEUE) {
            (void)(running ? tt_start_without_state(queue) : tt_stop(queue));
        }
    }
}

int trc_suspend(void)
{
    if (!tracer.suspended) {
        run(false);
        tracer.suspended = true;
    }
    return 0;
}

int trc_resume(void)
{
    if (!tracer.suspended) {
        return -1;
    }
    tracer.suspended = false;
    run(true);
    return 0;
}

int TRC_init_phase1(const TRC_PARMS *parms)
{
    memset(&tracer, 0, sizeof tracer);
    memset(tracer.queue_of, NO_QUEUE, sizeof tracer.queue_of);
    trc_port_init();
    trc_set_path(parms == NULL ? NULL : parms->path);
    return 0;
}

int TRC_init_phase2(void)
{
    int result = 0;
    for (uint32_t i = 0; i < tracer.queue_count; i++) {
        const queue_type_t *type = &tracer.types[tracer.queues[i].type];
        if (type->activate != NULL && type->activate(tracer.queues[i].data, (int)i + 1) < 0) {
            result = -1;
        }
    }
    return result;
}

#define STANDARD_FAILED (-97)

int TRC_init_phase1_standard(void)
{
    (void)TRC_init_phase1(NULL);
    (void)trc_register_circular_queue();
    (void)trc_register_fixed_queue();
    if (trc_create_queue(TRC_CIRCULAR_QUEUE, NULL) != 0 ||
        trc_create_queue(TRC_FIXED_QUEUE, NULL) != 1) {
        return STANDARD_FAILED;
    }
    (void)trc_trace_class(TRC_CLASS_SYSTEM);
    return trc_assign_class_to_queue(TRC_CLASS_SYSTEM, 0);
}

int TRC_init_phase2_standard(void)
{
    return TRC_init_phase2();
}

void trc_end(void)
{
    (void)trc_suspend();
    for (uint32_t i = 0; i < tracer.queue_count; i++) {
        const queue_type_t *type = &tracer.types[tracer.queues[i].type];
        if (type->terminate != NULL) {
            (void)type->terminate(tracer.queues[i].data);
        }
    }
}
