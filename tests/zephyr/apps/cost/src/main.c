/*
 * Measures the cost of hooks in instructions: kernel calls while the recorder records, while all
 * events are filtered out, and (CONFIG_TICKERTAPE=n) without the recorder. The clock is the
 * board's 25 MHz counter; with QEMU's -icount shift=5 a tick is 1.25 instructions.
 */
#include <zephyr/kernel.h>
#include <zephyr/sys/printk.h>

#ifdef CONFIG_TICKERTAPE
#include <tickertape/tickertape.h>
#include <tickertape_zephyr.h>
#endif

#define CLOCK (*(const volatile uint32_t *)0x40028018u)
#define TURNS 500u

K_SEM_DEFINE(sem, 0, 1);
K_SEM_DEFINE(ping, 0, 1);
K_SEM_DEFINE(pong, 0, 1);

static void nothing(void)
{
    __asm volatile("");
}

static void give_and_take(void)
{
    k_sem_give(&sem);
    k_sem_take(&sem, K_NO_WAIT);
}

static void switch_twice(void)
{
    k_sem_give(&ping);
    k_sem_take(&pong, K_FOREVER);
}

static void answer(void *a, void *b, void *c)
{
    for (;;) {
        k_sem_take(&ping, K_FOREVER);
        k_sem_give(&pong);
    }
}

K_THREAD_DEFINE(other, 1024, answer, NULL, NULL, NULL, 3, 0, 0);

/* Return the ticks of TURNS / 8 steps: the minimum of 8 rounds, because kernel ticks interrupt. */
static uint32_t cost(void (*step)(void))
{
    uint32_t least = UINT32_MAX;
    for (uint32_t round = 0; round < 8u; round++) {
        uint32_t begin = CLOCK;
        for (uint32_t turn = 0; turn < TURNS / 8u; turn++) {
            step();
        }
        least = MIN(least, CLOCK - begin);
    }
    return least;
}

static void measure(const char *what)
{
    uint32_t loop = cost(nothing);
    uint32_t pair = cost(give_and_take) - loop;
    uint32_t switches = cost(switch_twice) - loop;
    printk("%s: give and take %u, two switches %u (100 instructions / %u)\n", what,
           pair * 125u / (TURNS / 8u), switches * 125u / (TURNS / 8u), 100u);
}

K_MUTEX_DEFINE(mutex);

static void yield(void *a, void *b, void *c)
{
    for (;;) {
        k_yield();
    }
}

K_THREAD_DEFINE(partner, 512, yield, NULL, NULL, NULL, 5, 0, K_TICKS_FOREVER);

static void take(void)
{
    k_sem_take(&sem, K_NO_WAIT);
}

static void give(void)
{
    k_sem_give(&sem);
}

static void lock(void)
{
    k_mutex_lock(&mutex, K_FOREVER);
}

static void unlock(void)
{
    k_mutex_unlock(&mutex);
}

/* Return the instructions of one step: the minimum of 50 turns; `prepare` is not counted. */
static uint32_t least(void (*prepare)(void), void (*step)(void))
{
    uint32_t found = UINT32_MAX;
    for (uint32_t turn = 0; turn < 50u; turn++) {
        prepare();
        uint32_t begin = CLOCK;
        step();
        found = MIN(found, CLOCK - begin);
    }
    return found * 5u / 4u;
}

static void measure_calls(const char *what)
{
    uint32_t clock = least(nothing, nothing);
    printk("%s: give %u, take %u", what, least(take, give) - clock, least(give, take) - clock);
    printk(", unlock %u", least(lock, unlock) - clock);
    uint32_t found = UINT32_MAX;
    for (uint32_t turn = 0; turn < 50u; turn++) {
        uint32_t begin = CLOCK;
        lock();
        found = MIN(found, CLOCK - begin);
        unlock();
    }
    printk(", lock %u", found * 5u / 4u - clock);
    k_thread_start(partner);
    k_thread_resume(partner);
    printk(", switch by yield %u\n", (least(nothing, k_yield) - clock) / 2u);
    k_thread_suspend(partner);
}

#ifdef CONFIG_TICKERTAPE

static void enter_and_exit(void)
{
    tt_zephyr_enter(TT_KERCALL_SYNC_SEM_WAIT, &sem, 0u);
    tt_zephyr_exit(TT_KERCALL_SYNC_SEM_WAIT, 0);
}

static void measure_hooks(const char *what)
{
    uint32_t loop = cost(nothing);
    printk("%s: two call hooks %u\n", what, (cost(enter_and_exit) - loop) * 125u / (TURNS / 8u));
}

#endif

int main(void)
{
    k_thread_priority_set(k_current_get(), 5);
    k_msleep(50);
#ifdef CONFIG_TICKERTAPE
    measure("recorded");
    measure_calls("recorded");
    measure_hooks("recorded");
    (void)tt_select_all(0, false);
    measure("filtered");
    measure_calls("filtered");
    measure_hooks("filtered");
#else
    measure("without");
    measure_calls("without");
#endif
    printk("done\n");
    return 0;
}
