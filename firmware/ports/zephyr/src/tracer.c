/*
 * The recorder in Zephyr. Recording starts before the first thread exists. A thread of low
 * priority, the drain, sends the records: when a hook requests it (tickertape/port.h), when the
 * host sent something, and periodically while there is something to send.
 */
#include <errno.h>
#include <stdbool.h>
#include <zephyr/init.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>
#if __has_include(<zephyr/timeout_q.h>)
#include <zephyr/timeout_q.h>
#else
#include <timeout_q.h>
#endif

#include "drain_turn.h"
#include "dwt_clock.h"
#include "links.h"
#include "poll.h"
#include "sys_init.h"
#include "threads.h"
#include "tickertape/emitters.h"
#include "tickertape/port.h"
#include "tickertape/stream.h"
#include "tickertape/tickertape.h"
#include "tickertape_status.h"

/* Minimum time between two announcements of identity, names and counters, for hosts that connect
 * late. */
#define ANNOUNCE_PERIOD_MS 1000

/* Period at which the drain reads commands from links that do not wake it. */
#define COMMAND_PERIOD_MS 250

/* The stream that is started at boot. */
#define STREAM 0u

#define US_PER_S 1000000u
#define MS_PER_S 1000u

/* The drain runs on the CPU that polls the clock and serves the link's interrupts. */
#define DRAIN_CPU 0

BUILD_ASSERT(TT_ZEPHYR_DRAIN_PRIORITY <= K_LOWEST_APPLICATION_THREAD_PRIO,
             "no thread may have this priority: make CONFIG_TICKERTAPE_DRAIN_PRIORITY less than "
             "CONFIG_NUM_PREEMPT_PRIORITIES, or leave it out");

/* Offset of the id in a build id note, after three words and "GNU" with its terminating zero. */
#define BUILD_ID_OFFSET 16u

extern const uint8_t tt_zephyr_build_id_note[]; /* build_id.ld */

static tt_target_t target = {
    .name = sizeof CONFIG_TICKERTAPE_NAME > 1u ? CONFIG_TICKERTAPE_NAME : CONFIG_BOARD,
    .build_id = tt_zephyr_build_id_note + BUILD_ID_OFFSET,
    .describe = tt_zephyr_describe,
    .current_thread = tt_zephyr_current_thread,
#ifdef CONFIG_TICKERTAPE_CLOCK_DWT
    .clock = TT_CLOCK_SOURCE_CYCLE_COUNTER,
#elif defined(CONFIG_TICKERTAPE_CLOCK_REGISTER)
    .clock = TT_CLOCK_SOURCE_TIMER,
#else
    .clock = TT_CLOCK_SOURCE_KERNEL,
    .clock_runs_in_sleep = true, /* the kernel's uptime needs it */
#endif
};

/* Return the rate of the clock; 0: it does not count. */
#ifdef CONFIG_TICKERTAPE_CLOCK_DWT

static uint32_t start_clock(void)
{
    bool counts = dwt_start(DWT_REGISTERS, DWT_DEMCR) && dwt_counts(tt_port_ticks);
    return counts ? (uint32_t)CONFIG_TICKERTAPE_CLOCK_HZ : 0u;
}

#elif defined(CONFIG_TICKERTAPE_CLOCK_REGISTER)

static uint32_t start_clock(void)
{
    return dwt_counts(tt_port_ticks) ? (uint32_t)CONFIG_TICKERTAPE_CLOCK_HZ : 0u;
}

#else

static uint32_t start_clock(void)
{
    return (uint32_t)sys_clock_hw_cycles_per_sec();
}

#endif

/* Number of this boot, in memory that keeps its contents over a reset. After a loss of power the
 * check fails: the next number is then made from the random contents of the memory and the time. */
static struct {
    uint32_t boot_id;
    uint32_t check;
} last_boot __noinit;

#define BOOT_CHECK 0x65706174u /* "tape" */

static uint32_t next_boot_id(void)
{
    uint32_t boot_id = last_boot.boot_id + 1u;
    if ((last_boot.boot_id ^ BOOT_CHECK) != last_boot.check) {
        boot_id = (last_boot.boot_id ^ last_boot.check ^ k_cycle_get_32()) * 0x9e3779b1u >> 8;
    }
    if ((boot_id & 0xffu) == 0u) {
        boot_id++; /* a boot tag of 0 means unknown */
    }
    last_boot.boot_id = boot_id;
    last_boot.check = boot_id ^ BOOT_CHECK;
    return boot_id;
}

/* True if tt_init() has succeeded; otherwise there is nothing to drain. */
static bool is_ready;

static int init(void)
{
    target.tick_hz = start_clock();
    target.boot_id = next_boot_id();
    if (tt_init(&target, tt_zephyr_link()) != TT_OK) {
        printk("tickertape: the clock does not count; choose another in Kconfig\n");
        return -ENODEV;
    }
    is_ready = true;
#ifdef CONFIG_TICKERTAPE_START
    (void)tt_select_all(STREAM, true);
    (void)tt_start(STREAM);
#endif
    return 0;
}

TT_ZEPHYR_SYS_INIT(init, PRE_KERNEL_2);

#ifdef CONFIG_TICKERTAPE_VIEW_SHARK

/* The servers of the view drain too. */
static K_MUTEX_DEFINE(drain_turn);

void tt_zephyr_drain_begin(void)
{
    (void)k_mutex_lock(&drain_turn, K_FOREVER);
}

void tt_zephyr_drain_end(void)
{
    (void)k_mutex_unlock(&drain_turn);
}

#else

void tt_zephyr_drain_begin(void)
{
}

void tt_zephyr_drain_end(void)
{
}

#endif

/* Send records until none are left or the time budget is used up. Return false if the budget was
 * used up. */
static bool send_all(void)
{
    const uint64_t budget_ticks =
        (uint64_t)CONFIG_TICKERTAPE_DRAIN_BUDGET_US * target.tick_hz / US_PER_S;
    uint64_t begin = tt_clock_now();
    bool in_time = true;
    while (in_time && tt_drain_step()) {
        in_time = budget_ticks == 0u || tt_clock_now() - begin < budget_ticks;
    }
    tt_zephyr_link_flush();
    return in_time;
}

bool tt_zephyr_sent(void)
{
    return tt_drain_done() && tt_zephyr_link_sent();
}

#ifdef CONFIG_TICKERTAPE_POSIX_TRACE

/* Streams of POSIX Trace keep their records for a reader. */
static void flush_streams(void)
{
}

#else

static void flush_streams(void)
{
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        tt_flush_all(stream);
    }
}

#endif

/* The 64-bit time. ------------------------------------------------------------------------------
 */

#ifndef TT_PORT_HAS_TIME

/* The kernel's timer interrupt polls the clock, from before the first thread runs. The drain
 * cannot, because a thread of low priority may be kept from running for longer than half of the
 * counter's period. A timeout takes 40 bytes of memory and 230 of code less than a k_timer, and the
 * recorder does not record it. */
static struct _timeout next_poll;
static uint32_t polled_ms;

/* The kernel's uptime measures how far polls are apart: after TT_CLOCK_LONGEST the trace reports
 * that the 64-bit time may have lost periods of the counter. Also print it, once. */
static void poll_after(uint32_t elapsed_ms)
{
    static bool is_printed;
    uint64_t ticks = (uint64_t)elapsed_ms * target.tick_hz / MS_PER_S;
    if (ticks >= TT_CLOCK_LONGEST && !is_printed) {
        is_printed = true;
        printk("tickertape: the clock was polled too late: times of events may be too early\n");
    }
    tt_clock_poll_after(ticks);
}

static void poll_clock(struct _timeout *timeout)
{
    const uint32_t period_ms = (1u << 28) / (target.tick_hz / MS_PER_S + 1u) + 1u;
    uint32_t now_ms = k_uptime_get_32();
    poll_after(now_ms - polled_ms);
    polled_ms = now_ms;
    tt_zephyr_poll_others();
    z_add_timeout(timeout, poll_clock, K_MSEC(period_ms));
}

static int start_polls(void)
{
    if (is_ready) {
        polled_ms = k_uptime_get_32();
        poll_clock(&next_poll);
    }
    return 0;
}

TT_ZEPHYR_SYS_INIT(start_polls, POST_KERNEL);

#endif

/* The drain. ------------------------------------------------------------------------------------
 */

K_SEM_DEFINE(tt_zephyr_work, 0, 1);

static void wake(void)
{
    k_sem_give(&tt_zephyr_work);
}

#ifdef CONFIG_TICKERTAPE_WAKE_BY_IRQ

/* Empty: the drain is woken where interrupts end (interrupts.c). */
static void serve_wake(const void *unused)
{
    (void)unused;
}

static void allow_wake(void)
{
    IRQ_CONNECT(CONFIG_TICKERTAPE_WAKE_IRQ, CONFIG_TICKERTAPE_WAKE_IRQ_PRIORITY, serve_wake, NULL,
                0);
    irq_enable(CONFIG_TICKERTAPE_WAKE_IRQ);
    atomic_store(&tt_zephyr_wake_drain, wake);
}

#else

static void allow_wake(void)
{
    atomic_store(&tt_zephyr_wake_drain, wake);
}

#endif

static uint32_t flushed_ms;

static void flush_and_announce(void)
{
    static uint32_t announced_ms;
    uint32_t now_ms = k_uptime_get_32();
    if (now_ms - flushed_ms >= CONFIG_TICKERTAPE_FLUSH_PERIOD_MS) {
        flushed_ms = now_ms;
        flush_streams();
    }
    if (now_ms - announced_ms >= ANNOUNCE_PERIOD_MS) {
        announced_ms = now_ms;
        tt_drain_announce();
    }
}

#if defined(CONFIG_TICKERTAPE_POSIX_TRACE) || defined(CONFIG_TICKERTAPE_VIEW_SHARK)

/* Readers and servers of these views take records from the same rings, so the drain polls. */
static k_timeout_t time_to_wait(bool sent_all)
{
    (void)sent_all;
    return K_MSEC(CONFIG_TICKERTAPE_DRAIN_PERIOD_MS);
}

#else

static bool records(void)
{
    bool any = false;
    for (uint32_t stream = 0; stream < TT_CONFIG_STREAMS; stream++) {
        tt_ring_status_t status;
        any |= tt_ring_status(stream, 0u, &status) == TT_OK && status.running;
    }
    return any;
}

/* Return how long the drain sleeps. While streams record and the link has room: until the next
 * flush. When nothing is recorded and everything was sent: until it is woken. */
static k_timeout_t time_to_wait(bool sent_all)
{
    const tt_link_t *link = tt_zephyr_link();
    int32_t wait_ms = CONFIG_TICKERTAPE_DRAIN_PERIOD_MS;
    bool refused = IS_ENABLED(CONFIG_TICKERTAPE_LINK_UART_ASYNC) && !tt_zephyr_link_sent();
    if (refused) {
        /* the driver was busy: the drain tries again */
    } else if (tt_drain_done()) {
        wait_ms = INT32_MAX;
    } else if (sent_all && records() && !tt_drain_waits() &&
               link->room_bytes(link->context) >= TT_LINK_LEAST_BYTES) {
        int32_t rest_ms =
            (int32_t)(flushed_ms + CONFIG_TICKERTAPE_FLUSH_PERIOD_MS - k_uptime_get_32());
        wait_ms = MAX(rest_ms, 1);
    }
    if (IS_ENABLED(CONFIG_TICKERTAPE_LINK_UDP) || IS_ENABLED(CONFIG_TICKERTAPE_LINK_RTT)) {
        wait_ms = MIN(wait_ms, COMMAND_PERIOD_MS);
    }
    return wait_ms == INT32_MAX ? K_FOREVER : K_MSEC(wait_ms);
}

#endif

static void drain(void *unused1, void *unused2, void *unused3)
{
    (void)unused1;
    (void)unused2;
    (void)unused3;
    if (!is_ready) {
        return; /* init() has printed why */
    }
    int status = tt_zephyr_link_open();
    if (status != 0) {
        printk("tickertape: the link cannot be opened (%d)\n", status);
        return;
    }
    tt_zephyr_drain_thread = tt_zephyr_running();
    allow_wake();
    for (;;) {
        tt_clock_poll();
#if TT_CONFIG_STREAM_NAMES
        tt_flush_attached();
#endif
        flush_and_announce();
        tt_zephyr_drain_begin();
        bool sent_all = send_all();
        tt_zephyr_drain_end();
        tt_zephyr_poll_others();
        (void)k_sem_take(&tt_zephyr_work, time_to_wait(sent_all));
    }
}

#ifdef CONFIG_SCHED_CPU_MASK

static struct k_thread tickertape;
static K_THREAD_STACK_DEFINE(tickertape_stack, CONFIG_TICKERTAPE_DRAIN_STACK_SIZE);

/* A thread can be pinned to a CPU only before it starts. */
static int create_drain(void)
{
    if (is_ready) {
        (void)k_thread_create(&tickertape, tickertape_stack, CONFIG_TICKERTAPE_DRAIN_STACK_SIZE,
                              drain, NULL, NULL, NULL, TT_ZEPHYR_DRAIN_PRIORITY, 0, K_FOREVER);
        (void)k_thread_name_set(&tickertape, "tickertape");
        (void)k_thread_cpu_pin(&tickertape, DRAIN_CPU);
        k_thread_start(&tickertape);
    }
    return 0;
}

TT_ZEPHYR_SYS_INIT(create_drain, APPLICATION);

#else

K_THREAD_DEFINE(tickertape, CONFIG_TICKERTAPE_DRAIN_STACK_SIZE, drain, NULL, NULL, NULL,
                TT_ZEPHYR_DRAIN_PRIORITY, 0, 0);

#endif
