/* Traces into a target from main() and from a signal handler that interrupts the same thread. */
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
    if (posix_trace_eventid_open("of main", &ours) != 0 ||
        posix_trace_eventid_open("of the handler", &handlers) != 0) {
        return 1;
    }
    (void)sigaction(SIGALRM, &action, NULL);
    for (int i = 0; i < TIMES; i++) {
        /* One signal per event, before or during it. A periodic timer could expire again before the
         * handler, which waits for the target, returns; main() would then never continue. */
        const struct itimerval soon = {.it_value = {.tv_usec = 20 * (1 + i % 50)}};
        (void)setitimer(ITIMER_REAL, &soon, NULL);
        posix_trace_event(ours, &i, sizeof i);
    }
    printf("%d\n", handled > 0);
    return 0;
}
