/*
 * The client of a broker that sends anything (host/posix/broker_*.c). The linker replaces the
 * socket functions by those below. An input consists of frames with right CRCs (marked replies have
 * the number of the command) and raw bytes. The balance holds after every buffer.
 */
#include <poll.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <sys/types.h>

#include "broker_client.h"
#include "fuzz.h"

#define BODY_MAX    70000u
#define BUFFERS_MAX 4096u

static fuzz_input_t input;
static uint8_t sent[FUZZ_FRAME_ROOM(
    BODY_MAX)]; /* by the broker, and not received yet: from `begin` to `end` */
static size_t begin, end;
static uint32_t commands;

int __wrap_socket(int domain, int type, int protocol);
int __wrap_connect(int file, const struct sockaddr *address, socklen_t bytes);
int __wrap_close(int file);
int __wrap_poll(struct pollfd *files, nfds_t count, int limit_ms);
ssize_t __wrap_send(int file, const void *bytes, size_t count, int flags);
ssize_t __wrap_recv(int file, void *bytes, size_t count, int flags);
pid_t __wrap_getpid(void);

int __wrap_socket(int domain, int type, int protocol)
{
    (void)domain;
    (void)type;
    (void)protocol;
    return 1000;
}

int __wrap_connect(int file, const struct sockaddr *address, socklen_t bytes)
{
    (void)file;
    (void)address;
    (void)bytes;
    return 0;
}

int __wrap_close(int file)
{
    (void)file;
    return 0;
}

int __wrap_poll(struct pollfd *files, nfds_t count, int limit_ms)
{
    (void)files;
    (void)count;
    (void)limit_ms;
    return 1;
}

ssize_t __wrap_send(int file, const void *bytes, size_t count, int flags)
{
    (void)file;
    (void)bytes;
    (void)flags;
    commands++;
    return (ssize_t)count;
}

/* A caller's ids begin after its process id. */
pid_t __wrap_getpid(void)
{
    return 0;
}

/* Make a body from a few bytes of the input and zeros, so that short inputs have long bodies. */
static size_t make_body(uint8_t *body, uint8_t flags)
{
    size_t given = fuzz_u8(&input);
    size_t longer = (flags & 8u) != 0u ? fuzz_u16(&input) : 0u;
    size_t bytes = given + ((flags & 64u) != 0u ? longer : longer & 0x1ffu);
    memset(body, 0, bytes);
    fuzz_copy(&input, body, given);
    return bytes;
}

static void make_frame(uint8_t flags)
{
    static uint8_t body[BODY_MAX];
    uint8_t header[8] = {fuzz_u8(&input)};
    uint8_t place = fuzz_u8(&input);
    header[1] = place & 15u;
    header[2] = (uint8_t)(place >> 4);
    size_t bytes = make_body(body, flags);
    if (header[0] == TT_FRAME_TYPE_REPLY && (flags & 16u) != 0u) {
        memcpy(body, &commands, sizeof commands);
        bytes = bytes < sizeof(tt_wire_reply_t) ? sizeof(tt_wire_reply_t) : bytes;
    }
    if (header[0] == TT_FRAME_TYPE_BUFFER && (flags & 32u) != 0u) {
        tt_wire_buffer_header_t buffer;
        memcpy(&buffer, body, sizeof buffer);
        buffer.count = (uint16_t)(bytes / 16u);
        memcpy(body, &buffer, sizeof buffer);
        bytes = sizeof buffer + buffer.count * (size_t)16u;
    }
    end = fuzz_frame(sent, header, body, bytes);
}

ssize_t __wrap_recv(int file, void *bytes, size_t count, int flags)
{
    (void)file;
    (void)flags;
    if (begin == end) {
        if (fuzz_left(&input) == 0u) {
            return 0;
        }
        uint8_t kind = fuzz_u8(&input);
        begin = end = 0;
        if ((kind & 7u) == 7u) {
            end = 1u + (kind >> 3);
            fuzz_copy(&input, sent, end);
        } else {
            make_frame(kind);
        }
    }
    size_t taken = end - begin < count ? end - begin : count;
    memcpy(bytes, sent + begin, taken);
    begin += taken;
    return (ssize_t)taken;
}

static void check_balance(tt_view_t *view, uint64_t delivered)
{
    tt_view_balance_t balance;
    tt_view_balance(view, &balance);
    FUZZ_CHECK(balance.delivered == delivered);
    FUZZ_CHECK(balance.offered ==
               balance.delivered + balance.overwritten + balance.dropped + balance.damaged);
}

static void use_view(void)
{
    tt_view_t *view;
    if (tt_view_open(&view, "socket://127.0.0.1:1", "name") != 0) {
        return;
    }
    uint64_t delivered = 0;
    uint32_t sum = 0;
    tt_view_buffer_t buffer;
    for (uint32_t i = 0; i < BUFFERS_MAX && tt_view_next(view, NULL, &buffer) == 0; i++) {
        for (uint32_t k = 0; k < buffer.count; k++) {
            sum += buffer.records[k][3];
        }
        delivered += buffer.count;
        FUZZ_CHECK(buffer.dropped_count <= buffer.lost_count);
        check_balance(view, delivered);
    }
    for (uint32_t i = 0; i <= TT_BROKER_USER_TYPES; i++) {
        char name[TT_BROKER_NAME_BYTES];
        sum += tt_view_type_name(view, i, name) ? (uint32_t)strlen(name) : 0u;
    }
    FUZZ_CHECK(sum != UINT32_MAX || delivered > 0u);
    tt_view_close(view);
}

static void use_caller(void)
{
    tt_caller_t *caller;
    uint32_t type;
    uint64_t value;
    uint8_t origin[TT_BROKER_ORIGIN_BYTES] = {0};
    if (tt_caller_open(&caller, "socket://127.0.0.1:1") != 0) {
        return;
    }
    (void)tt_caller_event_open(caller, "name", &type);
    (void)tt_caller_attribute(caller, 0, 1, TT_STREAM_ATTRIBUTE_STATE, &value);
    (void)tt_caller_emit(caller, type, origin, origin, sizeof origin, &type);
    tt_caller_close(caller);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    input = fuzz_begin(data, size);
    begin = end = 0;
    commands = 0;
    ((fuzz_u8(&input) & 7u) == 7u ? use_caller : use_view)();
    return 0;
}
