/* More processes than the recorder has places for: further processes are not traced, and the stream
 * that they would inherit records POSIX_TRACE_ERROR for each. */
#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <trace.h>
#include <unistd.h>

#include "check.h"

#define PLACES   256 /* POSIX_PROCESSES of the library, including the parent */
#define CHILDREN 260

int main(void)
{
    trace_attr_t attr;
    trace_event_set_t set;
    trace_event_id_t event;
    trace_id_t trid;
    pid_t children[CHILDREN];
    int ready[2];
    int errors = 0;
    int traced = 0;
    EXPECT(pipe(ready) == 0);
    (void)posix_trace_attr_init(&attr);
    (void)posix_trace_attr_setinherited(&attr, POSIX_TRACE_INHERITED);
    EXPECT(posix_trace_create(0, &attr, &trid) == 0);
    (void)posix_trace_eventset_fill(&set, POSIX_TRACE_SYSTEM_EVENTS);
    (void)posix_trace_eventset_del(POSIX_TRACE_ERROR, &set);
    (void)posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET);
    EXPECT(posix_trace_eventid_open("child", &event) == 0);
    EXPECT(posix_trace_start(trid) == 0);
    for (int i = 0; i < CHILDREN; i++) {
        char byte = 1;
        children[i] = fork();
        if (children[i] == 0) {
            posix_trace_event(event, &i, sizeof i);
            (void)!write(ready[1], &byte, 1);
            (void)pause();
        }
        EXPECT(children[i] > 0 && read(ready[0], &byte, 1) == 1);
    }
    for (int unavailable = 0; unavailable == 0;) {
        struct posix_trace_event_info info;
        int number = 0;
        size_t bytes;
        EXPECT(posix_trace_trygetnext_event(trid, &info, &number, sizeof number, &bytes,
                                            &unavailable) == 0);
        if (unavailable == 0 && info.posix_event_id == event) {
            EXPECT(number == traced);
            traced++;
        } else if (unavailable == 0) {
            EXPECT(info.posix_event_id == POSIX_TRACE_ERROR && number == EAGAIN);
            errors++;
        }
    }
    for (int i = 0; i < CHILDREN; i++) {
        (void)kill(children[i], SIGKILL);
        EXPECT(waitpid(children[i], NULL, 0) == children[i]);
    }
    EXPECT(traced == PLACES - 1);
    EXPECT(errors == CHILDREN - traced);
    EXPECT(posix_trace_shutdown(trid) == 0);
    return failures != 0;
}
