/*
 * The port's clock, its flushes and its end under a kernel whose ticks this driver counts, with
 * ticks of 32 or of 16 bits (configUSE_16_BIT_TICKS) and sleeps without ticks. Prints failed
 * expectations.
 */
#define _DEFAULT_SOURCE /* setitimer() */

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#include "FreeRTOS.h"
#include "task.h"

#include "freertos_port.h"
#include "tickertape/port.h"
#include "tickertape/tickertape.h"

#define CLOCK_PER_TICK ((uint64_t)configCPU_CLOCK_HZ / configTICK_RATE_HZ)
#define PERIOD         (UINT64_C(1) << 32)

volatile uint32_t template_clock;

static void count(int unused)
{
    (void)unused;
    template_clock++;
}

/* Make the clock count, which the start checks, or stop it. */
static void run_clock(suseconds_t period_us)
{
    const struct itimerval period = {{0, period_us}, {0, period_us}};
    (void)signal(SIGALRM, count);
    (void)setitimer(ITIMER_REAL, &period, NULL);
}

static uint64_t kernel_ticks;
static uint64_t clock_ticks;
static uint32_t failures;
static uint32_t sent_frames;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            printf("line %d: expected %s\n", __LINE__, #condition);                                \
        }                                                                                          \
    } while (0)

UBaseType_t uxTaskGetStackHighWaterMark(TaskHandle_t task)
{
    (void)task;
    return 0;
}

UBaseType_t uxTaskGetTaskNumber(TaskHandle_t task)
{
    (void)task;
    return 0;
}

void vTaskGetInfo(TaskHandle_t task, TaskStatus_t *status, BaseType_t with_stack, eTaskState state)
{
    (void)task, (void)with_stack, (void)state;
    status->uxCurrentPriority = 0;
}

TickType_t xTaskGetTickCount(void)
{
    return (TickType_t)kernel_ticks;
}

void vTaskDelay(TickType_t ticks)
{
    kernel_ticks += ticks;
}

uint32_t ulTaskNotifyTake(BaseType_t clear, TickType_t ticks)
{
    (void)clear, (void)ticks;
    return 0;
}

void vTaskNotifyGiveFromISR(TaskHandle_t task, BaseType_t *woken)
{
    (void)task, (void)woken;
}

TaskHandle_t xTaskCreateStatic(TaskFunction_t function, const char *name, uint32_t words,
                               void *argument, UBaseType_t priority, StackType_t *stack,
                               StaticTask_t *tcb)
{
    (void)function, (void)name, (void)words, (void)argument, (void)priority, (void)stack;
    return (TaskHandle_t)(void *)tcb;
}

static uint32_t room_bytes(void *context)
{
    (void)context;
    return 1u << 20;
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context, (void)bytes, (void)count;
    sent_frames++;
}

static uint64_t offered(void)
{
    tt_ring_status_t status;
    (void)tt_ring_status(0, 0, &status);
    return status.offered;
}

/* Sleep without ticks, then wake up with one. */
static void sleep_ticks(uint64_t ticks)
{
    kernel_ticks += ticks;
    clock_ticks += ticks * CLOCK_PER_TICK;
    template_clock = (uint32_t)clock_ticks;
    tt_freertos_on_tick((uint32_t)kernel_ticks);
}

/* Sleeps that never end at a multiple of 64: the clock is still polled. */
static void sleep_odd_times(void)
{
    for (uint32_t i = 0; i < 3000u; i++) {
        sleep_ticks(i % 2u == 0u ? 4095u : 4097u);
        tt_freertos_drain();
    }
    EXPECT(tt_clock_now() == clock_ticks);
}

/* A sleep beyond the longest interval is reported. A tick of 16 bits cannot count it. */
static void sleep_too_long(void)
{
    uint64_t longest = TT_CLOCK_LONGEST / CLOCK_PER_TICK + 1u;
    tt_freertos_drain();
    uint64_t before = offered();
    sleep_ticks(longest / 2u);
    tt_freertos_drain();
    EXPECT(offered() <= before + 1u); /* TIME */
    if (sizeof(TickType_t) > 2u) {
        before = offered();
        sleep_ticks(4u * longest);
        EXPECT(offered() > before);
        EXPECT(tt_clock_now() <= clock_ticks && (clock_ticks - tt_clock_now()) % PERIOD == 0u);
    }
}

/* The port announces itself and flushes for as long as it runs. */
static void announce_for_long(void)
{
    uint64_t wraps_at = (uint64_t)(TickType_t)-1 > 100000u ? 100000u : (TickType_t)-1;
    for (uint64_t end = kernel_ticks + 4u * wraps_at; kernel_ticks < end;) {
        uint32_t before = sent_frames;
        for (uint32_t i = 0; i < 20u; i++) {
            sleep_ticks(configTICK_RATE_HZ / 10u);
            tt_freertos_drain();
        }
        EXPECT(sent_frames > before);
    }
}

/* The processor sleeps half of the time, and its clock with it. */
static void stop_the_clock_in_sleep(void)
{
    uint64_t before = offered();
    for (uint32_t i = 0; i < 40u; i++) {
        sleep_ticks(configTICK_RATE_HZ / 20u);
        tt_freertos_drain();
    }
    EXPECT(offered() == before); /* no report about a clock that runs */
    for (uint32_t i = 0; i < 400u; i++) {
        kernel_ticks += configTICK_RATE_HZ / 20u;
        sleep_ticks(configTICK_RATE_HZ / 20u);
        tt_freertos_drain();
    }
    EXPECT(offered() > before);
}

int main(void)
{
    const tt_freertos_link_t link = {.room_bytes = room_bytes, .put = put};
    EXPECT(tt_freertos_start("driver", NULL) == TT_ERROR_ARGUMENT);
    EXPECT(tt_freertos_start(NULL, &link) == TT_ERROR_ARGUMENT);
    EXPECT(tt_freertos_start("driver", &link) == TT_ERROR_ARGUMENT); /* the clock is stopped */
    run_clock(100);
    EXPECT(tt_freertos_start("driver", &link) == 0);
    run_clock(0);
    clock_ticks = template_clock;
    sleep_odd_times();
    sleep_too_long();
    announce_for_long();
    stop_the_clock_in_sleep();
    tt_freertos_finish(); /* by the task that drains: no other task does */
    EXPECT(tt_drain_done());
    return failures == 0u ? 0 : 1;
}
