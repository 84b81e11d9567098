/* Runs the suite in a firmware. */
#include <stdint.h>
#include <time.h>

#include "board.h"
#include "kernel.h"
#include "posix_files.h"
#include "posix_port.h"
#include "side.h"
#include "tracer.h"

#define LOG_BYTES   (256u * 1024u)
#define STACK_BYTES 8192u
#define PRIORITY    10u

static kernel_thread_t suite_thread;
static kernel_thread_t other_thread;
static _Alignas(8) uint8_t suite_stack[STACK_BYTES];
static _Alignas(8) uint8_t other_stack[STACK_BYTES];
static uint8_t logs[2][LOG_BYTES];
static int log_files[2];

static kernel_mutex_t mutex;
static kernel_cond_t cond;

/* Needed by the C library's snprintf(), which links an allocator without using it. */
void *_sbrk(ptrdiff_t bytes);

void *_sbrk(ptrdiff_t bytes)
{
    (void)bytes;
    return (void *)-1;
}

void side_say(const char *line)
{
    board_console_write(line);
    board_console_write("\n");
}

int side_log(int number)
{
    return log_files[number];
}

int side_no_log(void)
{
    return 99;
}

void side_sleep(int ms)
{
    (void)kernel_sleep((uint32_t)ms * KERNEL_TICK_HZ / 1000u);
}

static void run(void *argument)
{
    void (*function)(void);
    *(void **)&function = argument;
    function();
}

void side_begin(void (*function)(void))
{
    (void)kernel_thread_create(&other_thread, "other", run, *(void **)&function, PRIORITY + 1u,
                               other_stack, sizeof other_stack);
}

void side_end(void)
{
    (void)kernel_thread_join(&other_thread, KERNEL_FOREVER);
}

void side_now(struct timespec *now)
{
    posix_port_now(now);
}

bool side_has_kernel(void)
{
    return true;
}

/* Runs in a thread that is more urgent than the suite. */
static void wait_for_all(void)
{
    (void)kernel_mutex_lock(&mutex, KERNEL_FOREVER); /* denied: the suite owns it */
    (void)kernel_cond_wait(&cond, &mutex, KERNEL_FOREVER);
    (void)kernel_cond_wait(&cond, &mutex, KERNEL_FOREVER);
    (void)kernel_mutex_unlock(&mutex);
}

static void try_it(void)
{
    (void)kernel_mutex_trylock(&mutex); /* fails: the suite owns it */
}

void side_use_kernel(void)
{
    (void)kernel_mutex_lock(&mutex, KERNEL_FOREVER); /* granted */
    side_begin(try_it);
    side_end();
    side_begin(wait_for_all);
    (void)kernel_mutex_unlock(&mutex);
    (void)kernel_mutex_lock(&mutex, KERNEL_FOREVER);
    (void)kernel_cond_signal(&cond);
    (void)kernel_mutex_unlock(&mutex);
    (void)kernel_mutex_lock(&mutex, KERNEL_FOREVER);
    (void)kernel_cond_broadcast(&cond);
    (void)kernel_mutex_unlock(&mutex);
    side_end();
}

static void suite(void *argument)
{
    (void)argument;
    board_exit(suite_run() == 0 ? 0 : 1);
}

void application_main(void)
{
    tracer_open("posix_suite", NULL, 0);
    for (uint32_t i = 0; i < 2u; i++) {
        log_files[i] = posix_memory_file(logs[i], sizeof logs[i]);
    }
    (void)kernel_thread_create(&suite_thread, "suite", suite, NULL, PRIORITY, suite_stack,
                               sizeof suite_stack);
    kernel_start();
}
