/* Threads on several CPUs: placement, mutual exclusion, and effects across CPUs. */
#include <stdatomic.h>
#include <stddef.h>

#include "board.h"
#include "check.h"
#include "fake_recorder.h"
#include "kernel.h"
#include "tickertape/events.h"

#define THREADS     4u
#define ROUNDS      2000u
#define STACK_BYTES 1024u

static kernel_thread_t threads[THREADS];
static _Alignas(8) uint8_t stacks[THREADS][STACK_BYTES];
static kernel_mutex_t mutex;
static kernel_sem_t sem;
static kernel_spin_t spin;
static atomic_bool stop;
static atomic_uint arrived;
static volatile uint32_t shared;

static void start(uint32_t index, kernel_entry_t entry, void *argument, uint32_t priority)
{
    check_equal("create",
                kernel_thread_create(&threads[index], "on a CPU", entry, argument, priority,
                                     stacks[index], STACK_BYTES),
                KERNEL_OK);
}

static void join_all(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        check_equal("join", kernel_thread_join(&threads[i], 2000), KERNEL_OK);
    }
}

/* Wait until `count` threads are in this function; each needs its own CPU for that. */
static void meet(uint32_t count)
{
    atomic_fetch_add(&arrived, 1);
    while (atomic_load(&arrived) < count) {
        kernel_work_us(1);
    }
}

static void meet_all(void *argument)
{
    uint32_t *cpu = argument;
    meet(KERNEL_CPUS);
    *cpu = board_cpu();
}

static void check_all_run(void)
{
    uint32_t cpus[KERNEL_CPUS];
    check_begin("as many threads as CPUs run at the same time, without being bound");
    atomic_store(&arrived, 0);
    for (uint32_t i = 0; i < KERNEL_CPUS; i++) {
        start(i, meet_all, &cpus[i], 10);
    }
    join_all(KERNEL_CPUS);
    uint32_t seen = 0;
    for (uint32_t i = 0; i < KERNEL_CPUS; i++) {
        seen |= 1u << cpus[i];
    }
    check_equal("CPUs", seen, (1u << KERNEL_CPUS) - 1u);
}

/* Increment `shared` slowly: the result is wrong if two threads do it at the same time. */
static void add_one(uint32_t round)
{
    uint32_t value = shared;
    kernel_work_us(round % 2u);
    shared = value + 1u;
}

static void count_under_spin_lock(void *argument)
{
    (void)argument;
    meet(2);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        kernel_port_key_t key = kernel_spin_lock(&spin);
        add_one(i);
        kernel_spin_unlock(&spin, key);
    }
}

static void count_under_mutex(void *argument)
{
    (void)argument;
    meet(2);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        check_equal("lock", kernel_mutex_lock(&mutex, KERNEL_FOREVER), KERNEL_OK);
        add_one(i);
        check_equal("unlock", kernel_mutex_unlock(&mutex), KERNEL_OK);
    }
}

static void count_freely(void *argument)
{
    (void)argument;
    meet(2);
    for (uint32_t i = 0; i < ROUNDS; i++) {
        add_one(1);
    }
}

static uint32_t count_by_two(kernel_entry_t entry)
{
    shared = 0;
    atomic_store(&arrived, 0);
    for (uint32_t i = 0; i < 2u; i++) {
        start(i, entry, NULL, 10);
        check_equal("bind", kernel_thread_bind(&threads[i], i), KERNEL_OK);
    }
    join_all(2);
    return shared;
}

static void check_exclusion(void)
{
    check_begin("spin locks and mutexes keep CPUs apart, and nothing else does");
    fake_recorder_clear();
    fake_recorder_take_irqstate(true);
    check_equal("spin lock", count_by_two(count_under_spin_lock), 2u * ROUNDS);
    uint32_t waits = fake_recorder_count_of(TT_CLASS_IRQSTATE, TT_IRQSTATE_SPIN_WAIT);
    check_equal("a wait for it is traced", waits > 0u, true);
    fake_recorder_clear();
    check_equal("mutex", count_by_two(count_under_mutex), 2u * ROUNDS);
    check_equal("neither", count_by_two(count_freely) < 2u * ROUNDS, true);
}

/* Answer questions of another CPU: each round needs an interrupt of the other CPU. */
static void answer(void *argument)
{
    kernel_sem_t *question = argument;
    while (kernel_sem_wait(question, 20) == KERNEL_OK) {
        check_equal("CPU", board_cpu(), 1);
        (void)kernel_sem_post(&sem);
    }
}

static void check_waking(void)
{
    static kernel_sem_t question = KERNEL_SEM_INIT(0, 1);
    check_begin("a thread of another CPU is woken at once");
    sem = (kernel_sem_t)KERNEL_SEM_INIT(0, 1);
    start(0, answer, &question, 10);
    check_equal("bind", kernel_thread_bind(&threads[0], 1), KERNEL_OK);
    uint32_t begin = kernel_ticks();
    fake_recorder_clear();
    for (uint32_t i = 0; i < 200u; i++) {
        check_equal("ask", kernel_sem_post(&question), KERNEL_OK);
        check_equal("answer", kernel_sem_wait(&sem, 20), KERNEL_OK);
    }
    check_equal("many in a tick", kernel_ticks() - begin < 20u, true);
    check_equal("by interrupts", fake_recorder_count_of(TT_CLASS_INT, TT_INT_ENTRY) >= 200u, true);
    join_all(1);
}

static void run_on(void *argument)
{
    volatile uint32_t *cpu = argument;
    while (!atomic_load(&stop)) {
        *cpu = board_cpu();
        shared++;
        kernel_work_us(1);
    }
}

static void check_moving(void)
{
    static volatile uint32_t cpu;
    check_begin("a running thread is moved, stopped and resumed from another CPU");
    atomic_store(&stop, false);
    start(0, run_on, (void *)&cpu, 10);
    for (uint32_t i = 0; i < 20u; i++) {
        uint32_t wanted = i % KERNEL_CPUS;
        check_equal("bind", kernel_thread_bind(&threads[0], wanted), KERNEL_OK);
        (void)kernel_sleep(2);
        check_equal("runs there", cpu, wanted);
    }
    check_equal("bind", kernel_thread_bind(&threads[0], 1), KERNEL_OK);
    check_equal("no such CPU", kernel_thread_bind(&threads[0], KERNEL_CPUS), KERNEL_ERROR_ARGUMENT);
    check_equal("suspend", kernel_thread_suspend(&threads[0]), KERNEL_OK);
    (void)kernel_sleep(1);
    uint32_t before = shared;
    (void)kernel_sleep(3);
    check_equal("does not advance", shared, before);
    kernel_thread_info_t info = {0};
    (void)kernel_thread_by_index(kernel_thread_number(&threads[0]), &info);
    check_equal("state", info.state, KERNEL_STATE_STOPPED);
    check_equal("resume", kernel_thread_resume(&threads[0]), KERNEL_OK);
    check_equal("free", kernel_thread_bind(&threads[0], KERNEL_ANY_CPU), KERNEL_OK);
    (void)kernel_sleep(3);
    check_equal("goes on", shared > before, true);
    atomic_store(&stop, true);
    join_all(1);
    check_equal("the dead", kernel_thread_bind(&threads[0], 0), KERNEL_ERROR_STATE);
}

static void do_nothing(void *argument)
{
    (void)argument;
}

/* Reuse the memory and stack of an ended thread at once, perhaps on another CPU. */
static void create_and_join(void *argument)
{
    uint32_t index = *(const uint32_t *)argument;
    for (uint32_t i = 0; i < 300u; i++) {
        start(index, do_nothing, NULL, 5u + i % 10u);
        check_equal("join", kernel_thread_join(&threads[index], 2000), KERNEL_OK);
    }
}

static void check_ending(void)
{
    static const uint32_t indices[] = {2, 3};
    check_begin("threads end on one CPU and begin on another");
    start(0, create_and_join, (void *)&indices[0], 9);
    start(1, create_and_join, (void *)&indices[1], 11);
    join_all(2);
}

/* A wait of a thread on CPU 1, the action that ends it, and the expected result. */
typedef struct waiting {
    int32_t (*wait)(void);
    int (*end)(void);
    int32_t expected;
    volatile int32_t result;
} waiting_t;

static kernel_cond_t cond;
static kernel_flags_t flags;
static kernel_channel_t channel;

static int32_t wait_for_sem(void)
{
    return kernel_sem_wait(&sem, KERNEL_FOREVER);
}

static int32_t wait_for_sem_briefly(void)
{
    return kernel_sem_wait(&sem, 2);
}

static int32_t wait_for_cond(void)
{
    int32_t result = kernel_mutex_lock(&mutex, KERNEL_FOREVER);
    if (result == KERNEL_OK) {
        result = kernel_cond_wait(&cond, &mutex, KERNEL_FOREVER);
        (void)kernel_mutex_unlock(&mutex);
    }
    return result;
}

static int32_t wait_for_flags(void)
{
    return kernel_flags_wait(&flags, 1, KERNEL_FLAGS_ALL, KERNEL_FOREVER);
}

static int32_t wait_for_message(void)
{
    kernel_received_t received;
    return kernel_message_receive(&channel, NULL, 0, &received, KERNEL_FOREVER);
}

static int32_t send_message(void)
{
    kernel_message_t message = {.bytes = 0};
    return kernel_message_send(&channel, &message, KERNEL_FOREVER);
}

static int delete_sem(void)
{
    return kernel_sem_delete(&sem);
}

static int delete_cond(void)
{
    return kernel_cond_delete(&cond);
}

static int delete_flags(void)
{
    return kernel_flags_delete(&flags);
}

static int delete_channel(void)
{
    return kernel_channel_delete(&channel);
}

static int post_sem(void)
{
    return kernel_sem_post(&sem);
}

static int nothing(void)
{
    return KERNEL_OK;
}

static void wait_here(void *argument)
{
    waiting_t *waiting = argument;
    (void)kernel_sleep(1); /* until the tester has bound this thread */
    check_equal("CPU", board_cpu(), 1);
    waiting->result = waiting->wait();
}

static void check_waits_end(void)
{
    static waiting_t cases[] = {
        {wait_for_sem, post_sem, KERNEL_OK, 1},
        {wait_for_sem, delete_sem, KERNEL_ERROR_DELETED, 1},
        {wait_for_sem_briefly, nothing, KERNEL_ERROR_TIMEOUT, 1},
        {wait_for_cond, delete_cond, KERNEL_ERROR_DELETED, 1},
        {wait_for_flags, delete_flags, KERNEL_ERROR_DELETED, 1},
        {wait_for_message, delete_channel, KERNEL_ERROR_DELETED, 1},
        {send_message, delete_channel, KERNEL_ERROR_DELETED, 1},
    };
    check_begin("waits of another CPU end by what they wait for, in time, and by deletion");
    sem = (kernel_sem_t)KERNEL_SEM_INIT(0, 1);
    check_equal("stay", kernel_thread_bind(kernel_thread_self(), 0), KERNEL_OK);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        start(0, wait_here, &cases[i], 10);
        check_equal("bind", kernel_thread_bind(&threads[0], 1), KERNEL_OK);
        (void)kernel_sleep(3);
        check_equal("end", cases[i].end(), KERNEL_OK);
        join_all(1);
        check_equal("result", cases[i].result, cases[i].expected);
    }
    check_equal("go", kernel_thread_bind(kernel_thread_self(), KERNEL_ANY_CPU), KERNEL_OK);
}

static void hold(void *argument)
{
    (void)argument;
    check_equal("lock", kernel_mutex_lock(&mutex, KERNEL_FOREVER), KERNEL_OK);
    atomic_fetch_add(&arrived, 1);
    kernel_work_us(3000);
    check_equal("unlock", kernel_mutex_unlock(&mutex), KERNEL_OK);
}

static void want(void *argument)
{
    uint32_t *result = argument;
    while (atomic_load(&arrived) == 0u) {
        kernel_work_us(1);
    }
    *result = (uint32_t)kernel_mutex_lock(&mutex, KERNEL_FOREVER) == 0u;
    check_equal("unlock", kernel_mutex_unlock(&mutex), KERNEL_OK);
}

static void hog(void *argument)
{
    (void)argument;
    while (!atomic_load(&stop)) {
        kernel_work_us(10);
    }
}

/* The owner runs on CPU 0, preempted there by the hog unless it inherits from CPU 1. */
static void check_inheritance(void)
{
    uint32_t got = 0;
    check_begin("priority is inherited from one CPU to another");
    atomic_store(&arrived, 0);
    atomic_store(&stop, false);
    start(0, hold, NULL, 5);
    check_equal("bind", kernel_thread_bind(&threads[0], 0), KERNEL_OK);
    start(1, want, &got, 20);
    check_equal("bind", kernel_thread_bind(&threads[1], 1), KERNEL_OK);
    (void)kernel_sleep(2);
    start(2, hog, NULL, 10);
    check_equal("bind", kernel_thread_bind(&threads[2], 0), KERNEL_OK);
    check_equal("join", kernel_thread_join(&threads[1], 200), KERNEL_OK);
    check_equal("locked", got, 1);
    atomic_store(&stop, true);
    join_all(3);
}

static void compute(void *argument)
{
    (void)argument;
    for (;;) {
        shared++;
        kernel_work_us(1);
    }
}

/* Make kernel calls continuously; some of them wait for the kernel lock. */
static void call_kernel(void *argument)
{
    (void)argument;
    for (;;) {
        check_equal("lock", kernel_mutex_lock(&mutex, KERNEL_FOREVER), KERNEL_OK);
        shared++;
        check_equal("unlock", kernel_mutex_unlock(&mutex), KERNEL_OK);
    }
}

static void wait_for_mutex(void *argument)
{
    (void)argument;
    (void)kernel_mutex_lock(&mutex, KERNEL_FOREVER);
    check_equal("does not go on", true, false);
}

static void wait_for_progress(void)
{
    uint32_t before = shared;
    while (shared == before) {
        kernel_work_us(1);
    }
}

static void hold_forever(void *argument)
{
    (void)argument;
    check_equal("lock", kernel_mutex_lock(&mutex, KERNEL_FOREVER), KERNEL_OK);
    compute(NULL);
}

/* End a thread that runs on CPU 1; its mutex is free afterwards. */
static void end_on_cpu_1(kernel_entry_t entry, uint32_t rounds)
{
    for (uint32_t i = 0; i < rounds; i++) {
        start(0, entry, NULL, 10);
        check_equal("bind", kernel_thread_bind(&threads[0], 1), KERNEL_OK);
        wait_for_progress();
        kernel_work_us(i % 50u); /* so that it ends at any point */
        check_equal("end", kernel_thread_end(&threads[0]), KERNEL_OK);
        join_all(1);
        uint32_t after = shared;
        check_equal("end the dead", kernel_thread_end(&threads[0]), KERNEL_ERROR_STATE);
        kernel_work_us(20);
        check_equal("does not advance", shared, after);
        check_equal("lock", kernel_mutex_trylock(&mutex), KERNEL_OK);
        check_equal("unlock", kernel_mutex_unlock(&mutex), KERNEL_OK);
    }
}

/* End a thread while it requests the mutex that the tester owns; it must not be left waiting. */
static void end_what_asks(uint32_t rounds)
{
    for (uint32_t i = 0; i < rounds && check_failures() == 0u; i++) {
        start(0, call_kernel, NULL, 10);
        check_equal("bind", kernel_thread_bind(&threads[0], 1), KERNEL_OK);
        wait_for_progress();
        check_equal("lock", kernel_mutex_lock(&mutex, KERNEL_FOREVER), KERNEL_OK);
        kernel_work_us(i % 5u);
        check_equal("end", kernel_thread_end(&threads[0]), KERNEL_OK);
        join_all(1);
        check_equal("unlock", kernel_mutex_unlock(&mutex), KERNEL_OK);
    }
}

static void check_ending_others(void)
{
    check_begin("a thread that runs on another CPU, or waits there, is ended");
    check_equal("stay", kernel_thread_bind(kernel_thread_self(), 0), KERNEL_OK);
    end_on_cpu_1(compute, 20);
    end_on_cpu_1(hold_forever, 20);
    end_on_cpu_1(call_kernel, 200);
    end_what_asks(400);
    check_equal("lock", kernel_mutex_lock(&mutex, KERNEL_FOREVER), KERNEL_OK);
    start(0, wait_for_mutex, NULL, 10);
    check_equal("bind", kernel_thread_bind(&threads[0], 1), KERNEL_OK);
    (void)kernel_sleep(2);
    check_equal("end", kernel_thread_end(&threads[0]), KERNEL_OK);
    check_equal("is dead at once", kernel_thread_join(&threads[0], 0), KERNEL_OK);
    check_equal("unlock", kernel_mutex_unlock(&mutex), KERNEL_OK);
    check_equal("go", kernel_thread_bind(kernel_thread_self(), KERNEL_ANY_CPU), KERNEL_OK);
}

void suite_cpus(void)
{
    if (board_option("only_ending", 0) != 0u) {
        check_ending_others();
        return;
    }
    check_all_run();
    check_exclusion();
    check_waking();
    check_moving();
    check_ending();
    check_waits_end();
    check_ending_others();
    check_inheritance();
}
