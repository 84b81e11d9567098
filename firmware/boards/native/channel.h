/*
 * boards/native/channel.h - a file descriptor that carries the trace: socket, file or
 * pseudo-terminal. It never waits; EAGAIN means that the host has to read first.
 */
#ifndef NATIVE_CHANNEL_H
#define NATIVE_CHANNEL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* A command of the host fits into so many bytes. */
#define NATIVE_CHANNEL_RECEIVE_BYTES 2048

typedef struct native_channel {
    int fd;       /* -1: there is none */
    int slave_fd; /* pseudo-terminal: kept open so that the host may come and go; else -1 */
    bool socket;
    bool datagrams; /* numbered ones; protocol/SPEC.md, "UDP" */
    uint32_t next_datagram;
    uint8_t received[NATIVE_CHANNEL_RECEIVE_BYTES]; /* the last datagram that came */
    size_t received_count;
    size_t received_taken;
} native_channel_t;

/*
 * Open "tcp:HOST:PORT" (connects), "udp:HOST:PORT" (sends there), "file:PATH" (emptied first) or
 * "pty" (its name is printed on stdout). Returns NULL, or why it does not work; the text is valid
 * until the next call.
 */
const char *native_channel_open(native_channel_t *channel, const char *link);

/* Write some bytes, as write(2) does; over UDP at most a datagram full. */
ssize_t native_channel_write(native_channel_t *channel, const uint8_t *bytes, size_t count);

/* Read some bytes, as read(2) does; of a datagram the rest waits for the next call. */
ssize_t native_channel_read(native_channel_t *channel, uint8_t *bytes, size_t count);

/* Wait until the host has read all output, and close. */
void native_channel_close(native_channel_t *channel);

#endif
