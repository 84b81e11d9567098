/*
 * Optional features: kernel calls, the heap, wrapped handlers, tickless idle, and a drain without a
 * task. `main` records its own observations in USER_2 and USER_3.
 */
#include "FreeRTOS.h"
#include "task.h"

#include "event_groups.h"
#include "queue.h"
#include "semphr.h"

#include "sample_board.h"
#include "tickertape/emitters.h"

#define RAISED 5u
#define ROUNDS 3u

static volatile uint32_t handled;
static SemaphoreHandle_t sem;
static SemaphoreHandle_t mutex;
static QueueHandle_t queue;
static EventGroupHandle_t group;
static TaskHandle_t helper;

/* A handler without any code for tracing. */
void application_irq_handler(void)
{
    BaseType_t woken = pdFALSE;
    handled++;
    (void)xSemaphoreGiveFromISR(sem, &woken);
    portYIELD_FROM_ISR(woken);
}

#if configUSE_IDLE_HOOK
void vApplicationIdleHook(void);
void vApplicationIdleHook(void)
{
    tt_freertos_drain();
}
#endif

static void begin(uint32_t step)
{
    tt_emit_user_user(0, step, 0);
}

static void end(void)
{
    tt_emit_user_user(1, 0, 0);
}

static void heap(void)
{
    for (uint32_t round = 1; round <= ROUNDS; round++) {
        begin(0);
        void *memory = pvPortMalloc(round * 100u);
        end();
        tt_emit_user_user(2, (uint32_t)xPortGetFreeHeapSize(), 0);
        begin(0);
        vPortFree(memory);
        end();
        tt_emit_user_user(2, (uint32_t)xPortGetFreeHeapSize(), 0);
    }
    begin(1);
    if (pvPortMalloc(1000000u) != NULL) {
        board_failed(__FILE__, __LINE__);
    }
    end();
}

static void interrupts(void)
{
    for (uint32_t i = 0; i < RAISED; i++) {
        begin(2);
        board_raise_spare_irq();
        (void)xSemaphoreTake(sem, portMAX_DELAY);
        end();
    }
    tt_emit_user_user(3, handled, 0);
}

static void calls(void)
{
    uint32_t item = 1;
    begin(3);
    (void)xQueueSend(queue, &item, 0);
    (void)xQueueReceive(queue, &item, 0);
    (void)xQueueReceive(queue, &item, 2);
    end();
    begin(4);
    (void)xSemaphoreTake(mutex, portMAX_DELAY);
    (void)xSemaphoreGive(mutex);
    (void)xSemaphoreTake(sem, 0);
    end();
    begin(5);
    vTaskPrioritySet(helper, 2);
    vTaskSuspend(helper);
    vTaskResume(helper);
    (void)xTaskNotifyGive(helper);
    (void)ulTaskNotifyTake(pdTRUE, 1);
    end();
    begin(6);
    (void)xEventGroupSetBits(group, 4);
    (void)xEventGroupWaitBits(group, 4, pdTRUE, pdTRUE, 0);
    (void)xEventGroupClearBits(group, 4);
    end();
    begin(7);
    vTaskDelay(20);
    end();
}

static void help(void *unused)
{
    (void)unused;
    for (;;) {
        (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    }
}

/* Record the kernel's figure for a stack before and after the port records its own. */
static void stack(TaskHandle_t task)
{
    tt_emit_user_user(4, (uint32_t)uxTaskGetStackHighWaterMark(task) * sizeof(StackType_t), 0);
    tt_freertos_stack(task);
    tt_emit_user_user(4, (uint32_t)uxTaskGetStackHighWaterMark(task) * sizeof(StackType_t), 0);
}

static void run(void *unused)
{
    (void)unused;
    stack(NULL);
    stack(helper);
    heap();
    interrupts();
    calls();
    board_end(0);
}

void application_main(void)
{
    if (tt_freertos_start("extras", &board_trace_link) != 0) {
        board_print("tickertape did not start\n");
    }
#if TT_FREERTOS_VECTORS
    if (tt_freertos_wrap_vectors(BOARD_SPARE_IRQ, TT_FREERTOS_VECTORS) == 0 ||
        tt_freertos_wrap_vectors(BOARD_SPARE_IRQ, 1) != 0) {
        board_failed(__FILE__, __LINE__);
    }
#endif
    sem = xSemaphoreCreateBinary();
    mutex = xSemaphoreCreateMutex();
    queue = xQueueCreate(1, sizeof(uint32_t));
    group = xEventGroupCreate();
    (void)xTaskCreate(run, "main", 512, NULL, 3, NULL);
    (void)xTaskCreate(help, "helper", 256, NULL, 1, &helper);
    vTaskStartScheduler();
}
