/*
 * What happens at any moment: a port in which interrupts, threads of higher priority and the other
 * CPU come between two instructions of the recorder, wherever nothing is masked.
 */
#ifndef MATRIX_WORLD_H
#define MATRIX_WORLD_H

#include <stdbool.h>
#include <stdint.h>

/* The same numbers for the same seed. */
void world_seed(uint64_t seed);
uint32_t world_below(uint32_t limit);
static inline bool world_once_in(uint32_t times)
{
    return world_below(times) == 0u;
}

/* Call `interrupt` now and then where nothing is masked, at most two inside each other; NULL ends
 * it. */
void world_interrupts(void (*interrupt)(void));

/* Let the thread that runs move to another CPU where nothing is masked, or not. */
void world_migrates(bool migrates);

/* How many interrupts are inside each other. */
uint32_t world_depth(void);

uint32_t world_cpu(void);
void world_move_to(uint32_t cpu);

#endif
