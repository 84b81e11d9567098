/* Files of logs, and the thread that flushes streams to them. */
#include <errno.h>
#include <fcntl.h>
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "linux_shared.h"
#include "posix_port.h"
#include "tickertape/port.h"

#define PATH_BYTES        32
#define SERVICE_PERIOD_NS 100000000

static pid_t served; /* process whose service thread runs; 0: none */

int posix_port_file_check_writable(int file)
{
    struct stat status;
    int flags = fcntl(file, F_GETFL);
    if (flags < 0 || (flags & O_ACCMODE) == O_RDONLY || fstat(file, &status) != 0) {
        return EBADF;
    }
    return S_ISREG(status.st_mode) ? 0 : EINVAL;
}

/* Open the file again for reading and writing: the index and a looping log read what was written,
 * and the caller's descriptor may be write-only. */
int posix_port_file_open(int file, int *own)
{
    char path[PATH_BYTES];
    (void)snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    *own = open(path, O_RDWR | O_CLOEXEC);
    return *own >= 0 ? 0 : errno;
}

void posix_port_file_close(int own)
{
    (void)close(own);
}

int posix_port_file_write(int file, uint64_t position, const void *bytes, size_t count)
{
    const char *from = bytes;
    while (count > 0u) {
        ssize_t done = pwrite(file, from, count, (off_t)position);
        if (done < 0 && errno != EINTR) {
            return errno;
        }
        if (done > 0) {
            from += done;
            position += (uint64_t)done;
            count -= (size_t)done;
        }
    }
    return 0;
}

int posix_port_file_read(int file, uint64_t position, void *bytes, size_t count)
{
    char *to = bytes;
    while (count > 0u) {
        ssize_t done = pread(file, to, count, (off_t)position);
        if (done == 0 || (done < 0 && errno != EINTR)) {
            return done == 0 ? EINVAL : errno;
        }
        if (done > 0) {
            to += done;
            position += (uint64_t)done;
            count -= (size_t)done;
        }
    }
    return 0;
}

int posix_port_file_size(int file, uint64_t *bytes)
{
    struct stat status;
    if (fstat(file, &status) != 0) {
        return errno;
    }
    *bytes = (uint64_t)status.st_size;
    return 0;
}

int posix_port_file_cut(int file, uint64_t bytes)
{
    return ftruncate(file, (off_t)bytes) == 0 ? 0 : errno;
}

/* The service. --------------------------------------------------------------------------------- */

static void *serve(void *argument)
{
    (void)argument;
    const struct timespec period = {.tv_nsec = SERVICE_PERIOD_NS};
    for (;;) {
        uint32_t ticket = atomic_load(&posix_shared.service_ticket);
        posix_flush_service();
        (void)syscall(SYS_futex, &posix_shared.service_ticket, FUTEX_WAIT, ticket, &period, NULL,
                      0);
    }
    return NULL;
}

/* The thread blocks all signals: they are for the application. Call under posix_port_lock(). */
int posix_port_start_service(void)
{
    sigset_t all;
    sigset_t before;
    pthread_t thread;
    if (served == getpid()) {
        return 0;
    }
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_SETMASK, &all, &before);
    int result = pthread_create(&thread, NULL, serve, NULL);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (result == 0) {
        (void)pthread_detach(thread);
        served = getpid();
        atomic_store(&posix_shared.service_runs, true);
    }
    return result;
}

void posix_port_serve(void)
{
    (void)atomic_fetch_add(&posix_shared.service_ticket, 1u);
    (void)syscall(SYS_futex, &posix_shared.service_ticket, FUTEX_WAKE, INT32_MAX, NULL, NULL, 0);
}

/* Called when a buffer is full or nearly full. */
void tt_port_notify_drain(void)
{
    if (atomic_load_explicit(&posix_shared.service_runs, memory_order_relaxed)) {
        int kept = errno;
        posix_port_serve();
        errno = kept;
    }
}
