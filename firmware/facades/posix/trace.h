/*
 * trace.h - POSIX Trace (IEEE Std 1003.1-2004, options Trace, Trace Event Filter, Trace Log and
 * Trace Inherit), the same for tasks of a firmware and for Linux processes (docs/posix.md).
 *
 * Three roles: the controller creates and starts a stream, the traced process opens event types and
 * traces events, the analyzer reads events from an active stream or from a log. One process may
 * have all three roles.
 *
 * All functions except posix_trace_event() and posix_trace_eventid_equal() return 0 or an error
 * number; errno is unchanged. Context: threads; posix_trace_event() also signal handlers and
 * interrupts. Results are written through pointers on success only. Initialise structures of this
 * header by their functions; their members are private.
 */
#ifndef TICKERTAPE_TRACE_H
#define TICKERTAPE_TRACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#if defined(TT_CONFIG_ENABLED) || defined(TT_CONFIG_FILE) /* a firmware */
#include "tickertape/emit.h"
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Only these names are exported by the library. */
#pragma GCC visibility push(default)

#ifdef __cplusplus
#define TRACE_RESTRICT
#else
#define TRACE_RESTRICT restrict
#endif

#ifndef __linux__
typedef uint32_t pthread_t; /* number of a task; the same type as in newlib */
#endif
#ifdef CONFIG_MINIMAL_LIBC
typedef int pid_t; /* Zephyr's minimal C library does not define it */
#endif

/* In a firmware without the recorder (TT_CONFIG_ENABLED 0) the options are not supported, in the
 * way of the standard: each function is an inline function that returns ENOSYS. */
#if defined(TT_CONFIG_ENABLED) || defined(TT_CONFIG_FILE)
#include <errno.h>

#include "tickertape/api.h"
#define TRACE_API          TT_API
#define TRACE_WITHOUT(...) TT_WITHOUT(__VA_ARGS__)
TT_API_BEGIN
#else
#define TRACE_API
#define TRACE_WITHOUT(...)
#endif

/* Options and limits. -------------------------------------------------------------------------- */

#if !defined(_POSIX_TRACE) && defined(TT_CONFIG_ENABLED) && !TT_CONFIG_ENABLED
#define _POSIX_TRACE -1
#elif !defined(_POSIX_TRACE)
#define _POSIX_TRACE              200112L
#define _POSIX_TRACE_EVENT_FILTER 200112L
#define _POSIX_TRACE_LOG          200112L
#define _POSIX_TRACE_INHERIT      200112L
#endif

#ifndef _POSIX_TRACE_EVENT_NAME_MAX
#define _POSIX_TRACE_EVENT_NAME_MAX 30
#define _POSIX_TRACE_NAME_MAX       8
#define _POSIX_TRACE_SYS_MAX        8
#define _POSIX_TRACE_USER_EVENT_MAX 32
#endif

/* TRACE_EVENT_NAME_MAX: bytes of an event type's name, without the terminating zero. A buffer of
 * TRACE_NAME_MAX bytes takes any name of this header with its terminating zero. */
#define TRACE_EVENT_NAME_MAX 31
#define TRACE_NAME_MAX       32
#define TRACE_SYS_MAX        8
/* User event types of all traced processes together, including POSIX_TRACE_UNNAMED_USEREVENT. */
#define TRACE_USER_EVENT_MAX 32

/* Public names of streams. Linux processes can attach to a stream that a firmware creates with one
 * of these names. */
#define TRACE_STREAM1_NAME "trace_stream1"
#define TRACE_STREAM2_NAME "trace_stream2"
#define TRACE_STREAM3_NAME "trace_stream3"
#define TRACE_STREAM4_NAME "trace_stream4"
#define TRACE_STREAM5_NAME "trace_stream5"
#define TRACE_STREAM6_NAME "trace_stream6"
#define TRACE_STREAM7_NAME "trace_stream7"
#define TRACE_STREAM8_NAME "trace_stream8"

/* Types. --------------------------------------------------------------------------------------- */

typedef int trace_id_t;
typedef int trace_event_id_t;

/* Bit i of the two words is the event type with number i. */
typedef struct trace_event_set {
    uint32_t bits[2];
} trace_event_set_t;

typedef struct trace_attr {
    uint32_t valid;
    int stream_full_policy;
    int log_full_policy;
    int inheritance;
    size_t stream_min_size;
    size_t max_data_size;
    size_t log_max_size;
    struct timespec creation_time;
    struct timespec clock_resolution;
    bool stream_full_policy_set;
    char name[TRACE_NAME_MAX];
    char generation_version[TRACE_NAME_MAX];
} trace_attr_t;

struct posix_trace_event_info {
    trace_event_id_t posix_event_id;
    pid_t posix_pid;             /* in a firmware 1 plus the task's domain; 0 for system events */
    void *posix_prog_address;    /* caller of posix_trace_event(); NULL when unknown */
    int posix_truncation_status; /* POSIX_TRACE_NOT_TRUNCATED ... */
    struct timespec posix_timestamp;
    pthread_t posix_thread_id; /* in a firmware the task's number */
};

struct posix_trace_status_info {
    int posix_stream_status;         /* POSIX_TRACE_RUNNING, POSIX_TRACE_SUSPENDED */
    int posix_stream_full_status;    /* POSIX_TRACE_FULL, POSIX_TRACE_NOT_FULL */
    int posix_stream_overrun_status; /* POSIX_TRACE_OVERRUN, POSIX_TRACE_NO_OVERRUN */
    int posix_stream_flush_status;   /* POSIX_TRACE_FLUSHING, POSIX_TRACE_NOT_FLUSHING */
    int posix_stream_flush_error;    /* 0, or the error number of the last flush */
    int posix_log_overrun_status;
    int posix_log_full_status;
};

/* Constants. ----------------------------------------------------------------------------------- */

#define POSIX_TRACE_LOOP       0
#define POSIX_TRACE_UNTIL_FULL 1
#define POSIX_TRACE_FLUSH      2
#define POSIX_TRACE_APPEND     3

#define POSIX_TRACE_CLOSE_FOR_CHILD 0
#define POSIX_TRACE_INHERITED       1

#define POSIX_TRACE_SUSPENDED 0
#define POSIX_TRACE_RUNNING   1

#define POSIX_TRACE_NOT_FULL 0
#define POSIX_TRACE_FULL     1

#define POSIX_TRACE_NO_OVERRUN 0
#define POSIX_TRACE_OVERRUN    1

#define POSIX_TRACE_NOT_FLUSHING 0
#define POSIX_TRACE_FLUSHING     1

#define POSIX_TRACE_NOT_TRUNCATED    0
#define POSIX_TRACE_TRUNCATED_RECORD 1
#define POSIX_TRACE_TRUNCATED_READ   2

#define POSIX_TRACE_WOPID_EVENTS  1
#define POSIX_TRACE_SYSTEM_EVENTS 2
#define POSIX_TRACE_ALL_EVENTS    3

#define POSIX_TRACE_SET_EVENTSET 1
#define POSIX_TRACE_ADD_EVENTSET 2
#define POSIX_TRACE_SUB_EVENTSET 3

/* Event types of the standard and their data. */
#define POSIX_TRACE_ERROR    1 /* int: an error number; docs/posix.md lists them */
#define POSIX_TRACE_START    2 /* trace_event_set_t: the filter */
#define POSIX_TRACE_STOP     3 /* int: 0 by posix_trace_stop(), else because the stream was full */
#define POSIX_TRACE_FILTER   4 /* trace_event_set_t [2]: the filter before and after */
#define POSIX_TRACE_OVERFLOW 5 /* none; at the time of the first lost event */
#define POSIX_TRACE_RESUME   6 /* none; at the time of the first event after the loss */
#define POSIX_TRACE_FLUSH_START 7 /* none */
#define POSIX_TRACE_FLUSH_STOP  8 /* none */

/* Event types of RTL-POSIX-Trace: events of a firmware's kernel. */
#define POSIX_TRACE_CONTEXT_SWITCH  9  /* posix_trace_task_state_event_data: the running task */
#define POSIX_TRACE_TASK_STATE      10 /* posix_trace_task_state_event_data */
#define POSIX_TRACE_KERNEL_OVERHEAD 11 /* posix_trace_overhead_event_data */
#define POSIX_TRACE_SYSTEM_CALL     12 /* posix_trace_syscall_event_data */
#define POSIX_TRACE_MUTEX_LOCK      13 /* posix_trace_mutex_event_data */
#define POSIX_TRACE_MUTEX_UNLOCK    14 /* posix_trace_mutex_event_data */
#define POSIX_TRACE_COND_WAIT       15 /* posix_trace_cond_event_data */
#define POSIX_TRACE_COND_BROADCAST  16 /* posix_trace_cond_event_data: signal and broadcast */

/* The first user event type; the others follow. Names beyond TRACE_USER_EVENT_MAX share it. */
#define POSIX_TRACE_UNNAMED_USEREVENT  32
#define POSIX_TRACE_UNNAMED_USER_EVENT POSIX_TRACE_UNNAMED_USEREVENT

/* Data of the system events of RTL-POSIX-Trace. A task is identified by its number, a mutex or
 * condition variable by its address. */
typedef enum task_state {
    TASK_STATE_RELEASED,  /* a periodic task is activated */
    TASK_STATE_ENDED,     /* a periodic task has completed its work */
    TASK_STATE_READY,     /* the task is ready or runs */
    TASK_STATE_SUSPENDED, /* the task waits */
} task_state_t;

typedef struct posix_trace_task_state_event_data {
    void *task;
    int priority; /* -1 when unknown */
    task_state_t state;
    bool is_linux; /* the idle task */
} posix_trace_task_state_event_data;

typedef enum kernel_overhead {
    OVERHEAD_START,
    OVERHEAD_END
} kernel_overhead_t;

typedef struct posix_trace_overhead_event_data {
    kernel_overhead_t type;
    void *task; /* the task that was running */
    bool is_linux;
} posix_trace_overhead_event_data;

/* Number of a kernel call (class KERCALL in docs/events.md). */
typedef uint32_t syscall_types_t;

typedef struct posix_trace_syscall_event_data {
    syscall_types_t syscall;
    void *task;
    bool is_linux;
} posix_trace_syscall_event_data;

typedef enum mutex_op {
    MUTEX_LOCK_GRANTED,
    MUTEX_LOCK_DENIED, /* the task waits */
    MUTEX_LOCK_TRIED,  /* the task continues without the mutex */
    MUTEX_UNLOCK,
} mutex_op_t;

typedef struct posix_trace_mutex_event_data {
    mutex_op_t op;
    void *mutex;
    void *task; /* the task that made the call; NULL when unknown */
} posix_trace_mutex_event_data;

typedef enum cond_op {
    COND_WAIT,
    COND_SIGNAL,
    COND_BROADCAST
} cond_op_t;

typedef struct posix_trace_cond_event_data {
    cond_op_t op;
    void *task;
    void *cond;
    void *mutex; /* mutex of the last wait for the condition; NULL when none was traced */
} posix_trace_cond_event_data;

/* Attributes. ---------------------------------------------------------------------------------- */

/*
 * Initialise an attribute object with the defaults, or destroy it. Defaults: no name; stream policy
 * LOOP, with log FLUSH; CLOSE_FOR_CHILD; a log that loops over 1 MiB. Streams keep copies of the
 * object, so it may serve any number of them. Functions of this part return EINVAL for an object
 * that was not initialised or was destroyed, and for invalid values.
 */
TRACE_API int posix_trace_attr_init(trace_attr_t *attr) TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_attr_destroy(trace_attr_t *attr) TRACE_WITHOUT(ENOSYS);

/* Name and version of this implementation. The buffer has TRACE_NAME_MAX bytes. */
TRACE_API int posix_trace_attr_getgenversion(const trace_attr_t *attr, char *genversion)
    TRACE_WITHOUT(ENOSYS);

/* A name longer than TRACE_NAME_MAX - 1 bytes is cut. */
TRACE_API int posix_trace_attr_getname(const trace_attr_t *attr, char *tracename)
    TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_attr_setname(trace_attr_t *attr, const char *tracename)
    TRACE_WITHOUT(ENOSYS);

/* Time at which the stream was created, CLOCK_REALTIME, and resolution of time stamps. */
TRACE_API int posix_trace_attr_getcreatetime(const trace_attr_t *attr, struct timespec *createtime)
    TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_attr_getclockres(const trace_attr_t *attr, struct timespec *resolution)
    TRACE_WITHOUT(ENOSYS);

TRACE_API int posix_trace_attr_getinherited(const trace_attr_t *TRACE_RESTRICT attr,
                                            int *TRACE_RESTRICT inheritancepolicy)
    TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_attr_setinherited(trace_attr_t *attr, int inheritancepolicy)
    TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_attr_getlogfullpolicy(const trace_attr_t *TRACE_RESTRICT attr,
                                                int *TRACE_RESTRICT logpolicy)
    TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_attr_setlogfullpolicy(trace_attr_t *attr, int logpolicy)
    TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_attr_getstreamfullpolicy(const trace_attr_t *TRACE_RESTRICT attr,
                                                   int *TRACE_RESTRICT streampolicy)
    TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_attr_setstreamfullpolicy(trace_attr_t *attr, int streampolicy)
    TRACE_WITHOUT(ENOSYS);

/* Largest size of a log in bytes; ignored with POSIX_TRACE_APPEND. */
TRACE_API int posix_trace_attr_getlogsize(const trace_attr_t *TRACE_RESTRICT attr,
                                          size_t *TRACE_RESTRICT logsize) TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_attr_setlogsize(trace_attr_t *attr, size_t logsize) TRACE_WITHOUT(ENOSYS);

/* Bytes of events that the stream stores before it loses any. The getmax...eventsize() functions
 * return the bytes of one event. */
TRACE_API int posix_trace_attr_getstreamsize(const trace_attr_t *TRACE_RESTRICT attr,
                                             size_t *TRACE_RESTRICT streamsize)
    TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_attr_setstreamsize(trace_attr_t *attr, size_t streamsize)
    TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_attr_getmaxsystemeventsize(const trace_attr_t *TRACE_RESTRICT attr,
                                                     size_t *TRACE_RESTRICT eventsize)
    TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_attr_getmaxusereventsize(const trace_attr_t *TRACE_RESTRICT attr,
                                                   size_t data_len,
                                                   size_t *TRACE_RESTRICT eventsize)
    TRACE_WITHOUT(ENOSYS);

/* Largest number of bytes of user data of an event; longer data are cut when they are recorded. */
TRACE_API int posix_trace_attr_getmaxdatasize(const trace_attr_t *TRACE_RESTRICT attr,
                                              size_t *TRACE_RESTRICT maxdatasize)
    TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_attr_setmaxdatasize(trace_attr_t *attr, size_t maxdatasize)
    TRACE_WITHOUT(ENOSYS);

/* Controller. ---------------------------------------------------------------------------------- */

/*
 * Create a stream that traces process `pid`, 0 for the caller. It is suspended and has an empty
 * filter. `attr` NULL: default attributes. In a Linux process, a name that a broker publishes
 * attaches to that stream of a target instead. Returns EAGAIN when TRACE_SYS_MAX streams exist, or
 * when the drain still sends records of the last user of the free stream; EINVAL for invalid
 * attributes, or FLUSH without log; ENOMEM when the stream does not fit into the memory; EPERM
 * without permission to trace `pid`; ESRCH when the process does not exist.
 */
TRACE_API int posix_trace_create(pid_t pid, const trace_attr_t *TRACE_RESTRICT attr,
                                 trace_id_t *TRACE_RESTRICT trid) TRACE_WITHOUT(ENOSYS);

/*
 * As posix_trace_create(), with a log: a tape that is written to `file_desc`. Returns also EBADF
 * when the file is not open for writing, EINVAL when it is not a regular file, ENOSPC when it
 * cannot take the first bytes.
 */
TRACE_API int posix_trace_create_withlog(pid_t pid, const trace_attr_t *TRACE_RESTRICT attr,
                                         int file_desc, trace_id_t *TRACE_RESTRICT trid)
    TRACE_WITHOUT(ENOSYS);

/*
 * Start and stop recording; no effect if the stream is in that state already. All functions with a
 * parameter `trid` return EINVAL when the caller has no such stream.
 */
TRACE_API int posix_trace_start(trace_id_t trid) TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_stop(trace_id_t trid) TRACE_WITHOUT(ENOSYS);

/* Write the recorded events to the log. Returns EINVAL for a stream without log, ENOSPC and EFBIG
 * when the file takes no more bytes. */
TRACE_API int posix_trace_flush(trace_id_t trid) TRACE_WITHOUT(ENOSYS);

/* Discard all events, also those in the log, as if the stream was new. A running stream continues
 * to run. */
TRACE_API int posix_trace_clear(trace_id_t trid) TRACE_WITHOUT(ENOSYS);

/* Flush and end a stream and its log. Functions that wait for its events return EINVAL. */
TRACE_API int posix_trace_shutdown(trace_id_t trid) TRACE_WITHOUT(ENOSYS);

/* Read and change the filter: the set of event types that the stream does not record. `how`:
 * POSIX_TRACE_SET_EVENTSET, POSIX_TRACE_ADD_EVENTSET, POSIX_TRACE_SUB_EVENTSET. */
TRACE_API int posix_trace_get_filter(trace_id_t trid, trace_event_set_t *set) TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_set_filter(trace_id_t trid, const trace_event_set_t *set, int how)
    TRACE_WITHOUT(ENOSYS);

/* Read attributes and status of a stream or a log. Reading the status resets overrun and flush
 * error. */
TRACE_API int posix_trace_get_attr(trace_id_t trid, trace_attr_t *attr) TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_get_status(trace_id_t trid, struct posix_trace_status_info *statusinfo)
    TRACE_WITHOUT(ENOSYS);

/* Event types. --------------------------------------------------------------------------------- */

/*
 * Get the event type of a name: the same one for every caller, a new one for a new name,
 * POSIX_TRACE_UNNAMED_USEREVENT when TRACE_USER_EVENT_MAX are in use. Returns ENAMETOOLONG for a
 * name longer than TRACE_EVENT_NAME_MAX bytes.
 */
TRACE_API int posix_trace_eventid_open(const char *TRACE_RESTRICT event_name,
                                       trace_event_id_t *TRACE_RESTRICT event_id)
    TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_trid_eventid_open(trace_id_t trid, const char *TRACE_RESTRICT event_name,
                                            trace_event_id_t *TRACE_RESTRICT event)
    TRACE_WITHOUT(ENOSYS);

/* Return a value other than 0 when both are the same event type. */
TRACE_API int posix_trace_eventid_equal(trace_id_t trid, trace_event_id_t event1,
                                        trace_event_id_t event2) TRACE_WITHOUT(event1 == event2);

/* Read the name of an event type, at most TRACE_EVENT_NAME_MAX + 1 bytes with the terminating zero.
 * Returns EINVAL for an event type unknown to the stream. */
TRACE_API int posix_trace_eventid_get_name(trace_id_t trid, trace_event_id_t event,
                                           char *event_name) TRACE_WITHOUT(ENOSYS);

/* Iterate over the event types; *unavailable is not 0 after the last one. rewind() starts again. */
TRACE_API int posix_trace_eventtypelist_getnext_id(trace_id_t trid,
                                                   trace_event_id_t *TRACE_RESTRICT event,
                                                   int *TRACE_RESTRICT unavailable)
    TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_eventtypelist_rewind(trace_id_t trid) TRACE_WITHOUT(ENOSYS);

/* Sets of event types. The functions return EINVAL for an invalid event type. */
TRACE_API int posix_trace_eventset_add(trace_event_id_t event_id, trace_event_set_t *set)
    TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_eventset_del(trace_event_id_t event_id, trace_event_set_t *set)
    TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_eventset_empty(trace_event_set_t *set) TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_eventset_fill(trace_event_set_t *set, int what) TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_eventset_ismember(trace_event_id_t event_id,
                                            const trace_event_set_t *TRACE_RESTRICT set,
                                            int *TRACE_RESTRICT ismember) TRACE_WITHOUT(ENOSYS);

/* Another name for posix_trace_eventset_fill(), from RTL-POSIX-Trace. */
TRACE_API int posix_trace_eventset_full(trace_event_set_t *set, int what) TRACE_WITHOUT(ENOSYS);

/* The traced process. -------------------------------------------------------------------------- */

/*
 * Trace an event with `data_len` bytes of data in every stream that traces the caller, runs and
 * does not filter it out. Threads, interrupts, signal handlers. Interrupts are masked for one
 * record at a time, whatever the data and the streams; in a firmware, for up to four bytes of data,
 * for the two records of the event.
 */
TRACE_API void posix_trace_event(trace_event_id_t event_id, const void *TRACE_RESTRICT data_ptr,
                                 size_t data_len) TRACE_WITHOUT();

#if defined(TT_CONFIG_ENABLED) && !defined(TRACE_OF_PROCESSES) && !defined(__cplusplus)
#if TT_CONFIG_ENABLED
#include "trace_routed.h"
#endif
#endif

/* The analyzer. -------------------------------------------------------------------------------- */

/*
 * Read the oldest unread event. getnext() waits for one, timedgetnext() waits until a time of
 * CLOCK_REALTIME, trygetnext() does not wait. *unavailable is 0 when an event was read. In a log,
 * getnext() reads each event in turn and then sets *unavailable; the others return EINVAL. Data
 * longer than `num_bytes` are cut. Returns also EINTR when a signal was handled during the wait,
 * and ETIMEDOUT.
 *
 * An event whose records lie in several buffers is complete if at most 16 records of other events
 * lie between its first record and its last buffer. Otherwise it is lost, and POSIX_TRACE_OVERFLOW
 * reports that.
 */
TRACE_API int posix_trace_getnext_event(trace_id_t trid,
                                        struct posix_trace_event_info *TRACE_RESTRICT event,
                                        void *TRACE_RESTRICT data, size_t num_bytes,
                                        size_t *TRACE_RESTRICT data_len,
                                        int *TRACE_RESTRICT unavailable) TRACE_WITHOUT(ENOSYS);
TRACE_API int
posix_trace_timedgetnext_event(trace_id_t trid, struct posix_trace_event_info *TRACE_RESTRICT event,
                               void *TRACE_RESTRICT data, size_t num_bytes,
                               size_t *TRACE_RESTRICT data_len, int *TRACE_RESTRICT unavailable,
                               const struct timespec *TRACE_RESTRICT abstime) TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_trygetnext_event(trace_id_t trid,
                                           struct posix_trace_event_info *TRACE_RESTRICT event,
                                           void *TRACE_RESTRICT data, size_t num_bytes,
                                           size_t *TRACE_RESTRICT data_len,
                                           int *TRACE_RESTRICT unavailable) TRACE_WITHOUT(ENOSYS);

/* Open a log for reading from its start; returns EINVAL when the file is not a log. Read it again
 * from the start. Close it. */
TRACE_API int posix_trace_open(int file_desc, trace_id_t *trid) TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_rewind(trace_id_t trid) TRACE_WITHOUT(ENOSYS);
TRACE_API int posix_trace_close(trace_id_t trid) TRACE_WITHOUT(ENOSYS);

/* The kernel trace facility of RTL-POSIX-Trace. ------------------------------------------------ */

#define RTL_KTRACE_STREAM_NAME "rtl_ktrace"

/* Start or stop the recording of system events in a stream of its own, which the first start
 * creates. Return 0 or an error number. */
TRACE_API int rtl_ktrace_start(void) TRACE_WITHOUT(ENOSYS);
TRACE_API int rtl_ktrace_stop(void) TRACE_WITHOUT(ENOSYS);

#ifdef TT_API_END
TT_API_END
#endif
#pragma GCC visibility pop

#ifdef __cplusplus
}
#endif

#endif
