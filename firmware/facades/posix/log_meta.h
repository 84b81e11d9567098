/*
 * log_meta.h - the META chunks of a log: attributes of its stream at the beginning, state of the
 * log at its end. JSON for hosts, which store it with the tape; the keys are those in log_meta.c.
 */
#ifndef POSIX_LOG_META_H
#define POSIX_LOG_META_H

#include <stdint.h>

#include "trace.h"

/* Bytes of the longest text, including the terminating zero. */
#define POSIX_META_BYTES 512u

/* State of a log when it was closed. */
typedef struct posix_log_state {
    int overrun;
    int flush_error;
    int log_overrun;
    int log_full;
    uint32_t filter_low; /* filter of the stream: bits of the system events */
} posix_log_state_t;

/* Write the text of a META chunk. Return its length in bytes. */
uint32_t posix_meta_put_attr(char text[POSIX_META_BYTES], const trace_attr_t *attr);
uint32_t posix_meta_put_state(char text[POSIX_META_BYTES], const posix_log_state_t *state);

/* Read the text of any META chunk. A value that the text does not contain stays unchanged. */
void posix_meta_get(const char *text, trace_attr_t *attr, posix_log_state_t *state);

#endif
