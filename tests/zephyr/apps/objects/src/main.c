/*
 * Uses each kind of kernel object once. The actions of main after USER_0 with value n are step n
 * of `enum step`. If main has to wait in a step, a helper thread ends the wait.
 */
#include <tickertape/emitters.h>
#include <zephyr/kernel.h>

#include "finish.h"

#define STACK_BYTES  1024
#define HELPER_DELAY K_MSEC(20)
#define WAIT         K_MSEC(100)

enum step {
    STEP_SEM_TIMEOUT,
    STEP_SEM_TRY,
    STEP_MUTEX_TWICE,
    STEP_CONDVAR,
    STEP_EVENT,
    STEP_TIMER,
    STEP_FIFO,
    STEP_LIFO,
    STEP_STACK,
    STEP_MSGQ,
    STEP_MSGQ_WAIT,
    STEP_PIPE,
    STEP_MBOX,
    STEP_SLAB,
    STEP_HEAP,
    STEP_WORK,
    STEP_POLL,
    STEP_SUSPEND,
    STEP_PRIORITY,
    STEP_JOIN,
    STEP_YIELD,
    STEP_END,
};

K_SEM_DEFINE(sem, 0, 1);
K_MUTEX_DEFINE(mutex);
K_CONDVAR_DEFINE(condvar);
K_EVENT_DEFINE(event);
static void expired(struct k_timer *self)
{
    ARG_UNUSED(self);
}

K_TIMER_DEFINE(timer, expired, NULL);
K_FIFO_DEFINE(fifo);
K_LIFO_DEFINE(lifo);
K_STACK_DEFINE(stack, 4);
K_MSGQ_DEFINE(msgq, sizeof(uint32_t), 2, 4);
K_PIPE_DEFINE(pipe, 16, 4);
K_MBOX_DEFINE(mbox);
K_MEM_SLAB_DEFINE(slab, 16, 2, 4);
K_SEM_DEFINE(polled, 1, 1);

static K_THREAD_STACK_DEFINE(helper_stack, STACK_BYTES);
static struct k_thread helper;

static void start_helper(k_thread_entry_t entry, k_timeout_t delay)
{
    k_thread_create(&helper, helper_stack, STACK_BYTES, entry, NULL, NULL, NULL, 5, 0, delay);
    k_thread_name_set(&helper, "helper");
}

static void begin(enum step step)
{
    tt_emit_user_user(0, (uint32_t)step, 0);
}

static void end_helper(void)
{
    tt_emit_user_user(1, 0, 0);
    k_thread_join(&helper, K_FOREVER);
}

static void signal_condvar(void *a, void *b, void *c)
{
    k_mutex_lock(&mutex, K_FOREVER);
    k_condvar_signal(&condvar);
    k_mutex_unlock(&mutex);
}

static void post_event(void *a, void *b, void *c)
{
    k_event_post(&event, 2);
}

static void put_message(void *a, void *b, void *c)
{
    uint32_t message = 7;
    k_msgq_put(&msgq, &message, K_NO_WAIT);
}

static void take_mail(void *a, void *b, void *c)
{
    struct k_mbox_msg message = {.size = 0, .rx_source_thread = K_ANY};
    k_mbox_get(&mbox, &message, NULL, WAIT);
}

static void do_nothing(void *a, void *b, void *c)
{
}

static void use_sync(void)
{
    begin(STEP_SEM_TIMEOUT);
    k_sem_take(&sem, K_MSEC(20));
    begin(STEP_SEM_TRY);
    k_sem_take(&sem, K_NO_WAIT);
    begin(STEP_MUTEX_TWICE);
    k_mutex_lock(&mutex, K_FOREVER);
    k_mutex_lock(&mutex, K_FOREVER);
    k_mutex_unlock(&mutex);
    k_mutex_unlock(&mutex);
    start_helper(signal_condvar, HELPER_DELAY);
    k_mutex_lock(&mutex, K_FOREVER);
    begin(STEP_CONDVAR);
    k_condvar_wait(&condvar, &mutex, WAIT);
    end_helper();
    k_mutex_unlock(&mutex);
    start_helper(post_event, HELPER_DELAY);
    begin(STEP_EVENT);
    k_event_wait(&event, 2, false, WAIT);
    end_helper();
    begin(STEP_TIMER);
    k_timer_start(&timer, K_MSEC(20), K_NO_WAIT);
    k_timer_status_sync(&timer);
    k_timer_stop(&timer);
}

static void use_queues(void)
{
    static void *items[2][2];
    uint32_t word = 1;
    size_t bytes;
    stack_data_t data;
    begin(STEP_FIFO);
    k_fifo_put(&fifo, items[0]);
    k_fifo_get(&fifo, K_NO_WAIT);
    begin(STEP_LIFO);
    k_lifo_put(&lifo, items[1]);
    k_lifo_get(&lifo, K_NO_WAIT);
    begin(STEP_STACK);
    k_stack_push(&stack, 1);
    k_stack_pop(&stack, &data, K_NO_WAIT);
    begin(STEP_MSGQ);
    k_msgq_put(&msgq, &word, K_NO_WAIT);
    k_msgq_get(&msgq, &word, K_NO_WAIT);
    start_helper(put_message, HELPER_DELAY);
    begin(STEP_MSGQ_WAIT);
    k_msgq_get(&msgq, &word, WAIT);
    end_helper();
    begin(STEP_PIPE);
    k_pipe_put(&pipe, &word, sizeof word, &bytes, sizeof word, K_NO_WAIT);
    k_pipe_get(&pipe, &word, sizeof word, &bytes, sizeof word, K_NO_WAIT);
    start_helper(take_mail, HELPER_DELAY);
    struct k_mbox_msg message = {.size = 0, .tx_target_thread = K_ANY};
    begin(STEP_MBOX);
    k_mbox_put(&mbox, &message, WAIT);
    end_helper();
}

static void handle(struct k_work *work)
{
}

static void use_memory_and_work(void)
{
    static K_WORK_DEFINE(work, handle);
    void *block;
    begin(STEP_SLAB);
    if (k_mem_slab_alloc(&slab, &block, K_NO_WAIT) == 0) {
        k_mem_slab_free(&slab, &block);
    }
    begin(STEP_HEAP);
    k_free(k_malloc(16));
    begin(STEP_WORK);
    k_work_submit(&work);
    struct k_poll_event events[] = {
        K_POLL_EVENT_INITIALIZER(K_POLL_TYPE_SEM_AVAILABLE, K_POLL_MODE_NOTIFY_ONLY, &polled),
    };
    begin(STEP_POLL);
    k_poll(events, 1, WAIT);
}

static void use_threads(void)
{
    start_helper(do_nothing, K_FOREVER);
    begin(STEP_SUSPEND);
    k_thread_suspend(&helper);
    k_thread_resume(&helper);
    begin(STEP_PRIORITY);
    k_thread_priority_set(&helper, 6);
    begin(STEP_JOIN);
    k_thread_start(&helper);
    k_thread_join(&helper, WAIT);
    begin(STEP_YIELD);
    k_yield();
}

int main(void)
{
    use_sync();
    use_queues();
    use_memory_and_work();
    use_threads();
    begin(STEP_END);
    finish();
    return 0;
}
