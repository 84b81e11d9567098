/* Event types: names and sets. User event types are definitions of the recorder. */
#include <errno.h>
#include <string.h>

#include "posix_stream.h"
#include "tickertape/define.h"
#include "tickertape/events.h"
#include "tickertape/wire.h"

#define USER_TYPE(index) TT_EVENT_TYPE(TT_CLASS_USER, index)

#define UNNAMED "posix_trace_unnamed_userevent"

_Static_assert(TT_CONFIG_DEFINITIONS >= TRACE_USER_EVENT_MAX &&
                   TT_CONFIG_DEFINITION_NAME_BYTES > TRACE_EVENT_NAME_MAX,
               "POSIX Trace: TT_CONFIG_DEFINITIONS=32 TT_CONFIG_DEFINITION_NAME_BYTES=32");

static const char *const system_names[POSIX_FIRST_USER] = {
    [POSIX_TRACE_ERROR] = "posix_trace_error",
    [POSIX_TRACE_START] = "posix_trace_start",
    [POSIX_TRACE_STOP] = "posix_trace_stop",
    [POSIX_TRACE_FILTER] = "posix_trace_filter",
    [POSIX_TRACE_OVERFLOW] = "posix_trace_overflow",
    [POSIX_TRACE_RESUME] = "posix_trace_resume",
    [POSIX_TRACE_FLUSH_START] = "posix_trace_flush_start",
    [POSIX_TRACE_FLUSH_STOP] = "posix_trace_flush_stop",
    [POSIX_TRACE_CONTEXT_SWITCH] = "posix_trace_context_switch",
    [POSIX_TRACE_TASK_STATE] = "posix_trace_task_state",
    [POSIX_TRACE_KERNEL_OVERHEAD] = "posix_trace_kernel_overhead",
    [POSIX_TRACE_SYSTEM_CALL] = "posix_trace_system_call",
    [POSIX_TRACE_MUTEX_LOCK] = "posix_trace_mutex_lock",
    [POSIX_TRACE_MUTEX_UNLOCK] = "posix_trace_mutex_unlock",
    [POSIX_TRACE_COND_WAIT] = "posix_trace_cond_wait",
    [POSIX_TRACE_COND_BROADCAST] = "posix_trace_cond_broadcast",
};

void posix_types_begin(void)
{
    if (tt_definition(0) == TT_UNDEFINED) {
        (void)tt_define(0, TT_CLASS_USER, 0, UNNAMED);
        posix_answer_begin();
    }
}

const char *posix_system_name(trace_event_id_t event)
{
    return event > 0 && event < (int)POSIX_FIRST_USER ? system_names[event] : NULL;
}

const char *posix_type_name(trace_event_id_t event)
{
    if (event < (int)POSIX_FIRST_USER) {
        return posix_system_name(event);
    }
    uint32_t user = (uint32_t)event - POSIX_FIRST_USER;
    return user < TRACE_USER_EVENT_MAX && tt_definition(user) == USER_TYPE(user)
               ? tt_definition_name(user)
               : NULL;
}

/* Return the event type of a name, a new one if necessary. Tasks and hosts may call this at the
 * same time. */
static trace_event_id_t open_type(const char *name)
{
    for (trace_event_id_t id = 1; id < (int)POSIX_FIRST_USER; id++) {
        if (system_names[id] != NULL && strcmp(system_names[id], name) == 0) {
            return id;
        }
    }
    int type = tt_define_by_name(name, (uint32_t)strlen(name));
    if (type < 0) { /* the table is full, but the call succeeds: record the reason */
        posix_port_lock();
        posix_record_errors(ENOSPC);
        posix_port_unlock();
        return POSIX_TRACE_UNNAMED_USEREVENT;
    }
    return (trace_event_id_t)(POSIX_FIRST_USER + ((uint32_t)type & TT_RECORD_EVENT_MASK));
}

static int check_name(const char *name)
{
    return name == NULL ? EINVAL : strlen(name) > TRACE_EVENT_NAME_MAX ? ENAMETOOLONG : 0;
}

int posix_trace_eventid_open(const char *restrict event_name, trace_event_id_t *restrict event_id)
{
    int result = check_name(event_name);
    if (result != 0 || event_id == NULL) {
        return result != 0 ? result : EINVAL;
    }
    posix_port_lock();
    posix_types_begin();
    posix_port_unlock();
    result = posix_remotes == NULL ? ENOENT : posix_remotes->eventid_open(event_name, event_id);
    if (result == ENOENT) {
        *event_id = event_name[0] == '\0' ? POSIX_TRACE_UNNAMED_USEREVENT : open_type(event_name);
        result = 0;
    }
    return result;
}

int posix_trace_trid_eventid_open(trace_id_t trid, const char *restrict event_name,
                                  trace_event_id_t *restrict event)
{
    posix_port_lock();
    bool is_stream = posix_stream_of(trid) != NULL || posix_remote_of(trid) != NULL;
    posix_port_unlock();
    return is_stream ? posix_trace_eventid_open(event_name, event) : EINVAL;
}

int posix_trace_eventid_equal(trace_id_t trid, trace_event_id_t event1, trace_event_id_t event2)
{
    (void)trid;
    return event1 == event2;
}

/* Return the name of an event type in a stream or log; NULL when it has none. */
static const char *name_in(trace_id_t trid, trace_event_id_t event,
                           char remote_name[TRACE_NAME_MAX])
{
    if (posix_stream_of(trid) != NULL) {
        return posix_type_name(event);
    }
    if (posix_tape_of(trid) != NULL) {
        return posix_tape_type_name(posix_tape_of(trid), event);
    }
    posix_remote_t *remote = posix_remote_of(trid);
    if (remote == NULL || event < (int)POSIX_FIRST_USER) {
        return remote == NULL ? NULL : posix_system_name(event);
    }
    return posix_remotes->type_name(remote, event, remote_name) ? remote_name : NULL;
}

int posix_trace_eventid_get_name(trace_id_t trid, trace_event_id_t event, char *event_name)
{
    char remote_name[TRACE_NAME_MAX];
    posix_port_lock();
    const char *name = name_in(trid, event, remote_name);
    bool known = name != NULL && event_name != NULL;
    if (known) {
        memcpy(event_name, name, strlen(name) + 1u);
    }
    posix_port_unlock();
    return known ? 0 : EINVAL;
}

/* Return the position of an iteration over event types; NULL without a stream or log. */
static uint32_t *list_position(trace_id_t trid)
{
    posix_stream_t *stream = posix_stream_of(trid);
    if (stream != NULL) {
        return &stream->list_position;
    }
    posix_tape_t *tape = posix_tape_of(trid);
    if (tape != NULL) {
        return posix_tape_list_position(tape);
    }
    posix_remote_t *remote = posix_remote_of(trid);
    return remote == NULL ? NULL : posix_remotes->list_position(remote);
}

int posix_trace_eventtypelist_getnext_id(trace_id_t trid, trace_event_id_t *restrict event,
                                         int *restrict unavailable)
{
    int result = EINVAL;
    posix_port_lock();
    uint32_t *position = list_position(trid);
    if (position != NULL && event != NULL && unavailable != NULL) {
        char remote_name[TRACE_NAME_MAX];
        const char *name = NULL;
        while (name == NULL && *position < POSIX_EVENTS) {
            *event = (trace_event_id_t)*position;
            name = name_in(trid, (trace_event_id_t)(*position)++, remote_name);
        }
        *unavailable = name == NULL;
        result = 0;
    }
    posix_port_unlock();
    return result;
}

int posix_trace_eventtypelist_rewind(trace_id_t trid)
{
    posix_port_lock();
    uint32_t *position = list_position(trid);
    if (position != NULL) {
        *position = 0;
    }
    posix_port_unlock();
    return position == NULL ? EINVAL : 0;
}

/* Sets. ---------------------------------------------------------------------------------------- */

static bool is_type(trace_event_id_t event)
{
    return posix_system_name(event) != NULL ||
           (event >= (int)POSIX_FIRST_USER &&
            event < (int)(POSIX_FIRST_USER + TRACE_USER_EVENT_MAX));
}

static int change(trace_event_id_t event, trace_event_set_t *set, bool member)
{
    if (!is_type(event) || set == NULL) {
        return EINVAL;
    }
    uint32_t *bits = &set->bits[(uint32_t)event / 32u];
    uint32_t bit = 1u << ((uint32_t)event % 32u);
    *bits = member ? *bits | bit : *bits & ~bit;
    return 0;
}

int posix_trace_eventset_add(trace_event_id_t event_id, trace_event_set_t *set)
{
    return change(event_id, set, true);
}

int posix_trace_eventset_del(trace_event_id_t event_id, trace_event_set_t *set)
{
    return change(event_id, set, false);
}

int posix_trace_eventset_empty(trace_event_set_t *set)
{
    if (set == NULL) {
        return EINVAL;
    }
    *set = (trace_event_set_t){{0, 0}};
    return 0;
}

/* The set of WOPID events is empty, because all system events depend on the traced process. */
int posix_trace_eventset_fill(trace_event_set_t *set, int what)
{
    if (set == NULL || what < POSIX_TRACE_WOPID_EVENTS || what > POSIX_TRACE_ALL_EVENTS) {
        return EINVAL;
    }
    *set = (trace_event_set_t){{0, 0}};
    for (trace_event_id_t id = 0; what != POSIX_TRACE_WOPID_EVENTS && id < (int)POSIX_EVENTS;
         id++) {
        if (is_type(id) && (id < (int)POSIX_FIRST_USER || what == POSIX_TRACE_ALL_EVENTS)) {
            (void)change(id, set, true);
        }
    }
    return 0;
}

int posix_trace_eventset_full(trace_event_set_t *set, int what)
{
    return posix_trace_eventset_fill(set, what);
}

int posix_trace_eventset_ismember(trace_event_id_t event_id, const trace_event_set_t *restrict set,
                                  int *restrict ismember)
{
    if (!is_type(event_id) || set == NULL || ismember == NULL) {
        return EINVAL;
    }
    *ismember = posix_is_member(set, event_id);
    return 0;
}
