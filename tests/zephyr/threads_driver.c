/*
 * Two CPUs, each a host thread, create and end Zephyr threads at the same time. At the end the
 * table of src/threads.c has to contain all threads.
 *
 *     threads_driver TURNS
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <zephyr/kernel.h>

#include "threads.h"

#define CPUS 2u
#define EACH 4u

struct k_thread z_idle_threads[CPUS];
struct z_kernel _kernel;

static struct k_thread threads[CPUS][EACH];

const char *k_thread_name_get(k_tid_t thread)
{
    return thread->name;
}

bool k_is_in_isr(void)
{
    return false;
}

unsigned int arch_irq_lock(void)
{
    return 0;
}

void arch_irq_unlock(unsigned int key)
{
    (void)key;
}

uint32_t k_cycle_get_32(void)
{
    return 0;
}

static uint32_t described(void)
{
    uint32_t count = 0;
    tt_name_t name;
    for (uint32_t i = 0; tt_zephyr_describe(i, &name); i++) {
        count += name.text != NULL;
    }
    return count;
}

static uint32_t turns;

/* The driver does not synchronise the CPUs, so that the thread sanitizer finds missing locks. */
static void *live(void *argument)
{
    struct k_thread *mine = argument;
    for (uint32_t turn = 0; turn < turns; turn++) {
        for (uint32_t i = 0; i < EACH; i++) {
            tt_zephyr_threads_add(&mine[i]);
        }
        (void)described();
        for (uint32_t i = 0; i < EACH && turn + 1u < turns; i++) {
            tt_zephyr_threads_remove(&mine[i]);
        }
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t cpus[CPUS];
    turns = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 1u;
    for (uint32_t i = 0; i < CPUS; i++) {
        (void)pthread_create(&cpus[i], NULL, live, threads[i]);
    }
    for (uint32_t i = 0; i < CPUS; i++) {
        (void)pthread_join(cpus[i], NULL);
    }
    printf("%u of %u described\n", described(), CPUS * EACH);
    return 0;
}
