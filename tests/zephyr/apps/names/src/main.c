/*
 * Objects that the host has to name: a queue, a thread without a name, work queues without names
 * (one of them an array element), a thread that gets its name after it began, and a mutex that
 * is initialised again while it is owned.
 */
#include <zephyr/kernel.h>

#include "finish.h"

#define STACK_BYTES 512

K_FIFO_DEFINE(letters);
K_MUTEX_DEFINE(bus);

static K_THREAD_STACK_ARRAY_DEFINE(stacks, 2, STACK_BYTES);
static struct k_thread nameless;
static struct k_work_q jobs;
static struct k_work_q more_jobs[2];
static K_THREAD_STACK_ARRAY_DEFINE(job_stacks, 2, STACK_BYTES);
static struct k_thread late;

static void work(void *a, void *b, void *c)
{
    ARG_UNUSED(a), ARG_UNUSED(b), ARG_UNUSED(c);
    k_msleep(10);
}

static void nothing(struct k_work *item)
{
    ARG_UNUSED(item);
}

K_WORK_DEFINE(job, nothing);

static void start_queue(struct k_work_q *queue, k_thread_stack_t *stack)
{
    k_work_queue_init(queue);
    k_work_queue_start(queue, stack, STACK_BYTES, 5, NULL);
    (void)k_work_submit_to_queue(queue, &job);
    k_msleep(1);
}

static void start(struct k_thread *thread, k_thread_stack_t *stack)
{
    k_thread_create(thread, stack, STACK_BYTES, work, NULL, NULL, NULL, 5, 0, K_NO_WAIT);
}

int main(void)
{
    static void *letter[2];
    start_queue(&jobs, job_stacks[0]);
    start_queue(&more_jobs[1], job_stacks[1]);
    (void)k_work_submit(&job);
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
