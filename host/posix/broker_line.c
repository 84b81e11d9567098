#include "broker_line.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "tickertape/cobs.h"
#include "tickertape/crc.h"

#define NS_PER_MS 1000000
#define MS_PER_S  1000

/* Bytes of the receive buffer: more than two of the longest frames, so that one always fits. */
#define ROOM_BYTES ((size_t)TT_LIMIT_MAX_FRAME_BYTES * 2u + 2048u)

#define CRC_BYTES sizeof(uint32_t)

/* Longest command, the only kind of frame that is sent. COBS adds one byte to fewer than 255. */
#define SENT_BYTES                                                                                 \
    (sizeof(tt_wire_frame_header_t) + sizeof(tt_wire_command_t) +                                  \
     TT_LIMIT_MAX_COMMAND_PAYLOAD_BYTES + CRC_BYTES)
_Static_assert(SENT_BYTES < 255u, "COBS of a longer frame has more blocks");

#define SEND_LIMIT_MS 10000

/* Most bytes read in a row after the caller's time limit, so that a broker that sends without end
 * does not hold a caller. */
#define LATE_BYTES_MAX (1u << 20)

/* Connecting. ---------------------------------------------------------------------------------- */

static void default_address(char *text, size_t room)
{
    const char *given = getenv("TICKERTAPE_BROKER");
    const char *folder = getenv("XDG_RUNTIME_DIR");
    if (given != NULL && given[0] != '\0') {
        (void)snprintf(text, room, "%s", given);
    } else if (folder != NULL && folder[0] != '\0') {
        (void)snprintf(text, room, "unix:%s/tickertape.sock", folder);
    } else {
        (void)snprintf(text, room, "unix:/tmp/tickertape-%lu.sock", (unsigned long)getuid());
    }
}

/* Return whether the peer is this user or the superuser: another user may own the socket. */
static bool is_ours(int connection)
{
    struct ucred peer;
    socklen_t size = sizeof peer;
    return getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0 &&
           (peer.uid == 0u || peer.uid == geteuid());
}

static int connect_unix(int *connection, const char *path)
{
    struct sockaddr_un place = {.sun_family = AF_UNIX};
    if (strlen(path) >= sizeof place.sun_path) {
        return EINVAL;
    }
    memcpy(place.sun_path, path, strlen(path) + 1u);
    *connection = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*connection < 0) {
        return errno;
    }
    if (connect(*connection, (const struct sockaddr *)&place, sizeof place) != 0) {
        return errno == ECONNREFUSED ? ENOENT : errno;
    }
    return is_ours(*connection) ? 0 : EACCES;
}

static int connect_loopback(int *connection, const char *text)
{
    static const char host[] = "127.0.0.1:";
    char *end;
    if (strncmp(text, host, sizeof host - 1u) != 0) {
        return EINVAL;
    }
    unsigned long port = strtoul(text + sizeof host - 1u, &end, 10);
    if (*end != '\0' || port == 0u || port > UINT16_MAX) {
        return EINVAL;
    }
    struct sockaddr_in place = {.sin_family = AF_INET,
                                .sin_port = htons((uint16_t)port),
                                .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int on = 1;
    *connection = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (*connection < 0) {
        return errno;
    }
    (void)setsockopt(*connection, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    return connect(*connection, (const struct sockaddr *)&place, sizeof place) == 0 ? 0
           : errno == ECONNREFUSED                                                  ? ENOENT
                                                                                    : errno;
}

static int connect_to(int *connection, const char *address)
{
    static const char socket_prefix[] = "unix:";
    static const char network_prefix[] = "socket://";
    char text[256];
    *connection = -1;
    if (address == NULL) {
        default_address(text, sizeof text);
    } else {
        (void)snprintf(text, sizeof text, "%s", address);
    }
    if (strncmp(text, socket_prefix, sizeof socket_prefix - 1u) == 0) {
        return connect_unix(connection, text + sizeof socket_prefix - 1u);
    }
    if (strncmp(text, network_prefix, sizeof network_prefix - 1u) == 0) {
        return connect_loopback(connection, text + sizeof network_prefix - 1u);
    }
    return EINVAL;
}

int tt_line_open(tt_line_t *line, const char *address)
{
    const int kept = errno;
    *line = (tt_line_t){.socket = -1};
    line->bytes = malloc(ROOM_BYTES);
    int result = line->bytes == NULL ? ENOMEM : connect_to(&line->socket, address);
    if (result != 0) {
        tt_line_close(line);
    }
    errno = kept;
    return result;
}

void tt_line_close(tt_line_t *line)
{
    const int kept = errno;
    if (line->socket >= 0) {
        (void)close(line->socket);
    }
    free(line->bytes);
    *line = (tt_line_t){.socket = -1};
    errno = kept;
}

/* Frames. -------------------------------------------------------------------------------------- */

/* Encode fewer than 255 bytes with COBS. `to` has room for `count` + 1. Returns `count` + 1. */
static size_t stuff(uint8_t *to, const uint8_t *bytes, size_t count)
{
    size_t mark = 0;
    for (size_t i = 0; i < count; i++) {
        to[i + 1u] = bytes[i];
        if (bytes[i] == 0u) {
            to[mark] = (uint8_t)(i + 1u - mark);
            mark = i + 1u;
        }
    }
    to[mark] = (uint8_t)(count + 1u - mark);
    return count + 1u;
}

static int send_all(int connection, const uint8_t *bytes, size_t count)
{
    while (count > 0u) {
        ssize_t sent = send(connection, bytes, count, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (sent > 0) {
            bytes += sent;
            count -= (size_t)sent;
        } else if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
            struct pollfd ready = {.fd = connection, .events = POLLOUT};
            if (poll(&ready, 1, SEND_LIMIT_MS) == 0) {
                return EPIPE;
            }
        } else if (errno != EINTR) {
            return EPIPE;
        }
    }
    return 0;
}

int tt_line_send(tt_line_t *line, tt_frame_type_t type, const void *body, size_t bytes)
{
    const tt_wire_frame_header_t header = {.type = (uint8_t)type, .sequence = line->sequence++};
    uint8_t plain[SENT_BYTES];
    uint8_t sent[SENT_BYTES + 3u];
    const int kept = errno;
    if (sizeof header + bytes + CRC_BYTES > sizeof plain) {
        return EMSGSIZE;
    }
    memcpy(plain, &header, sizeof header);
    memcpy(plain + sizeof header, body, bytes);
    size_t count = sizeof header + bytes;
    uint32_t crc = tt_crc32(plain, (uint32_t)count);
    memcpy(plain + count, &crc, sizeof crc);
    sent[0] = 0; /* ends any bytes before it */
    size_t stuffed = stuff(sent + 1, plain, count + sizeof crc);
    sent[stuffed + 1u] = 0;
    int result = send_all(line->socket, sent, stuffed + 2u);
    errno = kept;
    return result;
}

/* Decode a frame of `count` bytes without delimiter, in place. False if it is invalid or longer
 * than TT_LIMIT_MAX_FRAME_BYTES: callers rely on this limit. */
static bool extract(uint8_t *bytes, size_t count, tt_line_frame_t *frame)
{
    uint32_t crc;
    size_t plain = tt_cobs_decode(bytes, (uint32_t)count);
    if (plain < sizeof frame->header + CRC_BYTES || plain > TT_LIMIT_MAX_FRAME_BYTES) {
        return false;
    }
    memcpy(&crc, bytes + plain - CRC_BYTES, sizeof crc);
    memcpy(&frame->header, bytes, sizeof frame->header);
    frame->body = bytes + sizeof frame->header;
    frame->bytes = plain - sizeof frame->header - CRC_BYTES;
    return crc == tt_crc32(bytes, (uint32_t)(plain - CRC_BYTES));
}

/* Find the next valid frame among the received bytes. */
static bool next_frame(tt_line_t *line, tt_line_frame_t *frame)
{
    while (line->searched < line->end) {
        const uint8_t *zero = memchr(line->bytes + line->searched, 0, line->end - line->searched);
        if (zero == NULL) {
            line->searched = line->end;
            return false;
        }
        size_t begin = line->begin;
        size_t end = (size_t)(zero - line->bytes);
        line->begin = end + 1u;
        line->searched = line->begin;
        if (extract(line->bytes + begin, end - begin, frame)) {
            return true;
        }
    }
    return false;
}

/* Return the milliseconds left until `until`, or -1 for no limit. */
static int left_ms(const struct timespec *until)
{
    struct timespec now;
    if (until == NULL) {
        return -1;
    }
    (void)clock_gettime(CLOCK_REALTIME, &now);
    int64_t ms = ((int64_t)until->tv_sec - now.tv_sec) * MS_PER_S +
                 (until->tv_nsec - now.tv_nsec + NS_PER_MS - 1) / NS_PER_MS;
    return ms <= 0 ? 0 : ms > INT32_MAX ? INT32_MAX : (int)ms;
}

/* Wait until `until` and read at least one byte. Returns 0, ETIMEDOUT, EINTR or EPIPE. */
static int receive_some(tt_line_t *line, const struct timespec *until)
{
    struct pollfd ready = {.fd = line->socket, .events = POLLIN};
    if (line->begin > 0u) {
        memmove(line->bytes, line->bytes + line->begin, line->end - line->begin);
        line->end -= line->begin;
        line->searched -= line->begin;
        line->begin = 0;
    }
    if (line->end == ROOM_BYTES) { /* longer than any frame: discard it */
        line->end = 0;
        line->searched = 0;
    }
    int wait_ms = left_ms(until);
    int found = line->late_bytes > LATE_BYTES_MAX ? 0 : poll(&ready, 1, wait_ms);
    if (found <= 0) {
        line->late_bytes = 0;
        return found == 0 ? ETIMEDOUT : errno == EINTR ? EINTR : EPIPE;
    }
    ssize_t count = recv(line->socket, line->bytes + line->end, ROOM_BYTES - line->end, 0);
    if (count < 0 && errno == EINTR) {
        return EINTR;
    }
    line->end += count > 0 ? (size_t)count : 0u;
    line->late_bytes = wait_ms == 0 && count > 0 ? line->late_bytes + (size_t)count : 0u;
    return count > 0 ? 0 : EPIPE;
}

int tt_line_receive(tt_line_t *line, const struct timespec *until, tt_line_frame_t *frame)
{
    const int kept = errno;
    int result = 0;
    while (result == 0 && !next_frame(line, frame)) {
        result = receive_some(line, until);
    }
    errno = kept;
    return result;
}
