/*
 * Deferred calls from all contexts. USER_2: a deferred function runs, with its argument. USER_1:
 * the kernel accepted a deferred call, with its argument.
 */
#include "FreeRTOS.h"
#include "task.h"

#include "event_groups.h"
#include "queue.h"
#include "timers.h"

#include "sample_board.h"
#include "tickertape/emitters.h"
#include "tickertape/filter.h"
#include "tickertape/tickertape.h"

static EventGroupHandle_t group;
static TimerHandle_t timer;

static void note(void *unused, uint32_t number)
{
    (void)unused;
    tt_emit_user_user(2, number, 0);
}

/* A deferred function that waits and is preempted. */
static void slow(void *unused, uint32_t number)
{
    tt_emit_user_user(2, number, 0);
    (void)unused;
    vTaskDelay(2);
}

/* A deferred function that pends another one from the timer task. */
static void nested(void *unused, uint32_t number)
{
    (void)unused;
    tt_emit_user_user(2, number, 0);
    if (xTimerPendFunctionCall(note, NULL, number + 1u, 0) == pdPASS) {
        tt_emit_user_user(1, number + 1u, 0);
    }
}

static void pend(void (*function)(void *, uint32_t), uint32_t number)
{
    if (xTimerPendFunctionCall(function, NULL, number, 0) == pdPASS) {
        tt_emit_user_user(1, number, 0);
    }
}

void application_irq_handler(void)
{
    BaseType_t woken = pdFALSE;
    tt_freertos_isr_enter();
    if (xTimerPendFunctionCallFromISR(note, NULL, 50, &woken) == pdPASS) {
        tt_emit_user_user(1, 50, 0);
    }
    tt_freertos_isr_exit();
    portYIELD_FROM_ISR(woken);
}

static void on_timer(TimerHandle_t expired)
{
    (void)expired;
}

static void run(void *unused)
{
    (void)unused;
    pend(note, 10);
    pend(slow, 20);
    pend(nested, 30);
    vTaskDelay(5);
    (void)xTimerStart(timer, portMAX_DELAY); /* a timer command between two deferred calls */
    vTaskSuspendAll();
    for (uint32_t i = 0; i < configTIMER_QUEUE_LENGTH + 2u; i++) {
        pend(note, 40u + i); /* the queue refuses the last two */
    }
    (void)xTaskResumeAll();
    board_raise_spare_irq();
    vTaskDelay(5);
    (void)xTimerPendFunctionCall(slow, NULL, 60, portMAX_DELAY);
    vTaskDelay(5);
    board_end(0);
}

void application_main(void)
{
    if (tt_freertos_start("deferred", &board_trace_link) != 0) {
        board_print("tickertape did not start\n");
    }
#if WIDE
    (void)tt_set_wide(TT_CLASS_KERCALL, TT_EVERY_EVENT, true);
#endif
    group = xEventGroupCreate();
    timer = xTimerCreate("beat", 3, pdTRUE, NULL, on_timer);
    pend(note, 1); /* before the timer task exists */
    (void)xTaskCreate(run, "main", 512, NULL, 3, NULL);
    vTaskStartScheduler();
}
