/* Port of POSIX Trace to the reference kernel and its boards; posix_single_process.c has the rest.
 */
#include "posix_port.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#include "board.h"
#include "kernel.h"
#include "single_process/posix_single_process.h"
#include "tickertape/read.h"
#include "tickertape/wire.h"
#include "tracer.h"

#define NS_PER_S 1000000000u

/* Kernel events do not wake a waiting reader, so it polls at this interval. */
#define LOOK_TICKS (KERNEL_TICK_HZ / 100)

/* Number of attempts to take the lock before the thread sleeps. */
#define LOCK_TURNS (KERNEL_CPUS > 1 ? 200u : 1u)

#define SERVICE_TICKS       (KERNEL_TICK_HZ / 100)
#define SERVICE_PRIORITY    (TRACER_PRIORITY + 1u)
#define SERVICE_STACK_BYTES 2048

static atomic_flag taken = ATOMIC_FLAG_INIT;
static struct {
    kernel_sem_t wake;
    _Atomic uint32_t ticket;
    _Atomic uint32_t sleepers;
} waiting[TT_CONFIG_STREAMS];

static kernel_thread_t service_thread;
static _Alignas(8) uint8_t service_stack[SERVICE_STACK_BYTES];
static kernel_sem_t service_work = KERNEL_SEM_INIT(0, 1);
static bool service_exists;

/* Not a mutex of the kernel: its events would be recorded into the stream that is being read. A
 * thread that finds the lock taken sleeps for a tick, whatever its priority; with several CPUs it
 * tries LOCK_TURNS times first, because a thread on another CPU releases the lock soon. */
void posix_port_lock(void)
{
    for (uint32_t turns = 1; atomic_flag_test_and_set_explicit(&taken, memory_order_acquire);
         turns++) {
        if (turns % LOCK_TURNS == 0u) {
            (void)kernel_sleep(1);
        } else {
            board_yield();
        }
    }
}

void posix_port_unlock(void)
{
    atomic_flag_clear_explicit(&taken, memory_order_release);
}

void posix_port_pause(void)
{
    if (kernel_thread_self() != NULL) {
        (void)kernel_sleep(1);
    }
}

/* Waiting. ------------------------------------------------------------------------------------- */

uint32_t posix_port_ticket(uint32_t stream)
{
    return atomic_load(&waiting[stream].ticket);
}

/* Return the ticks until `until`, at most LOOK_TICKS; 0 if that time has passed. */
static uint32_t ticks_until(const struct timespec *until)
{
    uint64_t ns = posix_ns_until(until, NS_PER_S / KERNEL_TICK_HZ * LOOK_TICKS);
    return (uint32_t)((ns * KERNEL_TICK_HZ + NS_PER_S - 1u) / NS_PER_S);
}

int posix_port_wait(uint32_t stream, uint32_t ticket, const struct timespec *until)
{
    uint32_t ticks = until == NULL ? LOOK_TICKS : ticks_until(until);
    if (ticks == 0u) {
        return ETIMEDOUT;
    }
    waiting[stream].wake.limit = 1;
    (void)atomic_fetch_add(&waiting[stream].sleepers, 1u);
    if (atomic_load(&waiting[stream].ticket) == ticket) {
        (void)kernel_sem_wait(&waiting[stream].wake, ticks);
    }
    (void)atomic_fetch_sub(&waiting[stream].sleepers, 1u);
    return 0;
}

void posix_port_wake(uint32_t streams)
{
    for (uint32_t rest = streams; rest != 0u; rest &= rest - 1u) {
        uint32_t stream = (uint32_t)__builtin_ctz(rest);
        (void)atomic_fetch_add(&waiting[stream].ticket, 1u);
        if (atomic_load(&waiting[stream].sleepers) != 0u) {
            (void)kernel_sem_post(&waiting[stream].wake);
        }
    }
}

/* Processes. ----------------------------------------------------------------------------------- */

void posix_port_origin(const void *address, posix_port_origin_t *origin)
{
    const kernel_thread_t *self = kernel_thread_self();
    origin->words[0] = kernel_thread_number(self);
    origin->words[1] = (uint32_t)(uintptr_t)address;
    origin->word_count = 2;
    origin->header = TT_RECORD_FIELD(DOMAIN, kernel_thread_domain(self));
}

/* The service of logs. ------------------------------------------------------------------------- */

static void serve(void *argument)
{
    (void)argument;
    for (;;) {
        (void)kernel_sem_wait(&service_work, SERVICE_TICKS);
        posix_flush_service();
    }
}

int posix_port_start_service(void)
{
    if (!service_exists) {
        service_exists =
            kernel_thread_create(&service_thread, "trace_log", serve, NULL, SERVICE_PRIORITY,
                                 service_stack, sizeof service_stack) == KERNEL_OK;
    }
    return service_exists ? 0 : EAGAIN;
}

void posix_port_serve(void)
{
    (void)kernel_sem_post(&service_work);
}
