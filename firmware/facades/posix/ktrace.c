/* The kernel trace facility of RTL-POSIX-Trace: one stream of all system events, whose identifier
 * callers need not know. */
#include <errno.h>

#include "posix_stream.h"

static trace_id_t ktrace; /* 0: none was created */

static int create(void)
{
    trace_attr_t attr;
    trace_event_set_t users;
    trace_event_set_t systems;
    (void)posix_trace_attr_init(&attr);
    (void)posix_trace_attr_setname(&attr, RTL_KTRACE_STREAM_NAME);
    (void)posix_trace_eventset_fill(&users, POSIX_TRACE_ALL_EVENTS);
    (void)posix_trace_eventset_fill(&systems, POSIX_TRACE_SYSTEM_EVENTS);
    for (uint32_t i = 0; i < sizeof users.bits / sizeof users.bits[0]; i++) {
        users.bits[i] &= ~systems.bits[i];
    }
    int result = posix_trace_create(0, &attr, &ktrace);
    return result != 0 ? result : posix_trace_set_filter(ktrace, &users, POSIX_TRACE_SET_EVENTSET);
}

static bool exists(void)
{
    posix_port_lock();
    bool found = posix_stream_of(ktrace) != NULL;
    posix_port_unlock();
    return found;
}

int rtl_ktrace_start(void)
{
    int result = exists() ? 0 : create();
    return result != 0 ? result : posix_trace_start(ktrace);
}

int rtl_ktrace_stop(void)
{
    return posix_trace_stop(ktrace);
}
