/*
 * The S.Ha.R.K. API, one function after the other: what it returns, what goes where, an event and a
 * class of the user (beep.h), a type of queues of the user. Ends with exit code 0 when every
 * expectation held; otherwise it says which did not.
 */
#include <stdio.h>
#include <string.h>

#include "tickertape/emitters.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"
#include "trc.h"
#include "trc_port.h"

#define TICK_HZ 1000000u

static uint32_t lock_depth;
static uint32_t now_ticks;
static int failures;
static uint32_t sent_bytes;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            printf("%s:%d: expected %s\n", __func__, __LINE__, #condition);                        \
        }                                                                                          \
    } while (0)

/* The port of the recorder. */
tt_port_key_t tt_port_lock(void)
{
    return lock_depth++;
}

void tt_port_unlock(tt_port_key_t key)
{
    lock_depth = key;
}

uint32_t tt_port_ticks(void)
{
    return now_ticks;
}

uint32_t tt_port_exception(void)
{
    return 0;
}

void tt_port_notify_drain(void)
{
}

/* The port of the view: one server, called by hand. */
static trc_serve_t server;
static uint32_t server_queue;
static uint32_t server_period_us;
static bool drains;

int trc_port_start_server(trc_serve_t serve, uint32_t queue, uint32_t period_us)
{
    server = serve;
    server_queue = queue;
    server_period_us = period_us;
    return 0;
}

void trc_port_drain_begin(void)
{
    EXPECT(!drains);
    drains = true;
}

void trc_port_drain_end(void)
{
    drains = false;
}

void trc_port_init(void)
{
}

/* While somebody pauses others run: the server of a queue that waits to be sent. */
static bool serves_in_pauses;

void trc_port_pause(void)
{
    if (serves_in_pauses) {
        server(server_queue);
    }
}

static char file_path[96];
static uint8_t file_bytes[4096];
static uint32_t file_count;

void *trc_port_open(const char *path)
{
    (void)snprintf(file_path, sizeof file_path, "%s", path);
    file_count = 0;
    return file_bytes;
}

void trc_port_write(void *file, const void *bytes, uint32_t count)
{
    EXPECT(file == file_bytes && file_count + count <= sizeof file_bytes);
    memcpy(file_bytes + file_count, bytes, count);
    file_count += count;
}

static bool file_closed;

void trc_port_close(void *file)
{
    EXPECT(file == file_bytes);
    file_closed = true;
}

static UDP_ADDR udp_local;
static UDP_ADDR udp_remote;
static uint8_t packets[16][1472];
static uint32_t packet_bytes[16];
static uint32_t packet_count;
static bool has_network;
static bool socket_closed;

void *trc_port_udp_open(const UDP_ADDR *local, const UDP_ADDR *remote)
{
    udp_local = *local;
    udp_remote = *remote;
    packet_count = 0;
    return has_network ? packets : NULL;
}

void trc_port_udp_send(void *socket, const void *bytes, uint32_t count)
{
    EXPECT(socket == packets && drains && packet_count < 16u && count <= sizeof packets[0]);
    memcpy(packets[packet_count], bytes, count);
    packet_bytes[packet_count++] = count;
}

void trc_port_udp_close(void *socket)
{
    EXPECT(socket == packets);
    socket_closed = true;
}

/* A link that takes everything; a frame takes `frame_us`. */
static uint32_t frame_us;

static uint32_t room_bytes(void *context)
{
    (void)context;
    return UINT32_MAX;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    sent_bytes += count;
    for (uint32_t i = 0; i < count; i++) {
        now_ticks += bytes[i] == 0u ? frame_us : 0u;
    }
}

static void current_thread(uint32_t *pid, uint32_t *tid)
{
    *pid = 0;
    *tid = 7;
}

static void drain_all(void)
{
    while (tt_drain_step()) {
    }
}

static void begin(const char *path)
{
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    static const tt_target_t target = {
        .name = "driver", .tick_hz = TICK_HZ, .current_thread = current_thread};
    const TRC_PARMS parms = {.path = path};
    frame_us = 0;
    server = NULL;
    file_closed = false;
    has_network = true;
    socket_closed = false;
    serves_in_pauses = false;
    EXPECT(tt_init(&target, &link) == TT_OK);
    drain_all();
    EXPECT(TRC_init_phase1(path == NULL ? NULL : &parms) == 0);
    EXPECT(trc_register_dummy_queue() == 0);
    EXPECT(trc_register_fixed_queue() == 0);
    EXPECT(trc_register_dosfs_fixed_queue() == 0);
    EXPECT(trc_register_circular_queue() == 0);
    EXPECT(trc_register_udp_queue() == 0);
}

static uint64_t offered(uint32_t stream)
{
    tt_ring_status_t status;
    (void)tt_ring_status(stream, 0, &status);
    return status.offered;
}

/* The law of one stream whose buffers all went over the link. */
static void expect_balance(uint32_t stream, uint64_t all, uint64_t sent, uint64_t dropped,
                           uint64_t overwritten)
{
    tt_ring_status_t status;
    (void)tt_ring_status(stream, 0, &status);
    EXPECT(status.offered == all);
    EXPECT(status.sent == sent);
    EXPECT(status.dropped == dropped);
    EXPECT(status.overwritten == overwritten);
    EXPECT(status.offered == status.sent + status.dropped + status.overwritten);
}

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
    EXPECT(trc_logevent(TRC_INTR, NULL) == 0); /* another class */
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
    EXPECT(trc_assign_event_to_queue(TRC_USER7, 1) == 0); /* to the one that takes nothing */
    EXPECT(trc_logevent(TRC_USER7, NULL) == 0);
    EXPECT(offered(0) == 3u && offered(1) == 0u);
    trc_end();
    drain_all();
    expect_balance(0, 3, 3, 0, 0);
}

/* The kernel's own events belong to the view's classes. */
static void case_kernel_events(void)
{
    begin(".");
    TRC_FIXED_PARMS parms;
    trc_fixed_default_parms(parms);
    trc_fixed_def_filename(parms, "kernel");
    EXPECT(trc_create_queue(TRC_FIXED_QUEUE, &parms) == 0);
    EXPECT(strcmp(file_path, "./kernel") == 0);
    for (int event_class = TRC_CLASS_SYSTEM; event_class <= TRC_CLASS_SEM; event_class++) {
        EXPECT(trc_assign_class_to_queue(event_class, 0) == 0);
        EXPECT(trc_trace_class(event_class) == 0);
    }
    now_ticks = 1000;
    tt_emit_thread_create(0, 3, 0, 0, 0);
    now_ticks = 2000;
    tt_emit_sched_context_switch(0, 3);
    tt_emit_kercall_enter(TT_KERCALL_SYNC_SEM_WAIT, 0x20001234u, 0, 0, 0, 0, 0);
    tt_emit_kercall_enter(TT_KERCALL_SCHED_YIELD, 0, 0, 0, 0, 0, 0); /* none of its events */
    tt_emit_int_entry(20, 0, 0);
    const trc_sem_event_t sem = {.task = 9, .id = 2};
    EXPECT(trc_logevent(TRC_SEM_SIGNAL, &sem) == 0);
    trc_end();
    drain_all();
    expect_balance(0, 5, 5, 0, 0);
    const trc_event_t expected[] = {
        {.time = 1000, .event = TRC_CREATE, .x.sys.task = 3},
        {.time = 2000, .event = TRC_SCHEDULE, .x.sys.task = 3},
        {.time = 2000, .event = TRC_SEM_WAIT, .x.sem = {.task = 3, .id = 0x1234}},
        {.time = 2000, .event = TRC_INTR, .x.ll.n = 4},
        {.time = 2000, .event = TRC_SEM_SIGNAL, .x.sem = {.task = 9, .id = 2}},
    };
    EXPECT(sizeof(trc_event_t) == 12u);
    EXPECT(file_count == sizeof expected);
    EXPECT(memcmp(file_bytes, expected, sizeof expected) == 0);
    EXPECT(file_closed);
}

static void fill(uint32_t count)
{
    for (trc_user_event_t info = {.n = 0}; info.n < (int32_t)count; info.n++) {
        EXPECT(trc_logevent(TRC_USER0, &info) == 0);
    }
}

static int create(int type, void *parms)
{
    int queue = trc_create_queue(type, parms);
    EXPECT(trc_assign_class_to_queue(TRC_CLASS_USER, queue) == 0);
    EXPECT(trc_trace_class(TRC_CLASS_USER) == 0);
    EXPECT(TRC_init_phase2() == 0);
    return queue;
}

static int32_t saved(uint32_t index)
{
    trc_event_t event;
    memcpy(&event, file_bytes + index * sizeof event, sizeof event);
    return event.x.usr.n;
}

static void case_fixed(void)
{
    TRC_FIXED_PARMS parms;
    trc_fixed_default_parms(parms);
    trc_fixed_def_size(parms, 33); /* buffers of 16: three of four */
    begin(".");
    EXPECT(create(TRC_FIXED_QUEUE, &parms) == 0);
    EXPECT(strcmp(file_path, "./fix1") == 0);
    fill(100);
    drain_all();
    EXPECT(file_count == 0u); /* it is held */
    trc_end();
    drain_all();
    expect_balance(0, 100, 48, 52, 0);
    EXPECT(file_count == 48u * sizeof(trc_event_t));
    for (uint32_t i = 0; i < 48u; i++) {
        EXPECT(saved(i) == (int32_t)i);
    }
    EXPECT(file_closed);
}

static void case_circular(void)
{
    TRC_CIRCULAR_PARMS parms;
    trc_circular_default_parms(parms);
    trc_circular_def_size(parms, 48);
    begin(".");
    EXPECT(create(TRC_CIRCULAR_QUEUE, &parms) == 0);
    EXPECT(strcmp(file_path, "./cir1") == 0);
    fill(100);
    trc_end();
    drain_all();
    uint32_t kept = file_count / (uint32_t)sizeof(trc_event_t);
    EXPECT(kept > 32u && kept <= 48u);
    expect_balance(0, 100, kept, 0, 100u - kept);
    for (uint32_t i = 0; i < kept; i++) {
        EXPECT(saved(i) == (int32_t)(100u - kept + i)); /* the last ones, in order, each once */
    }
}

static void case_online(void)
{
    TRC_CIRCULAR_PARMS parms;
    trc_circular_default_parms(parms);
    trc_circular_def_onlinetask(parms);
    trc_circular_def_period(parms, 10000);
    trc_circular_def_slice(parms, 2500);
    begin(".");
    EXPECT(create(TRC_CIRCULAR_QUEUE, &parms) == 0);
    EXPECT(trc_assign_event_to_queue(TRC_HOOPS, 0) == 0 && trc_trace_event(TRC_HOOPS) == 0);
    EXPECT(server != NULL && server_queue == 0u && server_period_us == 10000u);
    frame_us = 1000;
    fill(100); /* 64 fit */
    uint32_t before = now_ticks;
    server(0);
    EXPECT(file_count == 32u * sizeof(trc_event_t)); /* a third buffer is beyond the budget */
    EXPECT(now_ticks - before == 2000u);
    server(0);
    EXPECT(offered(0) == 101u); /* TRC_HOOPS waits */
    trc_end();
    drain_all();
    expect_balance(0, 101, 65, 36, 0);
    trc_event_t last;
    memcpy(&last, file_bytes + file_count - sizeof last, sizeof last);
    EXPECT(last.event == TRC_HOOPS && last.x.trc.n == 36u);
}

/* A server that was once preempted for longer than its budget goes on after some periods. */
static void case_preempted_server(void)
{
    TRC_CIRCULAR_PARMS parms;
    trc_circular_default_parms(parms);
    trc_circular_def_onlinetask(parms);
    trc_circular_def_period(parms, 10000);
    trc_circular_def_slice(parms, 2500);
    begin(".");
    EXPECT(create(TRC_CIRCULAR_QUEUE, &parms) == 0);
    fill(64);
    frame_us = 9000; /* what the others take */
    server(0);
    EXPECT(file_count == 16u * sizeof(trc_event_t));
    frame_us = 1000;
    server(0);
    EXPECT(file_count == 16u * sizeof(trc_event_t)); /* the next might take as long */
    for (uint32_t periods = 0; periods < 10u; periods++) {
        server(0);
    }
    EXPECT(file_count == 64u * sizeof(trc_event_t));
    trc_end();
    drain_all();
    expect_balance(0, 64, 64, 0, 0);
}

static const UDP_ADDR here = {.s_addr = {{10, 0, 0, 1}}, .s_port = 100};
static const UDP_ADDR there = {.s_addr = {{10, 0, 0, 2}}, .s_port = 20000};

static uint16_t packet_records(uint32_t packet)
{
    uint16_t count;
    memcpy(&count, packets[packet], sizeof count);
    EXPECT(packet_bytes[packet] == sizeof count + count * sizeof(trc_event_t));
    return count;
}

static trc_event_t packet_event(uint32_t packet, uint32_t index)
{
    trc_event_t event;
    memcpy(&event, packets[packet] + sizeof(uint16_t) + index * sizeof event, sizeof event);
    return event;
}

static void case_udp(void)
{
    TRC_UDP_PARMS parms;
    trc_udp_default_parms(parms, here, there);
    EXPECT(parms.size == 8192 && parms.model == NULL);
    begin(NULL);
    EXPECT(create(TRC_UDP_QUEUE, &parms) == 0);
    EXPECT(trc_assign_event_to_queue(TRC_HOOPS, 0) == 0 && trc_trace_event(TRC_HOOPS) == 0);
    EXPECT(udp_local.s_port == 100u && udp_remote.s_port == 20000u);
    EXPECT(memcmp(udp_remote.s_addr.ad, there.s_addr.ad, 4) == 0);
    EXPECT(server != NULL && server_period_us == 250000u);
    server(0);
    EXPECT(packet_count == 0u); /* nothing is there */
    fill(5);
    server(0); /* a buffer that is not full goes as well */
    EXPECT(packet_count == 1u && packet_records(0) == 5u);
    EXPECT(packet_event(0, 4).event == TRC_USER0 && packet_event(0, 4).x.usr.n == 4);
    fill(100); /* 64 fit */
    server(0);
    EXPECT(packet_count == 2u && packet_records(1) == 16u); /* one packet a period */
    EXPECT(packet_event(1, 15).x.usr.n == 15);
    serves_in_pauses = true;
    trc_end();
    drain_all();
    EXPECT(packet_count == 6u && socket_closed);
    EXPECT(packet_records(5) == 1u && packet_event(5, 0).event == TRC_HOOPS);
    EXPECT(packet_event(5, 0).x.trc.n == 36u);
    expect_balance(0, 106, 70, 36, 0);
}

static void case_udp_parameters(void)
{
    SOFT_TASK_MODEL model;
    TRC_UDP_PARMS parms;
    soft_task_default_model(model);
    soft_task_def_system(model);
    soft_task_def_periodic(model);
    soft_task_def_period(model, 20000);
    soft_task_def_met(model, 500);
    soft_task_def_wcet(model, 1000);
    trc_udp_default_parms(parms, here, there);
    trc_udp_def_local(parms, there);
    trc_udp_def_remote(parms, here);
    trc_udp_def_size(parms, 32);
    trc_udp_def_model(parms, &model.t);
    begin(NULL);
    EXPECT(create(TRC_UDP_QUEUE, &parms) == 0);
    EXPECT(server_period_us == 20000u && udp_local.s_port == 20000u && udp_remote.s_port == 100u);
    fill(50); /* 32 fit */
    serves_in_pauses = true;
    trc_end();
    drain_all();
    expect_balance(0, 50, 32, 18, 0);
    soft_task_def_wcet(model, 30000);
    begin(NULL);
    EXPECT(trc_create_queue(TRC_UDP_QUEUE, &parms) == -1); /* budget above period */
    udp_remote.s_port = 0;
    EXPECT(create(TRC_UDP_QUEUE, NULL) == 0);
    EXPECT(udp_remote.s_port == 0u && server_period_us == 250000u); /* the trace alone */
    begin(NULL);
    has_network = false;
    soft_task_def_wcet(model, 1000);
    EXPECT(create(TRC_UDP_QUEUE, &parms) == 0);
    fill(50);
    serves_in_pauses = true;
    trc_end();
    drain_all();
    expect_balance(0, 50, 32, 18, 0);
    EXPECT(packet_count == 0u && !socket_closed);
}

#ifdef BEEP_WITHOUT_CLASS

/* Events that were added and belong to no class are assigned one by one. */
static void case_extended(void)
{
    const uint32_t info = 0x12345678u;
    begin(".");
    EXPECT(trc_create_queue(TRC_FIXED_QUEUE, NULL) == 0);
    EXPECT(trc_assign_class_to_queue(5, 0) == -1 && trc_trace_class(5) == -1);
    EXPECT(trc_assign_class_to_queue(TRC_CLASS_SEM, 0) == 0);
    EXPECT(trc_trace_class(TRC_CLASS_SEM) == 0);
    EXPECT(trc_logevent(TRC_HONK, &info) == 0);
    EXPECT(offered(0) == 0u); /* the last class ends in front of them */
    EXPECT(trc_assign_event_to_queue(TRC_HONK, 0) == 0 && trc_trace_event(TRC_HONK) == 0);
    EXPECT(trc_logevent(TRC_HONK, &info) == 0);
    trc_end();
    drain_all();
    expect_balance(0, 1, 1, 0, 0);
    trc_event_t event;
    memcpy(&event, file_bytes, sizeof event);
    EXPECT(event.event == TRC_HONK && event.x.word == info);
}

#else

/* A type of the user: eight events, and a count of what found no room. */
static struct {
    trc_event_t events[8];
    uint32_t count;
    uint32_t refused;
    int number;
    bool ended;
} own;

static trc_event_t *own_get(void *data)
{
    EXPECT(data == &own && lock_depth > 0u);
    if (own.count == 8u) {
        own.refused++;
        return NULL;
    }
    return &own.events[own.count];
}

static int own_post(void *data)
{
    EXPECT(data == &own && lock_depth > 0u);
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
    EXPECT(trc_create_queue(6, NULL) == -1); /* its create() refuses */
    EXPECT(trc_create_queue(6, &own) == 0);
    EXPECT(trc_assign_class_to_queue(TRC_CLASS_BUZZER, 0) == 0);
    EXPECT(trc_trace_class(TRC_CLASS_BUZZER) == 0);
    EXPECT(trc_assign_event_to_queue(TRC_SEM_WAIT, 0) == 0 && trc_trace_event(TRC_SEM_WAIT) == 0);
    EXPECT(TRC_init_phase2() == 0 && own.number == 1);
    now_ticks = 5000;
    const uint32_t info = 0xfeed;
    EXPECT(trc_logevent(TRC_HONK, &info) == 0);
    tt_emit_kercall_enter(TT_KERCALL_SYNC_SEM_WAIT, 0x44u, 0, 0, 0, 0, 0);
    EXPECT(trc_logevent(TRC_USER0, &info) == 0); /* goes nowhere */
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
    EXPECT(offered(0) == 0u); /* nothing went into the ring */
    trc_end();
    EXPECT(own.ended);
}

#endif

int main(void)
{
    case_results();
    case_masks();
    case_kernel_events();
    case_fixed();
    case_circular();
    case_online();
    case_preempted_server();
    case_udp();
    case_udp_parameters();
    case_extended();
    return failures == 0 ? 0 : 1;
}
