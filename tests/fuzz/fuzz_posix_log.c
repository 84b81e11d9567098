/*
 * Logs that posix_trace_open() reads (facades/posix/log_reader.c, reader.c). The first byte of an
 * input selects the CRCs to correct; the rest is the file. Reading ends, and no event has more data
 * than its length states or than fits into the memory.
 */
#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <unistd.h>

#include "fuzz.h"
#include "linux_shared.h"
#include "mend.h"
#include "posix_port.h"
#include "tickertape/tickertape.h"
#include "tickertape/wire.h"

#define EVENTS_MAX 100000u
#define DATA_BYTES 64u

posix_process_t posix_process;

static uint8_t *file;
static size_t file_bytes;

/* The functions of linux_files.c, on memory. */
int posix_port_file_check_writable(int number)
{
    (void)number;
    return EBADF;
}

int posix_port_file_open(int number, int *own)
{
    *own = number;
    return 0;
}

void posix_port_file_close(int own)
{
    (void)own;
}

int posix_port_file_write(int number, uint64_t position, const void *bytes, size_t count)
{
    (void)number;
    (void)position;
    (void)bytes;
    (void)count;
    return EBADF;
}

int posix_port_file_read(int number, uint64_t position, void *bytes, size_t count)
{
    (void)number;
    if (position > file_bytes || count > file_bytes - position) {
        return EINVAL;
    }
    memcpy(bytes, file + position, count);
    return 0;
}

int posix_port_file_size(int number, uint64_t *bytes)
{
    (void)number;
    *bytes = file_bytes;
    return 0;
}

int posix_port_file_cut(int number, uint64_t bytes)
{
    (void)number;
    (void)bytes;
    return EBADF;
}

int posix_port_start_service(void)
{
    return EAGAIN;
}

void posix_port_serve(void)
{
}

void tt_port_notify_drain(void)
{
}

static void begin(void)
{
    static posix_traced_t traced;
    pthread_mutexattr_t attributes;
    posix_process = (posix_process_t){.pid = getpid(), .traced = &traced};
    (void)pthread_mutexattr_init(&attributes);
    (void)pthread_mutex_init(&posix_shared.recorder, &attributes);
    (void)pthread_mutex_init(&posix_shared.control, &attributes);
}

static void read_all(trace_id_t trid)
{
    uint32_t events = 0;
    for (;;) {
        struct posix_trace_event_info info;
        uint8_t data[DATA_BYTES];
        size_t bytes = 0;
        int unavailable = 0;
        if (posix_trace_getnext_event(trid, &info, data, sizeof data, &bytes, &unavailable) != 0 ||
            unavailable != 0) {
            break;
        }
        FUZZ_CHECK(bytes <= sizeof data && ++events < EVENTS_MAX);
    }
}

static void ask_all(trace_id_t trid)
{
    trace_attr_t attr;
    struct posix_trace_status_info status;
    char name[TRACE_NAME_MAX];
    trace_event_id_t event;
    int unavailable = 0;
    FUZZ_CHECK(posix_trace_get_attr(trid, &attr) == 0);
    FUZZ_CHECK(posix_trace_attr_getname(&attr, name) == 0);
    FUZZ_CHECK(posix_trace_get_status(trid, &status) == 0);
    FUZZ_CHECK(posix_trace_eventtypelist_rewind(trid) == 0);
    while (posix_trace_eventtypelist_getnext_id(trid, &event, &unavailable) == 0 &&
           unavailable == 0) {
        (void)posix_trace_eventid_get_name(trid, event, name);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    trace_id_t trid;
    if (posix_process.pid == 0) {
        begin();
    }
    uint8_t flags = size > 0u ? data[0] : 0u;
    file_bytes = size > 0u ? size - 1u : 0u;
    file = fuzz_memory(file_bytes, 1);
    if (file_bytes > 0u) {
        memcpy(file, data + 1, file_bytes);
    }
    if ((flags & 1u) != 0u) {
        mend_tape(file, file_bytes, (flags & 2u) != 0u);
    }
    if (posix_trace_open(3, &trid) == 0) {
        ask_all(trid);
        read_all(trid);
        FUZZ_CHECK(posix_trace_rewind(trid) == 0);
        read_all(trid);
        FUZZ_CHECK(posix_trace_close(trid) == 0);
    }
    free(file);
    return 0;
}
