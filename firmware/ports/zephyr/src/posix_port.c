/* What POSIX Trace (facades/posix) needs, made of Zephyr with one CPU. */
#include "posix_port.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <zephyr/kernel.h>

#include "threads.h"
#include "tickertape/port.h"
#include "tickertape/read.h"
#include "tickertape/stream.h"
#include "tickertape/wire.h"

#define NS_PER_S  1000000000
#define NS_PER_MS 1000000

/* All threads of the image are one process. */
#define THE_PROCESS 1

/* The kernel's events wake nobody, so a reader that waits for them looks again so often. */
#define LOOK_MS 10

/* Logs are written before the drain, which takes the time that is left. */
#define SERVICE_PERIOD   K_MSEC(10)
#define SERVICE_PRIORITY (CONFIG_TICKERTAPE_DRAIN_PRIORITY - 1)
#define STACK_BYTES      2048

static atomic_flag taken = ATOMIC_FLAG_INIT;
static _Atomic uint32_t traced_streams;

static struct {
    struct k_sem wake;
    _Atomic uint32_t ticket;
    _Atomic uint32_t sleepers;
} waiting[TT_CONFIG_STREAMS];

static bool can_wait;

static struct k_thread service_thread;
static K_THREAD_STACK_DEFINE(service_stack, STACK_BYTES);
static K_SEM_DEFINE(service_work, 0, 1);
static bool service_exists;

/* No mutex of the kernel: its events would come into the stream that is being read. Who finds the
 * lock taken sleeps, whatever its priority. */
void posix_port_lock(void)
{
    while (atomic_flag_test_and_set_explicit(&taken, memory_order_acquire)) {
        (void)k_msleep(1);
    }
}

void posix_port_unlock(void)
{
    atomic_flag_clear_explicit(&taken, memory_order_release);
}

void posix_port_pause(void)
{
    (void)k_msleep(1);
}

/* Waiting. ------------------------------------------------------------------------------------- */

uint32_t posix_port_ticket(uint32_t stream)
{
    return atomic_load(&waiting[stream].ticket);
}

/* Milliseconds until then, LOOK_MS at most; 0 when it has come. */
static int32_t ms_until(const struct timespec *until)
{
    struct timespec now;
    posix_port_now(&now);
    int64_t seconds = (int64_t)until->tv_sec - (int64_t)now.tv_sec;
    if (seconds > 1) { /* and nothing overflows */
        return LOOK_MS;
    }
    int64_t ns = seconds < -1 ? 0 : seconds * NS_PER_S + until->tv_nsec - now.tv_nsec;
    if (ns <= 0) {
        return 0;
    }
    int64_t ms = (ns + NS_PER_MS - 1) / NS_PER_MS;
    return ms < LOOK_MS ? (int32_t)ms : LOOK_MS;
}

int posix_port_wait(uint32_t stream, uint32_t ticket, const struct timespec *until)
{
    int32_t ms = until == NULL ? LOOK_MS : ms_until(until);
    if (ms == 0) {
        return ETIMEDOUT;
    }
    (void)atomic_fetch_add(&waiting[stream].sleepers, 1u);
    if (atomic_load(&waiting[stream].ticket) == ticket) {
        (void)k_sem_take(&waiting[stream].wake, K_MSEC(ms));
    }
    (void)atomic_fetch_sub(&waiting[stream].sleepers, 1u);
    return 0;
}

/* Somebody holds tt_port_lock(), and the kernel must not be asked to switch. */
static bool is_locked(void)
{
#ifdef CONFIG_CPU_CORTEX_M
    tt_port_key_t key = tt_port_lock();
    tt_port_unlock(key);
    return key != 0u;
#else
    unsigned int key = arch_irq_lock();
    arch_irq_unlock(key);
    return !arch_irq_unlocked(key);
#endif
}

void posix_port_wake(uint32_t streams)
{
    bool locked = is_locked();
    for (uint32_t rest = streams; rest != 0u; rest &= rest - 1u) {
        uint32_t stream = (uint32_t)__builtin_ctz(rest);
        (void)atomic_fetch_add(&waiting[stream].ticket, 1u);
        if (!locked && atomic_load(&waiting[stream].sleepers) != 0u) {
            k_sem_give(&waiting[stream].wake); /* else the reader looks by itself */
        }
    }
}

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

/* Under posix_port_lock(), for each stream before anybody can wait for it. */
static void prepare_waiting(void)
{
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS && !can_wait; stream++) {
        (void)k_sem_init(&waiting[stream].wake, 0, 1);
    }
    can_wait = true;
}

void posix_port_trace(uint32_t stream, pid_t pid, bool inherited)
{
    (void)inherited; /* it has no children */
    prepare_waiting();
    if (pid == 0) {
        (void)atomic_fetch_and(&traced_streams, ~(1u << stream));
    } else {
        (void)atomic_fetch_or(&traced_streams, 1u << stream);
    }
}

void posix_port_origin(const void *address, posix_port_origin_t *origin)
{
    const struct k_thread *self = tt_zephyr_running();
    *origin = (posix_port_origin_t){
        .words = {tt_zephyr_tid(self), (uint32_t)(uintptr_t)address},
        .word_count = 2,
        .header = TT_RECORD_FIELD(DOMAIN, tt_zephyr_pid(self)),
    };
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

/* The service of logs. ------------------------------------------------------------------------- */

static void serve(void *unused1, void *unused2, void *unused3)
{
    (void)unused1;
    (void)unused2;
    (void)unused3;
    for (;;) {
        (void)k_sem_take(&service_work, SERVICE_PERIOD);
        posix_flush_service();
    }
}

int posix_port_start_service(void)
{
    if (!service_exists) {
        k_tid_t thread = k_thread_create(&service_thread, service_stack, STACK_BYTES, serve, NULL,
                                         NULL, NULL, SERVICE_PRIORITY, 0, K_NO_WAIT);
        (void)k_thread_name_set(thread, "trace_log");
        service_exists = true;
    }
    return 0;
}

void posix_port_serve(void)
{
    k_sem_give(&service_work);
}
