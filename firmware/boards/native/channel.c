#include "channel.h"

#include <errno.h>
#include <fcntl.h>
#include <netdb.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <termios.h>
#include <unistd.h>

#include "udp.h"

/* Bytes of a host name, and of a message. */
#define NAME_BYTES    256
#define MESSAGE_BYTES 512

/* How long to wait for the host to close its side of a connection after we have closed ours. */
#define CLOSE_WAIT_MS 2000

/* Period at which we poll whether the host has read everything from a pseudo-terminal, and number
 * of polls in a row at which nothing must be left: bytes in transit in the operating system are not
 * counted. */
#define PTY_LOOK_US    1000
#define PTY_LOOK_COUNT 20

static char message[MESSAGE_BYTES];

static const char *failure(const char *link, const char *reason)
{
    (void)snprintf(message, sizeof message, "%s: %s", link, reason);
    return message;
}

static int connect_first(const struct addrinfo *addresses)
{
    for (const struct addrinfo *address = addresses; address != NULL; address = address->ai_next) {
        int fd = socket(address->ai_family, address->ai_socktype | SOCK_CLOEXEC, 0);
        if (fd >= 0 && connect(fd, address->ai_addr, address->ai_addrlen) == 0) {
            return fd;
        }
        if (fd >= 0) {
            int reason = errno;
            (void)close(fd);
            errno = reason;
        }
    }
    return -1;
}

static const char *open_socket(native_channel_t *channel, const char *link, const char *address,
                               int type)
{
    char host[NAME_BYTES];
    const char *colon = strrchr(address, ':');
    if (colon == NULL || (size_t)(colon - address) >= sizeof host) {
        return failure(link, "write tcp:HOST:PORT or udp:HOST:PORT");
    }
    memcpy(host, address, (size_t)(colon - address));
    host[colon - address] = '\0';
    const struct addrinfo hints = {.ai_socktype = type};
    struct addrinfo *addresses = NULL;
    int status = getaddrinfo(host, colon + 1, &hints, &addresses);
    if (status != 0) {
        return failure(link, gai_strerror(status));
    }
    channel->fd = connect_first(addresses);
    freeaddrinfo(addresses);
    channel->socket = type == SOCK_STREAM;
    channel->datagrams = type == SOCK_DGRAM;
    return channel->fd >= 0 ? NULL : failure(link, strerror(errno));
}

static const char *open_file(native_channel_t *channel, const char *link, const char *path)
{
    channel->fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    return channel->fd >= 0 ? NULL : failure(link, strerror(errno));
}

static const char *open_pty(native_channel_t *channel, const char *link)
{
    char name[NAME_BYTES];
    struct termios raw;
    channel->fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (channel->fd < 0 || grantpt(channel->fd) != 0 || unlockpt(channel->fd) != 0 ||
        ptsname_r(channel->fd, name, sizeof name) != 0) {
        return failure(link, strerror(errno));
    }
    channel->slave_fd = open(name, O_RDWR | O_NOCTTY | O_CLOEXEC);
    if (channel->slave_fd < 0 || tcgetattr(channel->slave_fd, &raw) != 0) {
        return failure(link, strerror(errno));
    }
    cfmakeraw(&raw);
    if (tcsetattr(channel->slave_fd, TCSANOW, &raw) != 0) {
        return failure(link, strerror(errno));
    }
    (void)printf("%s\n", name);
    (void)fflush(stdout);
    return NULL;
}

static const char *open_any(native_channel_t *channel, const char *link)
{
    if (strncmp(link, "tcp:", 4) == 0) {
        return open_socket(channel, link, link + 4, SOCK_STREAM);
    }
    if (strncmp(link, "udp:", 4) == 0) {
        return open_socket(channel, link, link + 4, SOCK_DGRAM);
    }
    if (strncmp(link, "file:", 5) == 0) {
        return open_file(channel, link, link + 5);
    }
    if (strcmp(link, "pty") == 0) {
        return open_pty(channel, link);
    }
    return failure(link, "write tcp:HOST:PORT, udp:HOST:PORT, file:PATH or pty");
}

const char *native_channel_open(native_channel_t *channel, const char *link)
{
    *channel = (native_channel_t){.fd = -1, .slave_fd = -1};
    const char *problem = open_any(channel, link);
    if (problem == NULL && fcntl(channel->fd, F_SETFL, fcntl(channel->fd, F_GETFL) | O_NONBLOCK)) {
        problem = failure(link, strerror(errno));
    }
    return problem;
}

/* Send one numbered datagram. */
static ssize_t send_datagram(native_channel_t *channel, const uint8_t *bytes, size_t count)
{
    uint32_t header[2] = {TT_UDP_MAGIC, channel->next_datagram};
    const struct iovec parts[2] = {
        {.iov_base = header, .iov_len = sizeof header},
        {.iov_base = (void *)(uintptr_t)bytes, .iov_len = count},
    };
    if (writev(channel->fd, parts, 2) < 0) {
        return errno == ECONNREFUSED ? (ssize_t)count : -1; /* no receiver: the bytes are lost */
    }
    channel->next_datagram++;
    return (ssize_t)count;
}

ssize_t native_channel_write(native_channel_t *channel, const uint8_t *bytes, size_t count)
{
    if (!channel->datagrams) {
        return write(channel->fd, bytes, count);
    }
    return send_datagram(channel, bytes, count < TT_UDP_MOST_BYTES ? count : TT_UDP_MOST_BYTES);
}

ssize_t native_channel_read(native_channel_t *channel, uint8_t *bytes, size_t count)
{
    if (!channel->datagrams) {
        return read(channel->fd, bytes, count);
    }
    if (channel->received_taken == channel->received_count) {
        ssize_t came = read(channel->fd, channel->received, sizeof channel->received);
        if (came <= 0) {
            return came;
        }
        channel->received_count = (size_t)came;
        channel->received_taken = 0;
    }
    size_t left = channel->received_count - channel->received_taken;
    size_t taken = count < left ? count : left;
    memcpy(bytes, channel->received + channel->received_taken, taken);
    channel->received_taken += taken;
    return (ssize_t)taken;
}

/* Closing a socket with unread input discards data that the host has not read yet, so the host
 * closes first. */
static void close_socket(int fd)
{
    uint8_t bytes[256];
    struct pollfd ready = {.fd = fd, .events = POLLIN};
    (void)shutdown(fd, SHUT_WR);
    while (poll(&ready, 1, CLOSE_WAIT_MS) > 0 && read(fd, bytes, sizeof bytes) > 0) {
    }
}

/* Closing a pseudo-terminal discards its contents. */
static void wait_for_pty_reader(int slave_fd)
{
    int unread = 0;
    int looks = 0;
    while (looks < PTY_LOOK_COUNT && ioctl(slave_fd, FIONREAD, &unread) == 0) {
        looks = unread == 0 ? looks + 1 : 0;
        (void)usleep(PTY_LOOK_US);
    }
}

void native_channel_close(native_channel_t *channel)
{
    if (channel->datagrams) {
        (void)send_datagram(channel, NULL, 0); /* nothing follows */
    }
    if (channel->socket) {
        close_socket(channel->fd);
    }
    if (channel->slave_fd >= 0) {
        wait_for_pty_reader(channel->slave_fd);
        (void)close(channel->slave_fd);
    }
    if (channel->fd >= 0) {
        (void)close(channel->fd);
    }
    channel->fd = -1;
    channel->slave_fd = -1;
}
