/*
 * boards/native/channel.h - a file descriptor that carries the trace: socket, file or
 * pseudo-terminal. Reads and writes never block; EAGAIN on a write means that the host has to read
 * first.
 */
#ifndef NATIVE_CHANNEL_H
#define NATIVE_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* Room for a datagram with a command of the host. */
#define NATIVE_CHANNEL_RECEIVE_BYTES 2048

typedef struct native_channel {
    int fd;       /* -1: none */
    int slave_fd; /* pseudo-terminal: kept open so that the host may disconnect and return; else -1
                   */
    bool socket;
    bool datagrams; /* numbered datagrams; protocol/SPEC.md, "UDP" */
    uint32_t next_datagram;
    uint8_t received[NATIVE_CHANNEL_RECEIVE_BYTES]; /* the last datagram received */
    size_t received_count;
    size_t received_taken;
} native_channel_t;

/*
 * Open "tcp:HOST:PORT" (connects), "udp:HOST:PORT" (sends there), "file:PATH" (emptied first) or
 * "pty" (its name is printed on stdout). Returns NULL on success, else the reason of the failure, a
 * text that is valid until the next call.
 */
const char *native_channel_open(native_channel_t *channel, const char *link);

/* Write some bytes, with the results of write(2); over UDP at most one full datagram. */
ssize_t native_channel_write(native_channel_t *channel, const uint8_t *bytes, size_t count);

/* Read some bytes, with the results of read(2). The rest of a datagram is kept for the next
 * call. */
ssize_t native_channel_read(native_channel_t *channel, uint8_t *bytes, size_t count);

/* Wait until the host has read all output, then close. */
void native_channel_close(native_channel_t *channel);

#endif
