/*
 * Cases for the S.Ha.R.K. API: results, assignment of events to queues, events and a class of the
 * user (beep.h), a queue type of the user. Exit code: 0 if all expectations hold; prints the failed
 * one otherwise.
 */
#include <stdlib.h>
#include <string.h>

#include "shark_view.h"
#include "tickertape/emitters.h"
#include "tickertape/hooks.h"

static void case_results(void)
{
    begin(NULL);
    EXPECT(trc_create_queue(TRC_UDP_QUEUE + 1, NULL) == -1);
    EXPECT(trc_create_queue(-1, NULL) == -1);
    EXPECT(trc_register_queuetype(-1, NULL, NULL, NULL) == -1);
    EXPECT(trc_register_queuetype(TRC_QUEUETYPESNUMBER, NULL, NULL, NULL) == -1);
    EXPECT(trc_assign_event_to_queue(TRC_CREATE, 0) == -1);
    EXPECT(trc_create_queue(TRC_FIXED_QUEUE, NULL) == 0);
    EXPECT(trc_create_queue(TRC_DUMMY_QUEUE, NULL) == 1);
    EXPECT(trc_create_queue(TRC_CIRCULAR_QUEUE, NULL) == 2);
    EXPECT(trc_create_queue(TRC_DOSFS_FIXED_QUEUE, NULL) == 3);
    EXPECT(trc_create_queue(TRC_FIXED_QUEUE, NULL) == -1); /* no stream is left */
    EXPECT(trc_assign_event_to_queue(TRC_NUMEVENTS, 0) == -1);
    EXPECT(trc_assign_event_to_queue(-1, 0) == -1);
    EXPECT(trc_assign_event_to_queue(TRC_USER0, 4) == -1);
    EXPECT(trc_assign_class_to_queue(6, 0) == -1);
    EXPECT(trc_trace_event(-1) == -1 && trc_notrace_event(TRC_NUMEVENTS) == -1);
    EXPECT(trc_trace_class(-1) == -1 && trc_notrace_class(6) == -1);
    EXPECT(trc_logevent(-1, NULL) == -1 && trc_logevent(TRC_NUMEVENTS, NULL) == -1);
    EXPECT(trc_resume() == -1);
    EXPECT(trc_suspend() == 0 && trc_suspend() == 0);
    EXPECT(trc_resume() == 0 && trc_resume() == -1);
    TRC_CIRCULAR_PARMS bad;
    trc_circular_default_parms(bad);
    trc_circular_def_onlinetask(bad);
    trc_circular_def_slice(bad, 600000);
    begin(NULL);
    EXPECT(trc_create_queue(TRC_CIRCULAR_QUEUE, &bad) == -1); /* slice above period */
    EXPECT(TRC_init_phase1_standard() == 0);
    EXPECT(TRC_init_phase2_standard() == 0);
}

static void case_masks(void)
{
    begin(NULL);
    EXPECT(trc_create_queue(TRC_FIXED_QUEUE, NULL) == 0);
    EXPECT(trc_create_queue(TRC_DUMMY_QUEUE, NULL) == 1);
    const trc_user_event_t info = {.n = 5};
    EXPECT(trc_logevent(TRC_USER3, &info) == 0);
    EXPECT(trc_assign_class_to_queue(TRC_CLASS_USER, 0) == 0);
    EXPECT(trc_logevent(TRC_USER3, &info) == 0);
    EXPECT(offered(0) == 0u); /* assigned, not traced */
    EXPECT(trc_trace_class(TRC_CLASS_USER) == 0);
    EXPECT(trc_logevent(TRC_USER3, &info) == 0);
    EXPECT(trc_logevent(TRC_USER7, NULL) == 0);
    EXPECT(trc_logevent(TRC_INTR, NULL) == 0); /* event of another class */
    EXPECT(offered(0) == 2u);
    EXPECT(trc_notrace_event(TRC_USER3) == 0);
    EXPECT(trc_logevent(TRC_USER3, &info) == 0);
    EXPECT(offered(0) == 2u);
    EXPECT(trc_suspend() == 0);
    EXPECT(trc_logevent(TRC_USER7, NULL) == 0);
    EXPECT(offered(0) == 2u);
    EXPECT(trc_resume() == 0);
    EXPECT(trc_logevent(TRC_USER7, NULL) == 0);
    EXPECT(offered(0) == 3u);
    EXPECT(trc_assign_event_to_queue(TRC_USER7, 1) == 0); /* the dummy queue */
    EXPECT(trc_logevent(TRC_USER7, NULL) == 0);
    EXPECT(offered(0) == 3u && offered(1) == 0u);
    trc_end();
    drain_all();
    expect_balance(0, 3, 3, 0, 0);
}

/* The recorder reads an event's structure and no byte beyond it; a sanitizer checks this. */
static void case_structures_of_every_class(void)
{
    begin(NULL);
    EXPECT(trc_create_queue(TRC_FIXED_QUEUE, NULL) == 0);
    static const struct {
        int event;
        size_t bytes;
    } events[] = {
        {TRC_HOOPS, sizeof(trc_tracer_event_t)},   {TRC_CREATE, sizeof(trc_system_event_t)},
        {TRC_USER3, sizeof(trc_user_event_t)},     {TRC_INTR, sizeof(trc_ll_event_t)},
        {TRC_SEM_SIGNAL, sizeof(trc_sem_event_t)},
    };
    for (uint32_t i = 0; i < sizeof events / sizeof events[0]; i++) {
        void *info = calloc(1, events[i].bytes);
        EXPECT(info != NULL && trc_logevent(events[i].event, info) == 0);
        free(info);
    }
    trc_end();
}

/* Events of the kernel belong to classes of the view. */
static void case_kernel_events(void)
{
    begin(".");
    TRC_FIXED_PARMS parms;
    trc_fixed_default_parms(parms);
    trc_fixed_def_filename(parms, "kernel");
    EXPECT(trc_create_queue(TRC_FIXED_QUEUE, &parms) == 0);
    EXPECT(strcmp(view.file_path, "./kernel") == 0);
    for (int event_class = TRC_CLASS_SYSTEM; event_class <= TRC_CLASS_SEM; event_class++) {
        EXPECT(trc_assign_class_to_queue(event_class, 0) == 0);
        EXPECT(trc_trace_class(event_class) == 0);
    }
    plain_port.now_ticks = 1000;
    tt_emit_thread_create(0, 3, 0, 0, 0);
    plain_port.now_ticks = 2000;
    tt_emit_sched_context_switch(0, 3);
    tt_emit_kercall_enter(TT_KERCALL_SYNC_SEM_WAIT, 0x20001234u, 0, 0, 0, 0, 0);
    tt_emit_kercall_enter(TT_KERCALL_SCHED_YIELD, 0, 0, 0, 0, 0, 0); /* no event of the view */
    tt_emit_kercall_enter(TT_KERCALL_THREAD_SLEEP, 10, 0, 0, 0, 0, 0);
    tt_emit_int_entry(20, 0, 0);
    const trc_sem_event_t sem = {.task = 9, .id = 2};
    EXPECT(trc_logevent(TRC_SEM_SIGNAL, &sem) == 0);
    trc_end();
    drain_all();
    expect_balance(0, 6, 6, 0, 0);
    const trc_event_t expected[] = {
        {.time = 1000, .event = TRC_CREATE, .x.sys.task = 3},
        {.time = 2000, .event = TRC_SCHEDULE, .x.sys.task = 3},
        {.time = 2000, .event = TRC_SEM_WAIT, .x.sem = {.task = 3, .id = 0x1234}},
        {.time = 2000, .event = TRC_DELAY, .x.sys.task = 3},
        {.time = 2000, .event = TRC_INTR, .x.ll.n = 4},
        {.time = 2000, .event = TRC_SEM_SIGNAL, .x.sem = {.task = 9, .id = 2}},
    };
    EXPECT(sizeof(trc_event_t) == 12u);
    EXPECT(view.file_count == sizeof expected);
    EXPECT(memcmp(view.file_bytes, expected, sizeof expected) == 0);
    EXPECT(view.file_closed);
}

static void case_fixed(void)
{
    TRC_FIXED_PARMS parms;
    trc_fixed_default_parms(parms);
    trc_fixed_def_size(parms, 33); /* three of the four buffers of 16 */
    begin(".");
    EXPECT(create(TRC_FIXED_QUEUE, &parms) == 0);
    EXPECT(strcmp(view.file_path, "./fix1") == 0);
    fill(100);
    drain_all();
    EXPECT(view.file_count == 0u); /* the queue is held */
    trc_end();
    drain_all();
    expect_balance(0, 100, 48, 52, 0);
    EXPECT(view.file_count == 48u * sizeof(trc_event_t));
    for (uint32_t i = 0; i < 48u; i++) {
        EXPECT(saved(i) == (int32_t)i);
    }
    EXPECT(view.file_closed);
}

static void case_circular(void)
{
    TRC_CIRCULAR_PARMS parms;
    trc_circular_default_parms(parms);
    trc_circular_def_size(parms, 48);
    begin(".");
    EXPECT(create(TRC_CIRCULAR_QUEUE, &parms) == 0);
    EXPECT(strcmp(view.file_path, "./cir1") == 0);
    fill(100);
    trc_end();
    drain_all();
    uint32_t kept = view.file_count / (uint32_t)sizeof(trc_event_t);
    EXPECT(kept >= 48u && kept <= 64u); /* the size, and up to one buffer more */
    expect_balance(0, 100, kept, 0, 100u - kept);
    for (uint32_t i = 0; i < kept; i++) {
        EXPECT(saved(i) == (int32_t)(100u - kept + i)); /* the newest, in order, each once */
    }
}

/* A queue keeps its size or is refused; a queue of size 0 uses the whole ring. */
static void case_sizes(void)
{
    TRC_FIXED_PARMS fixed;
    TRC_CIRCULAR_PARMS circular;
    trc_fixed_default_parms(fixed);
    trc_circular_default_parms(circular);
    begin(NULL);
    trc_fixed_def_size(fixed, 65); /* more than the 64 of four buffers */
    EXPECT(trc_create_queue(TRC_FIXED_QUEUE, &fixed) == -1);
    trc_fixed_def_size(fixed, -1);
    EXPECT(trc_create_queue(TRC_FIXED_QUEUE, &fixed) == -1);
    trc_circular_def_size(circular, 49); /* one buffer more is being overwritten */
    EXPECT(trc_create_queue(TRC_CIRCULAR_QUEUE, &circular) == -1);
    trc_circular_def_size(circular, INT32_MAX);
    EXPECT(trc_create_queue(TRC_CIRCULAR_QUEUE, &circular) == -1);
    EXPECT(create(TRC_FIXED_QUEUE, NULL) == 0);
    EXPECT(strcmp(view.file_path, "./fix1") == 0); /* without a path: in the current folder */
    fill(100);
    trc_end();
    drain_all();
    expect_balance(0, 100, 64, 36, 0);
    EXPECT(view.file_count == 64u * sizeof(trc_event_t));
}

static void log_times(int event, uint32_t times)
{
    for (uint32_t i = 0; i < times; i++) {
        EXPECT(trc_logevent(event, NULL) == 0);
    }
}

/* Added events go to different queues, and are masked and moved one by one. */
static void case_added_events_apart(void)
{
    begin(NULL);
    EXPECT(trc_create_queue(TRC_FIXED_QUEUE, NULL) == 0);
    EXPECT(trc_create_queue(TRC_FIXED_QUEUE, NULL) == 1);
    EXPECT(trc_assign_event_to_queue(TRC_BEEP, 0) == 0 && trc_trace_event(TRC_BEEP) == 0);
    EXPECT(trc_assign_event_to_queue(TRC_HONK, 1) == 0);
    log_times(TRC_HONK, 2); /* assigned, not traced */
    EXPECT(offered(0) == 0u && offered(1) == 0u);
    EXPECT(trc_trace_event(TRC_HONK) == 0);
    log_times(TRC_BEEP, 5);
    log_times(TRC_HONK, 3);
    EXPECT(offered(0) == 5u && offered(1) == 3u);
    EXPECT(trc_notrace_event(TRC_HONK) == 0);
    log_times(TRC_BEEP, 1);
    log_times(TRC_HONK, 1);
    EXPECT(offered(0) == 6u && offered(1) == 3u);
    EXPECT(trc_assign_event_to_queue(TRC_HONK, 0) == 0 && trc_trace_event(TRC_HONK) == 0);
    EXPECT(trc_notrace_event(TRC_BEEP) == 0); /* TRC_HONK stays traced */
    log_times(TRC_BEEP, 1);
    log_times(TRC_HONK, 1);
    EXPECT(trc_trace_event(TRC_BEEP) == 0);
    EXPECT(trc_assign_event_to_queue(TRC_BEEP, 1) == 0);
    log_times(TRC_BEEP, 2);
    log_times(TRC_HONK, 1);
    EXPECT(offered(0) == 8u && offered(1) == 5u);
    trc_end();
    drain_all();
    expect_balance(0, 8, 8, 0, 0);
    expect_balance(1, 5, 5, 0, 0);
}

#ifdef BEEP_WITHOUT_CLASS

/* Added events without a class are assigned one by one. */
static void case_extended(void)
{
    const uint32_t info = 0x12345678u;
    begin(".");
    EXPECT(trc_create_queue(TRC_FIXED_QUEUE, NULL) == 0);
    EXPECT(trc_assign_class_to_queue(5, 0) == -1 && trc_trace_class(5) == -1);
    EXPECT(trc_assign_class_to_queue(TRC_CLASS_SEM, 0) == 0);
    EXPECT(trc_trace_class(TRC_CLASS_SEM) == 0);
    EXPECT(trc_logevent(TRC_HONK, &info) == 0);
    EXPECT(offered(0) == 0u); /* the last class does not include them */
    EXPECT(trc_assign_event_to_queue(TRC_HONK, 0) == 0 && trc_trace_event(TRC_HONK) == 0);
    EXPECT(trc_logevent(TRC_HONK, &info) == 0);
    trc_end();
    drain_all();
    expect_balance(0, 1, 1, 0, 0);
    trc_event_t event;
    memcpy(&event, view.file_bytes, sizeof event);
    EXPECT(event.event == TRC_HONK && event.x.word == info);
    EXPECT(event.x.sound.pitch_hz == 0x5678u && event.x.sound.length_ms == 0x1234u);
}

#else

/* A queue type of the user: room for eight events, and a count of refused ones. */
static struct {
    trc_event_t events[8];
    uint32_t count;
    uint32_t refused;
    int number;
    bool ended;
} own;

static trc_event_t *own_get(void *data)
{
    EXPECT(data == &own && plain_port.lock_depth > 0u);
    if (own.count == 8u) {
        own.refused++;
        return NULL;
    }
    return &own.events[own.count];
}

static int own_post(void *data)
{
    EXPECT(data == &own && plain_port.lock_depth > 0u);
    own.count++;
    return 0;
}

static int own_create(trc_queue_t *queue, void *args)
{
    if (args != &own) {
        return -1;
    }
    queue->get = own_get;
    queue->post = own_post;
    queue->data = &own;
    return 0;
}

static int own_activate(void *data, int number)
{
    EXPECT(data == &own);
    own.number = number;
    return 0;
}

static int own_terminate(void *data)
{
    EXPECT(data == &own);
    own.ended = true;
    return 0;
}

static void case_extended(void)
{
    begin(NULL);
    memset(&own, 0, sizeof own);
    EXPECT(trc_register_queuetype(6, own_create, own_activate, own_terminate) == 0);
    EXPECT(trc_create_queue(6, NULL) == -1); /* own_create() refuses */
    EXPECT(trc_create_queue(6, &own) == 0);
    EXPECT(trc_assign_class_to_queue(TRC_CLASS_BUZZER, 0) == 0);
    EXPECT(trc_trace_class(TRC_CLASS_BUZZER) == 0);
    EXPECT(trc_assign_event_to_queue(TRC_SEM_WAIT, 0) == 0 && trc_trace_event(TRC_SEM_WAIT) == 0);
    EXPECT(TRC_init_phase2() == 0 && own.number == 1);
    plain_port.now_ticks = 5000;
    const uint32_t info = 0xfeed;
    EXPECT(trc_logevent(TRC_HONK, &info) == 0);
    tt_emit_kercall_enter(TT_KERCALL_SYNC_SEM_WAIT, 0x44u, 0, 0, 0, 0, 0);
    EXPECT(trc_logevent(TRC_USER0, &info) == 0); /* assigned to no queue */
    EXPECT(own.count == 2u);
    EXPECT(own.events[0].event == TRC_HONK && own.events[0].x.word == 0xfeedu);
    EXPECT(own.events[0].time == 5000u);
    EXPECT(own.events[1].event == TRC_SEM_WAIT && own.events[1].x.sem.task == 7u);
    EXPECT(own.events[1].x.sem.id == 0x44u);
    for (int i = 0; i < 10; i++) {
        EXPECT(trc_logevent(TRC_BEEP, NULL) == 0);
    }
    EXPECT(own.count == 8u && own.refused == 4u);
    EXPECT(trc_notrace_class(TRC_CLASS_BUZZER) == 0);
    EXPECT(trc_logevent(TRC_BEEP, NULL) == 0);
    EXPECT(own.refused == 4u);
    EXPECT(offered(0) == 0u); /* the ring is unused */
    trc_end();
    EXPECT(own.ended);
}

/* The kernel's INTACTIVATION replaces the next ACTIVATE of its task; an application's does not. */
static void case_interrupt_activation(void)
{
    const trc_system_event_t task = {.task = 3};
    begin(NULL);
    memset(&own, 0, sizeof own);
    EXPECT(trc_register_queuetype(6, own_create, own_activate, own_terminate) == 0);
    EXPECT(trc_create_queue(6, &own) == 0);
    EXPECT(trc_assign_class_to_queue(TRC_CLASS_SYSTEM, 0) == 0);
    EXPECT(trc_trace_class(TRC_CLASS_SYSTEM) == 0);
    tt_hook_interrupt_activation(3u, 1u);
    tt_hook_activation(3u, 1u);
    EXPECT(own.count == 1u && own.events[0].event == TRC_INTACTIVATION);
    EXPECT(own.events[0].x.word == 3u);
    tt_hook_activation(3u, 2u);
    EXPECT(own.count == 2u && own.events[1].event == TRC_ACTIVATE);
    EXPECT(trc_logevent(TRC_INTACTIVATION, &task) == 0);
    tt_hook_activation(3u, 3u);
    EXPECT(own.count == 4u && own.events[3].event == TRC_ACTIVATE);
    tt_hook_interrupt_activation(3u, 4u);
    tt_hook_activation(5u, 4u); /* another task */
    EXPECT(own.count == 6u && own.events[5].x.sys.task == 5u);
    trc_end();
    drain_all();
}

/* One added event goes to a queue of the user's type, the other one into a ring. */
static void case_own_type_beside_stream(void)
{
    begin(NULL);
    memset(&own, 0, sizeof own);
    EXPECT(trc_register_queuetype(6, own_create, own_activate, own_terminate) == 0);
    EXPECT(trc_create_queue(6, &own) == 0);
    EXPECT(trc_create_queue(TRC_FIXED_QUEUE, NULL) == 1);
    EXPECT(trc_assign_event_to_queue(TRC_HONK, 1) == 0 && trc_trace_event(TRC_HONK) == 0);
    EXPECT(trc_assign_event_to_queue(TRC_BEEP, 0) == 0 && trc_trace_event(TRC_BEEP) == 0);
    log_times(TRC_BEEP, 2);
    log_times(TRC_HONK, 3);
    EXPECT(own.count == 2u && offered(0) == 0u && offered(1) == 3u);
    EXPECT(trc_notrace_event(TRC_BEEP) == 0);
    log_times(TRC_BEEP, 1);
    log_times(TRC_HONK, 1);
    EXPECT(own.count == 2u && offered(0) == 0u && offered(1) == 4u);
    EXPECT(trc_assign_event_to_queue(TRC_HONK, 0) == 0 && trc_trace_event(TRC_BEEP) == 0);
    EXPECT(trc_notrace_event(TRC_HONK) == 0); /* the handler stays for TRC_BEEP */
    log_times(TRC_BEEP, 1);
    log_times(TRC_HONK, 1);
    EXPECT(own.count == 3u && offered(0) == 0u && offered(1) == 4u);
    trc_end();
    drain_all();
    expect_balance(1, 4, 4, 0, 0);
}

#endif

int main(void)
{
    case_structures_of_every_class();
    case_results();
    case_masks();
    case_kernel_events();
    case_fixed();
    case_circular();
    case_sizes();
    case_added_events_apart();
    case_extended();
#ifndef BEEP_WITHOUT_CLASS
    case_interrupt_activation();
    case_own_type_beside_stream();
#endif
    return plain_port.failures == 0 ? 0 : 1;
}
