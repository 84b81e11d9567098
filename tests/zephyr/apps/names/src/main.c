/*
 * Things that the host has to name: a queue, a thread without a name, one that is named after it
 * began, and a mutex that is initialised anew while it is owned.
 */
#include <zephyr/kernel.h>

#include "finish.h"

#define STACK_BYTES 512

K_FIFO_DEFINE(letters);
K_MUTEX_DEFINE(bus);

static K_THREAD_STACK_ARRAY_DEFINE(stacks, 2, STACK_BYTES);
static struct k_thread nameless;
static struct k_thread late;

static void work(void *a, void *b, void *c)
{
    ARG_UNUSED(a), ARG_UNUSED(b), ARG_UNUSED(c);
    k_msleep(10);
}

static void start(struct k_thread *thread, k_thread_stack_t *stack)
{
    k_thread_create(thread, stack, STACK_BYTES, work, NULL, NULL, NULL, 5, 0, K_NO_WAIT);
}

int main(void)
{
    static void *letter[2];
    start(&nameless, stacks[0]);
    start(&late, stacks[1]);
    k_thread_name_set(&late, "motor");
    k_fifo_put(&letters, letter);
    (void)k_fifo_get(&letters, K_NO_WAIT);
    k_mutex_lock(&bus, K_FOREVER);
    k_mutex_init(&bus);
    k_mutex_lock(&bus, K_FOREVER);
    k_mutex_unlock(&bus);
    k_msleep(50);
    finish();
    return 0;
}
