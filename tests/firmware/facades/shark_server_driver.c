/*
 * Queues of the S.Ha.R.K. view that a task sends while the system runs, on line and over UDP: their
 * period, budget and packets. Exit code and output are those of shark_driver.c.
 */
#include <string.h>

#include "shark_view.h"

#ifdef LARGE_BUFFERS

/* A queue whose buffers do not fit into a packet is refused: it sends one packet per period. */
static void case_large_buffers(void)
{
    const UDP_ADDR here = {.s_port = 100};
    const UDP_ADDR there = {.s_addr = {{10, 0, 0, 2}}, .s_port = 20000};
    const UDP_ADDR nowhere = {.s_port = 0};
    TRC_UDP_PARMS parms;
    trc_udp_default_parms(parms, here, there);
    begin(NULL);
    EXPECT(trc_create_queue(TRC_UDP_QUEUE, &parms) == -1);
    trc_udp_def_remote(parms, nowhere);
    EXPECT(create(TRC_UDP_QUEUE, &parms) == 0);
}

int main(void)
{
    case_large_buffers();
    return plain_port.failures == 0 ? 0 : 1;
}

#else

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
    EXPECT(view.server != NULL && view.server_queue == 0u && view.server_period_us == 10000u);
    view.frame_us = 1000;
    fill(100); /* 64 fit */
    uint32_t before = plain_port.now_ticks;
    view.server(0);
    EXPECT(view.file_count == 32u * sizeof(trc_event_t)); /* a third exceeds the budget */
    EXPECT(plain_port.now_ticks - before == 2000u);
    view.server(0);
    EXPECT(offered(0) == 101u); /* with TRC_HOOPS */
    trc_end();
    drain_all();
    expect_balance(0, 101, 65, 36, 0);
    trc_event_t last;
    memcpy(&last, view.file_bytes + view.file_count - sizeof last, sizeof last);
    EXPECT(last.event == TRC_HOOPS && last.x.trc.n == 36u);
}

/* A server that was once preempted for longer than its budget sends again after some periods. */
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
    view.frame_us = 9000; /* time of the preempting tasks */
    view.server(0);
    EXPECT(view.file_count == 16u * sizeof(trc_event_t));
    view.frame_us = 1000;
    view.server(0);
    EXPECT(view.file_count == 16u * sizeof(trc_event_t)); /* the next buffer might take as long */
    for (uint32_t periods = 0; periods < 10u; periods++) {
        view.server(0);
    }
    EXPECT(view.file_count == 64u * sizeof(trc_event_t));
    trc_end();
    drain_all();
    expect_balance(0, 64, 64, 0, 0);
}

static const UDP_ADDR here = {.s_addr = {{10, 0, 0, 1}}, .s_port = 100};
static const UDP_ADDR there = {.s_addr = {{10, 0, 0, 2}}, .s_port = 20000};

static uint16_t packet_records(uint32_t packet)
{
    uint16_t count;
    memcpy(&count, view.packets[packet], sizeof count);
    EXPECT(view.packet_bytes[packet] == sizeof count + count * sizeof(trc_event_t));
    return count;
}

static trc_event_t packet_event(uint32_t packet, uint32_t index)
{
    trc_event_t event;
    memcpy(&event, view.packets[packet] + sizeof(uint16_t) + index * sizeof event, sizeof event);
    return event;
}

static void case_udp(void)
{
    TRC_UDP_PARMS parms;
    trc_udp_default_parms(parms, here, there);
    EXPECT(parms.size == TRC_DEFAULT_SIZE && parms.model == NULL);
    begin(NULL);
    EXPECT(create(TRC_UDP_QUEUE, &parms) == 0);
    EXPECT(trc_assign_event_to_queue(TRC_HOOPS, 0) == 0 && trc_trace_event(TRC_HOOPS) == 0);
    EXPECT(view.udp_local.s_port == 100u && view.udp_remote.s_port == 20000u);
    EXPECT(memcmp(view.udp_remote.s_addr.ad, there.s_addr.ad, 4) == 0);
    EXPECT(view.server != NULL && view.server_period_us == 250000u);
    view.server(0);
    EXPECT(view.packet_count == 0u); /* no event waits */
    fill(5);
    view.server(0); /* sends an incomplete buffer, too */
    EXPECT(view.packet_count == 1u && packet_records(0) == 5u);
    EXPECT(packet_event(0, 4).event == TRC_USER0 && packet_event(0, 4).x.usr.n == 4);
    fill(100); /* 64 fit */
    view.server(0);
    EXPECT(view.packet_count == 2u && packet_records(1) == 16u); /* one packet per period */
    EXPECT(packet_event(1, 15).x.usr.n == 15);
    view.serves_in_pauses = true;
    trc_end();
    drain_all();
    EXPECT(view.packet_count == 6u && view.socket_closed);
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
    EXPECT(view.server_period_us == 20000u && view.udp_local.s_port == 20000u &&
           view.udp_remote.s_port == 100u);
    fill(50); /* 32 fit */
    view.serves_in_pauses = true;
    trc_end();
    drain_all();
    expect_balance(0, 50, 32, 18, 0);
    soft_task_def_wcet(model, 30000);
    begin(NULL);
    EXPECT(trc_create_queue(TRC_UDP_QUEUE, &parms) == -1); /* budget above period */
    view.udp_remote.s_port = 0;
    EXPECT(create(TRC_UDP_QUEUE, NULL) == 0);
    EXPECT(view.udp_remote.s_port == 0u && view.server_period_us == 250000u); /* trace only */
    begin(NULL);
    view.has_network = false;
    soft_task_def_wcet(model, 1000);
    EXPECT(create(TRC_UDP_QUEUE, &parms) == 0);
    fill(50);
    view.serves_in_pauses = true;
    trc_end();
    drain_all();
    expect_balance(0, 50, 32, 18, 0);
    EXPECT(view.packet_count == 0u && !view.socket_closed);
}

int main(void)
{
    case_online();
    case_preempted_server();
    case_udp();
    case_udp_parameters();
    return plain_port.failures == 0 ? 0 : 1;
}

#endif
