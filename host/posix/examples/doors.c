/*
 * doors - trace two processes to one log, then read the log.
 *
 * A parent creates a stream that its child inherits and that is flushed to a log. Both processes
 * trace doors that open. Then the parent reads and prints the log. The log is a tape, so
 * `tickertape print` reads it as well. Argument 1: path of the log, doors.tape by default.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <trace.h>
#include <unistd.h>

static void check(int error, const char *what)
{
    if (error != 0) {
        (void)fprintf(stderr, "%s: %s\n", what, strerror(error));
        exit(1);
    }
}

static void open_doors(trace_event_id_t opened, const char *const *doors)
{
    for (; *doors != NULL; doors++) {
        posix_trace_event(opened, *doors, strlen(*doors));
    }
}

/* Trace this process and its child to a log. */
static void record(int log)
{
    static const char *const front[] = {"front", "garage", NULL};
    static const char *const back[] = {"back", "cellar", "garden", NULL};
    trace_attr_t attr;
    trace_id_t stream;
    trace_event_id_t opened;
    check(posix_trace_attr_init(&attr), "attributes");
    check(posix_trace_attr_setname(&attr, "doors"), "name");
    check(posix_trace_attr_setinherited(&attr, POSIX_TRACE_INHERITED), "inheritance");
    check(posix_trace_attr_setlogfullpolicy(&attr, POSIX_TRACE_APPEND), "policy of the log");
    check(posix_trace_create_withlog(0, &attr, log, &stream), "create");
    check(posix_trace_eventid_open("door opened", &opened), "event type");
    check(posix_trace_start(stream), "start");
    open_doors(opened, front);
    pid_t child = fork();
    if (child == 0) {
        open_doors(opened, back);
        _exit(0);
    }
    (void)waitpid(child, NULL, 0);
    check(posix_trace_shutdown(stream), "shutdown");
}

static void tell(int log)
{
    trace_id_t stream;
    check(posix_trace_open(log, &stream), "open");
    for (;;) {
        struct posix_trace_event_info info;
        char name[TRACE_NAME_MAX];
        char data[64];
        size_t bytes;
        int unavailable;
        check(posix_trace_getnext_event(stream, &info, data, sizeof data, &bytes, &unavailable),
              "read");
        if (unavailable != 0) {
            break;
        }
        check(posix_trace_eventid_get_name(stream, info.posix_event_id, name), "name");
        bool is_user = info.posix_event_id >= POSIX_TRACE_UNNAMED_USEREVENT;
        (void)printf("%s %s %.*s\n",
                     info.posix_pid == getpid() ? "parent"
                     : is_user                  ? "child"
                                                : "-",
                     name, is_user ? (int)bytes : 0, data);
    }
    check(posix_trace_close(stream), "close");
}

int main(int count, char **arguments)
{
    const char *path = count > 1 ? arguments[1] : "doors.tape";
    int log = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    if (log < 0) {
        perror(path);
        return 1;
    }
    record(log);
    tell(log);
    return 0;
}
