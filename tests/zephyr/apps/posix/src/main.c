/* The conformance suite of POSIX Trace under Zephyr. */
#include <posix_files.h>
#include <time.h>
#include <zephyr/kernel.h>

#include "finish.h"
#include "posix_port.h"
#include "side.h"

#define LOGS           2
#define LOG_BYTES      (256u * 1024u)
#define STACK_BYTES    8192
#define OTHER_PRIORITY 1 /* less urgent than main */

static K_THREAD_STACK_DEFINE(other_stack, STACK_BYTES);
static struct k_thread other_thread;
static uint8_t logs[LOGS][LOG_BYTES];
static int log_files[LOGS];

void side_say(const char *line)
{
    printk("%s\n", line);
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
    k_msleep(ms);
}

static void run(void *function, void *unused1, void *unused2)
{
    ((void (*)(void))function)();
}

void side_begin(void (*function)(void))
{
    k_thread_create(&other_thread, other_stack, STACK_BYTES, run, (void *)function, NULL, NULL,
                    OTHER_PRIORITY, 0, K_NO_WAIT);
}

void side_end(void)
{
    k_thread_join(&other_thread, K_FOREVER);
}

void side_now(struct timespec *now)
{
    posix_port_now(now);
}

/* Zephyr lacks hooks for some kernel events of the suite; apps/posix_kernel tests the others. */
bool side_has_kernel(void)
{
    return false;
}

void side_use_kernel(void)
{
}

int main(void)
{
    for (int i = 0; i < LOGS; i++) {
        log_files[i] = posix_memory_file(logs[i], LOG_BYTES);
    }
    (void)suite_run();
    leave();
    return 0;
}
