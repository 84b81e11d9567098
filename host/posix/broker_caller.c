/* Sends commands to the target. Each is sent once: the broker repeats it on the link as often as
 * necessary, and the socket to the broker loses nothing. */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "broker_client.h"
#include "broker_line.h"

/* The broker gives up a command after ten seconds, and may serve other callers first. */
#define ANSWER_LIMIT_S 60

struct tt_caller {
    pthread_mutex_t turn;
    tt_line_t line;
    uint32_t next_id;
    bool broken;
};

/* Caller that this thread is using: a signal handler of the thread must not wait for it. */
static _Thread_local const tt_caller_t *in_use;

int tt_caller_open(tt_caller_t **caller, const char *address)
{
    tt_caller_t *new = malloc(sizeof *new);
    if (new == NULL) {
        return ENOMEM;
    }
    *new = (tt_caller_t){.next_id = 1u + (uint32_t)getpid()};
    int result = tt_line_open(&new->line, address);
    if (result != 0) {
        free(new);
        return result;
    }
    (void)pthread_mutex_init(&new->turn, NULL);
    *caller = new;
    /* No records: this connection is for commands. */
    const tt_caller_request_t nothing = {.command = TT_COMMAND_SUBSCRIBE};
    tt_wire_reply_t reply;
    result = tt_caller_call(new, &nothing, &reply);
    if (result != 0) {
        tt_caller_close(new);
        return ENOENT; /* the peer is not a broker, or is about to end */
    }
    return 0;
}

void tt_caller_close(tt_caller_t *caller)
{
    tt_line_close(&caller->line);
    (void)pthread_mutex_destroy(&caller->turn);
    free(caller);
}

static int await_reply(tt_caller_t *caller, uint32_t id, tt_wire_reply_t *reply)
{
    struct timespec until;
    tt_line_frame_t frame;
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += ANSWER_LIMIT_S;
    for (;;) {
        int result = tt_line_receive(&caller->line, &until, &frame);
        if (result == EINTR) {
            continue;
        }
        if (result != 0) {
            caller->broken = true; /* no reply in time, or no connection: use it no more */
            return result;
        }
        if (frame.header.type == TT_FRAME_TYPE_REPLY && frame.bytes >= sizeof *reply) {
            memcpy(reply, frame.body, sizeof *reply);
            if (reply->id == id) {
                return reply->status == TT_REPLY_STATUS_DONE        ? 0
                       : reply->status == TT_REPLY_STATUS_NO_ANSWER ? ETIMEDOUT
                                                                    : EINVAL;
            }
        }
    }
}

static int call(tt_caller_t *caller, const tt_caller_request_t *request, tt_wire_reply_t *reply)
{
    uint8_t body[sizeof(tt_wire_command_t) + TT_LIMIT_MAX_COMMAND_PAYLOAD_BYTES];
    if (caller->broken) {
        return EPIPE;
    }
    const tt_wire_command_t command = {
        .id = caller->next_id,
        .command = (uint8_t)request->command,
        .stream = (uint8_t)request->stream,
        .arg0 = request->args[0],
        .arg1 = request->args[1],
        .arg2 = request->args[2],
        .arg3 = request->args[3],
    };
    caller->next_id += caller->next_id == UINT32_MAX ? 2u : 1u;
    memcpy(body, &command, sizeof command);
    if (request->payload_bytes > 0u) {
        memcpy(body + sizeof command, request->payload, request->payload_bytes);
    }
    int result = tt_line_send(&caller->line, TT_FRAME_TYPE_COMMAND, body,
                              sizeof command + request->payload_bytes);
    if (result != 0) {
        caller->broken = true;
        return result;
    }
    return await_reply(caller, command.id, reply);
}

int tt_caller_call(tt_caller_t *caller, const tt_caller_request_t *request, tt_wire_reply_t *reply)
{
    *reply = (tt_wire_reply_t){0};
    if (request->payload_bytes > TT_LIMIT_MAX_COMMAND_PAYLOAD_BYTES) {
        return EMSGSIZE;
    }
    if (in_use == caller) {
        return EAGAIN;
    }
    in_use = caller;
    (void)pthread_mutex_lock(&caller->turn);
    int result = call(caller, request, reply);
    (void)pthread_mutex_unlock(&caller->turn);
    in_use = NULL;
    return result;
}

int tt_caller_event_open(tt_caller_t *caller, const char *name, uint32_t *type)
{
    const tt_caller_request_t request = {
        .command = TT_COMMAND_EVENT_OPEN, .payload = name, .payload_bytes = strlen(name)};
    tt_wire_reply_t reply;
    int result = tt_caller_call(caller, &request, &reply);
    *type = reply.value0;
    return result;
}

int tt_caller_attribute(tt_caller_t *caller, uint32_t stream, uint32_t generation,
                        tt_stream_attribute_t attribute, uint64_t *value)
{
    const tt_caller_request_t request = {.command = TT_COMMAND_STREAM_ATTRIBUTE,
                                         .stream = stream,
                                         .args = {(uint32_t)attribute, generation}};
    tt_wire_reply_t reply;
    int result = tt_caller_call(caller, &request, &reply);
    *value = (uint64_t)reply.value1 << 32 | reply.value0;
    return result;
}

int tt_caller_emit(tt_caller_t *caller, uint32_t type, const uint8_t origin[TT_BROKER_ORIGIN_BYTES],
                   const void *data, size_t data_bytes, uint32_t *streams)
{
    uint8_t payload[TT_LIMIT_MAX_COMMAND_PAYLOAD_BYTES];
    bool is_cut = data_bytes > TT_BROKER_DATA_BYTES;
    size_t bytes = is_cut ? TT_BROKER_DATA_BYTES : data_bytes;
    memcpy(payload, origin, TT_BROKER_ORIGIN_BYTES);
    if (bytes > 0u) {
        memcpy(payload + TT_BROKER_ORIGIN_BYTES, data, bytes);
    }
    const tt_caller_request_t request = {
        .command = TT_COMMAND_INSERT_BYTES,
        .args = {type >> 10, type & TT_RECORD_EVENT_MASK, is_cut ? 1u : 0u},
        .payload = payload,
        .payload_bytes = TT_BROKER_ORIGIN_BYTES + bytes,
    };
    tt_wire_reply_t reply;
    int result = tt_caller_call(caller, &request, &reply);
    *streams = reply.value0;
    return result;
}
