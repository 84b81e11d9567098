/*
 * trc_port.h - functions that the S.Ha.R.K. view requires of the system. examples/common/trc_port.c
 * defines them for the reference kernel, ports/zephyr/src/view_shark.c for Zephyr. The view uses
 * the recorder and these functions only. A system without files or network returns NULL from the
 * function that opens one.
 */
#ifndef TRC_PORT_H
#define TRC_PORT_H

#include <stdint.h>

#include "trc_kernel.h"

/* Start of the view: from now on it may drain as well. Before the kernel runs. */
void trc_port_init(void);

/* The activation of a server: it serves the queue with this number, from 0. */
typedef void (*trc_serve_t)(uint32_t queue);

/*
 * Create a soft periodic task that calls `serve(queue)` every `period_us`. One for each queue.
 * Thread, or before the kernel runs. Returns 0, or -1 when that is not possible.
 */
int trc_port_start_server(trc_serve_t serve, uint32_t queue, uint32_t period_us);

/* One task at a time drains: between these two the caller is the drain. Threads; may block. */
void trc_port_drain_begin(void);
void trc_port_drain_end(void);

/* Let other tasks run for about a millisecond. Threads. */
void trc_port_pause(void);

/*
 * A file that the target itself can write: open for writing, emptied, or NULL where there is no
 * way to; the events then are in the trace alone. The drain writes it.
 */
void *trc_port_open(const char *path);
void trc_port_write(void *file, const void *bytes, uint32_t count);
void trc_port_close(void *file);

/*
 * Datagrams over IPv4, from `local` (port 0: any; a target with one address uses that) to `remote`,
 * or NULL without a network: the events are then in the trace only. One for each queue, before the
 * kernel runs. The drain sends `count` bytes, at most 1472, as one datagram. Sending never waits; a
 * datagram that cannot be sent at once is lost.
 */
void *trc_port_udp_open(const UDP_ADDR *local, const UDP_ADDR *remote);
void trc_port_udp_send(void *socket, const void *bytes, uint32_t count);
void trc_port_udp_close(void *socket);

#endif
