/*
 * shark_view.h - shared by the drivers of the S.Ha.R.K. view: a port of the façade that tests can
 * inspect, a link that accepts all bytes, and the law of loss.
 */
#ifndef SHARK_VIEW_H
#define SHARK_VIEW_H

#include <stdbool.h>
#include <stdint.h>

#include "plain_port.h"
#include "trc.h"
#include "trc_port.h"

#define PACKETS_MAX 16u

typedef struct shark_view {
    /* The server, called by the test, and in each pause if `serves_in_pauses`. */
    trc_serve_t server;
    uint32_t server_queue;
    uint32_t server_period_us;
    bool serves_in_pauses;
    bool drains;
    /* The file and the socket of a queue. */
    char file_path[96];
    uint8_t file_bytes[4096];
    uint32_t file_count;
    bool file_closed;
    bool has_network;
    UDP_ADDR udp_local;
    UDP_ADDR udp_remote;
    uint8_t packets[PACKETS_MAX][1472];
    uint32_t packet_bytes[PACKETS_MAX];
    uint32_t packet_count;
    bool socket_closed;
    uint32_t frame_us; /* time of the link per frame */
} shark_view_t;

extern shark_view_t view;

/* Initialise recorder and view with all queue types; files go to `path`. */
void begin(const char *path);

/* Let the drain send all records. */
void drain_all(void);

/* Return the number of records offered to a stream. */
uint64_t offered(uint32_t stream);

/* Check the counters of a stream whose buffers are all sent. */
void expect_balance(uint32_t stream, uint64_t all, uint64_t sent, uint64_t dropped,
                    uint64_t overwritten);

/* Log TRC_USER0 `count` times, numbered from 0. */
void fill(uint32_t count);

/* Create and activate a queue for the user's class; returns its number. */
int create(int type, void *parms);

/* Return the number of TRC_USER0 in record `index` of the file. */
int32_t saved(uint32_t index);

#endif
