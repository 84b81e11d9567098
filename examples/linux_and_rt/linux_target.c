/*
 * linux_target - the Linux part of an application whose real-time part runs on a target: the
 * example of RTL-POSIX-Trace (its appendix A.2). It traces into the streams that the real-time part
 * created.
 *
 * "user event linux" is a new event type for the target. The target has opened "user event string"
 * already, so events of that name from both parts have the same type.
 *
 *     linux_target [TIMES [MILLISECONDS]]      default: 30 times, every 500 ms
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <trace.h>
#include <unistd.h>

#define NTIMES     30
#define TIMEOUT_MS 500

static void timer_handler(int number)
{
    (void)number;
}

int main(int argc, char **argv)
{
    long times = argc > 1 ? strtol(argv[1], NULL, 10) : NTIMES;
    long timeout_ms = argc > 2 ? strtol(argv[2], NULL, 10) : TIMEOUT_MS;
    trace_event_id_t ev_linux;
    trace_event_id_t ev_string;
    char s[32] = "Linux says: Hello world!";
    struct sigaction action = {.sa_handler = timer_handler};
    sigset_t alarm_only;
    sigset_t otherwise;

    if (posix_trace_eventid_open("user event linux", &ev_linux) != 0 ||
        posix_trace_eventid_open("user event string", &ev_string) != 0) {
        (void)fprintf(stderr, "the event types cannot be opened\n");
        return 1;
    }

    /* Unblock the alarm signal only while waiting for it, so that no alarm is missed. */
    (void)sigemptyset(&alarm_only);
    (void)sigaddset(&alarm_only, SIGALRM);
    (void)sigprocmask(SIG_BLOCK, &alarm_only, &otherwise);
    (void)sigfillset(&action.sa_mask);
    (void)sigaction(SIGALRM, &action, NULL);

    for (int i = 0; i < times; i++) {
        const struct itimerval timeout = {
            .it_value = {.tv_sec = timeout_ms / 1000, .tv_usec = timeout_ms % 1000 * 1000}};
        posix_trace_event(ev_linux, &i, sizeof i);
        posix_trace_event(ev_string, s, sizeof s);
        (void)setitimer(ITIMER_REAL, &timeout, NULL);
        (void)sigsuspend(&otherwise);
    }
    return 0;
}
