/*
 * Two cores. The second word of each USER event is the core, read with interrupts masked. The
 * program counts the events of each core, which the records of each ring have to match. USER_0
 * begins a step.
 */
#include "FreeRTOS.h"
#include "task.h"

#include "queue.h"
#include "semphr.h"

#include "sample_board.h"
#include "tickertape/emitters.h"

#define CORE(n) ((UBaseType_t)1 << (n))
#define BOTH    (CORE(0) | CORE(1))
#define ROUNDS  40u
#define ITEMS   100u
#define WORKERS 6u
#define ACTIONS 150u
#define STACK   256

enum {
    STEP,
    PINNED,
    MOVED,
    VICTIM,
    VICTIM_TOLD,
    WORKED,
    TOTAL,
    TOLD
};

static uint32_t told[2];
static volatile uint32_t victim_told;
static SemaphoreHandle_t done;
static SemaphoreHandle_t shared;
static SemaphoreHandle_t locks[2];
static SemaphoreHandle_t permits;
static QueueHandle_t queue;
static TaskHandle_t high_task;

/* Totals of the workers: grants of each lock, sent, received, given, taken. */
static uint32_t totals[6];

static void tell(uint32_t event, uint32_t value)
{
    uint32_t before = portSET_INTERRUPT_MASK();
    uint32_t core = (uint32_t)portGET_CORE_ID();
    tt_emit_user_user(event, value, core);
    told[core]++;
    portCLEAR_INTERRUPT_MASK(before);
}

static void count(uint32_t total)
{
    (void)__atomic_fetch_add(&totals[total], 1u, __ATOMIC_RELAXED);
}

static TaskHandle_t create(TaskFunction_t function, const char *name, uint32_t argument,
                           UBaseType_t priority, UBaseType_t cores)
{
    TaskHandle_t task = NULL;
    configASSERT(xTaskCreateAffinitySet(function, name, STACK, (void *)(uintptr_t)argument,
                                        priority, cores, &task) == pdPASS);
    return task;
}

static void end_task(void)
{
    (void)xSemaphoreGive(done);
    vTaskDelete(NULL);
}

static void wait_for(uint32_t count_of_tasks)
{
    for (uint32_t i = 0; i < count_of_tasks; i++) {
        configASSERT(xSemaphoreTake(done, portMAX_DELAY) == pdTRUE);
    }
}

static void pinned(void *argument)
{
    uint32_t core = (uint32_t)(uintptr_t)argument;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        configASSERT((uint32_t)portGET_CORE_ID() == core);
        tell(PINNED, i);
        vTaskDelay(i % 3u == 0u);
    }
    end_task();
}

static void low(void *unused)
{
    (void)unused;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        configASSERT(xSemaphoreTake(shared, portMAX_DELAY) == pdTRUE);
        (void)xTaskNotifyGive(high_task);
        board_work_us(300);
        configASSERT(xSemaphoreGive(shared) == pdTRUE);
        vTaskDelay(1);
    }
    end_task();
}

static void high(void *unused)
{
    (void)unused;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        (void)ulTaskNotifyTake(pdFALSE, portMAX_DELAY);
        configASSERT(xSemaphoreTake(shared, portMAX_DELAY) == pdTRUE);
        configASSERT(xSemaphoreGive(shared) == pdTRUE);
    }
    end_task();
}

static void produce(void *unused)
{
    (void)unused;
    for (uint32_t i = 0; i < ITEMS; i++) {
        configASSERT(xQueueSend(queue, &i, portMAX_DELAY) == pdTRUE);
    }
    end_task();
}

static void consume(void *unused)
{
    (void)unused;
    for (uint32_t i = 0; i < ITEMS; i++) {
        uint32_t item = ITEMS;
        configASSERT(xQueueReceive(queue, &item, portMAX_DELAY) == pdTRUE);
        configASSERT(item == i);
    }
    end_task();
}

static void spin(void *unused)
{
    (void)unused;
    for (;;) {
        uint32_t before = portSET_INTERRUPT_MASK();
        tell(VICTIM, victim_told);
        victim_told++;
        portCLEAR_INTERRUPT_MASK(before);
        board_work_us(50);
    }
}

static uint32_t next_random(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 16;
}

static void act(uint32_t what, uint32_t *random)
{
    uint32_t item = what;
    SemaphoreHandle_t lock = locks[what % 2u];
    switch (what % 9u) {
    case 0:
    case 1:
    case 2:
        if (xSemaphoreTake(lock, next_random(random) % 3u) == pdTRUE) {
            count(what % 2u);
            tell(WORKED, what);
            board_work_us(next_random(random) % 400u);
            configASSERT(xSemaphoreGive(lock) == pdTRUE);
        }
        break;
    case 3:
        if (xQueueSend(queue, &item, next_random(random) % 2u) == pdTRUE) {
            count(2);
        }
        break;
    case 4:
        if (xQueueReceive(queue, &item, next_random(random) % 2u) == pdTRUE) {
            count(3);
        }
        break;
    case 5:
        if (xSemaphoreGive(permits) == pdTRUE) {
            count(4);
        }
        break;
    case 6:
        if (xSemaphoreTake(permits, next_random(random) % 2u) == pdTRUE) {
            count(5);
        }
        break;
    case 7:
        vTaskCoreAffinitySet(NULL, next_random(random) % 3u + 1u);
        vTaskPrioritySet(NULL, 2u + next_random(random) % 3u);
        tell(WORKED, what);
        break;
    default:
        vTaskDelay(next_random(random) % 3u);
        break;
    }
}

static void work(void *argument)
{
    uint32_t random = (uint32_t)(uintptr_t)argument * 2654435761u;
    for (uint32_t i = 0; i < ACTIONS; i++) {
        act(next_random(&random), &random);
    }
    end_task();
}

static void step(uint32_t number)
{
    vTaskDelay(2);
    tell(STEP, number);
}

/* From core 0, delete and suspend tasks that run on the other core. */
static void end_on_other_core(void)
{
    vTaskCoreAffinitySet(NULL, CORE(0));
    step(4);
    TaskHandle_t victim = create(spin, "victim", 0, 4, CORE(1));
    vTaskDelay(3);
    vTaskDelete(victim);
    vTaskDelay(2);
    tell(VICTIM_TOLD, victim_told);
    step(5);
    victim_told = 0;
    victim = create(spin, "sleeper", 0, 4, CORE(1));
    for (uint32_t i = 0; i < 5u; i++) {
        vTaskDelay(2);
        vTaskSuspend(victim);
        vTaskDelay(2);
        vTaskPrioritySet(victim, 3u + i % 2u);
        vTaskResume(victim);
    }
    vTaskDelay(2);
    vTaskDelete(victim);
    vTaskDelay(2);
    tell(VICTIM_TOLD, victim_told);
    vTaskCoreAffinitySet(NULL, BOTH);
}

static void main_task(void *unused)
{
    (void)unused;
    step(0);
    (void)create(pinned, "pinned0", 0, 3, CORE(0));
    (void)create(pinned, "pinned1", 1, 3, CORE(1));
    wait_for(2);
    step(1);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        vTaskCoreAffinitySet(NULL, CORE(i % 2u));
        configASSERT((uint32_t)portGET_CORE_ID() == i % 2u);
        tell(MOVED, i);
    }
    vTaskCoreAffinitySet(NULL, BOTH);
    step(2);
    high_task = create(high, "high", 0, 5, CORE(1));
    (void)create(low, "low", 0, 2, CORE(0));
    wait_for(2);
    step(3);
    (void)create(consume, "consumer", 0, 3, CORE(1));
    (void)create(produce, "producer", 0, 3, CORE(0));
    wait_for(2);
    end_on_other_core();
    step(6);
    for (uint32_t i = 0; i < WORKERS; i++) {
        (void)create(work, "worker", i + 1u, 2u + i % 3u, BOTH);
    }
    wait_for(WORKERS);
    step(7);
    for (uint32_t i = 0; i < 6u; i++) {
        tell(TOTAL, totals[i]);
    }
    tt_emit_user_user(TOLD, told[0], told[1]);
    board_end(0);
}

void application_main(void)
{
    configASSERT(tt_freertos_start("cores", &board_trace_link) == 0);
    done = xSemaphoreCreateCounting(WORKERS, 0);
    shared = xSemaphoreCreateMutex();
    locks[0] = xSemaphoreCreateMutex();
    locks[1] = xSemaphoreCreateMutex();
    permits = xSemaphoreCreateCounting(3, 0);
    queue = xQueueCreate(4, sizeof(uint32_t));
    vQueueAddToRegistry(shared, "shared");
    vQueueAddToRegistry(locks[0], "lock0");
    vQueueAddToRegistry(locks[1], "lock1");
    vQueueAddToRegistry(permits, "permits");
    vQueueAddToRegistry(queue, "queue");
    (void)create(main_task, "main", 0, 6, BOTH);
    vTaskStartScheduler();
}
