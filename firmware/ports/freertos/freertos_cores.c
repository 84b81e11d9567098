/*
 * Several cores: core affinity of tasks, and closing of buffers whose core records nothing.
 *
 * Only the core of a ring may close its buffer (docs/adr/0050). The core with the tick polls in the
 * tick. The other cores poll when they switch between tasks, in a task per core that the drain
 * wakes (with configUSE_CORE_AFFINITY), or by tt_freertos_poll() in the application's hook of
 * passive idle tasks.
 */
#include "freertos_port.h"
#include "tickertape/hooks.h"

#if TT_FREERTOS_CORES > 1

#define ALL_CORES ((1u << TT_FREERTOS_CORES) - 1u)

static _Atomic uint32_t wanted; /* bit n: core n has to poll */

void tt_freertos_poll(void)
{
    tt_port_key_t key = tt_port_lock();
    uint32_t core = 1u << TT_FREERTOS_CORE();
    bool is_wanted = (atomic_load_explicit(&wanted, memory_order_acquire) & core) != 0u;
    if (is_wanted) {
        (void)atomic_fetch_and(&wanted, ~core);
        tt_clock_poll(); /* still masked, so it polls this core's rings */
    }
    tt_port_unlock(key);
}

#if defined(configUSE_CORE_AFFINITY) && configUSE_CORE_AFFINITY == 1

static TaskHandle_t polls[TT_FREERTOS_CORES];

void tt_freertos_cores(uint32_t number, uint32_t cores)
{
    if (number != 0u) {
        tt_hook_thread_cpus(number, cores & ALL_CORES);
    }
}

static void poll(void *unused)
{
    (void)unused;
    for (;;) {
        (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
        tt_freertos_poll();
    }
}

static TaskHandle_t create_poll(uint32_t core)
{
#if configSUPPORT_STATIC_ALLOCATION == 1
    static StaticTask_t tcbs[TT_FREERTOS_CORES];
    static StackType_t stacks[TT_FREERTOS_CORES][configMINIMAL_STACK_SIZE];
    return xTaskCreateStatic(poll, "tickertape poll", configMINIMAL_STACK_SIZE, NULL,
                             TT_FREERTOS_DRAIN_PRIORITY, stacks[core], &tcbs[core]);
#else
    TaskHandle_t task = NULL;
    (void)core;
    (void)xTaskCreate(poll, "tickertape poll", configMINIMAL_STACK_SIZE, NULL,
                      TT_FREERTOS_DRAIN_PRIORITY, &task);
    return task;
#endif
}

bool tt_freertos_bind(TaskHandle_t drain, uint32_t core)
{
    vTaskCoreAffinitySet(drain, 1u << core);
    for (uint32_t other = 0; other < TT_FREERTOS_CORES; other++) {
        if (other != core) {
            polls[other] = create_poll(other);
            if (polls[other] == NULL) {
                return false;
            }
            vTaskCoreAffinitySet(polls[other], 1u << other);
        }
    }
    return true;
}

static void wake_polls(void)
{
    for (uint32_t core = 0; core < TT_FREERTOS_CORES; core++) {
        if (polls[core] != NULL) {
            (void)xTaskNotifyGive(polls[core]);
        }
    }
}

#else

bool tt_freertos_bind(TaskHandle_t drain, uint32_t core)
{
    (void)drain;
    (void)core;
    return true;
}

static void wake_polls(void)
{
}

#endif

/* Request all other cores to poll. Drain task only. */
void tt_freertos_poll_others(void)
{
    (void)atomic_fetch_or(&wanted, ALL_CORES);
    tt_freertos_poll();
    wake_polls();
}

#endif
