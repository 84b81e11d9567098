/*
 * Commands from the host: assemble frames and execute each command once. A host that gets no reply
 * repeats the command with the same id; it gets the same reply, and the command is not executed
 * again. Ids count up, so that a late copy of an older command is recognised by its id.
 */
#include "command.h"

#include <stddef.h>
#include <string.h>

#include "announce.h"
#include "outlet.h"
#include "ring.h"
#include "route.h"
#include "selection.h"
#include "tickertape/add.h"
#include "tickertape/cobs.h"
#include "tickertape/crc.h"
#include "tickertape/define.h"
#include "tickertape/emitters.h"
#include "tickertape/filter.h"
#include "tickertape/stream.h"

/* Bytes of a frame without payload, and of the longest encoded one. COBS adds one byte to a frame
 * shorter than 255 bytes. */
#define FRAME_BYTES (sizeof(tt_wire_frame_header_t) + sizeof(tt_wire_command_t) + sizeof(uint32_t))
#define ENCODED_BYTES (FRAME_BYTES + TT_CONFIG_COMMAND_PAYLOAD_BYTES + 1u)

/* A command and its payload. */
typedef struct request {
    tt_wire_command_t command;
    const uint8_t *payload;
    uint32_t payload_bytes;
} request_t;

static struct {
    uint8_t encoded[ENCODED_BYTES];
    bool replies;   /* `last` is not sent yet; until then no byte is taken */
    uint32_t count; /* bytes since the last delimiter; ENCODED_BYTES + 1: too long for a command */
    tt_wire_reply_t last;
} receiver;

static struct {
    tt_answer_t answer;
    void *context;
} facade;

void tt_command_reset(void)
{
    memset(&receiver, 0, sizeof receiver);
    memset(&facade, 0, sizeof facade);
}

void tt_set_answer(tt_answer_t answer, void *context)
{
    facade.context = context;
    facade.answer = answer;
}

/* Decode the frame received. Returns false if it is not a command, too short or too long, or its
 * CRC is wrong. */
static bool extract(request_t *request)
{
    tt_wire_frame_header_t header;
    uint32_t crc;
    uint32_t count =
        receiver.count <= ENCODED_BYTES ? tt_cobs_decode(receiver.encoded, receiver.count) : 0u;
    if (count < FRAME_BYTES) {
        return false;
    }
    const uint8_t *body = receiver.encoded + sizeof header;
    memcpy(&header, receiver.encoded, sizeof header);
    memcpy(&request->command, body, sizeof request->command);
    memcpy(&crc, receiver.encoded + count - sizeof crc, sizeof crc);
    request->payload = body + sizeof request->command;
    request->payload_bytes = count - (uint32_t)FRAME_BYTES;
    return header.type == TT_FRAME_TYPE_COMMAND && request->command.id != 0u &&
           crc == tt_crc32(receiver.encoded, count - (uint32_t)sizeof crc);
}

/* Reply with two masks of classes: those with any event, and those with every event selected for
 * the stream. */
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
    reply->value0 = tt_is_set(&tt_streams[stream].running);
    reply->value1 = (uint32_t)tt_rings[stream][0].policy;
    tt_announce_ask(TT_ANNOUNCE_STATUS);
    return TT_OK;
}

/* Classes whose events a host cannot insert: only the recorder records them. */
#define RECORDERS_CLASSES (1u << TT_CLASS_EMPTY | 1u << TT_CLASS_CONTROL | 1u << TT_CLASS_TRACER)

/* Record an event for the host. Value 0 of the reply contains the streams that have it selected. */
static int insert(const request_t *request, tt_wire_reply_t *reply)
{
    const tt_wire_command_t *c = &request->command;
    if (c->arg0 >= TT_CLASS_COUNT || c->arg1 > TT_RECORD_EVENT_MASK ||
        ((RECORDERS_CLASSES >> c->arg0) & 1u) != 0u) {
        return TT_ERROR_ARGUMENT;
    }
    uint32_t index = tt_route_index(c->arg0, c->arg1);
    uint32_t route = tt_route[index];
    uint32_t header = TT_ADD_HEADER(c->arg0, c->arg1) | TT_RECORD_HOST_MASK;
    reply->value0 = tt_selection_of_event(header, index, route & TT_ROUTE_STREAMS_MASK);
    if (route == 0u) {
        return TT_OK;
    }
    if (c->command == TT_COMMAND_INSERT) {
        tt_record(c->arg2, c->arg3, header, route);
    } else {
        header |= c->arg2 == 1u ? TT_RECORD_TRUNCATED_MASK : 0u;
        tt_record_payload(header, route, NULL, 0, request->payload, request->payload_bytes);
    }
    return TT_OK;
}

#if TT_CONFIG_DEFINITIONS > 0
static int open_event(const request_t *request, tt_wire_reply_t *reply)
{
    int type = tt_define_by_name((const char *)request->payload, request->payload_bytes);
    reply->value0 = type < 0 ? 0u : (uint32_t)type;
    return type < 0 ? type : TT_OK;
}
#endif

#if TT_CONFIG_STREAM_NAMES
/* Attach a host to a stream, or detach it. The drain sends the counters before the first buffer, so
 * that the host can count losses from then on. */
static int attach(const request_t *request, tt_wire_reply_t *reply)
{
    int stream = tt_stream_by_name((const char *)request->payload, request->payload_bytes);
    if (stream < 0) {
        return stream;
    }
    bool attaches = request->command.command == TT_COMMAND_STREAM_ATTACH;
    reply->value0 = (uint32_t)stream;
    reply->value1 = tt_stream_generation((uint32_t)stream);
    if (attaches) {
        tt_announce_ask(TT_ANNOUNCE_ALL);
    }
    return tt_stream_attach((uint32_t)stream, attaches);
}
#endif

/* Select an event type or remove it. Without event masks, a request for an event without an entry
 * of its own applies to all such events of its class; value 0 of the reply reports that. */
static int select_event(const tt_wire_command_t *c, tt_wire_reply_t *reply)
{
    int result = tt_select_event(c->stream, c->arg0, c->arg1, c->command == TT_COMMAND_ADD_EVENT);
    reply->value0 = TT_CONFIG_EVENT_MASKS == 0 && result == TT_OK &&
                    tt_route_is_other(c->arg0, tt_route_index(c->arg0, c->arg1));
    return result;
}

/* Pass a command that the core does not know to the façade. */
static int ask_facade(const request_t *request, tt_wire_reply_t *reply)
{
    return facade.answer == NULL ? TT_ERROR_UNKNOWN
                                 : facade.answer(facade.context, &request->command,
                                                 request->payload, request->payload_bytes, reply);
}

static int carry_out(const request_t *request, tt_wire_reply_t *reply)
{
    const tt_wire_command_t *c = &request->command;
    if (c->stream >= TT_CONFIG_STREAMS) {
        return TT_ERROR_ARGUMENT;
    }
    switch ((tt_command_t)c->command) {
    case TT_COMMAND_HELLO:
        tt_announce_ask(TT_ANNOUNCE_ALL);
        return TT_OK;
    case TT_COMMAND_START:
        return c->arg0 == 0u ? tt_start(c->stream) : tt_start_without_state(c->stream);
    case TT_COMMAND_STOP:
        return tt_stop(c->stream);
    case TT_COMMAND_FLUSH:
        tt_flush_all(c->stream);
        return TT_OK;
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
        return select_event(c, reply);
    case TT_COMMAND_THREAD_FILTER:
        return tt_set_thread_filter(c->arg0, c->arg1, c->arg2, c->arg3);
    case TT_COMMAND_FAST:
    case TT_COMMAND_WIDE:
        return tt_set_wide(c->arg0, c->arg1, c->command == TT_COMMAND_WIDE);
    case TT_COMMAND_POLICY:
        return tt_set_policy(c->stream, c->arg0);
    case TT_COMMAND_INSERT:
    case TT_COMMAND_INSERT_BYTES:
        return insert(request, reply);
    case TT_COMMAND_SHED:
        return tt_set_shedding(c->stream, c->arg0, c->arg1);
    case TT_COMMAND_PACKING:
        return tt_set_packing(c->arg0 != 0u);
    case TT_COMMAND_EVENT_OPEN:
#if TT_CONFIG_DEFINITIONS > 0
        return open_event(request, reply);
#else
        return TT_ERROR_STATE;
#endif
    case TT_COMMAND_STREAM_ATTACH:
    case TT_COMMAND_STREAM_DETACH:
#if TT_CONFIG_STREAM_NAMES
        return attach(request, reply);
#else
        return TT_ERROR_ARGUMENT;
#endif
    default:
        return ask_facade(request, reply);
    }
}

/* Execute a command, keep its reply and record TRACER COMMAND. */
static void answer(const request_t *request)
{
    const tt_wire_command_t *command = &request->command;
    tt_wire_reply_t reply = {
        .id = command->id, .command = command->command, .stream = command->stream};
    int result = carry_out(request, &reply);
    reply.status = (uint16_t)-result;
    receiver.last = reply;
    tt_emit_tracer_command(command->command, result);
}

/* Return whether an id belongs to a command before the last one. The host no longer waits for its
 * reply. */
static bool is_late(uint32_t id)
{
    uint32_t behind = receiver.last.id - id;
    return receiver.last.id != 0u && behind != 0u && behind <= TT_LIMIT_LATE_COMMANDS;
}

/* Take one byte from the link. If it ends a frame with a command, execute the command, unless it is
 * a repetition, and return true: `receiver.last` is the reply to send. */
static bool receive(uint8_t byte)
{
    if (byte != 0u) {
        if (receiver.count < ENCODED_BYTES) {
            receiver.encoded[receiver.count] = byte;
        }
        receiver.count += receiver.count <= ENCODED_BYTES;
        return false;
    }
    request_t request;
    bool complete = extract(&request);
    receiver.count = 0;
    if (!complete || is_late(request.command.id)) {
        return false;
    }
    if (request.command.id != receiver.last.id) {
        answer(&request);
    }
    return true;
}

/* Largest number of bytes from the host that one step reads, enough for the longest command. The
 * limit keeps a host that sends without pause from stopping the drain. */
#define BYTES_OF_A_STEP 256u

bool tt_command_hear(void)
{
    const tt_link_t *link = tt_outlet_link();
    uint32_t left = BYTES_OF_A_STEP;
    uint8_t byte;
    while (link->get != NULL && !receiver.replies && link->get(link->context, &byte, 1) != 0u) {
        receiver.replies = receive(byte);
        left--;
        if (left == 0u) {
            return true;
        }
    }
    return false;
}

bool tt_command_reply(void)
{
    if (!receiver.replies || !tt_outlet_has_room(sizeof receiver.last)) {
        return false;
    }
    tt_outlet_begin(TT_FRAME_TYPE_REPLY, receiver.last.stream, 0);
    (void)tt_outlet_add(&receiver.last, sizeof receiver.last);
    (void)tt_outlet_end();
    receiver.replies = false;
    return true;
}
