/* Start, fork and end of a Linux process. */
#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#include "linux_shared.h"
#include "posix_port.h"
#include "posix_stream.h"
#include "posix_time.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"

extern char posix_shared_begin[];
extern char posix_shared_end[];

posix_process_t posix_process;

/* Entry of this process if the table has no room: no stream traces it. */
static posix_traced_t without_place;

static tt_target_t target;

static uint32_t no_room(void *context)
{
    (void)context;
    return 0;
}

static void put_nothing(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
}

static const tt_link_t no_link = {.room_bytes = no_room, .put = put_nothing};

/* Map memory that children share over the shared variables, which are still zeros. If that fails,
 * each process has its own variables. */
static void share_variables(void)
{
    const uintptr_t bytes = (uintptr_t)posix_shared_end - (uintptr_t)posix_shared_begin;
    const void *shared = mmap(posix_shared_begin, bytes, PROT_READ | PROT_WRITE,
                              MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
    (void)shared;
}

static void make_mutex(pthread_mutex_t *mutex)
{
    pthread_mutexattr_t attributes;
    (void)pthread_mutexattr_init(&attributes);
    (void)pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
    (void)pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
    (void)pthread_mutex_init(mutex, &attributes);
    (void)pthread_mutexattr_destroy(&attributes);
}

static void enter(uint32_t streams)
{
    posix_process.pid = getpid();
    posix_port_lock();
    posix_traced_t *place = posix_port_enter(posix_process.pid, streams);
    posix_port_unlock();
    posix_process.traced = place == NULL ? &without_place : place;
}

/* Hold both locks during a fork, so that the child starts with consistent data. The parent owns the
 * locks and releases them. */
static void before_fork(void)
{
    posix_port_lock();
    (void)tt_port_lock();
}

static void after_fork_in_parent(void)
{
    tt_port_unlock(0);
    posix_port_unlock();
}

static void after_fork_in_child(void)
{
    uint32_t streams = posix_port_traced() & atomic_load(&posix_shared.inherited);
    posix_port_forget_thread();
    enter(streams);
}

/* Runs before the constructors of the application, which may trace. */
__attribute__((constructor(101))) static void begin(void)
{
    struct timespec now;
    share_variables();
    make_mutex(&posix_shared.recorder);
    make_mutex(&posix_shared.control);
    enter(0);
    posix_port_now(&now);
    posix_shared.realtime_offset_ns = posix_ns_of_time(&now) - tt_port_time() * TT_PORT_NS_PER_TICK;
    target = (tt_target_t){.name = program_invocation_short_name, .tick_hz = TT_PORT_TICK_HZ};
    (void)tt_init(&target, &no_link);
    (void)pthread_atfork(before_fork, after_fork_in_parent, after_fork_in_child);
}

__attribute__((destructor(101))) static void end(void)
{
    posix_shutdown_all();
    atomic_store(&posix_process.traced->streams, 0);
    atomic_store(&posix_process.traced->pid, 0);
}
