/* A firmware has no other target whose streams it could read. */
#include <errno.h>
#include <stddef.h>

#include "posix_stream.h"

int posix_remote_create(const trace_attr_t *attr, trace_id_t *trid)
{
    (void)attr;
    *trid = 0;
    return ENOENT;
}

posix_remote_t *posix_remote_of(trace_id_t trid)
{
    (void)trid;
    return NULL;
}

void posix_remote_shutdown(posix_remote_t *remote)
{
    (void)remote;
}

int posix_remote_get_attr(posix_remote_t *remote, trace_attr_t *attr)
{
    (void)remote;
    (void)attr;
    return EINVAL;
}

int posix_remote_get_status(posix_remote_t *remote, struct posix_trace_status_info *status)
{
    (void)remote;
    (void)status;
    return EINVAL;
}

bool posix_remote_type_name(posix_remote_t *remote, trace_event_id_t event,
                            char name[TRACE_NAME_MAX])
{
    (void)remote;
    (void)event;
    name[0] = '\0';
    return false;
}

uint32_t *posix_remote_list_position(posix_remote_t *remote)
{
    (void)remote;
    return NULL;
}

int posix_remote_read(posix_remote_t *remote, const struct timespec *until, posix_found_t *found,
                      posix_data_t *data, struct timespec *time)
{
    (void)remote;
    (void)until;
    (void)found;
    (void)data;
    (void)time;
    return EINVAL;
}

int posix_remote_eventid_open(const char *name, trace_event_id_t *event)
{
    (void)name;
    *event = POSIX_TRACE_UNNAMED_USEREVENT;
    return ENOENT;
}

void posix_remote_event(trace_event_id_t event, const void *address, const void *data, size_t bytes)
{
    (void)event;
    (void)address;
    (void)data;
    (void)bytes;
}
