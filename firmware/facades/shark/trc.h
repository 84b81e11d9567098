/*
 * trc.h - the API of the S.Ha.R.K. tracer, as a view of the recorder.
 *
 * Queue n is stream n of the recorder, with a policy of the recorder; events and classes assigned
 * to it are the stream's selection. The view itself stores only the queue of each event, and
 * whether the event is traced.
 *
 *     TRC_init_phase1(NULL);                              // before the kernel runs
 *     trc_register_fixed_queue();
 *     int queue = trc_create_queue(TRC_FIXED_QUEUE, NULL);
 *     trc_assign_class_to_queue(TRC_CLASS_SYSTEM, queue);
 *     trc_trace_class(TRC_CLASS_SYSTEM);
 *     TRC_init_phase2();                                  // when threads can be created
 *
 * The kernel's hooks emit the events of the kernel; docs/shark.md lists the recorded event of each.
 * trc_logevent() records an event of class TRC with the same number, so an application may log any
 * event.
 *
 * Context: threads, and before the kernel runs; trc_logevent() any context. Functions return 0, or
 * a number if stated; -1 is an error.
 */
#ifndef TRC_H
#define TRC_H

#include "trc_kernel.h"
#include "trc_types.h"

#include "tickertape/api.h"

TT_API_BEGIN

/* Largest number of queues and of types of queues. */
#define TRC_MAXQUEUES        5
#define TRC_QUEUETYPESNUMBER 8

#define TRC_DUMMY_QUEUE       0 /* records nothing */
#define TRC_FIXED_QUEUE       1 /* keeps the first events; the rest is dropped */
#define TRC_DOSFS_FIXED_QUEUE 2 /* the same */
#define TRC_CIRCULAR_QUEUE    3 /* keeps the last events; or is saved while the system runs */
#define TRC_UDP_QUEUE         4 /* is sent while the system runs, one packet per period */

/*
 * A queue. If `get` is NULL, the queue is a stream of the recorder. Otherwise the queue stores
 * events itself: get() returns the place for an event, or NULL without room, and post() is called
 * after the event was stored there. Both are called with interrupts masked, for one event at a time
 * on all CPUs; they must not log.
 */
typedef struct TAGtrc_queue_t {
    int type;
    trc_event_t *(*get)(void *data);
    int (*post)(void *data);
    void *data;
} trc_queue_t;

/*
 * Register a type of queues, or replace one. create() fills in a queue; its `args` are those of
 * trc_create_queue(). TRC_init_phase2() calls activate() with the queue's data and its number, from
 * 1; trc_end() calls terminate(). Each returns 0, or a negative value for an error.
 */
TT_API int trc_register_queuetype(int queuetype, int (*create)(trc_queue_t *queue, void *args),
                                  int (*activate)(void *data, int number),
                                  int (*terminate)(void *data)) TT_WITHOUT(0);

/* Create a queue, which records from now on. Returns its number: 0, 1, ... in the order of
 * creation. */
TT_API int trc_create_queue(int queuetype, void *args) TT_WITHOUT(0);

/* Set the queue of an event, or of all events of a class. An event is recorded only if it is traced
 * too. */
TT_API int trc_assign_event_to_queue(int event, int queue) TT_WITHOUT(0);
TT_API int trc_assign_class_to_queue(int event_class, int queue) TT_WITHOUT(0);

/* Set which events are traced; initially none is. */
TT_API int trc_trace_event(int event) TT_WITHOUT(0);
TT_API int trc_notrace_event(int event) TT_WITHOUT(0);
TT_API int trc_trace_class(int event_class) TT_WITHOUT(0);
TT_API int trc_notrace_class(int event_class) TT_WITHOUT(0);

/*
 * Record an event. `info` points to its four bytes of data (a trc_*_event_t), or is NULL for zeros.
 * Returns -1 when the event does not exist. Any context; never blocks.
 */
TT_API int trc_logevent(int event, const void *info) TT_WITHOUT(0);

/* trc_suspend() stops recording until trc_resume(), and always returns 0. trc_resume() returns -1
 * if recording was not suspended. */
TT_API int trc_suspend(void) TT_WITHOUT(0);
TT_API int trc_resume(void) TT_WITHOUT(0);

/* Folder in which files are written, if the target can write files (trc_port.h); NULL: ".". */
typedef struct TAGtrc_parms {
    const char *path;
} TRC_PARMS;

#define trc_default_parms(m)   ((m).path = (const char *)0)
#define trc_def_path(m, value) ((m).path = (value))

/* Begin: remove all queues and types, trace nothing. `parms` may be NULL. Call it after
 * tt_init(). */
TT_API int TRC_init_phase1(const TRC_PARMS *parms) TT_WITHOUT(0);

/* Activate all queues. Call it when threads can be created. Returns 0, or -1 when a queue
 * refuses. */
TT_API int TRC_init_phase2(void) TT_WITHOUT(0);

/* As the functions above for the standard queues: queue 0 circular, queue 1 fixed, system events in
 * queue 0. Phase 1 returns 0, or -97 when a queue cannot be created. */
TT_API int TRC_init_phase1_standard(void) TT_WITHOUT(0);
TT_API int TRC_init_phase2_standard(void) TT_WITHOUT(0);

/* Suspend recording and terminate all queues, which saves their records. Call it before the system
 * ends. Threads; blocks. */
TT_API void trc_end(void) TT_WITHOUT();

/* Types of queues. ----------------------------------------------------------------------------- */

#define TRC_DEFAULT_SIZE      0 /* the whole ring; 8192 in the original */
#define TRC_DEFAULT_PERIOD_US 500000
#define TRC_DEFAULT_SLICE_US  25000

TT_API int trc_register_dummy_queue(void) TT_WITHOUT(0);

/*
 * A fixed queue keeps at least the first `size` events: `size` is rounded up to whole buffers. A
 * ring has TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS records; a larger size is refused, 0 takes
 * the whole ring. trc_end() saves the events.
 */
typedef struct TAGtrc_fixed_queue_args_t {
    const char *filename; /* NULL: "fix" and the queue's number, from 1 */
    int size;
} TRC_FIXED_PARMS;

#define trc_fixed_default_parms(m)   ((m).filename = (const char *)0, (m).size = TRC_DEFAULT_SIZE)
#define trc_fixed_def_filename(m, s) ((m).filename = (s))
#define trc_fixed_def_size(m, s)     ((m).size = (s))

TT_API int trc_register_fixed_queue(void) TT_WITHOUT(0);
TT_API int trc_register_dosfs_fixed_queue(void) TT_WITHOUT(0);

/*
 * An off-line circular queue keeps at least the last `size` events; trc_end() saves them. A new
 * buffer overwrites the oldest one, so the queue has one more buffer, which the ring must have. For
 * an on-line queue, a task saves the records every `period`, for at most `slice`; records without
 * room are dropped, and an event TRC_HOOPS counts them.
 */
typedef struct TAGtrc_circular_queue_args_t {
    const char *filename; /* NULL: "cir" and the queue's number, from 1 */
    int size;
    long period; /* microseconds */
    long slice;  /* microseconds */
    int flags;
} TRC_CIRCULAR_PARMS;

#define TRC_CIRCULAR_ONLINETASK 0x0001

#define trc_circular_default_parms(m)                                                              \
    ((m).filename = (const char *)0, (m).size = TRC_DEFAULT_SIZE,                                  \
     (m).period = TRC_DEFAULT_PERIOD_US, (m).slice = TRC_DEFAULT_SLICE_US, (m).flags = 0)
#define trc_circular_def_filename(m, s) ((m).filename = (s))
#define trc_circular_def_size(m, s)     ((m).size = (s))
#define trc_circular_def_onlinetask(m)  ((m).flags |= TRC_CIRCULAR_ONLINETASK)
#define trc_circular_def_period(m, p)   ((m).period = (p))
#define trc_circular_def_slice(m, s)    ((m).slice = (s))

TT_API int trc_register_circular_queue(void) TT_WITHOUT(0);

/*
 * A UDP queue is sent while the system runs: a task sends at most one buffer per period, within its
 * budget. Records without room are dropped, and an event TRC_HOOPS counts them. The recorder's link
 * carries the trace. If `remote` has a port and the target a network, each buffer is also sent
 * there as a packet of the S.Ha.R.K. tracer: the number of records (u16), then the records.
 * `tickertape udpdump` reads these packets. A buffer must then fit into a packet: at most
 * TRC_UDP_PACKET_RECORDS records. After trc_end() begins, the task runs until everything is sent.
 */
typedef struct TAGtrc_udp_queue_args_t {
    int size;
    UDP_ADDR local, remote;
    TASK_MODEL *model; /* first member of a SOFT_TASK_MODEL; NULL: the defaults below */
} TRC_UDP_PARMS;

#define TRC_UDP_PERIOD_US 250000
#define TRC_UDP_WCET_US   10000

/* Records that fit into an Ethernet frame after the headers of IPv4 and UDP. */
#define TRC_UDP_PACKET_RECORDS ((1472u - sizeof(uint16_t)) / sizeof(trc_event_t))

#define trc_udp_default_parms(m, l, r)                                                             \
    ((m).size = TRC_DEFAULT_SIZE, (m).local = (l), (m).remote = (r), (m).model = (TASK_MODEL *)0)
#define trc_udp_def_size(m, s)      ((m).size = (s))
#define trc_udp_def_local(m, l)     ((m).local = (l))
#define trc_udp_def_remote(m, r)    ((m).remote = (r))
#define trc_udp_def_model(m, value) ((m).model = (value))

TT_API int trc_register_udp_queue(void) TT_WITHOUT(0);

TT_API_END

#endif
