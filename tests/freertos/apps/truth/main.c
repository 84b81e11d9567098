/*
 * Typical FreeRTOS programs, one after another: producer and consumer, priority inheritance through
 * two mutexes, a stream buffer from an interrupt to a task, event groups. Each checks itself and
 * records answers of the kernel, for comparison by the test:
 *
 *   USER_1  end of a program: numbers of items sent and received
 *   USER_2  number of items in the queue
 *   USER_3  the priority of `low`
 *   USER_4  the value of the event group
 */
#include <stdbool.h>

#include "FreeRTOS.h"
#include "task.h"

#include "event_groups.h"
#include "queue.h"
#include "semphr.h"
#include "stream_buffer.h"

#include "sample_board.h"
#include "tickertape/emitters.h"

#define ITEMS      60u
#define LENGTH     4u
#define RAISED     40u
#define MEETINGS   10u
#define FLAG_STEPS 120u
#define MEET_ALL   0x7u  /* bits of the tasks that meet */
#define OTHERS     0x70u /* bits of the tasks that wait for one or for all */

static QueueHandle_t queue;
static SemaphoreHandle_t mutexes[2];
static StreamBufferHandle_t stream;
static EventGroupHandle_t group;
static TaskHandle_t low_task;
static TaskHandle_t mid_task;
static TaskHandle_t high_task;
static TaskHandle_t main_task;
static volatile uint32_t sent;
static volatile uint32_t received;
static volatile uint32_t ended;
static volatile bool is_flags;
static uint32_t seed = 7;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            board_failed(__FILE__, __LINE__);                                                      \
        }                                                                                          \
    } while (0)

static uint32_t random_below(uint32_t limit)
{
    seed = seed * 1103515245u + 12345u;
    return (seed >> 16) % limit;
}

static void end_task(void)
{
    (void)xTaskNotifyGive(main_task);
    vTaskSuspend(NULL);
}

/* Producer and consumer. ------------------------------------------------------------------- */

static void tell_waiting(void)
{
    vTaskSuspendAll(); /* so that the number is still valid when it is recorded */
    tt_emit_user_user(2, (uint32_t)uxQueueMessagesWaiting(queue), 0);
    (void)xTaskResumeAll();
}

static void produce(void *unused)
{
    (void)unused;
    for (uint32_t item = 0; item < ITEMS; item++) {
        CHECK(xQueueSend(queue, &item, portMAX_DELAY) == pdPASS);
        sent++;
        tell_waiting();
        vTaskDelay(random_below(3));
    }
    end_task();
}

static void consume(void *unused)
{
    (void)unused;
    for (uint32_t expected = 0; expected < ITEMS; expected++) {
        uint32_t item = 0;
        CHECK(xQueueReceive(queue, &item, portMAX_DELAY) == pdPASS);
        CHECK(item == expected);
        received++;
        tell_waiting();
        vTaskDelay(random_below(4));
    }
    end_task();
}

static void run_producer(void)
{
    (void)xTaskCreate(produce, "producer", 256, NULL, 2, NULL);
    (void)xTaskCreate(consume, "consumer", 256, NULL, 2, NULL);
    (void)ulTaskNotifyTake(pdFALSE, portMAX_DELAY);
    (void)ulTaskNotifyTake(pdFALSE, portMAX_DELAY);
    tt_emit_user_user(1, sent, received);
}

/* Inheritance over two mutexes. --------------------------------------------------------------- */

static void take_and_give(void *argument)
{
    SemaphoreHandle_t *mutex = argument;
    vTaskSuspend(NULL);
    CHECK(xSemaphoreTake(*mutex, portMAX_DELAY) == pdPASS);
    CHECK(xSemaphoreGive(*mutex) == pdPASS);
    end_task();
}

static void tell_priority(uint32_t expected)
{
    CHECK(uxTaskPriorityGet(low_task) == expected);
    tt_emit_user_user(3, expected, 0);
}

static void hold_both(void *unused)
{
    (void)unused;
    CHECK(xSemaphoreTake(mutexes[0], 0) == pdPASS);
    CHECK(xSemaphoreTake(mutexes[1], 0) == pdPASS);
    tell_priority(2);
    vTaskResume(mid_task); /* takes the first mutex */
    tell_priority(3);
    vTaskResume(high_task); /* takes the second mutex */
    tell_priority(4);
    CHECK(xSemaphoreGive(mutexes[1]) == pdPASS);
    tell_priority(4); /* inherited until it holds no mutex */
    CHECK(xSemaphoreGive(mutexes[0]) == pdPASS);
    tell_priority(2);
    end_task();
}

static void run_inheritance(void)
{
    (void)xTaskCreate(take_and_give, "mid", 256, &mutexes[0], 3, &mid_task);
    (void)xTaskCreate(take_and_give, "high", 256, &mutexes[1], 4, &high_task);
    (void)xTaskCreate(hold_both, "low", 256, NULL, 2, &low_task);
    for (uint32_t i = 0; i < 3u; i++) {
        (void)ulTaskNotifyTake(pdFALSE, portMAX_DELAY);
    }
    tt_emit_user_user(1, 3, 3);
}

/* A stream buffer from an interrupt to a task. ------------------------------------------------ */

void application_irq_handler(void)
{
    static uint8_t next;
    BaseType_t woken = pdFALSE;
    tt_freertos_isr_enter();
    if (is_flags) {
        (void)xEventGroupSetBitsFromISR(group, 0x40u, &woken);
    } else {
        uint8_t bytes[3] = {next, (uint8_t)(next + 1u), (uint8_t)(next + 2u)};
        size_t count = 1u + sent % 3u;
        CHECK(xStreamBufferSendFromISR(stream, bytes, count, &woken) == count);
        next = (uint8_t)(next + count);
        sent++;
    }
    tt_freertos_isr_exit();
    portYIELD_FROM_ISR(woken);
}

static void read_stream(void *unused)
{
    (void)unused;
    uint8_t expected = 0;
    for (;;) {
        uint8_t bytes[8];
        size_t count = xStreamBufferReceive(stream, bytes, sizeof bytes, 5);
        received += count != 0u ? 1u : 0u;
        for (size_t i = 0; i < count; i++) {
            CHECK(bytes[i] == expected);
            expected++;
        }
        if (count == 0u && sent == RAISED) {
            end_task();
        }
    }
}

static void run_stream(void)
{
    sent = received = 0;
    (void)xTaskCreate(read_stream, "reader", 256, NULL, 2, NULL);
    for (uint32_t i = 0; i < RAISED; i++) {
        board_raise_spare_irq();
        vTaskDelay(random_below(4));
    }
    (void)ulTaskNotifyTake(pdFALSE, portMAX_DELAY);
    tt_emit_user_user(1, sent, received);
}

/* Event groups. ------------------------------------------------------------------------------- */

static void meet(void *argument)
{
    uint32_t mine = 1u << (uint32_t)(uintptr_t)argument;
    for (uint32_t i = 0; i < MEETINGS; i++) {
        vTaskDelay(random_below(4));
        EventBits_t bits = xEventGroupSync(group, mine, MEET_ALL, portMAX_DELAY);
        CHECK((bits & MEET_ALL) == MEET_ALL);
    }
    CHECK((xEventGroupSync(group, mine, MEET_ALL | 0x8u, 2) & 0x8u) == 0u); /* time limit passed */
    ended++;
    vTaskSuspend(NULL);
}

/* Wait for bit 4, bits 4 and 5, or bits 5 and 6: for any or all of them, clearing them or not. */
static void wait_for(void *argument)
{
    uint32_t number = (uint32_t)(uintptr_t)argument;
    EventBits_t bits = (EventBits_t)((number == 0u ? 0x1u : number == 1u ? 0x3u : 0x6u) << 4);
    for (uint32_t i = 0;; i++) {
        TickType_t ticks = random_below(5);
        (void)xEventGroupWaitBits(group, bits, i % 3u != 0u, number != 1u, ticks);
        vTaskDelay(1);
    }
}

static void tell_flags(void)
{
    vTaskSuspendAll();
    tt_emit_user_user(4, (uint32_t)xEventGroupGetBits(group), 0);
    (void)xTaskResumeAll();
}

static void run_flags(void)
{
    is_flags = true;
    for (uintptr_t i = 0; i < 3u; i++) {
        (void)xTaskCreate(meet, "meets", 256, (void *)i, 2, NULL);
        (void)xTaskCreate(wait_for, "waits", 256, (void *)i, 2, NULL);
    }
    for (uint32_t i = 0; i < FLAG_STEPS || ended < 3u; i++) {
        EventBits_t bits = (EventBits_t)((random_below(8) << 4) & OTHERS);
        switch (random_below(4)) {
        case 0:
            (void)xEventGroupClearBits(group, bits);
            break;
        case 1:
            board_raise_spare_irq();
            break;
        default:
            (void)xEventGroupSetBits(group, bits);
            break;
        }
        tell_flags();
        vTaskDelay(random_below(3));
        tell_flags();
    }
}

static void run(void *unused)
{
    (void)unused;
    run_producer();
    run_inheritance();
    run_stream();
    run_flags();
    board_end(0);
}

void application_main(void)
{
    if (tt_freertos_start("truth", &board_trace_link) != 0) {
        board_print("tickertape did not start\n");
    }
    queue = xQueueCreate(LENGTH, sizeof(uint32_t));
    mutexes[0] = xSemaphoreCreateMutex();
    mutexes[1] = xSemaphoreCreateMutex();
    stream = xStreamBufferCreate(64, 2);
    group = xEventGroupCreate();
    vQueueAddToRegistry(queue, "queue");
    tt_freertos_name(stream, TT_OBJECT_KIND_CHANNEL, "stream");
    tt_freertos_name(group, TT_OBJECT_KIND_FLAGS, "group");
    (void)xTaskCreate(run, "main", 512, NULL, 1, &main_task);
    vTaskStartScheduler();
}
