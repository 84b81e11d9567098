/*
 * POSIX Trace in a Linux process: locks, time, waiting, processes. `posix_shared` is in memory that
 * children share (shared.ld), like all variables of recorder and façade.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "linux_shared.h"
#include "posix_port.h"
#include "posix_stream.h"
#include "posix_time.h"
#include "tickertape/events.h"
#include "tickertape/port.h"

#define PATH_BYTES 32
#define STAT_BYTES 512

/* Bytes from the end of the name to the parent in /proc/PID/stat: ") S ". */
#define STATE_BYTES 4u

/* Pause after which open buffers are closed: the records of a buffer are less than a wrap apart. */
#define IDLE_TICKS (1u << 30)

/* Limits for events of signal handlers that interrupted the recorder: they are kept in thread-local
 * memory, which is small. */
#define KEPT_EVENTS 4
#define KEPT_BYTES  128

typedef struct kept_event {
    trace_event_id_t event;
    const void *address;
    size_t bytes;
    uint8_t data[KEPT_BYTES];
} kept_event_t;

static _Thread_local uint32_t lock_depth;
static _Thread_local atomic_int kept_count;
static _Thread_local bool traces_kept;
static _Thread_local kept_event_t kept[KEPT_EVENTS];
static _Thread_local uint32_t thread_number;

/* Error that POSIX_TRACE_ERROR reports when this thread leaves the recorder; 0: none. */
static _Thread_local atomic_int error_number;

/* Locks. --------------------------------------------------------------------------------------- */

/* Lock a robust mutex. False if its owner died: its changes may be incomplete. */
static bool lock_robust(pthread_mutex_t *mutex)
{
    bool has_died = pthread_mutex_lock(mutex) == EOWNERDEAD;
    if (has_died) {
        (void)pthread_mutex_consistent(mutex);
    }
    return !has_died;
}

tt_port_key_t tt_port_lock(void)
{
    if (lock_depth == 0u) {
        lock_depth = 1; /* before the lock: a handler that runs in between keeps its events */
        atomic_signal_fence(memory_order_seq_cst);
        if (!lock_robust(&posix_shared.recorder)) {
            atomic_store(&error_number, EOWNERDEAD);
        }
        return 0;
    }
    return lock_depth++;
}

/* Record the events that signal handlers kept, including those kept meanwhile, and the error. */
static void trace_kept(void)
{
    int done = 0;
    int all = 0;
    traces_kept = true;
    while (!atomic_compare_exchange_strong(&kept_count, &all, 0)) {
        for (; done < all; done++) {
            const kept_event_t *slot = &kept[done];
            (void)posix_event_record(slot->event, slot->address, slot->data, slot->bytes);
        }
    }
    int number = atomic_exchange(&error_number, 0);
    if (number != 0) {
        posix_record_errors(number);
    }
    traces_kept = false;
}

static bool has_more_to_trace(void)
{
    return atomic_load_explicit(&kept_count, memory_order_relaxed) != 0 ||
           atomic_load_explicit(&error_number, memory_order_relaxed) != 0;
}

void tt_port_unlock(tt_port_key_t key)
{
    if (key != 0u) {
        lock_depth = key;
        return;
    }
    (void)pthread_mutex_unlock(&posix_shared.recorder);
    atomic_signal_fence(memory_order_seq_cst);
    lock_depth = 0;
    atomic_signal_fence(memory_order_seq_cst);
    if (has_more_to_trace() && !traces_kept) {
        trace_kept();
    }
}

void posix_port_lock(void)
{
    (void)lock_robust(&posix_shared.control);
}

void posix_port_unlock(void)
{
    (void)pthread_mutex_unlock(&posix_shared.control);
}

void posix_port_pause(void)
{
    (void)sched_yield();
}

/* Close open buffers if this is the first event after a long pause. */
static void end_silence(void)
{
    uint64_t now = tt_port_time();
    uint64_t before = atomic_load_explicit(&posix_shared.last_ticks, memory_order_relaxed);
    if (now - before < IDLE_TICKS / 4u) {
        return;
    }
    atomic_store_explicit(&posix_shared.last_ticks, now, memory_order_relaxed);
    if (now - before >= IDLE_TICKS) {
        for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
            tt_flush(stream);
        }
    }
}

static void keep(trace_event_id_t event, const void *address, const void *data, size_t bytes)
{
    int count = atomic_load(&kept_count);
    if (count == KEPT_EVENTS || bytes > KEPT_BYTES) {
        (void)atomic_fetch_or(&posix_limits.refused, posix_port_traced());
        atomic_store(&error_number, ENOBUFS);
        return;
    }
    kept[count] = (kept_event_t){.event = event, .address = address};
    if (data != NULL && bytes != 0u) {
        kept[count].bytes = bytes;
        memcpy(kept[count].data, data, bytes);
    }
    atomic_store(&kept_count, count + 1);
}

bool posix_port_before_event(trace_event_id_t event, const void *address, const void *data,
                             size_t bytes)
{
    bool is_user = event >= POSIX_TRACE_UNNAMED_USEREVENT;
    bool is_free = lock_depth == 0u && atomic_load_explicit(&kept_count, memory_order_relaxed) == 0;
    if (!is_user || is_free) {
        end_silence();
        return true;
    }
    keep(event, address, data, bytes);
    return false;
}

uint32_t posix_port_begin_event(void)
{
    return tt_port_lock();
}

void posix_port_end_event(uint32_t key)
{
    tt_port_unlock(key);
}

/* Waiting. ------------------------------------------------------------------------------------- */

static long futex(_Atomic uint32_t *word, int operation, uint32_t value,
                  const struct timespec *until)
{
    return syscall(SYS_futex, word, operation, value, until, NULL, FUTEX_BITSET_MATCH_ANY);
}

uint32_t posix_port_ticket(uint32_t stream)
{
    return atomic_load(&posix_shared.tickets[stream]);
}

int posix_port_wait(uint32_t stream, uint32_t ticket, const struct timespec *until)
{
    (void)atomic_fetch_add(&posix_shared.sleepers[stream], 1u);
    long result = futex(&posix_shared.tickets[stream], FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME,
                        ticket, until);
    int error = result == 0 ? 0 : errno;
    (void)atomic_fetch_sub(&posix_shared.sleepers[stream], 1u);
    return error == EINTR || error == ETIMEDOUT ? error : 0;
}

void posix_port_wake(uint32_t streams)
{
    for (uint32_t rest = streams; rest != 0u; rest &= rest - 1u) {
        uint32_t stream = (uint32_t)__builtin_ctz(rest);
        (void)atomic_fetch_add(&posix_shared.tickets[stream], 1u);
        if (atomic_load(&posix_shared.sleepers[stream]) != 0u) {
            int kept_errno = errno;
            (void)futex(&posix_shared.tickets[stream], FUTEX_WAKE, UINT32_MAX >> 1, NULL);
            errno = kept_errno;
        }
    }
}

/* Time. ---------------------------------------------------------------------------------------- */

void posix_port_now(struct timespec *now)
{
    (void)clock_gettime(CLOCK_REALTIME, now);
}

void posix_port_time(uint64_t ticks, struct timespec *time)
{
    uint64_t ns = ticks * TT_PORT_NS_PER_TICK + posix_shared.realtime_offset_ns;
    *time = posix_time_of_ns(ns);
}

/* Processes. ----------------------------------------------------------------------------------- */

pid_t posix_port_pid(void)
{
    return posix_process.pid;
}

bool posix_port_lives(pid_t pid)
{
    return kill(pid, 0) == 0 || errno == EPERM;
}

static posix_traced_t *traced_process(pid_t pid)
{
    for (uint32_t i = 0; i < POSIX_PROCESSES; i++) {
        if (pid > 0 && atomic_load(&posix_shared.processes[i].pid) == pid) {
            return &posix_shared.processes[i];
        }
    }
    return NULL;
}

/* The parent of a process, 0 if unknown. */
static pid_t parent_of(pid_t pid)
{
    char path[PATH_BYTES];
    char text[STAT_BYTES] = "";
    int parent = 0;
    (void)snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file >= 0) {
        ssize_t count = read(file, text, sizeof text - 1u);
        (void)close(file);
        const char *name_end = count > 0 ? strrchr(text, ')') : NULL;
        parent = name_end != NULL && strlen(name_end) > STATE_BYTES
                     ? (int)strtol(name_end + STATE_BYTES, NULL, 10)
                     : 0;
    }
    return parent;
}

/* Only this process and its relatives share the recorder. A child just created may not be
 * registered yet: register it. Call under posix_port_lock(). */
int posix_port_may_trace(pid_t pid)
{
    if (!posix_port_lives(pid)) {
        return ESRCH;
    }
    if (traced_process(pid) == NULL && traced_process(parent_of(pid)) != NULL) {
        (void)posix_port_enter(pid, 0);
    }
    return traced_process(pid) == NULL ? EPERM : 0;
}

/* A new process gets a free entry, or that of a process that has ended. */
posix_traced_t *posix_port_enter(pid_t pid, uint32_t streams)
{
    posix_traced_t *place = traced_process(pid);
    for (uint32_t i = 0; i < POSIX_PROCESSES && place == NULL; i++) {
        pid_t other = atomic_load(&posix_shared.processes[i].pid);
        if (other == 0 || !posix_port_lives(other)) {
            place = &posix_shared.processes[i];
            atomic_store(&place->streams, 0);
            atomic_store(&place->pid, pid);
        }
    }
    if (place != NULL) {
        (void)atomic_fetch_or(&place->streams, streams);
    } else { /* the process is not traced; its streams report the error */
        posix_record_errors_in(streams, EAGAIN);
    }
    return place;
}

uint32_t posix_port_traced(void)
{
    return atomic_load_explicit(&posix_process.traced->streams, memory_order_relaxed);
}

void posix_port_trace(uint32_t stream, pid_t pid, bool inherited)
{
    uint32_t bit = 1u << stream;
    (void)atomic_fetch_and(&posix_shared.inherited, ~bit);
    if (inherited) {
        (void)atomic_fetch_or(&posix_shared.inherited, bit);
    }
    for (uint32_t i = 0; i < POSIX_PROCESSES; i++) {
        posix_traced_t *process = &posix_shared.processes[i];
        if (pid != 0 && atomic_load(&process->pid) == pid) {
            (void)atomic_fetch_or(&process->streams, bit);
        } else {
            (void)atomic_fetch_and(&process->streams, ~bit);
        }
    }
}

/* Origin: {pid, tid, pthread_t, address}, 24 bytes; the header marks a process of a host. */
void posix_port_origin(const void *address, posix_port_origin_t *origin)
{
    if (thread_number == 0u) {
        thread_number = (uint32_t)syscall(SYS_gettid);
    }
    uint64_t thread = (uint64_t)pthread_self();
    uint64_t place = (uint64_t)(uintptr_t)address;
    *origin = (posix_port_origin_t){
        .words = {(uint32_t)posix_process.pid, thread_number, (uint32_t)thread,
                  (uint32_t)(thread >> 32), (uint32_t)place, (uint32_t)(place >> 32)},
        .word_count = 6,
        .header = TT_RECORD_HOST_MASK,
    };
}

void posix_port_forget_thread(void)
{
    thread_number = 0;
    lock_depth = 0;
    atomic_store(&kept_count, 0);
    traces_kept = false;
}

/* A separate process has no host to publish to. */
void posix_port_publish(uint32_t stream, const char *name)
{
    (void)stream;
    (void)name;
}
