#include "shark_view.h"

#include <stdio.h>
#include <string.h>

#include "tickertape/tickertape.h"

#define TICK_HZ 1000000u

shark_view_t view;

int trc_port_start_server(trc_serve_t serve, uint32_t queue, uint32_t period_us)
{
    view.server = serve;
    view.server_queue = queue;
    view.server_period_us = period_us;
    return 0;
}

void trc_port_drain_begin(void)
{
    EXPECT(!view.drains);
    view.drains = true;
}

void trc_port_drain_end(void)
{
    view.drains = false;
}

void trc_port_init(void)
{
}

void trc_port_pause(void)
{
    if (view.serves_in_pauses) {
        view.server(view.server_queue);
    }
}

void *trc_port_open(const char *path)
{
    (void)snprintf(view.file_path, sizeof view.file_path, "%s", path);
    view.file_count = 0;
    return view.file_bytes;
}

void trc_port_write(void *file, const void *bytes, uint32_t count)
{
    EXPECT(file == view.file_bytes && view.file_count + count <= sizeof view.file_bytes);
    memcpy(view.file_bytes + view.file_count, bytes, count);
    view.file_count += count;
}

void trc_port_close(void *file)
{
    EXPECT(file == view.file_bytes);
    view.file_closed = true;
}

void *trc_port_udp_open(const UDP_ADDR *local, const UDP_ADDR *remote)
{
    view.udp_local = *local;
    view.udp_remote = *remote;
    view.packet_count = 0;
    return view.has_network ? view.packets : NULL;
}

void trc_port_udp_send(void *socket, const void *bytes, uint32_t count)
{
    EXPECT(socket == view.packets && view.drains && view.packet_count < 16u &&
           count <= sizeof view.packets[0]);
    memcpy(view.packets[view.packet_count], bytes, count);
    view.packet_bytes[view.packet_count++] = count;
}

void trc_port_udp_close(void *socket)
{
    EXPECT(socket == view.packets);
    view.socket_closed = true;
}

/* A link that accepts all bytes; each frame takes `frame_us`. */
static uint32_t room_bytes(void *context)
{
    (void)context;
    return UINT32_MAX;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    for (uint32_t i = 0; i < count; i++) {
        plain_port.now_ticks += bytes[i] == 0u ? view.frame_us : 0u;
    }
}

static void current_thread(uint32_t *pid, uint32_t *tid)
{
    *pid = 0;
    *tid = 7;
}

void drain_all(void)
{
    while (tt_drain_step()) {
    }
}

void begin(const char *path)
{
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    static const tt_target_t target = {
        .name = "driver", .tick_hz = TICK_HZ, .current_thread = current_thread};
    const TRC_PARMS parms = {.path = path};
    plain_port.step_ticks = 0; /* only tests and the link advance the time */
    view.frame_us = 0;
    view.server = NULL;
    view.file_closed = false;
    view.has_network = true;
    view.socket_closed = false;
    view.serves_in_pauses = false;
    EXPECT(tt_init(&target, &link) == TT_OK);
    drain_all();
    EXPECT(TRC_init_phase1(path == NULL ? NULL : &parms) == 0);
    EXPECT(trc_register_dummy_queue() == 0);
    EXPECT(trc_register_fixed_queue() == 0);
    EXPECT(trc_register_dosfs_fixed_queue() == 0);
    EXPECT(trc_register_circular_queue() == 0);
    EXPECT(trc_register_udp_queue() == 0);
}

uint64_t offered(uint32_t stream)
{
    tt_ring_status_t status;
    (void)tt_ring_status(stream, 0, &status);
    return status.offered;
}

/* See shark_view.h. */
void expect_balance(uint32_t stream, uint64_t all, uint64_t sent, uint64_t dropped,
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

void fill(uint32_t count)
{
    for (trc_user_event_t info = {.n = 0}; info.n < (int32_t)count; info.n++) {
        EXPECT(trc_logevent(TRC_USER0, &info) == 0);
    }
}

int create(int type, void *parms)
{
    int queue = trc_create_queue(type, parms);
    EXPECT(trc_assign_class_to_queue(TRC_CLASS_USER, queue) == 0);
    EXPECT(trc_trace_class(TRC_CLASS_USER) == 0);
    EXPECT(TRC_init_phase2() == 0);
    return queue;
}

int32_t saved(uint32_t index)
{
    trc_event_t event;
    memcpy(&event, view.file_bytes + index * sizeof event, sizeof event);
    return event.x.usr.n;
}
