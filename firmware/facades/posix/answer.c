/* Executes command STREAM_ATTRIBUTE: read an attribute of a stream for a host. */
#include <stddef.h>

#include "posix_stream.h"
#include "tickertape/stream.h"

#define RUNNING 1u
#define FULL    2u
#define OVERRUN 4u

/* Return the state bits of a stream. OVERRUN is set when records were lost since the last call. */
static uint64_t state_of(posix_stream_t *stream)
{
    uint64_t losses = posix_stream_losses(stream);
    bool overrun = losses != stream->losses_reported_host;
    stream->losses_reported_host = losses;
    return (posix_stream_is_running(stream) ? RUNNING : 0u) |
           (posix_stream_is_full(stream) ? FULL : 0u) | (overrun ? OVERRUN : 0u);
}

static int read_attribute(posix_stream_t *stream, uint32_t attribute, uint64_t *value)
{
    size_t size = 0;
    switch (attribute) {
    case TT_STREAM_ATTRIBUTE_SIZE:
        *value = stream->attr.stream_min_size;
        break;
    case TT_STREAM_ATTRIBUTE_DATA_SIZE:
        *value = stream->attr.max_data_size;
        break;
    case TT_STREAM_ATTRIBUTE_FULL_POLICY:
        *value = (uint64_t)stream->attr.stream_full_policy;
        break;
    case TT_STREAM_ATTRIBUTE_CREATED:
        *value = stream->created_ticks;
        break;
    case TT_STREAM_ATTRIBUTE_STATE:
        *value = state_of(stream);
        break;
    case TT_STREAM_ATTRIBUTE_SYSTEM_EVENT_SIZE:
        (void)posix_trace_attr_getmaxsystemeventsize(&stream->attr, &size);
        *value = size;
        break;
    case TT_STREAM_ATTRIBUTE_FILTER:
        *value = stream->filter.bits[0];
        break;
    default:
        return TT_ERROR_ARGUMENT;
    }
    return TT_OK;
}

/* Answer a command of the host (tt_answer_t). The drain calls it and must not wait for
 * posix_port_lock(), so it reads only values that do not change while a stream has its name, or are
 * single words. */
static int answer(void *context, const tt_wire_command_t *command, const uint8_t *payload,
                  uint32_t payload_bytes, tt_wire_reply_t *reply)
{
    uint64_t value = 0;
    (void)context;
    (void)payload;
    (void)payload_bytes;
    if (command->command != TT_COMMAND_STREAM_ATTRIBUTE) {
        return TT_ERROR_UNKNOWN;
    }
    if (command->stream >= POSIX_STREAMS || !posix_streams[command->stream].used ||
        (command->arg1 != 0u && command->arg1 != posix_stream_generation(command->stream))) {
        return TT_ERROR_ARGUMENT;
    }
    int result = read_attribute(&posix_streams[command->stream], command->arg0, &value);
    reply->value0 = (uint32_t)value;
    reply->value1 = (uint32_t)(value >> 32);
    return result;
}

void posix_answer_begin(void)
{
    tt_set_answer(answer, NULL);
}
