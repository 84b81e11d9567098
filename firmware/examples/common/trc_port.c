/* Port of the S.Ha.R.K. view to the reference kernel, its boards and the tracer. */
#include "trc_port.h"

#include <stddef.h>

#include "board.h"
#include "kernel.h"
#include "tracer.h"
#include "trc.h"

/* Above the drain, which runs in the remaining time, and below all threads with deadlines. */
#define SERVER_PRIORITY 1u

#define US_PER_S 1000000u

typedef struct server {
    kernel_thread_t thread;
    trc_serve_t serve;
    uint32_t queue;
    uint32_t period_ticks;
} server_t;

static server_t servers[TRC_MAXQUEUES];
static _Alignas(8) uint8_t stacks[TRC_MAXQUEUES][1536];
static const char *const names[TRC_MAXQUEUES] = {"trc1", "trc2", "trc3", "trc4", "trc5"};

void trc_port_init(void)
{
    tracer_share_drain();
}

static void run(void *argument)
{
    const server_t *self = argument;
    (void)kernel_thread_set_period(kernel_thread_self(), self->period_ticks);
    for (;;) {
        (void)kernel_wait_period();
        self->serve(self->queue);
    }
}

int trc_port_start_server(trc_serve_t serve, uint32_t queue, uint32_t period_us)
{
    server_t *server = &servers[queue];
    uint64_t ticks = (uint64_t)period_us * KERNEL_TICK_HZ / US_PER_S;
    if (ticks == 0u || ticks > KERNEL_TICKS_MAX) {
        return -1;
    }
    server->serve = serve;
    server->queue = queue;
    server->period_ticks = (uint32_t)ticks;
    return kernel_thread_create(&server->thread, names[queue], run, server, SERVER_PRIORITY,
                                stacks[queue], sizeof stacks[queue]) == KERNEL_OK
               ? 0
               : -1;
}

void trc_port_drain_begin(void)
{
    tracer_drain_begin();
}

void trc_port_drain_end(void)
{
    tracer_drain_end();
}

void trc_port_pause(void)
{
    (void)kernel_sleep(1);
}

/* Open a file only with option files=1, because semihosting stops a board during each write. */
void *trc_port_open(const char *path)
{
    return board_option("files", 0) != 0u ? board_file_open(path) : NULL;
}

void trc_port_write(void *file, const void *bytes, uint32_t count)
{
    board_file_write(file, bytes, count);
}

void trc_port_close(void *file)
{
    board_file_close(file);
}

void *trc_port_udp_open(const UDP_ADDR *local, const UDP_ADDR *remote)
{
    return board_udp_open(local->s_port, remote->s_addr.ad, remote->s_port);
}

void trc_port_udp_send(void *socket, const void *bytes, uint32_t count)
{
    board_udp_send(socket, bytes, count);
}

void trc_port_udp_close(void *socket)
{
    board_udp_close(socket);
}
