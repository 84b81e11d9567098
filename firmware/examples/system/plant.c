#include "plant.h"

#include "kernel.h"

static uint32_t speed;

static uint32_t accelerate(uint32_t torque)
{
    kernel_work_us(40);
    return torque / 4u;
}

static uint32_t brake(void)
{
    kernel_work_us(20);
    return speed / 8u;
}

uint32_t plant_step(uint32_t torque)
{
    kernel_work_us(10);
    speed = speed + accelerate(torque) - brake();
    return speed;
}
