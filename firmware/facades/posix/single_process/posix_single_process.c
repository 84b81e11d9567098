/* The part of the POSIX Trace port that is the same for all kernels: a firmware is one process, its
 * time is that of the recorder, and it reads no streams of another target. */
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#include "posix_port.h"
#include "posix_single_process.h"
#include "posix_stream.h"
#include "posix_time.h"
#include "tickertape/stream.h"
#include "tickertape/tickertape.h"

#define THE_PROCESS 1

static _Atomic uint32_t traced_streams;

/* Time. ---------------------------------------------------------------------------------------- */

void posix_port_now(struct timespec *now)
{
    posix_port_time(tt_clock_now(), now);
}

void posix_port_time(uint64_t ticks, struct timespec *time)
{
    *time = posix_time_of_ticks(ticks, tt_clock_hz());
}

uint32_t posix_ns_until(const struct timespec *until, uint32_t most_ns)
{
    struct timespec now;
    posix_port_now(&now);
    int64_t seconds = (int64_t)until->tv_sec - (int64_t)now.tv_sec;
    if (seconds < -1 || seconds > most_ns / POSIX_NS_PER_S + 1u) { /* avoid overflow */
        return seconds < 0 ? 0u : most_ns;
    }
    int64_t ns = seconds * (int64_t)POSIX_NS_PER_S + until->tv_nsec - now.tv_nsec;
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
    (void)inherited; /* the process has no children */
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

uint32_t posix_port_begin_event(void)
{
    (void)atomic_fetch_add(&posix_limits.recording, 1u);
    return 0;
}

void posix_port_end_event(uint32_t key)
{
    (void)key;
    (void)atomic_fetch_sub(&posix_limits.recording, 1u);
}

void posix_port_publish(uint32_t stream, const char *name)
{
    if (name != NULL) {
        (void)posix_port_start_service(); /* the service restarts a full stream that a host has read
                                           */
    }
    (void)tt_name_stream(stream, name);
    tt_drain_announce();
}

/* Streams of a target. ------------------------------------------------------------------------- */

const posix_remotes_t *const posix_remotes = NULL;
