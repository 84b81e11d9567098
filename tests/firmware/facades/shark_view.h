/*
 * shark_view.h - what the drivers of the S.Ha.R.K. view share: the port of the façade,
 * open to the test, a link that takes everything, and the law of loss.
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
    /* One server, called by hand, and in each pause if a test sets it. */
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
    uint32_t frame_us; /* what the link takes for a frame */
} shark_view_t;

extern shark_view_t view;

/* Begin anew with all types of queues; files go to `path`. */
void begin(const char *path);

/* Let the recorder's drain send all it has. */
void drain_all(void);

/* Records that a stream was offered. */
uint64_t offered(uint32_t stream);

/* The law of one stream whose buffers all went over the link. */
void expect_balance(uint32_t stream, uint64_t all, uint64_t sent, uint64_t dropped,
                    uint64_t overwritten);

/* Log TRC_USER0 so many times, with a number from 0. */
void fill(uint32_t count);

/* Create a queue that takes the user's class, and activate it. */
int create(int type, void *parms);

/* Which number of TRC_USER0 is record `index` of the file. */
int32_t saved(uint32_t index);

#endif
