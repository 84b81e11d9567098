/*
 * Calls every hook of one generation of Zephyr as the kernel does, and prints the number of records
 * of each. The test generates probe_calls.h, which contains the calls as HOOK(name, call).
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <zephyr/kernel.h>
#include <zephyr/pm/pm.h>
#include <zephyr/wait_q.h>

#include "links.h"
#include "threads.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"
#include "tickertape_zephyr.h"

struct k_thread z_idle_threads[1];
struct z_kernel _kernel;
struct k_sem tt_zephyr_work;
static struct pm_notifier *notifier;
static struct k_mem_domain memory_domain;
static uint32_t ticks;

const char *k_thread_name_get(k_tid_t thread)
{
    return thread->name;
}

bool k_is_in_isr(void)
{
    return false;
}

bool k_is_user_context(void)
{
    return false;
}

unsigned int arch_irq_lock(void)
{
    return 0;
}

void arch_irq_unlock(unsigned int key)
{
    (void)key;
}

uint32_t k_cycle_get_32(void)
{
    return ticks++;
}

static uint32_t room_bytes(void *context)
{
    (void)context;
    return UINT32_MAX;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    (void)bytes;
    (void)count;
}

void pm_notifier_register(struct pm_notifier *of_the_glue)
{
    notifier = of_the_glue;
}

static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
static const tt_target_t target = {
    .name = "probe",
    .tick_hz = 1000,
    .describe = tt_zephyr_describe,
    .current_thread = tt_zephyr_current_thread,
};

static uint64_t offered(void)
{
    tt_ring_status_t status;
    (void)tt_ring_status(0, 0, &status);
    return status.offered;
}

/* Arguments of the hooks, named like the parameters of the hooks. */
static struct k_thread self = {.base = {.prio = 3}, .name = "self"};
static struct k_thread helper = {
    .base = {.prio = 5, .user_options = K_USER, .thread_state = _THREAD_SUSPENDED},
    .mem_domain_info = {&memory_domain},
};

static void expiry(struct k_timer *timer)
{
    (void)timer;
}

static const int init_entry;

#define HOOK(hook, call)                                                                           \
    do {                                                                                           \
        uint64_t before = offered();                                                               \
        call;                                                                                      \
        printf("%s %" PRIu64 "\n", hook, offered() - before);                                      \
        while (tt_drain_step()) {                                                                  \
        }                                                                                          \
    } while (0);

static void enter_and_leave_a_power_state(void)
{
    extern int (*const observe_at_init)(void);
    (void)observe_at_init();
    HOOK("power state entry", notifier->state_entry(PM_STATE_STANDBY))
    HOOK("power state exit", notifier->state_exit(PM_STATE_STANDBY))
}

int main(void)
{
    struct k_thread *const thread = &helper;
    struct k_mutex mutex[1] = {{.owner = &self, .lock_count = 1}};
    struct k_sem sem[1] = {{.count = 0, .limit = 1}};
    struct k_condvar condvar[1] = {{.wait_q = {&helper}}};
    struct k_event event[1] = {{.events = 4}};
    struct k_timer timer[1] = {{.expiry_fn = expiry, .status = 1}};
    const int *const entry = &init_entry;
    const int level = 2;
    uintptr_t cells[2];
    struct k_stack stack[1] = {{.next = cells, .top = cells + 2}};
    struct k_msgq queue[1] = {{.max_msgs = 2, .used_msgs = 0}};
    const k_timeout_t timeout = K_MSEC(10);
    const k_timeout_t duration = timeout;
    const k_timeout_t period = K_FOREVER;
    const k_timeout_t delay = timeout;
    const k_timeout_t time = timeout;
    const uint32_t number = 7;
    const uint32_t wanted = 2;
    const uint32_t options = 0;
    const uint32_t mask = 6;
    const uint32_t events = 2;
    const int result = 0;
    int things[6] = {0};
    int *const item = &things[0];
    struct k_mbox mailbox[1] = {{.rx_msg_queue = {&helper}}};
    struct k_pipe pipe[1] = {{.size = 4, .bytes_used = 0}};
    int *const pool = &things[1];
    int *const work = &things[2];
    int *const sync = &things[3];
    int *const signal = &things[4];
    int *const device = &things[5];
    int *const block = item;
    const size_t bytes = 4;
    const uint8_t *const data = (const uint8_t *)item;
    const char *const name = "named";
    /* Parameters that the table of hooks ignores. */
    (void)period, (void)delay, (void)wanted, (void)level, (void)options, (void)sync, (void)block,
        (void)bytes;
    (void)data;
    (void)tt_init(&target, &link);
    (void)tt_select_all(0, true);
    (void)tt_start(0);
    _kernel.cpus[0].current = &self;
#include "probe_calls.h"
    enter_and_leave_a_power_state();
#ifdef TT_ZEPHYR_CALL_REAL
    extern unsigned int zephyrs_own_calls;
    sys_trace_isr_enter();
    sys_trace_isr_exit();
    sys_trace_idle();
    printf("calls of Zephyr's own: %u\n", zephyrs_own_calls);
#endif
    return 0;
}
