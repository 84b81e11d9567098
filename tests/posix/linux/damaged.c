/*
 * damaged FILE write: traces 120 numbers into a log, in six chunks of records.
 * damaged FILE read: prints the events that posix_trace_open() finds in a log, one per line.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <trace.h>
#include <unistd.h>

#include "check.h"

#define CHUNKS     6
#define OF_A_CHUNK 20

static void write_log(int file)
{
    trace_event_set_t set;
    trace_event_id_t event;
    trace_id_t trid;
    EXPECT(posix_trace_create_withlog(0, NULL, file, &trid) == 0);
    (void)posix_trace_eventset_fill(&set, POSIX_TRACE_SYSTEM_EVENTS);
    EXPECT(posix_trace_set_filter(trid, &set, POSIX_TRACE_SET_EVENTSET) == 0);
    EXPECT(posix_trace_eventid_open("number", &event) == 0);
    EXPECT(posix_trace_start(trid) == 0);
    for (unsigned chunk = 0; chunk < CHUNKS; chunk++) {
        for (unsigned i = 0; i < OF_A_CHUNK; i++) {
            const unsigned number = chunk * OF_A_CHUNK + i;
            posix_trace_event(event, &number, sizeof number);
        }
        EXPECT(posix_trace_flush(trid) == 0);
    }
    EXPECT(posix_trace_shutdown(trid) == 0);
}

static void read_log(int file)
{
    trace_id_t trid;
    struct posix_trace_status_info status;
    int opened = posix_trace_open(file, &trid);
    printf("opened %d\n", opened);
    for (int unavailable = 0; opened == 0 && unavailable == 0;) {
        struct posix_trace_event_info info;
        unsigned number = 0;
        size_t bytes;
        int result =
            posix_trace_getnext_event(trid, &info, &number, sizeof number, &bytes, &unavailable);
        if (result != 0) {
            break;
        }
        if (unavailable == 0 && info.posix_event_id == POSIX_TRACE_OVERFLOW) {
            printf("overflow\n");
        } else if (unavailable == 0 && info.posix_event_id > POSIX_TRACE_UNNAMED_USEREVENT) {
            printf("%u %zu\n", number, bytes);
        }
    }
    if (opened == 0) {
        EXPECT(posix_trace_get_status(trid, &status) == 0);
        printf("overrun %d\n", status.posix_stream_overrun_status == POSIX_TRACE_OVERRUN);
        EXPECT(posix_trace_close(trid) == 0);
    }
}

int main(int argc, char **argv)
{
    if (argc != 3) {
        return 2;
    }
    bool writes = strcmp(argv[2], "write") == 0;
    int file = open(argv[1], writes ? O_RDWR | O_CREAT | O_TRUNC : O_RDONLY, 0600);
    EXPECT(file >= 0);
    (writes ? write_log : read_log)(file);
    return failures != 0;
}
