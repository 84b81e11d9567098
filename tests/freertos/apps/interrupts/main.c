/*
 * Wrapped handlers without code for tracing: nested interrupts, one that the kernel's critical
 * sections do not mask, and one followed by a switch. USER_1 to USER_4 mark places in this program:
 *
 *   USER_1, USER_2  the handler that calls the kernel: begin, end
 *   USER_3          the urgent handler
 *   USER_4          main: before and after raising both in a critical section
 */
#include "FreeRTOS.h"
#include "task.h"

#include "semphr.h"

#include "sample_board.h"
#include "tickertape/emitters.h"

#define ROUNDS 10u

static SemaphoreHandle_t raised;
static volatile uint32_t urgent_count;
static volatile uint32_t woken_count;

void application_urgent_handler(void)
{
    urgent_count++;
    tt_emit_user_user(3, urgent_count, 0);
}

void application_irq_handler(void)
{
    BaseType_t woken = pdFALSE;
    tt_emit_user_user(1, 0, 0);
    board_raise_urgent_irq(); /* preempts this handler at once */
    (void)xSemaphoreGiveFromISR(raised, &woken);
    tt_emit_user_user(2, 0, 0);
    portYIELD_FROM_ISR(woken);
}

static void wait_for_it(void *unused)
{
    (void)unused;
    for (;;) {
        (void)xSemaphoreTake(raised, portMAX_DELAY);
        woken_count++;
    }
}

static void run(void *unused)
{
    (void)unused;
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        vTaskDelay(1);
        board_raise_spare_irq();
        taskENTER_CRITICAL();
        tt_emit_user_user(4, round, 0);
        board_raise_spare_irq();  /* served after the critical section */
        board_raise_urgent_irq(); /* served at once */
        tt_emit_user_user(4, round, 1);
        taskEXIT_CRITICAL();
    }
    if (urgent_count != 3u * ROUNDS || woken_count != 2u * ROUNDS) {
        board_failed(__FILE__, __LINE__);
    }
    board_end(0);
}

void application_main(void)
{
    if (tt_freertos_start("interrupts", &board_trace_link) != 0 ||
        tt_freertos_wrap_vectors(BOARD_SPARE_IRQ, 2) != 0) {
        board_print("tickertape did not start\n");
    }
    raised = xSemaphoreCreateCounting(4, 0);
    (void)xTaskCreate(run, "main", 512, NULL, 2, NULL);
    (void)xTaskCreate(wait_for_it, "waits", 256, NULL, 4, NULL);
    vTaskStartScheduler();
}
