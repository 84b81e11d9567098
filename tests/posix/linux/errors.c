/*
 * A log that cannot be written: flush and status return the error, and the stream records
 * POSIX_TRACE_ERROR, which the log contains after it can be written again. Argument 1 is the log.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/resource.h>
#include <trace.h>
#include <unistd.h>

#include "check.h"

static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    (void)getrlimit(RLIMIT_FSIZE, &limit);
    limit.rlim_cur = bytes;
    (void)setrlimit(RLIMIT_FSIZE, &limit);
}

static int errors_in(int file, int *error)
{
    struct posix_trace_event_info info;
    trace_id_t log;
    int found = 0;
    int unavailable = 0;
    size_t bytes;
    int number;
    EXPECT(posix_trace_open(file, &log) == 0);
    while (posix_trace_getnext_event(log, &info, &number, sizeof number, &bytes, &unavailable) ==
               0 &&
           unavailable == 0) {
        if (info.posix_event_id == POSIX_TRACE_ERROR && bytes == sizeof number) {
            *error = number;
            found++;
        }
    }
    (void)posix_trace_close(log);
    return found;
}

int main(int argument_count, char **arguments)
{
    trace_event_id_t event;
    trace_id_t trid;
    struct posix_trace_status_info status;
    int error = 0;
    int file = argument_count < 2 ? -1 : open(arguments[1], O_RDWR | O_CREAT | O_TRUNC, 0600);
    (void)signal(SIGXFSZ, SIG_IGN);
    EXPECT(posix_trace_create_withlog(0, NULL, file, &trid) == 0);
    EXPECT(posix_trace_eventid_open("event", &event) == 0);
    EXPECT(posix_trace_start(trid) == 0);
    posix_trace_event(event, "lost", 4);
    limit_files((rlim_t)lseek(file, 0, SEEK_END));
    EXPECT(posix_trace_flush(trid) == EFBIG);
    EXPECT(posix_trace_get_status(trid, &status) == 0);
    EXPECT(status.posix_stream_flush_error == EFBIG);
    limit_files(RLIM_INFINITY);
    posix_trace_event(event, "kept", 4);
    EXPECT(posix_trace_flush(trid) == 0);
    EXPECT(posix_trace_shutdown(trid) == 0);
    EXPECT(errors_in(file, &error) == 1);
    EXPECT(error == EFBIG);
    return failures != 0;
}
