/* broker_line.h - frames over a socket, for callers and views. Not thread-safe. */
#ifndef TICKERTAPE_BROKER_LINE_H
#define TICKERTAPE_BROKER_LINE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "tickertape/wire.h"

typedef struct tt_line {
    int socket;
    uint32_t sequence; /* sequence number of the next frame to send */
    uint8_t *bytes;    /* received bytes; those from `begin` to `end` are not processed yet */
    size_t begin, end;
    size_t searched;   /* no delimiter from `begin` to here */
    size_t late_bytes; /* bytes read in a row after the caller's time limit */
} tt_line_t;

/* A frame. Its body is valid until the next tt_line_receive(). */
typedef struct tt_line_frame {
    tt_wire_frame_header_t header;
    const uint8_t *body;
    size_t bytes; /* size of the body */
} tt_line_frame_t;

/* Connect; see broker_client.h. Returns 0 or an error number. */
int tt_line_open(tt_line_t *line, const char *address);
void tt_line_close(tt_line_t *line);

/* Send a frame. Returns 0; EPIPE: the broker is gone or accepts nothing for ten seconds; EMSGSIZE:
 * the body is too long. */
int tt_line_send(tt_line_t *line, tt_frame_type_t type, const void *body, size_t bytes);

/*
 * Store the next valid frame in *frame. Waits until `until` (CLOCK_REALTIME); NULL: no limit.
 * Returns 0; ETIMEDOUT; EINTR: a signal handler ran; EPIPE: the broker is gone.
 */
int tt_line_receive(tt_line_t *line, const struct timespec *until, tt_line_frame_t *frame);

#endif
