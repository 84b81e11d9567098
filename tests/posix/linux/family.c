/* Parents and children: processes that a stream traces, and processes that may use it. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <trace.h>
#include <unistd.h>

#include "check.h"

static trace_event_id_t event;

static trace_id_t create(pid_t pid, int inheritance)
{
    trace_attr_t attr;
    trace_event_set_t set;
    trace_id_t trid = 0;
    (void)posix_trace_attr_init(&attr);
    (void)posix_trace_attr_setinherited(&attr, inheritance);
    EXPECT(posix_trace_create(pid, &attr, &trid) == 0);
    (void)posix_trace_eventset_fill(&set, POSIX_TRACE_SYSTEM_EVENTS);
    (void)posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET);
    EXPECT(posix_trace_start(trid) == 0);
    return trid;
}

typedef struct got {
    int events;
    pid_t pids[16];
    trace_event_id_t types[16];
    char data[16][16];
} got_t;

static got_t read_all(trace_id_t trid)
{
    got_t got = {0};
    for (;;) {
        struct posix_trace_event_info info;
        size_t bytes;
        int unavailable;
        int at = got.events;
        if (posix_trace_trygetnext_event(trid, &info, got.data[at], 15, &bytes, &unavailable) !=
                0 ||
            unavailable != 0) {
            return got;
        }
        got.pids[at] = info.posix_pid;
        got.types[at] = info.posix_event_id;
        got.events++;
    }
}

static int end_of(pid_t child)
{
    int status = -1;
    EXPECT(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static void trace(const char *text)
{
    posix_trace_event(event, text, strlen(text) + 1u);
}

/* An inherited stream traces a child and its child; other streams do not. */
static void check_inheritance(void)
{
    trace_id_t inherited = create(0, POSIX_TRACE_INHERITED);
    trace_id_t closed = create(0, POSIX_TRACE_CLOSE_FOR_CHILD);
    trace("parent");
    pid_t child = fork();
    if (child == 0) {
        trace("child");
        pid_t grandchild = fork();
        if (grandchild == 0) {
            trace("grandchild");
            _exit(0);
        }
        _exit(end_of(grandchild));
    }
    EXPECT(end_of(child) == 0);
    trace("parent again");
    got_t got = read_all(inherited);
    EXPECT(got.events == 4);
    EXPECT(got.pids[0] == getpid() && strcmp(got.data[0], "parent") == 0);
    EXPECT(got.pids[1] == child && strcmp(got.data[1], "child") == 0);
    EXPECT(got.pids[2] != child && strcmp(got.data[2], "grandchild") == 0);
    EXPECT(got.pids[3] == getpid() && strcmp(got.data[3], "parent again") == 0);
    got = read_all(closed);
    EXPECT(got.events == 2 && got.pids[0] == getpid() && got.pids[1] == getpid());
    EXPECT(posix_trace_shutdown(inherited) == 0);
    EXPECT(posix_trace_shutdown(closed) == 0);
}

/* Only the process that created a stream may use it. */
static void check_owner(void)
{
    trace_id_t trid = create(0, POSIX_TRACE_INHERITED);
    pid_t child = fork();
    if (child == 0) {
        struct posix_trace_status_info status;
        int wrong = posix_trace_start(trid) != EINVAL;
        wrong += posix_trace_stop(trid) != EINVAL;
        wrong += posix_trace_clear(trid) != EINVAL;
        wrong += posix_trace_get_status(trid, &status) != EINVAL;
        wrong += posix_trace_shutdown(trid) != EINVAL;
        exit(wrong); /* runs the functions at the end of a process */
    }
    EXPECT(end_of(child) == 0);
    trace("still there");
    EXPECT(read_all(trid).events == 1);
    EXPECT(posix_trace_shutdown(trid) == 0);
}

/* The parent knows the event names that a child opens. */
static void check_names(void)
{
    trace_id_t trid = create(0, POSIX_TRACE_INHERITED);
    pid_t child = fork();
    if (child == 0) {
        trace_event_id_t own;
        _exit(posix_trace_eventid_open("of the child", &own) != 0 ||
              (posix_trace_event(own, "x", 2), 0));
    }
    EXPECT(end_of(child) == 0);
    trace_event_id_t same;
    char name[TRACE_NAME_MAX];
    EXPECT(posix_trace_eventid_open("of the child", &same) == 0);
    got_t got = read_all(trid);
    EXPECT(got.events == 1 && got.types[0] == same);
    EXPECT(posix_trace_eventid_get_name(trid, got.types[0], name) == 0 &&
           strcmp(name, "of the child") == 0);
    EXPECT(posix_trace_shutdown(trid) == 0);
}

/* A process may trace its child by pid, but no other process. */
static void check_other_process(void)
{
    int go[2];
    EXPECT(pipe(go) == 0);
    pid_t child = fork();
    if (child == 0) {
        char byte;
        ssize_t count = read(go[0], &byte, 1);
        trace("traced by pid");
        _exit(count == 1 ? 0 : 1);
    }
    trace_id_t trid = create(child, POSIX_TRACE_CLOSE_FOR_CHILD);
    trace("not me");
    EXPECT(write(go[1], "g", 1) == 1);
    EXPECT(end_of(child) == 0);
    got_t got = read_all(trid);
    EXPECT(got.events == 1 && got.pids[0] == child);
    EXPECT(posix_trace_shutdown(trid) == 0);
    EXPECT(posix_trace_create(1, NULL, &trid) == EPERM);
    EXPECT(posix_trace_create(0x3ffffff, NULL, &trid) == ESRCH);
    (void)close(go[0]);
    (void)close(go[1]);
}

/* Streams of an ended process become free, also if it had created all of them. */
static void check_end(void)
{
    pid_t child = fork();
    if (child == 0) {
        int created = 0;
        trace_id_t trid;
        for (int i = 0; i < TRACE_SYS_MAX; i++) {
            created += posix_trace_create(0, NULL, &trid) == 0;
        }
        _exit(created == TRACE_SYS_MAX ? 0 : 1); /* without the functions at the end of a process */
    }
    EXPECT(end_of(child) == 0);
    trace_id_t trids[TRACE_SYS_MAX];
    for (int i = 0; i < TRACE_SYS_MAX; i++) {
        EXPECT(posix_trace_create(0, NULL, &trids[i]) == 0);
    }
    for (int i = 0; i < TRACE_SYS_MAX; i++) {
        EXPECT(posix_trace_shutdown(trids[i]) == 0);
    }
}

/* A process that is killed at any point leaves no lock taken. */
static void check_killed(void)
{
    trace_id_t trid = create(0, POSIX_TRACE_INHERITED);
    for (int i = 0; i < 50; i++) {
        pid_t child = fork();
        if (child == 0) {
            for (;;) {
                trace("busy");
            }
        }
        (void)usleep(200);
        (void)kill(child, SIGKILL);
        (void)waitpid(child, NULL, 0);
    }
    EXPECT(posix_trace_clear(trid) == 0);
    trace("alive");
    got_t got = read_all(trid);
    EXPECT(got.events == 1 && strcmp(got.data[0], "alive") == 0);
    EXPECT(posix_trace_shutdown(trid) == 0);
}

int main(void)
{
    (void)posix_trace_eventid_open("family", &event);
    check_inheritance();
    check_owner();
    check_names();
    check_other_process();
    check_end();
    check_killed();
    return failures == 0 ? 0 : 1;
}
