/*
 * The recorder in Zephyr: it begins before the first thread exists, and a thread of low priority
 * drains it.
 *
 * The drain looks by itself every CONFIG_TICKERTAPE_DRAIN_PERIOD_MS: waking it would be a kernel
 * call inside of a hook.
 */
#include <errno.h>
#include <zephyr/init.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#include "drain_turn.h"
#include "links.h"
#include "threads.h"
#include "tickertape/port.h"
#include "tickertape/stream.h"
#include "tickertape/tickertape.h"
#include "tickertape_status.h"

/* So often the buffer being filled is sent as it is, so that a trace of few events can be watched;
 * then identity, names and counters, for hosts that come late. */
#define ANNOUNCE_PERIOD_MS 1000

/* The stream that records from the boot on. */
#define STREAM 0u

#define US_PER_S 1000000u

/* A build id note: three words, "GNU" with its end mark, then the id. */
#define BUILD_ID_OFFSET 16u

extern const uint8_t tt_zephyr_build_id_note[]; /* build_id.ld */

static tt_target_t target = {
    .name = sizeof CONFIG_TICKERTAPE_NAME > 1u ? CONFIG_TICKERTAPE_NAME : CONFIG_BOARD,
    .build_id = tt_zephyr_build_id_note + BUILD_ID_OFFSET,
    .describe = tt_zephyr_describe,
    .current_thread = tt_zephyr_current_thread,
};

#ifdef CONFIG_TICKERTAPE_CLOCK_DWT

#define DEMCR         (*(volatile uint32_t *)0xe000edfcu)
#define DEMCR_TRCENA  (1u << 24)
#define DWT_CTRL      (*(volatile uint32_t *)0xe0001000u)
#define DWT_CYCCNTENA 1u

static uint32_t start_clock(void)
{
    DEMCR |= DEMCR_TRCENA;
    DWT_CTRL |= DWT_CYCCNTENA;
    return (DWT_CTRL & DWT_CYCCNTENA) != 0u ? (uint32_t)CONFIG_TICKERTAPE_CLOCK_HZ : 0u;
}

#elif defined(CONFIG_TICKERTAPE_CLOCK_REGISTER)

static uint32_t start_clock(void)
{
    return CONFIG_TICKERTAPE_CLOCK_HZ;
}

#else

static uint32_t start_clock(void)
{
    return (uint32_t)sys_clock_hw_cycles_per_sec();
}

#endif

static int init(void)
{
    target.tick_hz = start_clock();
    if (tt_init(&target, tt_zephyr_link()) != TT_OK) {
        printk("tickertape: this processor has no such clock; choose another in Kconfig\n");
        return -ENODEV;
    }
#ifdef CONFIG_TICKERTAPE_START
    (void)tt_select_all(STREAM, true);
    (void)tt_start(STREAM);
#endif
    return 0;
}

#ifdef TT_ZEPHYR_INIT_TAKES_DEVICE

static int init_without_device(const struct device *unused)
{
    (void)unused;
    return init();
}

SYS_INIT(init_without_device, PRE_KERNEL_2, 99);

#else

SYS_INIT(init, PRE_KERNEL_2, 99);

#endif

#ifdef CONFIG_TICKERTAPE_VIEW_SHARK

/* The view's servers drain as well. */
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

/* Send what there is for as long as the budget lasts. */
static void send_all(void)
{
    const uint64_t budget_ticks =
        (uint64_t)CONFIG_TICKERTAPE_DRAIN_BUDGET_US * target.tick_hz / US_PER_S;
    uint64_t begin = tt_clock_now();
    while (tt_drain_step()) {
        if (budget_ticks != 0u && tt_clock_now() - begin >= budget_ticks) {
            break;
        }
    }
    tt_zephyr_link_flush();
}

bool tt_zephyr_sent(void)
{
    return tt_drain_done() && tt_zephyr_link_sent();
}

#ifdef CONFIG_TICKERTAPE_POSIX_TRACE

/* A stream of POSIX Trace waits for who reads it. */
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

static void drain(void *unused1, void *unused2, void *unused3)
{
    (void)unused1;
    (void)unused2;
    (void)unused3;
    int status = tt_zephyr_link_open();
    if (status != 0) {
        printk("tickertape: the link cannot be opened (%d)\n", status);
        return;
    }
    int64_t announced_ms = k_uptime_get();
    for (;;) {
        tt_clock_poll();
        tt_flush_attached();
        if (k_uptime_get() - announced_ms >= ANNOUNCE_PERIOD_MS) {
            announced_ms = k_uptime_get();
            flush_streams();
            tt_drain_announce();
        }
        tt_zephyr_drain_begin();
        send_all();
        tt_zephyr_drain_end();
        k_sleep(K_MSEC(CONFIG_TICKERTAPE_DRAIN_PERIOD_MS));
    }
}

K_THREAD_DEFINE(tickertape, CONFIG_TICKERTAPE_DRAIN_STACK_SIZE, drain, NULL, NULL, NULL,
                CONFIG_TICKERTAPE_DRAIN_PRIORITY, 0, 0);
