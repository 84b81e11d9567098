/* Port of the S.Ha.R.K. view (facades/shark) to Zephyr. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <zephyr/kernel.h>
#ifdef CONFIG_NET_SOCKETS
#include <zephyr/net/socket.h>
#endif

#include "drain_turn.h"
#include "trc.h"
#include "trc_port.h"

#define STACK_BYTES 2048

/* Higher priority than the drain, which uses the remaining time. */
#define SERVER_PRIORITY (TT_ZEPHYR_DRAIN_PRIORITY - 1)

typedef struct server {
    struct k_thread thread;
    struct k_timer timer;
    trc_serve_t serve;
    uint32_t queue;
} server_t;

static server_t servers[TRC_MAXQUEUES];
static K_THREAD_STACK_ARRAY_DEFINE(stacks, TRC_MAXQUEUES, STACK_BYTES);

void trc_port_init(void)
{
}

static void run(void *argument, void *unused1, void *unused2)
{
    server_t *self = argument;
    (void)unused1;
    (void)unused2;
    for (;;) {
        (void)k_timer_status_sync(&self->timer);
        self->serve(self->queue);
    }
}

int trc_port_start_server(trc_serve_t serve, uint32_t queue, uint32_t period_us)
{
    server_t *self = &servers[queue];
    self->serve = serve;
    self->queue = queue;
    k_timer_init(&self->timer, NULL, NULL);
    k_timer_start(&self->timer, K_USEC(period_us), K_USEC(period_us));
    k_tid_t thread = k_thread_create(&self->thread, stacks[queue], STACK_BYTES, run, self, NULL,
                                     NULL, SERVER_PRIORITY, 0, K_NO_WAIT);
    (void)k_thread_name_set(thread, "trc");
    return 0;
}

void trc_port_drain_begin(void)
{
    tt_zephyr_drain_begin();
}

void trc_port_drain_end(void)
{
    tt_zephyr_drain_end();
}

void trc_port_pause(void)
{
    (void)k_msleep(1);
}

/* Zephyr has no file system on every board, so no file is written: the events are only in the
 * trace. */
void *trc_port_open(const char *path)
{
    (void)path;
    return NULL;
}

void trc_port_write(void *file, const void *bytes, uint32_t count)
{
    (void)file;
    (void)bytes;
    (void)count;
}

void trc_port_close(void *file)
{
    (void)file;
}

#ifdef CONFIG_NET_SOCKETS

static struct sockaddr_in place_of(const UDP_ADDR *address)
{
    struct sockaddr_in place = {.sin_family = AF_INET, .sin_port = htons(address->s_port)};
    memcpy(&place.sin_addr, address->s_addr.ad, sizeof address->s_addr.ad);
    return place;
}

/* Open a socket. Returns its number + 1, so that it is not NULL, or NULL if it cannot be opened. */
void *trc_port_udp_open(const UDP_ADDR *local, const UDP_ADDR *remote)
{
    struct sockaddr_in from = place_of(local);
    struct sockaddr_in to = place_of(remote);
    int sock = zsock_socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP);
    if (sock < 0) {
        return NULL;
    }
    if (zsock_bind(sock, (struct sockaddr *)&from, sizeof from) != 0 ||
        zsock_connect(sock, (struct sockaddr *)&to, sizeof to) != 0) {
        (void)zsock_close(sock);
        return NULL;
    }
    return (void *)(intptr_t)(sock + 1);
}

void trc_port_udp_send(void *socket, const void *bytes, uint32_t count)
{
    (void)zsock_send((int)(intptr_t)socket - 1, bytes, count, ZSOCK_MSG_DONTWAIT);
}

void trc_port_udp_close(void *socket)
{
    (void)zsock_close((int)(intptr_t)socket - 1);
}

#else

/* No network: the events are only in the trace. */
void *trc_port_udp_open(const UDP_ADDR *local, const UDP_ADDR *remote)
{
    (void)local;
    (void)remote;
    return NULL;
}

void trc_port_udp_send(void *socket, const void *bytes, uint32_t count)
{
    (void)socket;
    (void)bytes;
    (void)count;
}

void trc_port_udp_close(void *socket)
{
    (void)socket;
}

#endif
