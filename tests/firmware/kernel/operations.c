#include "operations.h"

#include <string.h>

#define MESSAGES 16

static kernel_mutex_t mutexes[SCENARIO_OBJECTS];
static kernel_sem_t sems[SCENARIO_OBJECTS];
static kernel_cond_t conds[SCENARIO_OBJECTS];
static kernel_flags_t flag_sets[SCENARIO_OBJECTS];
static kernel_channel_t channels[SCENARIO_OBJECTS];
static kernel_timer_t timers[SCENARIO_OBJECTS]; /* timer n posts semaphore n */
static uint32_t message_ids[MESSAGES];
static uint32_t message_count;

static int lock(const step_t *step)
{
    return kernel_mutex_lock(&mutexes[step->argument], step->ticks);
}

static int trylock(const step_t *step)
{
    return kernel_mutex_trylock(&mutexes[step->argument]);
}

static int unlock(const step_t *step)
{
    return kernel_mutex_unlock(&mutexes[step->argument]);
}

static int wait(const step_t *step)
{
    return kernel_sem_wait(&sems[step->argument], step->ticks);
}

static int trywait(const step_t *step)
{
    return kernel_sem_trywait(&sems[step->argument]);
}

static int post(const step_t *step)
{
    return kernel_sem_post(&sems[step->argument]);
}

static int sleep_some(const step_t *step)
{
    return kernel_sleep(step->argument);
}

static int work(const step_t *step)
{
    kernel_work_us(step->argument * 1000u);
    return KERNEL_OK;
}

static int yield(const step_t *step)
{
    (void)step;
    kernel_yield();
    return KERNEL_OK;
}

static int join(const step_t *step)
{
    return kernel_thread_join(scenario_thread(step->argument), step->ticks);
}

static int set_period(const step_t *step)
{
    return kernel_thread_set_period(kernel_thread_self(), step->argument);
}

static int next(const step_t *step)
{
    (void)step;
    return kernel_wait_period();
}

static int cond_wait(const step_t *step)
{
    return kernel_cond_wait(&conds[step->argument], &mutexes[step->detail], step->ticks);
}

static int signal_one(const step_t *step)
{
    return kernel_cond_signal(&conds[step->argument]);
}

static int broadcast(const step_t *step)
{
    return kernel_cond_broadcast(&conds[step->argument]);
}

static int set_priority(const step_t *step)
{
    return kernel_thread_set_priority(scenario_thread(step->argument), step->detail);
}

static int set_flags(const step_t *step)
{
    return kernel_flags_set(&flag_sets[step->argument], step->detail);
}

static int clear_flags(const step_t *step)
{
    return kernel_flags_clear(&flag_sets[step->argument], step->detail);
}

static int wait_flags(const step_t *step)
{
    return kernel_flags_wait(&flag_sets[step->argument], step->detail, step->how, step->ticks);
}

/* Send the word as a message; a reply has to be twice the word. */
static int send(const step_t *step)
{
    uint32_t answer = 0;
    kernel_message_t message = {
        .data = &step->detail,
        .bytes = sizeof step->detail,
        .reply = &answer,
        .reply_room_bytes = sizeof answer,
    };
    int result = kernel_message_send(&channels[step->argument], &message, step->ticks);
    bool right = message.reply_bytes == 0u || answer == 2u * step->detail;
    return right ? result : KERNEL_ERROR_ARGUMENT;
}

static int receive(const step_t *step)
{
    uint32_t word = 0;
    kernel_received_t received;
    int result = kernel_message_receive(&channels[step->argument], &word, sizeof word, &received,
                                        step->ticks);
    if (result != KERNEL_OK) {
        return result;
    }
    if (received.id == 0u) {
        return (int)received.pulse;
    }
    message_ids[message_count++ % MESSAGES] = received.id;
    return received.bytes == sizeof word ? (int)word : KERNEL_ERROR_ARGUMENT;
}

/* Reply with a status; a word other than 0 adds twice the word as data. */
static int reply(const step_t *step)
{
    uint32_t twice = 2u * step->ticks;
    int32_t status = (int32_t)step->detail;
    return kernel_message_reply(message_ids[step->argument], status, &twice,
                                step->ticks != 0u ? sizeof twice : 0u);
}

static int pulse(const step_t *step)
{
    return kernel_pulse_send(&channels[step->argument], step->detail);
}

static int suspend(const step_t *step)
{
    return kernel_thread_suspend(scenario_thread(step->argument));
}

static int resume(const step_t *step)
{
    return kernel_thread_resume(scenario_thread(step->argument));
}

static int end_thread(const step_t *step)
{
    return kernel_thread_end(scenario_thread(step->argument));
}

static int delete_object(const step_t *step)
{
    switch (step->detail) {
    case MUTEX:
        return kernel_mutex_delete(&mutexes[step->argument]);
    case SEM:
        return kernel_sem_delete(&sems[step->argument]);
    case COND:
        return kernel_cond_delete(&conds[step->argument]);
    case FLAG_SET:
        return kernel_flags_delete(&flag_sets[step->argument]);
    case CHANNEL:
        return kernel_channel_delete(&channels[step->argument]);
    default:
        return kernel_timer_delete(&timers[step->argument]);
    }
}

static int time_out(const step_t *step)
{
    kernel_timer_t *timer = &timers[step->argument];
    (void)kernel_timer_create(timer, kernel_timer_post, &sems[step->argument]);
    return step->detail != 0u ? kernel_timer_start(timer, step->detail, step->ticks)
                              : kernel_timer_stop(timer);
}

const operation_t *operation_of(op_t op)
{
    static const operation_t operations[OP_COUNT] = {
        [OP_LOCK] = {'l', false, lock},           [OP_TRYLOCK] = {'l', false, trylock},
        [OP_UNLOCK] = {'u', false, unlock},       [OP_WAIT] = {'w', false, wait},
        [OP_TRYWAIT] = {'w', false, trywait},     [OP_POST] = {'p', false, post},
        [OP_SLEEP] = {'s', false, sleep_some},    [OP_WORK] = {'k', false, work},
        [OP_YIELD] = {'y', false, yield},         [OP_JOIN] = {'j', false, join},
        [OP_PERIOD] = {'c', false, set_period},   [OP_NEXT] = {'n', true, next},
        [OP_COND_WAIT] = {'v', false, cond_wait}, [OP_SIGNAL] = {'g', false, signal_one},
        [OP_BROADCAST] = {'G', false, broadcast}, [OP_RAISE] = {'i', false, set_priority},
        [OP_SET] = {'f', false, set_flags},       [OP_CLEAR] = {'e', false, clear_flags},
        [OP_FLAGS] = {'F', true, wait_flags},     [OP_SEND] = {'m', true, send},
        [OP_RECEIVE] = {'r', true, receive},      [OP_REPLY] = {'a', false, reply},
        [OP_PULSE] = {'q', false, pulse},         [OP_SUSPEND] = {'z', false, suspend},
        [OP_RESUME] = {'Z', false, resume},       [OP_DELETE] = {'x', false, delete_object},
        [OP_TIMER] = {'t', false, time_out},      [OP_END_THREAD] = {'D', false, end_thread},
    };
    return &operations[op];
}

void operations_clear(void)
{
    memset(mutexes, 0, sizeof mutexes);
    memset(conds, 0, sizeof conds);
    memset(flag_sets, 0, sizeof flag_sets);
    memset(channels, 0, sizeof channels);
    memset(message_ids, 0, sizeof message_ids);
    message_count = 0;
    for (uint32_t i = 0; i < SCENARIO_OBJECTS; i++) {
        sems[i] = (kernel_sem_t)KERNEL_SEM_INIT(0, 2);
    }
}

void operations_stop_timers(void)
{
    for (uint32_t i = 0; i < SCENARIO_OBJECTS; i++) {
        (void)kernel_timer_delete(&timers[i]);
    }
}

uint32_t operations_owned_mutexes(void)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < SCENARIO_OBJECTS; i++) {
        count += mutexes[i].owner != NULL;
    }
    return count;
}

char scenario_object(uint32_t id)
{
    for (uint32_t i = 0; i < SCENARIO_OBJECTS; i++) {
        const void *objects[] = {&mutexes[i],   &sems[i],     &conds[i],
                                 &flag_sets[i], &channels[i], &timers[i]};
        for (size_t kind = 0; kind < sizeof objects / sizeof objects[0]; kind++) {
            if (id == (uint32_t)(uintptr_t)objects[kind]) {
                return (char)('0' + i);
            }
        }
    }
    return '-';
}

char scenario_message(uint32_t id)
{
    for (uint32_t i = 0; i < MESSAGES; i++) {
        if (message_ids[i] == id && id != 0u) {
            return (char)('0' + i);
        }
    }
    return '-';
}
