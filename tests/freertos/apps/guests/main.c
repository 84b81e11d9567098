/*
 * Unprivileged tasks under an MPU: each records its own events by tt_freertos_user(), takes a mutex
 * and sends into a queue. Each counts its steps in the only memory that it may write; main records
 * the counts at the end.
 *
 * USER_1: a step of a guest, and the guest's number. USER_2: an item that main received. USER_3:
 * the count of a guest. USER_4: an intruder called the recorder directly and faulted there.
 */
#include <stdbool.h>

#include "FreeRTOS.h"
#include "task.h"

#include "queue.h"
#include "semphr.h"

#include "sample_board.h"
#include "tickertape/emitters.h"

#define GUESTS      2u
#define STEPS       30u
#define STACK_WORDS 512u
#define PRIVILEGED  3 | portPRIVILEGE_BIT

/* Ports for Armv7-M use other names. */
#if defined(__ARM_ARCH) && __ARM_ARCH < 8
#define REGION_OF_A_GUEST portMPU_REGION_READ_WRITE | portMPU_REGION_EXECUTE_NEVER
#else
#define REGION_OF_A_GUEST tskMPU_REGION_READ_WRITE | tskMPU_REGION_EXECUTE_NEVER
#endif

/* Data of a guest, in its own region. */
typedef struct guest {
    QueueHandle_t queue;
    SemaphoreHandle_t mutex;
    uint32_t number;
    volatile uint32_t steps;
    volatile bool is_done;
} guest_t;

static union {
    guest_t guest;
    uint8_t bytes[64];
} guests[GUESTS + 1u] __attribute__((aligned(64)));
static StackType_t stacks[GUESTS + 1u][STACK_WORDS]
    __attribute__((aligned(STACK_WORDS * sizeof(StackType_t))));
static volatile uint32_t faults;

static void stay(void)
{
    for (;;) {
        vTaskDelay(1000);
    }
}

static void run_guest(void *parameter)
{
    guest_t *guest = parameter;
    for (uint32_t i = 0; i < STEPS; i++) {
        (void)xSemaphoreTake(guest->mutex, portMAX_DELAY);
        tt_freertos_user(1, i, guest->number);
        vTaskDelay(guest->number);
        guest->steps++;
        (void)xSemaphoreGive(guest->mutex);
        (void)xQueueSend(guest->queue, &i, portMAX_DELAY);
    }
    guest->is_done = true;
    stay();
}

/* Call the recorder directly, which writes to memory that the task must not access. */
static void run_intruder(void *unused)
{
    (void)unused;
    tt_emit_user_user(1, 99, 99);
    stay();
}

/* Count the fault and let the task continue in stay(). */
void application_fault_handler(void)
{
    uint32_t *frame;
    __asm volatile("mrs %0, psp" : "=r"(frame));
    faults++;
    tt_freertos_user(4, faults, 0);
    frame[6] = (uint32_t)(uintptr_t)stay & ~1u;
}

static void begin(TaskFunction_t code, const char *name, uint32_t index, QueueHandle_t queue,
                  SemaphoreHandle_t mutex)
{
    guests[index].guest =
        (guest_t){.queue = queue, .mutex = mutex, .number = index + 1u, .steps = 0};
    const TaskParameters_t parameters = {
        .pvTaskCode = code,
        .pcName = name,
        .usStackDepth = STACK_WORDS,
        .pvParameters = &guests[index].guest,
        .uxPriority = 1 + index,
        .puxStackBuffer = stacks[index],
        .xRegions = {{&guests[index], sizeof guests[index], REGION_OF_A_GUEST}},
    };
    (void)xTaskCreateRestricted(&parameters, NULL);
}

static void run_main(void *unused)
{
    (void)unused;
    QueueHandle_t queue = xQueueCreate(2, sizeof(uint32_t));
    SemaphoreHandle_t mutex = xSemaphoreCreateMutex();
    vQueueAddToRegistry(queue, "queue");
    vQueueAddToRegistry(mutex, "mutex");
    begin(run_guest, "first", 0, queue, mutex);
    begin(run_guest, "second", 1, queue, mutex);
    begin(run_intruder, "intruder", 2, queue, mutex);
    for (uint32_t i = 0; i < GUESTS * STEPS; i++) {
        uint32_t item = 0;
        if (xQueueReceive(queue, &item, 1000) != pdPASS) {
            board_failed("a guest sends nothing; faults", (int)faults);
        }
        tt_freertos_user(2, item, 0);
    }
    vTaskDelay(20);
    for (uint32_t i = 0; i < GUESTS; i++) {
        tt_freertos_user(3, guests[i].guest.steps, guests[i].guest.is_done);
    }
    board_end(faults == 1u ? 0u : 1u);
}

void application_main(void)
{
    if (tt_freertos_start("guests", &board_trace_link) != 0) {
        board_failed("tt_freertos_start", 0);
    }
    (void)xTaskCreate(run_main, "main", 512, NULL, PRIVILEGED, NULL);
    vTaskStartScheduler();
}
