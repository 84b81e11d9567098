/* broker_line.h - frames over a socket: what callers and views share. One thread at a time. */
#ifndef TICKERTAPE_BROKER_LINE_H
#define TICKERTAPE_BROKER_LINE_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

#include "tickertape/wire.h"

typedef struct tt_line {
    int socket;
    uint32_t sequence; /* of the next frame that we send */
    uint8_t *bytes;    /* received, from `begin` to `end` not looked at yet */
    size_t begin, end;
    size_t searched;   /* up to there no delimiter was found */
    size_t late_bytes; /* read in a row after the caller's time was up */
} tt_line_t;

/* A frame; its body is the line's until the next one is taken. */
typedef struct tt_line_frame {
    tt_wire_frame_header_t header;
    const uint8_t *body;
    size_t bytes; /* of the body */
} tt_line_frame_t;

/* Connect; see broker_client.h. Returns 0 or an error number. */
int tt_line_open(tt_line_t *line, const char *address);
void tt_line_close(tt_line_t *line);

/* Send a frame. Returns 0, or EPIPE when the broker is gone or takes nothing for ten seconds. */
int tt_line_send(tt_line_t *line, tt_frame_type_t type, const void *body, size_t bytes);

/*
 * Give the next good frame; wait for it until `until`, of CLOCK_REALTIME, or forever (NULL).
 * ETIMEDOUT, EINTR when a signal handler ran, EPIPE when the broker is gone.
 */
int tt_line_receive(tt_line_t *line, const struct timespec *until, tt_line_frame_t *frame);

#endif
