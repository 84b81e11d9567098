/* Runs the suite in a Linux process. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "side.h"

#define LOGS 2

static pthread_t thread;
static int logs[LOGS];

void side_say(const char *line)
{
    (void)puts(line);
}

int side_log(int number)
{
    return logs[number];
}

int side_no_log(void)
{
    static int file;
    if (file == 0) {
        file = open("/dev/null", O_RDONLY | O_CLOEXEC);
    }
    return file;
}

void side_sleep(int ms)
{
    const struct timespec time = {ms / 1000, ms % 1000 * 1000000L};
    (void)nanosleep(&time, NULL);
}

static void *run(void *function)
{
    ((void (*)(void))function)();
    return NULL;
}

void side_begin(void (*function)(void))
{
    if (pthread_create(&thread, NULL, run, (void *)function) != 0) {
        abort();
    }
}

void side_end(void)
{
    (void)pthread_join(thread, NULL);
}

void side_now(struct timespec *now)
{
    (void)clock_gettime(CLOCK_REALTIME, now);
}

bool side_has_kernel(void)
{
    return false;
}

void side_use_kernel(void)
{
}

int main(int count, char **arguments)
{
    for (int i = 0; i < LOGS; i++) {
        char path[4096];
        (void)snprintf(path, sizeof path, "%s/log%d.tape", count > 1 ? arguments[1] : ".", i);
        logs[i] = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
        if (logs[i] < 0) {
            perror(path);
            return 2;
        }
    }
    return suite_run() == 0 ? 0 : 1;
}
