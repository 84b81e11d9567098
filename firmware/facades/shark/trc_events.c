#include "trc_events.h"

#include <stddef.h>

#include "tickertape/define.h"
#include "tickertape/events.h"
#include "tickertape/tickertape.h"

/* The first event of each class, as in the class table of S.Ha.R.K.; the extra classes follow. */
static const uint16_t class_begins[] = {TRC_F_TRACER, TRC_F_SYSTEM, TRC_F_USER, TRC_F_LL,
                                        TRC_F_SEM};

#ifdef TRC_EXTRA_CLASSES
static const uint16_t extra_begins[] = TRC_EXTRA_CLASSES;
#define EXTRA_COUNT (sizeof extra_begins / sizeof extra_begins[0])
#else
static const uint16_t extra_begins[1]; /* none: added events belong to no class */
#define EXTRA_COUNT 0u
#endif

#define CLASS_COUNT (sizeof class_begins / sizeof class_begins[0])

_Static_assert(CLASS_COUNT + EXTRA_COUNT == TRC_NUMCLASSES,
               "TRC_NUMCLASSES counts the classes of the tracer and of TRC_EXTRA_CLASSES");

/* Source of a record's data in a kernel event. */
typedef enum trc_info {
    INFO_WORD_0_TASK, /* word 0 is the thread */
    INFO_WORD_1_TASK, /* word 1 is the thread */
    INFO_RUNNING,     /* the running thread */
    INFO_IRQ,         /* number of an interrupt, from 0 */
    INFO_SEM,         /* a semaphore, and the running thread */
} trc_info_t;

#define EXCEPTIONS_BEFORE_IRQ_0 16u

static const struct kernel_event {
    uint8_t trc;
    uint8_t info;
    trc_source_t source;
} kernel_events[] = {
    {TRC_CREATE, INFO_WORD_1_TASK, {TT_CLASS_THREAD, TT_THREAD_CREATE}},
    {TRC_ACTIVATE, INFO_WORD_0_TASK, {TT_CLASS_SCHED, TT_SCHED_ACTIVATION}},
    {TRC_SCHEDULE, INFO_WORD_1_TASK, {TT_CLASS_SCHED, TT_SCHED_CONTEXT_SWITCH}},
    {TRC_DELAY, INFO_RUNNING, {TT_CLASS_KERCALL, TT_KERCALL_THREAD_SLEEP}},
    {TRC_SLEEP, INFO_WORD_1_TASK, {TT_CLASS_THREAD, TT_THREAD_STOPPED}},
    {TRC_ENDCYCLE, INFO_WORD_0_TASK, {TT_CLASS_SCHED, TT_SCHED_COMPLETION}},
    {TRC_DESTROY, INFO_WORD_1_TASK, {TT_CLASS_THREAD, TT_THREAD_DESTROY}},
    {TRC_INTR, INFO_IRQ, {TT_CLASS_INT, TT_INT_ENTRY}},
    {TRC_SEM_WAIT, INFO_SEM, {TT_CLASS_KERCALL, TT_KERCALL_SYNC_SEM_WAIT}},
    {TRC_SEM_WAITNB, INFO_SEM, {TT_CLASS_KERCALL, TT_KERCALL_SYNC_SEM_TRYWAIT}},
    {TRC_SEM_SIGNAL, INFO_SEM, {TT_CLASS_SYNC, TT_SYNC_SEM_SIGNAL}},
};

#define KERNEL_EVENT_COUNT (sizeof kernel_events / sizeof kernel_events[0])

uint32_t trc_sources(int event, trc_source_t sources[2])
{
    sources[0] = (trc_source_t){TT_CLASS_TRC, (uint16_t)event};
    for (size_t i = 0; i < KERNEL_EVENT_COUNT; i++) {
        if (kernel_events[i].trc == event) {
            sources[1] = kernel_events[i].source;
            return 2;
        }
    }
    return 1;
}

static uint32_t word_of(trc_info_t info, const uint32_t words[2], uint32_t task)
{
    trc_allevents_t x = {.word = 0};
    switch (info) {
    case INFO_WORD_0_TASK:
        x.sys.task = (uint16_t)words[0];
        break;
    case INFO_WORD_1_TASK:
        x.sys.task = (uint16_t)words[1];
        break;
    case INFO_RUNNING:
        x.sys.task = (uint16_t)task;
        break;
    case INFO_IRQ:
        x.ll.n = (int32_t)(words[0] - EXCEPTIONS_BEFORE_IRQ_0);
        break;
    case INFO_SEM:
        x.sem.task = (uint16_t)task;
        x.sem.id = (uint16_t)words[0];
        break;
    }
    return x.word;
}

static void fill(trc_event_t *event, uint32_t number, uint32_t word)
{
    event->event = (uint16_t)number;
    event->zero = 0;
    event->x.word = word;
}

bool trc_translate(uint32_t header, const uint32_t words[2], uint32_t task, trc_event_t *event)
{
    uint32_t event_class = tt_record_class(header);
    uint32_t number = tt_record_event(header);
    if (event_class == TT_CLASS_TRC) {
        bool is_sem = trc_class_of((int)number) == TRC_CLASS_SEM;
        bool is_task = trc_class_of((int)number) == TRC_CLASS_SYSTEM;
        fill(event, number, is_sem || is_task ? words[0] | words[1] << 16 : words[0]);
        return true;
    }
    for (size_t i = 0; i < KERNEL_EVENT_COUNT; i++) {
        const trc_source_t source = kernel_events[i].source;
        if (source.event_class == event_class && source.event == number) {
            fill(event, kernel_events[i].trc,
                 word_of((trc_info_t)kernel_events[i].info, words, task));
            return true;
        }
    }
    return false;
}

bool trc_repeats(uint32_t header, const uint32_t words[2], uint32_t *activation)
{
    const uint32_t type = TT_EVENT_TYPE(tt_record_class(header), tt_record_event(header));
    if (type == TT_EVENT_TYPE(TT_CLASS_TRC, TT_TRC_INTACTIVATION)) {
        *activation = (words[1] & 0xffff0000u) | (words[0] & 0xffffu); /* 0 from trc_logevent() */
        return false;
    }
    if (type != TT_EVENT_TYPE(TT_CLASS_SCHED, TT_SCHED_ACTIVATION)) {
        return false;
    }
    const uint32_t wanted = 0x80000000u | (words[1] & 0x7fffu) << 16 | (words[0] & 0xffffu);
    bool repeats = *activation == wanted;
    *activation = 0;
    return repeats;
}

int trc_class_begin(int event_class)
{
    if (event_class < 0 || (size_t)event_class >= CLASS_COUNT + EXTRA_COUNT) {
        return -1;
    }
    size_t index = (size_t)event_class;
    return index < CLASS_COUNT ? class_begins[index] : extra_begins[index - CLASS_COUNT];
}

int trc_class_end(int event_class)
{
    if (trc_class_begin(event_class) < 0) {
        return -1;
    }
    if ((size_t)event_class == CLASS_COUNT - 1u) {
        return TRC_F_LAST;
    }
    int next = trc_class_begin(event_class + 1);
    return next >= 0 ? next : TRC_NUMEVENTS;
}

int trc_class_of(int event)
{
    for (int event_class = 0; trc_class_begin(event_class) >= 0; event_class++) {
        if (event >= trc_class_begin(event_class) && event < trc_class_end(event_class)) {
            return event_class;
        }
    }
    return -1;
}
