/*
 * A recorder that keeps events in memory, in place of firmware/core: the kernel's hooks and the
 * generated emitters are the real ones.
 */
#ifndef KERNEL_TEST_FAKE_RECORDER_H
#define KERNEL_TEST_FAKE_RECORDER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct fake_event {
    uint32_t event_class;
    uint32_t event;
    uint32_t domain;
    uint32_t data[2];
} fake_event_t;

/* Discard all events and record every class but IRQSTATE. */
void fake_recorder_clear(void);

/* Record class IRQSTATE or not: two events per critical section of the kernel. */
void fake_recorder_take_irqstate(bool take);

/* Return the number of kept events since the last clear; others did not fit into the memory. */
uint32_t fake_recorder_count(void);
const fake_event_t *fake_recorder_event(uint32_t index);

/* Return the number of kept events of one type. */
uint32_t fake_recorder_count_of(uint32_t event_class, uint32_t event);

#endif
