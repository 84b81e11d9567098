/* Two tasks and a mutex: at times the urgent `sensor` has to wait until `logger` gives the bus. */
#include "FreeRTOS.h"
#include "task.h"

#include "semphr.h"

static SemaphoreHandle_t bus;

static void use_bus(uint32_t loops)
{
    (void)xSemaphoreTake(bus, portMAX_DELAY);
    for (volatile uint32_t i = 0; i < loops; i++) {
    }
    (void)xSemaphoreGive(bus);
}

static void sensor(void *unused)
{
    (void)unused;
    for (;;) {
        vTaskDelay(7);
        use_bus(1000);
    }
}

static void logger(void *unused)
{
    (void)unused;
    for (;;) {
        vTaskDelay(10);
        use_bus(1000000);
    }
}

int main(void)
{
    bus = xSemaphoreCreateMutex();
    vQueueAddToRegistry(bus, "bus");
    (void)xTaskCreate(sensor, "sensor", 256, NULL, 3, NULL);
    (void)xTaskCreate(logger, "logger", 256, NULL, 2, NULL);
    vTaskStartScheduler();
    for (;;) {
    }
}
