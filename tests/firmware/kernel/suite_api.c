/* The results of kernel.h for wrong parameters, wrong times, and limits. */
#include <stddef.h>

#include "check.h"
#include "internal.h"
#include "kernel.h"

static kernel_thread_t thread;
static kernel_thread_t many[KERNEL_MAX_THREADS];
static _Alignas(8) uint8_t stack[1024];
static _Alignas(8) uint8_t many_stacks[KERNEL_MAX_THREADS][KERNEL_STACK_MIN_BYTES + 256u];
static kernel_mutex_t mutex;
static kernel_sem_t sem = KERNEL_SEM_INIT(0, 1);

static void nothing(void *argument)
{
    (void)argument;
}

static void check_creation(void)
{
    static const struct {
        kernel_thread_t *thread;
        const char *name;
        kernel_entry_t entry;
        uint32_t priority;
        void *stack;
        size_t stack_bytes;
        int result;
    } cases[] = {
        {NULL, "t", nothing, 1, stack, sizeof stack, KERNEL_ERROR_ARGUMENT},
        {&thread, NULL, nothing, 1, stack, sizeof stack, KERNEL_ERROR_ARGUMENT},
        {&thread, "t", NULL, 1, stack, sizeof stack, KERNEL_ERROR_ARGUMENT},
        {&thread, "t", nothing, KERNEL_PRIORITY_COUNT, stack, sizeof stack, KERNEL_ERROR_ARGUMENT},
        {&thread, "t", nothing, 1, NULL, sizeof stack, KERNEL_ERROR_ARGUMENT},
        {&thread, "t", nothing, 1, stack + 4, 512, KERNEL_ERROR_ARGUMENT},
        {&thread, "t", nothing, 1, stack, KERNEL_STACK_MIN_BYTES - 1u, KERNEL_ERROR_ARGUMENT},
        {&thread, "t", nothing, 1, stack, sizeof stack, KERNEL_OK},
        {&thread, "t", nothing, 1, stack, sizeof stack, KERNEL_ERROR_STATE}, /* it exists */
    };
    check_begin("creating a thread");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        check_equal("result",
                    kernel_thread_create(cases[i].thread, cases[i].name, cases[i].entry, NULL,
                                         cases[i].priority, cases[i].stack, cases[i].stack_bytes),
                    cases[i].result);
    }
    check_equal("join", kernel_thread_join(&thread, KERNEL_FOREVER), KERNEL_OK);
    check_equal("join of the dead", kernel_thread_join(&thread, KERNEL_FOREVER), KERNEL_OK);
    check_equal("period of the dead", kernel_thread_set_period(&thread, 5), KERNEL_ERROR_STATE);
}

static void check_arguments_of_objects(void)
{
    static kernel_cond_t cond;
    static kernel_channel_t channel;
    static kernel_timer_t timer;
    kernel_message_t message = {.bytes = 1};
    kernel_received_t received;
    check_begin("parameters of objects out of range");
    check_equal("cond", kernel_cond_wait(NULL, &mutex, 1), KERNEL_ERROR_ARGUMENT);
    check_equal("cond", kernel_cond_wait(&cond, NULL, 1), KERNEL_ERROR_ARGUMENT);
    check_equal("cond limit", kernel_cond_wait(&cond, &mutex, KERNEL_TICKS_MAX + 1u),
                KERNEL_ERROR_ARGUMENT);
    check_equal("signal", kernel_cond_signal(NULL), KERNEL_ERROR_ARGUMENT);
    check_equal("delete", kernel_cond_delete(NULL), KERNEL_ERROR_ARGUMENT);
    check_equal("delete another kind",
                kernel_call(TT_KERCALL_SYNC_DESTROY, (kernel_word_t)&sem, 0,
                            0x100u | (kernel_word_t)KERNEL_KIND_SEM),
                KERNEL_ERROR_ARGUMENT);
    check_equal("send", kernel_message_send(&channel, NULL, 1), KERNEL_ERROR_ARGUMENT);
    check_equal("send nothing", kernel_message_send(&channel, &message, 1), KERNEL_ERROR_ARGUMENT);
    check_equal("receive", kernel_message_receive(&channel, NULL, 0, NULL, 1),
                KERNEL_ERROR_ARGUMENT);
    check_equal("receive to nowhere", kernel_message_receive(&channel, NULL, 1, &received, 1),
                KERNEL_ERROR_ARGUMENT);
    check_equal("reply", kernel_message_reply(0, 0, NULL, 1), KERNEL_ERROR_ARGUMENT);
    check_equal("reply to no sender", kernel_message_reply(1234, 0, NULL, 0), KERNEL_ERROR_STATE);
    check_equal("pulse", kernel_pulse_send(NULL, 0), KERNEL_ERROR_ARGUMENT);
    check_equal("channel", kernel_channel_delete(NULL), KERNEL_ERROR_ARGUMENT);
    check_equal("timer", kernel_timer_create(&timer, NULL, NULL), KERNEL_ERROR_ARGUMENT);
    check_equal("no timer", kernel_timer_start(&timer, 1, 0), KERNEL_ERROR_STATE);
    check_equal("create", kernel_timer_create(&timer, nothing, NULL), KERNEL_OK);
    check_equal("twice", kernel_timer_create(&timer, nothing, NULL), KERNEL_ERROR_STATE);
    check_equal("no time", kernel_timer_start(&timer, 0, 1), KERNEL_ERROR_ARGUMENT);
    check_equal("long time", kernel_timer_start(&timer, KERNEL_TICKS_MAX + 1u, 0),
                KERNEL_ERROR_ARGUMENT);
    check_equal("stop", kernel_timer_stop(&timer), KERNEL_OK);
    check_equal("delete", kernel_timer_delete(&timer), KERNEL_OK);
    check_equal("suspend", kernel_thread_suspend(NULL), KERNEL_ERROR_ARGUMENT);
    check_equal("resume", kernel_thread_resume(NULL), KERNEL_ERROR_ARGUMENT);
    check_equal("priority", kernel_thread_set_priority(NULL, 1), KERNEL_ERROR_ARGUMENT);
    check_equal("end", kernel_thread_end(NULL), KERNEL_ERROR_ARGUMENT);
    check_equal("end idle", kernel_thread_end(&kernel.cpus[0].idle), KERNEL_ERROR_ARGUMENT);
    check_equal("end the dead", kernel_thread_end(&thread), KERNEL_ERROR_STATE);
}

static void check_arguments(void)
{
    check_begin("parameters out of range");
    check_equal("join", kernel_thread_join(NULL, 1), KERNEL_ERROR_ARGUMENT);
    check_equal("join limit", kernel_thread_join(&thread, KERNEL_TICKS_MAX + 1u),
                KERNEL_ERROR_ARGUMENT);
    check_equal("sleep", kernel_sleep(KERNEL_TICKS_MAX + 1u), KERNEL_ERROR_ARGUMENT);
    check_equal("lock", kernel_mutex_lock(NULL, 1), KERNEL_ERROR_ARGUMENT);
    check_equal("lock limit", kernel_mutex_lock(&mutex, KERNEL_TICKS_MAX + 1u),
                KERNEL_ERROR_ARGUMENT);
    check_equal("trylock", kernel_mutex_trylock(NULL), KERNEL_ERROR_ARGUMENT);
    check_equal("unlock", kernel_mutex_unlock(NULL), KERNEL_ERROR_ARGUMENT);
    check_equal("wait", kernel_sem_wait(NULL, 1), KERNEL_ERROR_ARGUMENT);
    check_equal("wait limit", kernel_sem_wait(&sem, KERNEL_TICKS_MAX + 1u), KERNEL_ERROR_ARGUMENT);
    check_equal("trywait", kernel_sem_trywait(NULL), KERNEL_ERROR_ARGUMENT);
    check_equal("post", kernel_sem_post(NULL), KERNEL_ERROR_ARGUMENT);
    check_equal("period", kernel_thread_set_period(NULL, 1), KERNEL_ERROR_ARGUMENT);
    check_equal("long period", kernel_thread_set_period(&thread, KERNEL_TICKS_MAX + 1u),
                KERNEL_ERROR_ARGUMENT);
    check_equal("attach",
                kernel_irq_attach(KERNEL_MAX_IRQS, KERNEL_IRQ_LEVEL_DEVICE, nothing, NULL),
                KERNEL_ERROR_ARGUMENT);
    check_equal("attach nothing", kernel_irq_attach(0, KERNEL_IRQ_LEVEL_DEVICE, NULL, NULL),
                KERNEL_ERROR_ARGUMENT);
}

/* Return the number of living threads. */
static uint32_t count_threads(void)
{
    kernel_thread_info_t info;
    uint32_t count = 0;
    for (uint32_t tid = 0; tid < KERNEL_MAX_THREADS; tid++) {
        if (kernel_thread_by_index(tid, &info)) {
            check_equal("number", info.tid, tid);
            count++;
        }
    }
    check_equal("beyond the end", kernel_thread_by_index(KERNEL_MAX_THREADS, &info), false);
    return count;
}

static void check_thread_numbers(void)
{
    check_begin("threads up to the limit");
    uint32_t room = KERNEL_MAX_THREADS - count_threads();
    for (uint32_t i = 0; i <= room; i++) {
        check_equal("create",
                    kernel_thread_create(&many[i], "one of many", nothing, NULL, 1, many_stacks[i],
                                         sizeof many_stacks[i]),
                    i < room ? KERNEL_OK : KERNEL_ERROR_FULL);
    }
    check_equal("all numbers are taken", count_threads(), KERNEL_MAX_THREADS);
    for (uint32_t i = 0; i < room; i++) {
        check_equal("join", kernel_thread_join(&many[i], KERNEL_FOREVER), KERNEL_OK);
    }
    check_equal("all numbers are free", count_threads(), KERNEL_MAX_THREADS - room);
}

static void check_description(void)
{
    kernel_thread_info_t info = {0};
    check_begin("description of a thread");
    check_equal("idle lives", kernel_thread_by_index(0, &info), true);
    check_text("its name", info.name, "idle");
    check_equal("its state", info.state, KERNEL_STATE_READY);
    uint32_t self = kernel_thread_number(kernel_thread_self());
    check_equal("the tester lives", kernel_thread_by_index(self, &info), true);
    check_text("its name", info.name, "tester");
    check_equal("its state", info.state, KERNEL_STATE_RUNNING);
    check_equal("its priority", info.priority, TESTER_PRIORITY);
    check_equal("no thread", kernel_thread_number(NULL), 0);
}

void suite_api(void)
{
    check_creation();
    check_arguments();
    check_arguments_of_objects();
    check_thread_numbers();
    check_description();
}
