/* Port of POSIX Trace (facades/posix) to Zephyr with one CPU. posix_single_process.c has the
 * rest. */
#include "posix_port.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <zephyr/kernel.h>

#include "drain_turn.h"
#include "single_process/posix_single_process.h"
#include "threads.h"
#include "tickertape/port.h"
#include "tickertape/read.h"
#include "tickertape/wire.h"

#define NS_PER_MS 1000000u

/* Kernel events do not wake a waiting reader, so it polls at this interval, in milliseconds. */
#define LOOK_MS 10

/* The service that writes logs has a higher priority than the drain, which uses the remaining
 * time. */
#define SERVICE_PERIOD   K_MSEC(10)
#define SERVICE_PRIORITY (TT_ZEPHYR_DRAIN_PRIORITY - 1)
#define STACK_BYTES      2048

static atomic_flag taken = ATOMIC_FLAG_INIT;
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

/* Not a mutex of the kernel, because its events would be recorded in the stream that is being read.
 * A thread that finds the lock taken sleeps, whatever its priority. */
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

/* Initialise the semaphores. Called under posix_port_lock(), before any thread waits for a
 * stream. */
static void prepare_waiting(void)
{
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS && !can_wait; stream++) {
        (void)k_sem_init(&waiting[stream].wake, 0, 1);
    }
    can_wait = true;
}

uint32_t posix_port_ticket(uint32_t stream)
{
    prepare_waiting(); /* a thread takes a ticket before it waits */
    return atomic_load(&waiting[stream].ticket);
}

/* Return the milliseconds until `until`, at most LOOK_MS, or 0 if that time has passed. */
static int32_t ms_until(const struct timespec *until)
{
    return (int32_t)((posix_ns_until(until, LOOK_MS * NS_PER_MS) + NS_PER_MS - 1u) / NS_PER_MS);
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

/* Return whether interrupts are masked (tt_port_lock() is held): the kernel must not switch
 * then. */
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
            k_sem_give(&waiting[stream].wake); /* otherwise the reader polls */
        }
    }
}

/* Origin of an event. -------------------------------------------------------------------------- */

void posix_port_origin(const void *address, posix_port_origin_t *origin)
{
    const struct k_thread *self = tt_zephyr_running();
    origin->words[0] = tt_zephyr_tid(self);
    origin->words[1] = (uint32_t)(uintptr_t)address;
    origin->word_count = 2;
    origin->header = TT_RECORD_FIELD(DOMAIN, tt_zephyr_pid(self));
}

/* Service that writes logs. -------------------------------------------------------------------- */

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
