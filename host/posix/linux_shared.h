/* linux_shared.h - what a Linux process knows, and what it shares with its children. */
#ifndef POSIX_LINUX_SHARED_H
#define POSIX_LINUX_SHARED_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tickertape/config.h"

/* Processes, parents and children, that use the recorder at a time. */
#define POSIX_PROCESSES 256u

typedef struct posix_traced {
    _Atomic pid_t pid;        /* 0: free */
    _Atomic uint32_t streams; /* that trace it, a bit each */
} posix_traced_t;

typedef struct posix_shared {
    pthread_mutex_t recorder; /* tt_port_lock() */
    pthread_mutex_t control;  /* posix_port_lock() */
    _Atomic uint32_t tickets[TT_CONFIG_STREAMS];
    _Atomic uint32_t sleepers[TT_CONFIG_STREAMS];
    _Atomic uint32_t service_ticket;
    _Atomic bool service_runs; /* in any process */
    _Atomic uint64_t last_ticks;
    uint64_t realtime_offset_ns; /* CLOCK_REALTIME is so far ahead of the ticks */
    _Atomic uint32_t inherited;  /* streams that trace children as well */
    posix_traced_t processes[POSIX_PROCESSES];
} posix_shared_t;

extern posix_shared_t posix_shared;

/* Of this process alone. */
typedef struct posix_process {
    pid_t pid;
    posix_traced_t *traced;
} posix_process_t;

extern posix_process_t posix_process;

/* The place of a process in the table, NULL when there is none; streams that trace it are added.
 * Under posix_port_lock(). */
posix_traced_t *posix_port_enter(pid_t pid, uint32_t streams);

/* After a fork: this thread is another one, and holds no lock. */
void posix_port_forget_thread(void);

#endif
