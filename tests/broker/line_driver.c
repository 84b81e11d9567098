/*
 * A peer that sends frames without end must not block a caller whose time limit has passed: exit
 * code 0; a fault would run forever. The linker replaces poll() and recv() by the functions below.
 */
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "broker_line.h"

/* A TEXT frame without a body: header, CRC-32, COBS. */
static const uint8_t frame[] = {2, 8, 1, 1, 1, 1, 1, 1, 5, 0xdc, 0xc4, 0xc7, 0xb6, 0};

int __wrap_poll(struct pollfd *files, nfds_t count, int limit_ms);
ssize_t __wrap_recv(int file, void *bytes, size_t count, int flags);

int __wrap_poll(struct pollfd *files, nfds_t count, int limit_ms)
{
    (void)files;
    (void)count;
    (void)limit_ms;
    return 1;
}

ssize_t __wrap_recv(int file, void *bytes, size_t count, int flags)
{
    (void)file;
    (void)flags;
    size_t done = 0;
    for (; done + sizeof frame <= count; done += sizeof frame) {
        memcpy((uint8_t *)bytes + done, frame, sizeof frame);
    }
    return (ssize_t)done;
}

int main(void)
{
    tt_line_t line = {.socket = -1, .bytes = malloc((size_t)TT_LIMIT_MAX_FRAME_BYTES * 3u)};
    const struct timespec past = {.tv_sec = 1};
    tt_line_frame_t taken;
    unsigned long count = 0;
    while (tt_line_receive(&line, &past, &taken) == 0) {
        count++;
    }
    tt_line_close(&line);
    (void)printf("%s", count > 10000u ? "" : "what was there was not taken\n");
    return count > 10000u ? 0 : 1;
}
