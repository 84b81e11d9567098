/* What all firmwares have in common, whatever their kernel: they are one process, their time is the
 * recorder's, and there is no other target whose streams they could read. */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#include "posix_alone.h"
#include "posix_port.h"
#include "posix_stream.h"
#include "tickertape/stream.h"
#include "tickertape/tickertape.h"

#define NS_PER_S 1000000000

#define THE_PROCESS 1

static _Atomic uint32_t traced_streams;

/* Time. ---------------------------------------------------------------------------------------- */

void posix_port_now(struct timespec *now)
{
    posix_port_time(tt_clock_now(), now);
}

void posix_port_time(uint64_t ticks, struct timespec *time)
{
    uint32_t hz = tt_clock_hz() == 0u ? 1u : tt_clock_hz();
    time->tv_sec = (time_t)(ticks / hz);
    time->tv_nsec = (long)(ticks % hz * (uint32_t)NS_PER_S / hz);
}

uint32_t posix_ns_until(const struct timespec *until, uint32_t most_ns)
{
    struct timespec now;
    posix_port_now(&now);
    int64_t seconds = (int64_t)until->tv_sec - (int64_t)now.tv_sec;
    if (seconds < -1 || seconds > most_ns / NS_PER_S + 1u) { /* so that nothing overflows */
        return seconds < 0 ? 0u : most_ns;
    }
    int64_t ns = seconds * NS_PER_S + until->tv_nsec - now.tv_nsec;
    return ns <= 0 ? 0u : ns < most_ns ? (uint32_t)ns : most_ns;
}

/* Processes. ----------------------------------------------------------------------------------- */

pid_t posix_port_pid(void)
{
    return THE_PROCESS;
}

int posix_port_may_trace(pid_t pid)
{
    return pid == THE_PROCESS ? 0 : ESRCH;
}

bool posix_port_lives(pid_t pid)
{
    return pid == THE_PROCESS;
}

uint32_t posix_port_traced(void)
{
    return atomic_load_explicit(&traced_streams, memory_order_relaxed);
}

void posix_port_trace(uint32_t stream, pid_t pid, bool inherited)
{
    (void)inherited; /* it has no children */
    if (pid == 0) {
        (void)atomic_fetch_and(&traced_streams, ~(1u << stream));
    } else {
        (void)atomic_fetch_or(&traced_streams, 1u << stream);
    }
}

bool posix_port_before_event(trace_event_id_t event, const void *address, const void *data,
                             size_t bytes)
{
    (void)event;
    (void)address;
    (void)data;
    (void)bytes;
    return true;
}

void posix_port_publish(uint32_t stream, const char *name)
{
    if (name != NULL) {
        (void)posix_port_start_service(); /* it goes on when a host has read it */
    }
    (void)tt_name_stream(stream, name);
    tt_drain_announce();
}

/* Streams of a target. ------------------------------------------------------------------------- */

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
