/*
 * One operation after another, each between USER_0 and USER_1; the test has the list of events that
 * `main` has to record. The less urgent `helper` ends the waits of main.
 */
#include "FreeRTOS.h"
#include "task.h"

#include "event_groups.h"
#include "queue.h"
#include "semphr.h"
#include "stream_buffer.h"
#include "timers.h"

#include "sample_board.h"
#include "tickertape/emitters.h"

enum {
    NOTHING,
    HOLD,
    SEND,
    RECEIVE,
    NOTIFY,
    SET,
    STREAM
};

static volatile int wanted;
static TaskHandle_t main_task;
static TaskHandle_t helper_task;
static SemaphoreHandle_t sem;
static SemaphoreHandle_t counting;
static SemaphoreHandle_t mutex;
static SemaphoreHandle_t recursive;
static QueueHandle_t queue;
static EventGroupHandle_t group;
static StreamBufferHandle_t stream;
static TimerHandle_t timer;

void application_irq_handler(void)
{
    BaseType_t woken = pdFALSE;
    tt_freertos_isr_enter();
    (void)xSemaphoreGiveFromISR(sem, &woken);
    tt_freertos_isr_exit();
    portYIELD_FROM_ISR(woken);
}

static void help_once(int what)
{
    uint32_t item = 7;
    switch (what) {
    case HOLD:
        (void)xSemaphoreTake(mutex, portMAX_DELAY);
        board_work_us(10000);
        (void)xSemaphoreGive(mutex);
        break;
    case SEND:
        (void)xQueueSend(queue, &item, 0);
        break;
    case RECEIVE:
        (void)xQueueReceive(queue, &item, 0);
        break;
    case NOTIFY:
        (void)xTaskNotifyGive(main_task);
        break;
    case SET:
        (void)xEventGroupSetBits(group, 2);
        break;
    case STREAM:
        (void)xStreamBufferSend(stream, &item, sizeof item, 0);
        break;
    default:
        vTaskDelay(1);
        break;
    }
}

static void help(void *unused)
{
    (void)unused;
    for (;;) {
        int what = wanted;
        wanted = NOTHING;
        help_once(what);
    }
}

static void idle_about(void *unused)
{
    (void)unused;
    for (;;) {
        vTaskDelay(portMAX_DELAY);
    }
}

static void on_timer(TimerHandle_t expired)
{
    (void)expired;
}

static void begin(uint32_t step)
{
    tt_emit_user_user(0, step, 0);
}

static void end(uint32_t value)
{
    tt_emit_user_user(1, value, 0);
}

static void semaphores(void)
{
    begin(0);
    (void)xSemaphoreTake(sem, 2);
    end(0);
    begin(1);
    (void)xSemaphoreTake(sem, 0);
    end(0);
    begin(2);
    (void)xSemaphoreGive(counting);
    (void)xSemaphoreGive(counting);
    end((uint32_t)uxSemaphoreGetCount(counting));
    begin(3);
    (void)xSemaphoreTake(counting, portMAX_DELAY);
    end((uint32_t)uxSemaphoreGetCount(counting));
    begin(4);
    board_raise_spare_irq();
    (void)xSemaphoreTake(sem, portMAX_DELAY);
    end(0);
}

static void mutexes(void)
{
    begin(5);
    (void)xSemaphoreTake(mutex, 0);
    (void)xSemaphoreGive(mutex);
    end(0);
    begin(6);
    (void)xSemaphoreTakeRecursive(recursive, 0);
    (void)xSemaphoreTakeRecursive(recursive, 0);
    (void)xSemaphoreGiveRecursive(recursive);
    (void)xSemaphoreGiveRecursive(recursive);
    end(0);
    wanted = HOLD;
    vTaskDelay(4);
    begin(7);
    (void)xSemaphoreTake(mutex, 0);
    end(0);
    begin(8);
    (void)xSemaphoreTake(mutex, 1);
    end((uint32_t)uxTaskPriorityGet(helper_task));
    begin(9);
    (void)xSemaphoreTake(mutex, portMAX_DELAY);
    (void)xSemaphoreGive(mutex);
    end((uint32_t)uxTaskPriorityGet(helper_task));
}

static void queues(void)
{
    uint32_t item = 3;
    begin(10);
    (void)xQueueSend(queue, &item, 0);
    (void)xQueueReceive(queue, &item, 0);
    end(0);
    wanted = SEND;
    begin(11);
    (void)xQueueReceive(queue, &item, portMAX_DELAY);
    end(item);
    (void)xQueueSend(queue, &item, 0);
    wanted = RECEIVE;
    begin(12);
    (void)xQueueSend(queue, &item, portMAX_DELAY);
    end(0);
    begin(13);
    (void)xQueueSend(queue, &item, 2);
    end(0);
    (void)xQueueReceive(queue, &item, 0);
}

static void signals(void)
{
    uint32_t item = 5;
    wanted = NOTIFY;
    begin(14);
    (void)ulTaskNotifyTake(pdTRUE, portMAX_DELAY);
    end(0);
    begin(15);
    (void)ulTaskNotifyTake(pdTRUE, 2);
    end(0);
    wanted = SET;
    begin(16);
    (void)xEventGroupWaitBits(group, 2, pdTRUE, pdTRUE, portMAX_DELAY);
    end(0);
    begin(17);
    (void)xEventGroupSetBits(group, 4);
    (void)xEventGroupClearBits(group, 4);
    end(0);
    begin(18);
    (void)xEventGroupWaitBits(group, 8, pdTRUE, pdTRUE, 2);
    end(0);
    begin(19);
    (void)xStreamBufferSend(stream, &item, sizeof item, 0);
    (void)xStreamBufferReceive(stream, &item, sizeof item, 0);
    end(0);
    wanted = STREAM;
    begin(20);
    (void)xStreamBufferReceive(stream, &item, sizeof item, portMAX_DELAY);
    end(item);
    begin(21);
    (void)xTimerStart(timer, portMAX_DELAY);
    end(0);
    begin(22);
    vTaskDelay(9);
    end(0);
    (void)xTimerStop(timer, portMAX_DELAY);
}

static void tasks(void)
{
    TaskHandle_t guest = NULL;
    begin(23);
    vTaskSuspend(helper_task);
    vTaskResume(helper_task);
    end(0);
    begin(24);
    vTaskPrioritySet(helper_task, 1);
    vTaskPrioritySet(helper_task, 2);
    end((uint32_t)uxTaskPriorityGet(helper_task));
    for (uint32_t round = 0; round < 3; round++) {
        begin(25);
        (void)xTaskCreate(idle_about, "guest", 128, NULL, 1, &guest);
        end((uint32_t)(uintptr_t)guest);
        begin(26);
        vTaskDelete(guest);
        end(0);
        vTaskDelay(2); /* the idle task frees its memory */
    }
    begin(27);
    vTaskSuspendAll();
    board_work_us(3500);
    (void)xTaskResumeAll();
    end(xTaskGetTickCount());
}

static void run(void *unused)
{
    (void)unused;
    semaphores();
    mutexes();
    queues();
    signals();
    tasks();
    board_end(0);
}

void application_main(void)
{
    if (tt_freertos_start("objects", &board_trace_link) != 0) {
        board_print("tickertape did not start\n");
    }
    sem = xSemaphoreCreateBinary();
    counting = xSemaphoreCreateCounting(5, 0);
    mutex = xSemaphoreCreateMutex();
    recursive = xSemaphoreCreateRecursiveMutex();
    queue = xQueueCreate(1, sizeof(uint32_t));
    group = xEventGroupCreate();
    stream = xStreamBufferCreate(16, 4);
    timer = xTimerCreate("beat", 3, pdTRUE, NULL, on_timer);
    vQueueAddToRegistry(counting, "counting");
    vQueueAddToRegistry(mutex, "mutex");
    vQueueAddToRegistry(queue, "queue");
    tt_freertos_name(group, TT_OBJECT_KIND_FLAGS, "group");
    tt_freertos_name(stream, TT_OBJECT_KIND_CHANNEL, "stream");
    (void)xTaskCreate(run, "main", 512, NULL, 3, &main_task);
    (void)xTaskCreate(help, "helper", 256, NULL, 2, &helper_task);
    vTaskStartScheduler();
}
