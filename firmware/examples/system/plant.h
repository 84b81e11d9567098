/* examples/system/plant.h - what is controlled: a motor that follows its torque slowly. */
#ifndef EXAMPLES_PLANT_H
#define EXAMPLES_PLANT_H

#include <stdint.h>

/* Let the plant go on for a step with `torque`; returns its speed. */
uint32_t plant_step(uint32_t torque);

#endif
