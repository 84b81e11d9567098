/*
 * linux_analyzer - reads the stream of an application that runs on a target and in Linux processes:
 * the example of RTL-POSIX-Trace (its appendix A.3).
 *
 * It attaches to the stream by "creating" it under the public name that the real-time part gave it.
 * It prints the attributes of the stream, and then every event until the real-time part shuts the
 * stream down.
 *
 *     linux_analyzer [NAME]      default: TRACE_STREAM1_NAME
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <trace.h>

#define MAX_DATA_SIZE 256

static void print_attributes(const trace_attr_t *attr)
{
    char text[TRACE_NAME_MAX];
    struct timespec time;
    size_t size;
    int number;
    int error = posix_trace_attr_getgenversion(attr, text);
    printf("get genversion (%d): %s\n", error, text);
    error = posix_trace_attr_getname(attr, text);
    printf("get name (%d): %s\n", error, text);
    error = posix_trace_attr_getcreatetime(attr, &time);
    printf("get create time (%d): %jd.%09ld\n", error, (intmax_t)time.tv_sec, time.tv_nsec);
    error = posix_trace_attr_getclockres(attr, &time);
    printf("get clock res (%d): %jd.%09ld\n", error, (intmax_t)time.tv_sec, time.tv_nsec);
    error = posix_trace_attr_getstreamfullpolicy(attr, &number);
    printf("get full policy (%d): %d\n", error, number);
    error = posix_trace_attr_getmaxusereventsize(attr, 0, &size);
    printf("get max user event size (%d): %zu\n", error, size);
    error = posix_trace_attr_getmaxsystemeventsize(attr, &size);
    printf("get max system event size (%d): %zu\n", error, size);
    error = posix_trace_attr_getmaxdatasize(attr, &size);
    printf("get max data size (%d): %zu\n", error, size);
    error = posix_trace_attr_getstreamsize(attr, &size);
    printf("get stream size (%d): %zu\n", error, size);
}

static void print_event_types(trace_id_t trid)
{
    char name[TRACE_NAME_MAX];
    trace_event_id_t event;
    int unavailable = 0;
    int error = posix_trace_eventtypelist_rewind(trid);
    printf("event list rewind (%d)\n", error);
    error = posix_trace_eventtypelist_getnext_id(trid, &event, &unavailable);
    while (error == 0 && unavailable == 0) {
        error = posix_trace_eventid_get_name(trid, event, name);
        if (error == 0) {
            printf("event getname (%d): %s\n", error, name);
        }
        error = posix_trace_eventtypelist_getnext_id(trid, &event, &unavailable);
    }
}

static void print_data(const char *name, const void *data, size_t data_len)
{
    int number = 0;
    if (strcmp(name, "user event char") == 0) {
        printf(" Data (char)       = %c\n", *(const char *)data);
    } else if (strcmp(name, "user event int") == 0 || strcmp(name, "user event linux") == 0) {
        memcpy(&number, data, sizeof number);
        printf(" Data (int)        = %d\n", number);
    } else if (strcmp(name, "user event string") == 0) {
        printf(" Data (string)     = %.*s\n", (int)data_len, (const char *)data);
    } else {
        printf(" Data unknown\n");
    }
    printf(" Data length       = %zu\n", data_len);
}

static void print_event(trace_id_t trid, const struct posix_trace_event_info *event,
                        const void *data, size_t data_len)
{
    char name[TRACE_NAME_MAX] = "?";
    (void)posix_trace_eventid_get_name(trid, event->posix_event_id, name);
    printf(" ** New event -----------------\n");
    printf(" Event identifier  = %d\n", event->posix_event_id);
    printf(" Process ID        = %d\n", (int)event->posix_pid);
    printf(" Address           = %p\n", event->posix_prog_address);
    printf(" Truncation status = %d\n", event->posix_truncation_status);
    printf(" Timestamp         = %jd.%09ld\n", (intmax_t)event->posix_timestamp.tv_sec,
           event->posix_timestamp.tv_nsec);
    printf(" Thread ID         = %lu\n", (unsigned long)event->posix_thread_id);
    printf(" Event Name        = %s\n", name);
    print_data(name, data, data_len);
    printf(" ------------------------------\n\n");
    (void)fflush(stdout);
}

int main(int argc, char **argv)
{
    const char *name = argc > 1 ? argv[1] : TRACE_STREAM1_NAME;
    trace_attr_t attr;
    trace_id_t trid;
    struct posix_trace_status_info status;
    (void)posix_trace_attr_init(&attr);
    (void)posix_trace_attr_setname(&attr, name);
    int error = posix_trace_create(0, &attr, &trid);
    if (error != 0) {
        (void)fprintf(stderr, "ERROR %d while creating stream %s\n", error, name);
        return 1;
    }
    error = posix_trace_get_attr(trid, &attr);
    printf("get attr (%d)\n", error);
    print_attributes(&attr);
    print_event_types(trid);
    error = posix_trace_get_status(trid, &status);
    printf("event get status (%d): %d %d %d\n", error, status.posix_stream_status,
           status.posix_stream_full_status, status.posix_stream_overrun_status);
    printf("\nNow retrieving events:\n");
    (void)fflush(stdout);
    for (;;) {
        struct posix_trace_event_info event;
        char data[MAX_DATA_SIZE];
        size_t data_len;
        int unavailable;
        error = posix_trace_getnext_event(trid, &event, data, sizeof data, &data_len, &unavailable);
        if (error != 0) {
            printf("No more events (%d). Exiting\n", error);
            return 0;
        }
        if (unavailable == 0) {
            print_event(trid, &event, data, data_len);
        }
    }
}
