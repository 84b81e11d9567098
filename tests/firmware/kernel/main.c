/* Runs all suites in one thread, one after the other. Exit code 0: no check failed. */
#include "board.h"
#include "check.h"
#include "fake_recorder.h"
#include "kernel.h"

static kernel_thread_t tester;
static _Alignas(8) uint8_t tester_stack[4096];

static void run_suites(void *argument)
{
    (void)argument;
#if KERNEL_CPUS > 1
    suite_cpus();
#else
    suite_api();
    suite_order();
    suite_mutex();
    suite_sem();
    suite_cond();
    suite_flags();
    suite_message();
    suite_thread();
    suite_time();
    suite_trace();
    suite_interrupt();
    suite_lock();
    suite_domain();
#endif
    board_console_write(check_failures() == 0u ? "all kernel tests passed\n" : "");
    board_exit(check_failures() == 0u ? 0 : 1);
}

/* Calls that may block are refused before the kernel runs. */
static void check_before_start(void)
{
    static kernel_sem_t sem = KERNEL_SEM_INIT(1, 1);
    static kernel_mutex_t mutex;
    check_begin("before the kernel runs");
    check_equal("sleep", kernel_sleep(1), KERNEL_ERROR_STATE);
    check_equal("wait", kernel_sem_wait(&sem, KERNEL_FOREVER), KERNEL_ERROR_STATE);
    check_equal("lock", kernel_mutex_lock(&mutex, KERNEL_FOREVER), KERNEL_ERROR_STATE);
    check_equal("trywait", kernel_sem_trywait(&sem), KERNEL_OK);
    check_equal("trywait", kernel_sem_trywait(&sem), KERNEL_ERROR_BUSY);
    check_equal("post", kernel_sem_post(&sem), KERNEL_OK);
    check_equal("no thread runs", kernel_thread_self() == NULL, 1);
}

void application_main(void)
{
    fake_recorder_clear();
    check_before_start();
    check_equal("create",
                kernel_thread_create(&tester, "tester", run_suites, NULL, TESTER_PRIORITY,
                                     tester_stack, sizeof tester_stack),
                KERNEL_OK);
    kernel_start();
}
