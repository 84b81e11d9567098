/* Signals: a waiting read ends with EINTR; a handler may trace events at any moment. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <trace.h>
#include <unistd.h>

#include "check.h"

#define EVENTS 200000

static trace_event_id_t of_main;
static trace_event_id_t of_handler;
static atomic_int handled;
static int reads_in_handler;
static size_t handler_bytes = sizeof(int);

static void handle(int number)
{
    (void)number;
    int count = atomic_fetch_add(&handled, 1);
    if (reads_in_handler == 0) {
        int words[64] = {count};
        posix_trace_event(of_handler, words, handler_bytes);
    }
}

static void install(int signal_number)
{
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = handle;
    EXPECT(sigaction(signal_number, &action, NULL) == 0);
}

static trace_id_t create(size_t bytes)
{
    trace_attr_t attr;
    trace_event_set_t set;
    trace_id_t trid = 0;
    (void)posix_trace_attr_init(&attr);
    (void)posix_trace_attr_setstreamsize(&attr, bytes);
    EXPECT(posix_trace_create(0, &attr, &trid) == 0);
    (void)posix_trace_eventset_fill(&set, POSIX_TRACE_SYSTEM_EVENTS);
    (void)posix_trace_eventset_del(POSIX_TRACE_ERROR, &set);
    (void)posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET);
    EXPECT(posix_trace_start(trid) == 0);
    return trid;
}

static void *interrupt(void *thread)
{
    for (int i = 0; i < 100 && atomic_load(&handled) < 3; i++) {
        (void)usleep(20000);
        (void)pthread_kill(*(pthread_t *)thread, SIGUSR1);
    }
    return NULL;
}

static void check_interrupted(void)
{
    struct posix_trace_event_info info;
    char data[8];
    size_t bytes;
    int unavailable;
    struct timespec until;
    pthread_t self = pthread_self();
    pthread_t other;
    trace_id_t trid = create(4096);
    reads_in_handler = 1;
    install(SIGUSR1);
    (void)clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec += 60;
    EXPECT(pthread_create(&other, NULL, interrupt, &self) == 0);
    EXPECT(posix_trace_getnext_event(trid, &info, data, sizeof data, &bytes, &unavailable) ==
           EINTR);
    EXPECT(posix_trace_timedgetnext_event(trid, &info, data, sizeof data, &bytes, &unavailable,
                                          &until) == EINTR);
    atomic_store(&handled, 3);
    (void)pthread_join(other, NULL);
    reads_in_handler = 0;
    EXPECT(posix_trace_shutdown(trid) == 0);
}

static int errors;

/* Return whether it is POSIX_TRACE_ERROR, which reports missing events of the handler. */
static bool is_error(const struct posix_trace_event_info *info, int number)
{
    if (info->posix_event_id != POSIX_TRACE_ERROR) {
        return false;
    }
    EXPECT(number == ENOBUFS);
    errors++;
    return true;
}

/* A handler interrupts the main thread at any point, also while it records. Its events are lost
 * only if more or longer ones come during a record than can be kept; then the stream reports an
 * overrun and an error. */
static void check_handler(size_t bytes_of_handler)
{
    const struct itimerval often = {.it_interval = {.tv_usec = 100}, .it_value = {.tv_usec = 100}};
    const struct itimerval never = {.it_value = {.tv_usec = 0}};
    trace_id_t trid = create(500000);
    int next_main = 0;
    int next_handler = 0;
    int missing = 0;
    int unavailable = 0;
    struct posix_trace_status_info status;
    atomic_store(&handled, 0);
    errors = 0;
    handler_bytes = bytes_of_handler;
    install(SIGALRM);
    (void)setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < EVENTS; i++) {
        struct posix_trace_event_info info;
        int number = -1;
        size_t bytes;
        posix_trace_event(of_main, &i, sizeof i);
        while (next_main <= i &&
               posix_trace_trygetnext_event(trid, &info, &number, sizeof number, &bytes,
                                            &unavailable) == 0 &&
               unavailable == 0) {
            if (is_error(&info, number)) {
                continue;
            }
            int *next = info.posix_event_id == of_main ? &next_main : &next_handler;
            EXPECT(number == *next || (next == &next_handler && number > *next));
            missing += number - *next;
            *next = number + 1;
        }
    }
    (void)setitimer(ITIMER_REAL, &never, NULL);
    while (unavailable == 0) {
        struct posix_trace_event_info info;
        int number = -1;
        size_t bytes;
        (void)posix_trace_trygetnext_event(trid, &info, &number, sizeof number, &bytes,
                                           &unavailable);
        if (unavailable == 0 && !is_error(&info, number)) {
            missing += number - next_handler;
            next_handler = number + 1;
        }
    }
    missing += atomic_load(&handled) - next_handler;
    EXPECT(posix_trace_get_status(trid, &status) == 0);
    EXPECT((status.posix_stream_overrun_status == POSIX_TRACE_OVERRUN) == (missing != 0));
    EXPECT((errors != 0) == (missing != 0) && errors <= missing);
    EXPECT(next_main == EVENTS);
    EXPECT(atomic_load(&handled) > 10);
    (void)printf("%d signals, %d events of the handler are missing, %d errors\n",
                 atomic_load(&handled), missing, errors);
    EXPECT(posix_trace_shutdown(trid) == 0);
}

int main(void)
{
    (void)posix_trace_eventid_open("of main", &of_main);
    (void)posix_trace_eventid_open("of the handler", &of_handler);
    check_interrupted();
    check_handler(sizeof(int));
    check_handler(64 * sizeof(int)); /* too long to be kept */
    return failures == 0 ? 0 : 1;
}
