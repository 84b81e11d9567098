/* Traces into a target from main() and, all the while, from a signal handler of the same thread. */
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>
#include <trace.h>

#define TIMES 200

static trace_event_id_t ours;
static trace_event_id_t handlers;
static volatile sig_atomic_t handled;

static void handle(int number)
{
    posix_trace_event(handlers, &number, sizeof number);
    handled++;
}

int main(void)
{
    const struct sigaction action = {.sa_handler = handle};
    const struct itimerval often = {.it_interval = {.tv_usec = 500}, .it_value = {.tv_usec = 500}};
    const struct itimerval never = {{0, 0}, {0, 0}};
    if (posix_trace_eventid_open("of main", &ours) != 0 ||
        posix_trace_eventid_open("of the handler", &handlers) != 0) {
        return 1;
    }
    (void)sigaction(SIGALRM, &action, NULL);
    (void)setitimer(ITIMER_REAL, &often, NULL);
    for (int i = 0; i < TIMES; i++) {
        posix_trace_event(ours, &i, sizeof i);
    }
    (void)setitimer(ITIMER_REAL, &never, NULL);
    printf("%d\n", handled > 0);
    return 0;
}
