/* Operations of the steps of a scenario, and their objects. */
#ifndef KERNEL_TEST_OPERATIONS_H
#define KERNEL_TEST_OPERATIONS_H

#include <stdbool.h>

#include "scenario.h"

typedef struct operation {
    char letter; /* letter in the journal */
    bool tells_result;
    int (*execute)(const step_t *step);
} operation_t;

const operation_t *operation_of(op_t op);

/* Initialise all objects. */
void operations_clear(void);
void operations_stop_timers(void);

uint32_t operations_owned_mutexes(void);

#endif
