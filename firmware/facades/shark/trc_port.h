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

/* Initialise the port: from now on the view may drain too. Called before the kernel runs. */
void trc_port_init(void);

/* Function that a server calls in each activation to serve the queue with this number, from 0. */
typedef void (*trc_serve_t)(uint32_t queue);

/*
 * Create a soft periodic task that calls `serve(queue)` every `period_us`, one for each queue.
 * Thread, or before the kernel runs. Returns 0, or -1 on failure.
 */
int trc_port_start_server(trc_serve_t serve, uint32_t queue, uint32_t period_us);

/* Enclose calls of drain functions: one task at a time drains. Threads; may block. */
void trc_port_drain_begin(void);
void trc_port_drain_end(void);

/* Let other tasks run for about a millisecond. Threads. */
void trc_port_pause(void);

/*
 * Open a file for writing, emptied; returns NULL if the target cannot write files: the events are
 * then in the trace only. The drain writes it.
 */
void *trc_port_open(const char *path);
void trc_port_write(void *file, const void *bytes, uint32_t count);
void trc_port_close(void *file);

/*
 * Open a socket for datagrams over IPv4 from `local` (port 0: any; a target with one address uses
 * that) to `remote`. Returns NULL without a network: the events are then in the trace only. One
 * socket for each queue, opened before the kernel runs. The drain sends `count` bytes, at most
 * 1472, as one datagram. Sending never waits; a datagram that cannot be sent at once is lost.
 */
void *trc_port_udp_open(const UDP_ADDR *local, const UDP_ADDR *remote);
void trc_port_udp_send(void *socket, const void *bytes, uint32_t count);
void trc_port_udp_close(void *socket);

#endif
