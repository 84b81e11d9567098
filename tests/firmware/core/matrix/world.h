/*
 * A port in which interrupts, threads of higher priority and another CPU act at random moments at
 * which nothing is masked.
 */
#ifndef MATRIX_WORLD_H
#define MATRIX_WORLD_H

#include <stdbool.h>
#include <stdint.h>

/* Seed the random numbers, which determine a run. */
void world_seed(uint64_t seed);
uint32_t world_below(uint32_t limit);
static inline bool world_once_in(uint32_t times)
{
    return world_below(times) == 0u;
}

/* Call `interrupt` at random moments at which nothing is masked, nested at most twice; NULL ends
 * this. */
void world_interrupts(void (*interrupt)(void));

/* Allow or forbid the running thread to move to another CPU while nothing is masked. */
void world_migrates(bool migrates);

/* Return the number of nested interrupts. */
uint32_t world_depth(void);

uint32_t world_cpu(void);
void world_move_to(uint32_t cpu);

#endif
