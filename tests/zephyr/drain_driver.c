/*
 * Runs the recorder's thread in Zephyr, src/tracer.c, on a fake kernel. Each turn of the drain ends
 * in k_sem_take(), which simulates what happens before the next turn.
 *
 *     drain_driver no_clock     the counter does not run: tt_init() fails
 *     drain_driver high_water   a buffer passes its high-water mark, then an interrupt ends
 *     drain_driver late_poll    the kernel's timer polls the clock in time, then too late
 *     drain_driver waits        timeouts of the drain: recording, stopped, without room in the link
 *     drain_driver boots        boots after resets and after power losses
 *
 * Prints its observations; a line that begins with "!" reports a fault.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>
#include <zephyr/timeout_q.h>

#include "links.h"
#include "tickertape/emitters.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"

#define TICK_HZ 1000000u

extern const tt_target_t *tt_target(void); /* defined in the core */
extern int (*const init_at_init)(void);
extern int (*const start_polls_at_init)(void);
extern void (*const tickertape_entry)(void *, void *, void *);
void __wrap_sys_trace_isr_enter(void);
void __wrap_sys_trace_isr_exit(void);

const uint8_t tt_zephyr_build_id_note[64];
struct k_thread z_idle_threads[1];
struct z_kernel _kernel;

static const char *mode;
static uint32_t ticks;
static int64_t uptime_ms;
static uint32_t lock_depth;
static uint32_t links_opened;
static uint32_t gives;
static uint64_t offered_when_woken;
static uint32_t turns;
static struct _timeout *poll_timeout;
static _timeout_func_t poll;
static int64_t poll_period_ms;

/* The kernel. -----------------------------------------------------------------------------------
 */

void printk(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    (void)vprintf(format, arguments);
    va_end(arguments);
}

uint32_t sys_clock_hw_cycles_per_sec(void)
{
    return strcmp(mode, "no_clock") == 0 ? 0u : TICK_HZ;
}

uint32_t k_cycle_get_32(void)
{
    return ticks;
}

uint32_t k_uptime_get_32(void)
{
    return (uint32_t)uptime_ms;
}

const char *k_thread_name_get(k_tid_t thread)
{
    return thread->name;
}

bool k_is_in_isr(void)
{
    return false;
}

unsigned int arch_irq_lock(void)
{
    return lock_depth++;
}

void arch_irq_unlock(unsigned int key)
{
    lock_depth = key;
}

static tt_ring_status_t status(void)
{
    tt_ring_status_t now;
    (void)tt_ring_status(0, 0, &now);
    return now;
}

void k_sem_give(struct k_sem *sem)
{
    (void)sem;
    gives++;
    offered_when_woken = status().offered;
    if (lock_depth != 0u) {
        printf("! a kernel call with interrupts masked\n");
    }
}

void z_add_timeout(struct _timeout *timeout, _timeout_func_t function, k_timeout_t wait)
{
    if (poll_timeout != NULL) {
        printf("! the timeout has not expired\n");
    }
    poll_timeout = timeout;
    poll = function;
    poll_period_ms = wait.ticks;
}

static void expire(void)
{
    struct _timeout *expired = poll_timeout;
    poll_timeout = NULL;
    poll(expired);
}

/* The link. -------------------------------------------------------------------------------------
 */

static uint32_t room = UINT32_MAX;

static uint32_t room_bytes(void *context)
{
    (void)context;
    return room;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
}

const tt_link_t *tt_zephyr_link(void)
{
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    return &link;
}

int tt_zephyr_link_open(void)
{
    links_opened++;
    return 0;
}

void tt_zephyr_link_flush(void)
{
}

bool tt_zephyr_link_sent(void)
{
    return true;
}

/* Actions between the turns of the drain. --------------------------------------------------------
 */

static void pass_high_water(void)
{
    while (!tt_zephyr_drain_wanted) {
        tt_emit_user_user(1, 0, 0);
    }
    printf("wanted at record %u of %u, woken %u times\n",
           (unsigned)(status().offered - status().sent), (unsigned)TT_CONFIG_BUFFER_RECORDS, gives);
    __wrap_sys_trace_isr_enter();
    __wrap_sys_trace_isr_exit();
    printf("after an interrupt: woken %u times, before the last %llu records\n", gives,
           (unsigned long long)(status().offered - offered_when_woken));
    __wrap_sys_trace_isr_enter();
    __wrap_sys_trace_isr_exit();
    printf("after another one: woken %u times\n", gives);
}

static void go_on(int64_t ms)
{
    uptime_ms += ms;
    ticks += (uint32_t)(ms * (TICK_HZ / 1000u));
    uint64_t before = status().offered;
    expire();
    printf("after %lld ms: %llu records, ", (long long)ms,
           (unsigned long long)(status().offered - before));
    printf("time %llu s\n", (unsigned long long)(tt_clock_now() / TICK_HZ));
}

/* Print the timeout of this turn, then simulate the next action. */
static void go_through_waits(int64_t ms)
{
    static const char *const before[] = {"recording", "300 ms later", "stopped",
                                         "started",   "no room",      "stopped without room"};
    printf("%s: %lld ms, %llu records wait\n", before[turns - 1u], (long long)ms,
           (unsigned long long)(status().offered - status().sent));
    switch (turns) {
    case 1:
        uptime_ms += 300;
        tt_emit_user_user(1, 0, 0);
        break;
    case 2:
        (void)tt_stop(0);
        break;
    case 3:
        uptime_ms += 3600000;
        (void)tt_start(0);
        __wrap_sys_trace_isr_enter();
        __wrap_sys_trace_isr_exit();
        printf("woken %u times\n", gives);
        break;
    case 4:
        room = 0;
        tt_emit_user_user(1, 0, 0);
        break;
    case 5:
        (void)tt_stop(0);
        break;
    default:
        exit(0);
    }
}

int k_sem_take(struct k_sem *sem, k_timeout_t timeout)
{
    (void)sem;
    turns++;
    if (strcmp(mode, "waits") == 0) {
        go_through_waits(timeout.ticks);
        return 0;
    }
    if (turns == 1u && strcmp(mode, "high_water") == 0) {
        pass_high_water();
        return 0;
    }
    if (strcmp(mode, "high_water") == 0) {
        printf("in the next turn: %llu records wait\n",
               (unsigned long long)(status().offered - status().sent));
    } else {
        tt_flush(0); /* without records, only the poll extends the clock */
        if (poll_period_ms <= 0 || poll_period_ms * (TICK_HZ / 1000u) > (1u << 30)) {
            printf("! a poll each %lld ms\n", (long long)poll_period_ms);
        }
        for (uint32_t i = 0; i < 5u; i++) {
            go_on(1000000); /* 10^9 ticks */
        }
        go_on(2200000); /* more than half of the counter's range */
        go_on(5000000);
    }
    exit(0);
}

/* Memory that a reset does not clear. */
extern uint8_t __start_noinit[];
extern uint8_t __stop_noinit[];

static void boot(const char *reason)
{
    (void)init_at_init();
    printf("%s: %u\n", reason, (unsigned)tt_target()->boot_id);
}

static void boot_often(void)
{
    boot("power");
    for (uint32_t i = 0; i < 600u; i++) {
        boot("reset");
    }
    for (uint32_t i = 1; i <= 300u; i++) {
        memset(__start_noinit, (int)i, (size_t)(__stop_noinit - __start_noinit));
        ticks = i;
        boot("power");
        boot("reset");
    }
}

int main(int argc, char **argv)
{
    mode = argc > 1 ? argv[1] : "";
    if (strcmp(mode, "boots") == 0) {
        boot_often();
        return 0;
    }
    printf("init %d\n", init_at_init());
    if (start_polls_at_init() != 0) {
        printf("! no polls\n");
    }
    tickertape_entry(NULL, NULL, NULL);
    printf("the drain has ended; %u links opened, %u turns\n", links_opened, turns);
    return 0;
}
