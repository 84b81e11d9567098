/*
 * Reads a stream of the target by its name. The connection subscribes to every stream until the
 * reply to STREAM_ATTACH identifies the stream, so that no record is missed in between.
 */
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "broker_balance.h"
#include "broker_client.h"
#include "broker_line.h"
#include "tickertape/events.h"

#define EVERY_STREAM ((1u << TT_LIMIT_MAX_STREAMS) - 1u)
#define CPUS         TT_LIMIT_MAX_CPUS

/* Number of records in the longest BUFFER frame. */
#define RECORDS_MAX                                                                                \
    ((TT_LIMIT_MAX_FRAME_BYTES - sizeof(tt_wire_frame_header_t) -                                  \
      sizeof(tt_wire_buffer_header_t)) /                                                           \
     sizeof(uint32_t[4]))

/* Most bytes of frames kept before the view is open: a limit for a broker that does not answer. The
 * next receipt counts the records of frames left out as damaged. */
#define EARLY_BYTES_MAX (4u << 20)

#define ATTACH_LIMIT_S   15
/* Grace period for the final STATUS after a stream is destroyed. */
#define FAREWELL_LIMIT_S 2

/* BUFFER or STATUS frame received before the view was open; list in order of arrival. */
typedef struct early {
    struct early *next;
    tt_wire_frame_header_t header;
    size_t bytes; /* size of the body */
    uint8_t body[];
} early_t;

struct tt_view {
    pthread_mutex_t reading; /* held by the thread that reads the line */
    pthread_mutex_t guard;   /* protects `about`, `rings` and `names`; held for moments only */
    tt_view_about_t about;
    tt_view_ring_t rings[CPUS];
    char names[TT_BROKER_USER_TYPES][TT_BROKER_NAME_BYTES];

    /* Protected by `reading`. */
    tt_line_t line;
    early_t *early;
    early_t **early_end;
    size_t early_bytes; /* sum of `bytes` of all kept frames */
    bool subscribed;    /* all buffers arrive, unpacked; earlier ones are ignored */
    bool attached;
    bool open; /* BUFFER and STATUS frames are processed; before that they are kept */
    bool met;  /* HELLO was received */
    bool over; /* no further frame counts: reset of the target, or the broker is gone */
    struct timespec gone_since; /* time at which `about.gone` was set; 0: it is not set */
    uint32_t boot_id;
    uint64_t hello_ticks;
    uint32_t cpu_count;
    bool swaps; /* the target has the other byte order */
    uint32_t (*records)[4];
};

static bool is_set(const struct timespec *time)
{
    return time->tv_sec != 0;
}

/* Announcements of the target. --------------------------------------------------------------- */

static void take_hello(tt_view_t *view, const tt_line_frame_t *frame)
{
    const uint16_t probe = 1;
    const bool little = *(const uint8_t *)&probe == 1u;
    tt_wire_hello_t hello;
    if (frame->bytes < sizeof hello) {
        return;
    }
    memcpy(&hello, frame->body, sizeof hello);
    if (view->met && (hello.boot_id != view->boot_id || hello.ticks < view->hello_ticks)) {
        view->over = true; /* the target was reset: the stream is gone, or is another one */
        return;
    }
    view->met = true;
    view->boot_id = hello.boot_id;
    view->hello_ticks = hello.ticks;
    view->cpu_count = hello.cpu_count == 0u ? 1u : hello.cpu_count <= CPUS ? hello.cpu_count : CPUS;
    view->swaps = little != (hello.byte_order == TT_BYTE_ORDER_LITTLE);
    view->about.tick_hz = hello.tick_hz;
}

static void take_event_name(tt_view_t *view, uint32_t type, const uint8_t *text, size_t bytes)
{
    uint32_t number = type & TT_RECORD_EVENT_MASK;
    if (type >> 10 == TT_CLASS_USER && number < TT_BROKER_USER_TYPES &&
        bytes < TT_BROKER_NAME_BYTES) {
        memcpy(view->names[number], text, bytes);
        view->names[number][bytes] = '\0';
    }
}

static void take_name(tt_view_t *view, const tt_line_frame_t *frame)
{
    tt_wire_name_t name;
    if (frame->bytes < sizeof name) {
        return;
    }
    memcpy(&name, frame->body, sizeof name);
    const uint8_t *text = frame->body + sizeof name;
    size_t bytes = frame->bytes - sizeof name;
    if (name.kind == TT_OBJECT_KIND_EVENT) {
        take_event_name(view, name.id, text, bytes);
    } else if (name.kind == TT_OBJECT_KIND_STREAM && view->attached && !view->about.gone &&
               name.id == view->about.stream &&
               (bytes == 0u || name.parent != view->about.generation)) {
        view->about.gone = true;
        for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
            view->rings[cpu].final = false; /* a later STATUS reports whether more records follow */
        }
        (void)clock_gettime(CLOCK_REALTIME, &view->gone_since);
    }
}

/* Records. ------------------------------------------------------------------------------------- */

static void take_status(tt_view_t *view, const tt_wire_frame_header_t *frame, const uint8_t *body,
                        size_t bytes, bool is_early)
{
    tt_wire_status_t status;
    if (bytes < sizeof status || frame->cpu >= CPUS || frame->stream != view->about.stream) {
        return;
    }
    memcpy(&status, body, sizeof status);
    const tt_view_receipt_t receipt = {status.settled_ordinal, status.settled_dropped,
                                       status.settled_sent};
    if (tt_view_ring_settle(&view->rings[frame->cpu], &receipt)) {
        /* An early STATUS may be older than the message that the stream is gone. */
        view->rings[frame->cpu].final = status.final != 0u && !is_early;
    }
}

static uint32_t swapped(uint32_t word)
{
    return word >> 24 | (word >> 8 & 0xff00u) | (word << 8 & 0xff0000u) | word << 24;
}

/* Count a buffer and store its records in *buffer. False if it is invalid or has no new records. */
static bool take_buffer(tt_view_t *view, const tt_wire_frame_header_t *frame, const uint8_t *body,
                        size_t bytes, tt_view_buffer_t *buffer)
{
    tt_wire_buffer_header_t header;
    if (bytes < sizeof header || frame->cpu >= CPUS || frame->stream != view->about.stream) {
        return false;
    }
    memcpy(&header, body, sizeof header);
    if (header.count == 0u || header.count > RECORDS_MAX ||
        bytes != sizeof header + header.count * sizeof *view->records) {
        return false;
    }
    const tt_view_receipt_t begin = {header.first_ordinal, header.dropped, header.sent};
    *buffer = (tt_view_buffer_t){
        .records = (const uint32_t (*)[4])view->records,
        .count = header.count,
        .cpu = frame->cpu,
        .ticks = header.ticks,
    };
    if (!tt_view_ring_deliver(&view->rings[frame->cpu], &begin, header.count, buffer)) {
        return false;
    }
    memcpy(view->records, body + sizeof header, header.count * sizeof *view->records);
    for (uint32_t i = 0; view->swaps && i < header.count * 4u; i++) {
        view->records[i / 4u][i % 4u] = swapped(view->records[i / 4u][i % 4u]);
    }
    return true;
}

/* Keep a BUFFER or STATUS frame until the view is open. */
static void keep(tt_view_t *view, const tt_line_frame_t *frame)
{
    bool fits = view->early_bytes + frame->bytes <= EARLY_BYTES_MAX;
    early_t *early = fits ? malloc(sizeof *early + frame->bytes) : NULL;
    if (early != NULL) { /* else it is lost; the next receipt counts its records */
        view->early_bytes += frame->bytes;
        *early = (early_t){.header = frame->header, .bytes = frame->bytes};
        memcpy(early->body, frame->body, frame->bytes);
        *view->early_end = early;
        view->early_end = &early->next;
    }
}

static bool take_early(tt_view_t *view, tt_view_buffer_t *buffer)
{
    bool found = false;
    while (!found && view->early != NULL) {
        early_t *early = view->early;
        view->early = early->next;
        if (view->early == NULL) {
            view->early_end = &view->early;
        }
        if (early->header.type == TT_FRAME_TYPE_STATUS) {
            take_status(view, &early->header, early->body, early->bytes, true);
        } else {
            found = take_buffer(view, &early->header, early->body, early->bytes, buffer);
        }
        free(early);
    }
    return found;
}

/* Process a BUFFER or STATUS frame, or keep it. True if *buffer has new records. */
static bool take_records(tt_view_t *view, const tt_line_frame_t *frame, tt_view_buffer_t *buffer)
{
    if (!view->open) {
        if (view->subscribed) {
            keep(view, frame);
        }
        return false;
    }
    if (frame->header.type == TT_FRAME_TYPE_STATUS) {
        take_status(view, &frame->header, frame->body, frame->bytes, false);
        return false;
    }
    return take_buffer(view, &frame->header, frame->body, frame->bytes, buffer);
}

/* Process a frame that is not a REPLY. True if *buffer has new records. */
static bool take_frame(tt_view_t *view, const tt_line_frame_t *frame, tt_view_buffer_t *buffer)
{
    switch ((tt_frame_type_t)frame->header.type) {
    case TT_FRAME_TYPE_HELLO:
        take_hello(view, frame);
        return false;
    case TT_FRAME_TYPE_NAME:
        take_name(view, frame);
        return false;
    case TT_FRAME_TYPE_STATUS:
    case TT_FRAME_TYPE_BUFFER:
        return take_records(view, frame, buffer);
    default:
        return false;
    }
}

/* Opening. ------------------------------------------------------------------------------------- */

static int ask(tt_view_t *view, const tt_wire_command_t *command, const char *payload,
               tt_wire_reply_t *reply)
{
    uint8_t body[sizeof *command + TT_LIMIT_MAX_COMMAND_PAYLOAD_BYTES];
    struct timespec until;
    tt_line_frame_t frame;
    size_t bytes = strnlen(payload, TT_LIMIT_MAX_COMMAND_PAYLOAD_BYTES + 1u);
    if (bytes > TT_LIMIT_MAX_COMMAND_PAYLOAD_BYTES) {
        return ENOENT;
    }
    memcpy(body, command, sizeof *command);
    memcpy(body + sizeof *command, payload, bytes); /* without its end mark */
    int result = tt_line_send(&view->line, TT_FRAME_TYPE_COMMAND, body, sizeof *command + bytes);
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += ATTACH_LIMIT_S;
    while (result == 0 || result == EINTR) {
        result = tt_line_receive(&view->line, &until, &frame);
        if (result != 0) {
            continue;
        }
        if (frame.header.type != TT_FRAME_TYPE_REPLY || frame.bytes < sizeof *reply) {
            tt_view_buffer_t ignored;
            (void)take_frame(view, &frame, &ignored);
            continue;
        }
        memcpy(reply, frame.body, sizeof *reply);
        if (reply->id != command->id) {
            continue;
        }
        return reply->status == TT_REPLY_STATUS_DONE ? 0 : ENOENT;
    }
    return result == EPIPE || result == ETIMEDOUT ? ENOENT : result;
}

static int attach(tt_view_t *view, const char *name)
{
    tt_wire_command_t command = {
        .id = 1, .command = TT_COMMAND_SUBSCRIBE, .arg0 = EVERY_STREAM, .arg1 = 1};
    tt_wire_reply_t reply;
    int result = ask(view, &command, "", &reply);
    if (result == 0) {
        view->subscribed = true;
        /* Valid until disconnection; after that, unread records stay in the target. */
        command = (tt_wire_command_t){.id = 2, .command = TT_COMMAND_STREAM_ATTACH, .arg0 = 1};
        result = ask(view, &command, name, &reply);
    }
    if (result == 0 && reply.value0 >= TT_LIMIT_MAX_STREAMS) {
        result = ENOENT; /* no target has such a stream */
    }
    if (result == 0) {
        view->about.stream = reply.value0;
        view->about.generation = reply.value1;
        view->attached = true;
        command = (tt_wire_command_t){
            .id = 3, .command = TT_COMMAND_SUBSCRIBE, .arg0 = 1u << reply.value0, .arg1 = 1};
        result = ask(view, &command, "", &reply);
    }
    return result;
}

/* Request HELLO unless it was received, and wait for it. */
static int meet(tt_view_t *view)
{
    const tt_wire_command_t command = {.id = 4, .command = TT_COMMAND_HELLO};
    struct timespec until;
    tt_wire_reply_t reply;
    int result = view->met ? 0 : ask(view, &command, "", &reply);
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += ATTACH_LIMIT_S;
    while (!view->met && (result == 0 || result == EINTR)) {
        tt_line_frame_t frame;
        tt_view_buffer_t none;
        result = tt_line_receive(&view->line, &until, &frame);
        if (result == 0) {
            (void)take_frame(view, &frame, &none);
        }
    }
    return view->met ? 0 : ENOENT;
}

int tt_view_open(tt_view_t **view, const char *address, const char *name)
{
    tt_view_t *new = calloc(1, sizeof *new);
    uint32_t (*records)[4] = malloc(RECORDS_MAX * sizeof *records);
    int result = new == NULL || records == NULL ? ENOMEM : tt_line_open(&new->line, address);
    if (result != 0) {
        free(records);
        free(new);
        return result;
    }
    new->records = records;
    new->early_end = &new->early;
    new->cpu_count = 1;
    (void)pthread_mutex_init(&new->reading, NULL);
    (void)pthread_mutex_init(&new->guard, NULL);
    result = attach(new, name);
    result = result == 0 ? meet(new) : result;
    if (result != 0) {
        tt_view_close(new);
        return result;
    }
    new->open = true;
    *view = new;
    return 0;
}

void tt_view_close(tt_view_t *view)
{
    while (view->early != NULL) {
        early_t *early = view->early;
        view->early = early->next;
        free(early);
    }
    tt_line_close(&view->line);
    (void)pthread_mutex_destroy(&view->reading);
    (void)pthread_mutex_destroy(&view->guard);
    free(view->records);
    free(view);
}

/* Reading. ------------------------------------------------------------------------------------- */

/* Return whether no more records can arrive, or the grace period of a gone stream is over. */
static bool is_at_end(const tt_view_t *view)
{
    bool all_final = true;
    for (uint32_t cpu = 0; cpu < view->cpu_count; cpu++) {
        all_final = all_final && view->rings[cpu].final;
    }
    if (view->over || (view->about.gone && all_final)) {
        return true;
    }
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return is_set(&view->gone_since) && now.tv_sec > view->gone_since.tv_sec + FAREWELL_LIMIT_S;
}

/* Wait for a frame. EPIPE: the broker is gone, or the grace period of a gone stream is over. */
static int receive(tt_view_t *view, const struct timespec *until, tt_line_frame_t *frame)
{
    struct timespec limit = view->gone_since;
    limit.tv_sec += FAREWELL_LIMIT_S + 1;
    bool limited = is_set(&view->gone_since) && (until == NULL || tt_time_is_before(&limit, until));
    int result = tt_line_receive(&view->line, limited ? &limit : until, frame);
    return limited && result == ETIMEDOUT ? EPIPE : result;
}

static int next(tt_view_t *view, const struct timespec *until, tt_view_buffer_t *buffer)
{
    for (;;) {
        tt_line_frame_t frame;
        (void)pthread_mutex_lock(&view->guard);
        bool found = take_early(view, buffer);
        bool at_end = !found && is_at_end(view);
        (void)pthread_mutex_unlock(&view->guard);
        if (found || at_end) {
            return found ? 0 : EINVAL;
        }
        int result = receive(view, until, &frame);
        if (result == EPIPE) {
            view->over = true;
        } else if (result != 0) {
            return result;
        } else {
            (void)pthread_mutex_lock(&view->guard);
            found = take_frame(view, &frame, buffer);
            (void)pthread_mutex_unlock(&view->guard);
            if (found) {
                return 0;
            }
        }
    }
}

int tt_view_next(tt_view_t *view, const struct timespec *until, tt_view_buffer_t *buffer)
{
    int result = until == NULL ? pthread_mutex_lock(&view->reading)
                               : pthread_mutex_timedlock(&view->reading, until);
    if (result != 0) {
        return ETIMEDOUT;
    }
    result = next(view, until, buffer);
    (void)pthread_mutex_unlock(&view->reading);
    return result;
}

void tt_view_about(tt_view_t *view, tt_view_about_t *about)
{
    (void)pthread_mutex_lock(&view->guard);
    *about = view->about;
    (void)pthread_mutex_unlock(&view->guard);
}

void tt_view_balance(tt_view_t *view, tt_view_balance_t *balance)
{
    *balance = (tt_view_balance_t){0};
    (void)pthread_mutex_lock(&view->guard);
    for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
        tt_view_ring_balance(&view->rings[cpu], balance);
    }
    (void)pthread_mutex_unlock(&view->guard);
}

bool tt_view_type_name(tt_view_t *view, uint32_t number, char name[TT_BROKER_NAME_BYTES])
{
    if (number >= TT_BROKER_USER_TYPES) {
        return false;
    }
    (void)pthread_mutex_lock(&view->guard);
    memcpy(name, view->names[number], TT_BROKER_NAME_BYTES);
    (void)pthread_mutex_unlock(&view->guard);
    return name[0] != '\0';
}
