/* examples/system/plant.h - the controlled plant: a motor that follows its torque slowly. */
#ifndef EXAMPLES_PLANT_H
#define EXAMPLES_PLANT_H

#include <stdint.h>

/* Simulate one step with `torque`; returns the speed. */
uint32_t plant_step(uint32_t torque);

#endif
