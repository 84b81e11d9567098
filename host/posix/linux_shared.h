/* linux_shared.h - state of a Linux process, and data that it shares with its children. */
#ifndef POSIX_LINUX_SHARED_H
#define POSIX_LINUX_SHARED_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "tickertape/config.h"

/* Greatest number of processes, parents and children, that use one recorder at a time. */
#define POSIX_PROCESSES 256u

typedef struct posix_traced {
    _Atomic pid_t pid;        /* 0: free */
    _Atomic uint32_t streams; /* streams that trace it, one bit each */
} posix_traced_t;

typedef struct posix_shared {
    pthread_mutex_t recorder; /* tt_port_lock() */
    pthread_mutex_t control;  /* posix_port_lock() */
    _Atomic uint32_t tickets[TT_CONFIG_STREAMS];
    _Atomic uint32_t sleepers[TT_CONFIG_STREAMS];
    _Atomic uint32_t service_ticket;
    _Atomic bool service_runs; /* a process has started the service thread */
    _Atomic uint64_t last_ticks;
    uint64_t realtime_offset_ns; /* CLOCK_REALTIME minus the time of the ticks */
    _Atomic uint32_t inherited;  /* streams that trace children too, one bit each */
    posix_traced_t processes[POSIX_PROCESSES];
} posix_shared_t;

extern posix_shared_t posix_shared;

/* State of this process alone. */
typedef struct posix_process {
    pid_t pid;
    posix_traced_t *traced;
} posix_process_t;

extern posix_process_t posix_process;

/* Return the entry of a process in the table, a new one if necessary; NULL: no room. Adds `streams`
 * to the streams that trace it. Call under posix_port_lock(). */
posix_traced_t *posix_port_enter(pid_t pid, uint32_t streams);

/* Reset the state of the thread in a child after a fork: it is a new thread without locks. */
void posix_port_forget_thread(void);

#endif
