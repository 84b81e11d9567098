#include "operations.h"

#include <stddef.h>

#include "board.h"

#define OBJECTS      3u /* of each kind */
#define PRIORITIES   12u
#define LONGEST_WAIT 3u /* ticks */

/* Only one of this number of deletions and ends is executed, so that most waits end with
 * success. */
#define DELETE_EACH 8u

static kernel_mutex_t mutexes[OBJECTS];
static kernel_sem_t sems[OBJECTS];
static kernel_cond_t conds[OBJECTS];
static kernel_flags_t flag_sets[OBJECTS];
static kernel_channel_t channels[OBJECTS];
static kernel_timer_t timer;
static worker_t *workers;
static uint32_t worker_count;

/* Return a random number below `limit`: the upper bits of xorshift. */
static uint32_t random_below(worker_t *self, uint32_t limit)
{
    self->random ^= self->random << 13;
    self->random ^= self->random >> 17;
    self->random ^= self->random << 5;
    return (self->random >> 8) % limit;
}

static uint32_t pick(worker_t *self)
{
    return random_below(self, OBJECTS);
}

static uint32_t some_ticks(worker_t *self)
{
    return random_below(self, LONGEST_WAIT + 1u);
}

static kernel_thread_t *some_worker(worker_t *self)
{
    return &workers[random_below(self, worker_count)].thread;
}

static void use_mutex(worker_t *self)
{
    kernel_mutex_t *mutex = &mutexes[pick(self)];
    if (kernel_mutex_lock(mutex, some_ticks(self)) == KERNEL_OK) {
        kernel_work_us(random_below(self, 30));
        if (random_below(self, 4) != 0u) { /* otherwise it keeps the mutex for a while */
            (void)kernel_mutex_unlock(mutex);
        }
    }
}

static void try_mutex(worker_t *self)
{
    (void)kernel_mutex_trylock(&mutexes[pick(self)]);
}

static void unlock_mutexes(worker_t *self)
{
    (void)self;
    for (uint32_t i = 0; i < OBJECTS; i++) {
        (void)kernel_mutex_unlock(&mutexes[i]); /* fails for mutexes of other threads */
    }
}

static void wait_for_condition(worker_t *self)
{
    kernel_mutex_t *mutex = &mutexes[pick(self)];
    if (kernel_mutex_lock(mutex, some_ticks(self)) == KERNEL_OK) {
        (void)kernel_cond_wait(&conds[pick(self)], mutex, some_ticks(self));
        (void)kernel_mutex_unlock(mutex);
    }
}

static void signal_condition(worker_t *self)
{
    if (random_below(self, 3) == 0u) {
        (void)kernel_cond_broadcast(&conds[pick(self)]);
    } else {
        (void)kernel_cond_signal(&conds[pick(self)]);
    }
}

static void wait_for_permit(worker_t *self)
{
    (void)kernel_sem_wait(&sems[pick(self)], some_ticks(self));
}

static void post(worker_t *self)
{
    (void)kernel_sem_post(&sems[pick(self)]);
}

static void wait_for_flags(worker_t *self)
{
    uint32_t bits = 1u + random_below(self, 15);
    uint32_t how = random_below(self, 4);
    (void)kernel_flags_wait(&flag_sets[pick(self)], bits, how, some_ticks(self));
}

static void set_flags(worker_t *self)
{
    (void)kernel_flags_set(&flag_sets[pick(self)], random_below(self, 16));
}

static void clear_flags(worker_t *self)
{
    (void)kernel_flags_clear(&flag_sets[pick(self)], random_below(self, 16));
}

static void send(worker_t *self)
{
    uint32_t word = self->random;
    uint32_t answer = 0;
    kernel_message_t message = {
        .data = &word, .bytes = sizeof word, .reply = &answer, .reply_room_bytes = sizeof answer};
    (void)kernel_message_send(&channels[pick(self)], &message, some_ticks(self));
}

static void reply(worker_t *self)
{
    int32_t status = random_below(self, 4) == 0u ? KERNEL_ERROR_ARGUMENT : KERNEL_OK;
    (void)kernel_message_reply(self->reply_id, status, &self->random, sizeof self->random);
    self->reply_id = 0;
}

static void receive(worker_t *self)
{
    uint32_t word = 0;
    kernel_received_t received;
    int result = kernel_message_receive(&channels[pick(self)], &word, sizeof word, &received,
                                        some_ticks(self));
    if (result == KERNEL_OK && received.id != 0u) {
        self->reply_id = received.id;
        kernel_work_us(random_below(self, 20));
        if (random_below(self, 4) != 0u) { /* otherwise it replies later, or never */
            reply(self);
        }
    }
}

static void send_pulse(worker_t *self)
{
    if (random_below(self, 4) != 0u) { /* see stress_interrupt() */
        return;
    }
    (void)kernel_pulse_send(&channels[pick(self)], self->random);
}

static void change_priority(worker_t *self)
{
    (void)kernel_thread_set_priority(some_worker(self), 1u + random_below(self, PRIORITIES));
}

static void suspend(worker_t *self)
{
    (void)kernel_thread_suspend(some_worker(self));
}

static void resume(worker_t *self)
{
    (void)kernel_thread_resume(some_worker(self));
}

static void yield(worker_t *self)
{
    (void)self;
    kernel_yield();
}

static void sleep_some(worker_t *self)
{
    (void)kernel_sleep(some_ticks(self));
}

static void set_timer(worker_t *self)
{
    uint32_t ticks = some_ticks(self);
    (void)(ticks != 0u ? kernel_timer_start(&timer, ticks, some_ticks(self))
                       : kernel_timer_stop(&timer));
}

static void delete_something(worker_t *self)
{
    if (random_below(self, DELETE_EACH) != 0u) {
        return;
    }
    (void)kernel_mutex_delete(&mutexes[pick(self)]);
    (void)kernel_sem_delete(&sems[pick(self)]);
    (void)kernel_cond_delete(&conds[pick(self)]);
    (void)kernel_flags_delete(&flag_sets[pick(self)]);
    (void)kernel_channel_delete(&channels[pick(self)]);
}

/* End a random worker, possibly the caller. */
static void end_some(worker_t *self)
{
    if (random_below(self, DELETE_EACH) == 0u) {
        (void)kernel_thread_end(some_worker(self));
    }
}

void stress_operate(worker_t *self)
{
    static void (*const operations[])(worker_t *) = {
        use_mutex,        try_mutex,        unlock_mutexes, wait_for_condition,
        signal_condition, wait_for_permit,  post,           wait_for_flags,
        set_flags,        clear_flags,      send,           reply,
        receive,          receive,          send_pulse,     change_priority,
        suspend,          resume,           yield,          sleep_some,
        set_timer,        delete_something, end_some,
    };
    operations[random_below(self, sizeof operations / sizeof operations[0])](self);
}

void stress_interrupt(void *argument)
{
    static uint32_t count;
    (void)argument;
    board_sensor_acknowledge();
    count++;
    (void)kernel_sem_post(&sems[count % OBJECTS]);
    (void)kernel_flags_set(&flag_sets[count % OBJECTS], 1u << count % 4u);
    if (count % 4u == 0u) { /* rarely: pulses are received before messages */
        (void)kernel_pulse_send(&channels[count % OBJECTS], count);
    }
}

void stress_prepare(worker_t *all, uint32_t count)
{
    workers = all;
    worker_count = count;
    for (uint32_t i = 0; i < OBJECTS; i++) {
        sems[i] = (kernel_sem_t)KERNEL_SEM_INIT(0, 3);
    }
    (void)kernel_timer_create(&timer, kernel_timer_post, &sems[0]);
}
