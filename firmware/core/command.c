/*
 * Commands from the host: frames are put together here and carried out once. A host that got no
 * reply sends the same command again under the same id; it gets the same reply, and nothing is
 * done twice.
 */
#include "command.h"

#include <stddef.h>
#include <string.h>

#include "core.h"
#include "crc.h"
#include "ring.h"
#include "tickertape/emitters.h"
#include "tickertape/filter.h"

#define FRAME_BYTES (sizeof(tt_wire_frame_header_t) + sizeof(tt_wire_command_t) + sizeof(uint32_t))

/* COBS adds one byte to a frame as short as this. */
#define ENCODED_BYTES (FRAME_BYTES + 1u)

static struct {
    uint8_t encoded[ENCODED_BYTES];
    uint32_t count; /* bytes since the last delimiter; beyond ENCODED_BYTES it is no command */
    tt_wire_reply_t last;
} receiver;

void tt_command_reset(void)
{
    memset(&receiver, 0, sizeof receiver);
}

/* Undo COBS in place. Returns the number of bytes, 0 when the encoding is wrong. */
static uint32_t decode(uint8_t *bytes, uint32_t count)
{
    uint32_t out = 0;
    uint32_t in = 0;
    while (in < count) {
        uint32_t code = bytes[in++];
        if (code == 0u || in + code - 1u > count) {
            return 0;
        }
        for (uint32_t i = 1; i < code; i++) {
            bytes[out++] = bytes[in++];
        }
        if (code != 0xffu && in < count) {
            bytes[out++] = 0;
        }
    }
    return out;
}

static bool extract(tt_wire_command_t *command)
{
    tt_wire_frame_header_t header;
    uint32_t crc;
    if (receiver.count != ENCODED_BYTES ||
        decode(receiver.encoded, receiver.count) != FRAME_BYTES) {
        return false;
    }
    memcpy(&header, receiver.encoded, sizeof header);
    memcpy(command, receiver.encoded + sizeof header, sizeof *command);
    memcpy(&crc, receiver.encoded + sizeof header + sizeof *command, sizeof crc);
    return header.type == TT_FRAME_TYPE_COMMAND && command->id != 0u &&
           crc == tt_crc32(receiver.encoded, FRAME_BYTES - sizeof crc);
}

/* Which classes have any event, or every event, selected for the stream. */
static int classes(uint32_t stream, tt_wire_reply_t *reply)
{
    for (uint32_t i = 0; i < TT_CLASS_COUNT; i++) {
        tt_selection_t selection = tt_route_selection(stream, i);
        reply->value0 |= (uint32_t)(selection != TT_SELECTED_NOTHING) << i;
        reply->value1 |= (uint32_t)(selection == TT_SELECTED_EVERYTHING) << i;
    }
    return TT_OK;
}

static int status(uint32_t stream, tt_wire_reply_t *reply)
{
    reply->value0 = atomic_load(&tt_streams[stream].running);
    reply->value1 = (uint32_t)tt_rings[stream][0].policy;
    tt_drain_announce();
    return TT_OK;
}

static int insert(const tt_wire_command_t *command)
{
    if (command->arg0 >= TT_CLASS_COUNT || command->arg1 > TT_RECORD_EVENT_MASK) {
        return TT_ERROR_ARGUMENT;
    }
    uint32_t route = tt_route[tt_route_index(command->arg0, command->arg1)];
    if (route != 0u) {
        tt_record(command->arg2, command->arg3,
                  TT_RECORD_HEADER(TT_RECORD_SIMPLE, 0, 0, command->arg0, command->arg1) |
                      TT_RECORD_HOST_MASK,
                  route);
    }
    return TT_OK;
}

static int flush(uint32_t stream)
{
    for (uint32_t cpu = 0; cpu < TT_CONFIG_CPUS; cpu++) {
        if (cpu == tt_port_cpu()) {
            tt_flush(stream);
        } else {
            atomic_store(&tt_rings[stream][cpu].wants_flush, true);
        }
    }
    return TT_OK;
}

static int carry_out(const tt_wire_command_t *c, tt_wire_reply_t *reply)
{
    if (c->stream >= TT_CONFIG_STREAMS) {
        return TT_ERROR_ARGUMENT;
    }
    switch ((tt_command_t)c->command) {
    case TT_COMMAND_HELLO:
        tt_drain_announce();
        return TT_OK;
    case TT_COMMAND_START:
        return c->arg0 == 0u ? tt_start(c->stream) : tt_start_without_state(c->stream);
    case TT_COMMAND_STOP:
        return tt_stop(c->stream);
    case TT_COMMAND_FLUSH:
        return flush(c->stream);
    case TT_COMMAND_STATUS:
        return status(c->stream, reply);
    case TT_COMMAND_CLASSES:
        return classes(c->stream, reply);
    case TT_COMMAND_ADD_ALL:
    case TT_COMMAND_DEL_ALL:
        return tt_select_all(c->stream, c->command == TT_COMMAND_ADD_ALL);
    case TT_COMMAND_ADD_CLASS:
    case TT_COMMAND_DEL_CLASS:
        return tt_select_class(c->stream, c->arg0, c->command == TT_COMMAND_ADD_CLASS);
    case TT_COMMAND_ADD_EVENT:
    case TT_COMMAND_DEL_EVENT:
        return tt_select_event(c->stream, c->arg0, c->arg1, c->command == TT_COMMAND_ADD_EVENT);
    case TT_COMMAND_THREAD_FILTER:
        return tt_set_thread_filter(c->arg0, c->arg1, c->arg2, c->arg3);
    case TT_COMMAND_FAST:
    case TT_COMMAND_WIDE:
        return tt_set_wide(c->arg0, c->arg1, c->command == TT_COMMAND_WIDE);
    case TT_COMMAND_POLICY:
        return tt_set_policy(c->stream, (tt_policy_t)c->arg0);
    case TT_COMMAND_INSERT:
        return insert(c);
    case TT_COMMAND_SHED:
        return tt_set_shedding(c->stream, c->arg0, c->arg1);
    case TT_COMMAND_PACKING:
        return tt_set_packing(c->arg0 != 0u);
    default:
        return TT_ERROR_UNKNOWN;
    }
}

static void answer(const tt_wire_command_t *command)
{
    tt_wire_reply_t reply = {
        .id = command->id, .command = command->command, .stream = command->stream};
    int result = carry_out(command, &reply);
    reply.status = (uint16_t)-result;
    receiver.last = reply;
    tt_emit_tracer_command(command->command, result);
}

bool tt_command_receive(uint8_t byte, tt_wire_reply_t *reply)
{
    if (byte != 0u) {
        if (receiver.count < ENCODED_BYTES) {
            receiver.encoded[receiver.count] = byte;
        }
        receiver.count += receiver.count <= ENCODED_BYTES;
        return false;
    }
    tt_wire_command_t command;
    bool complete = extract(&command);
    receiver.count = 0;
    if (!complete) {
        return false;
    }
    if (command.id != receiver.last.id) {
        answer(&command);
    }
    *reply = receiver.last;
    return true;
}
