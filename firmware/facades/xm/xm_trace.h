/*
 * xm_trace.h - the interface of xmtrace, the tracer of XtratuM, over tickertape.
 *
 * A trace point is xm_trace(event, data, eip) or xm_trace2(event, data), which records its call
 * site. xm_trace is a function pointer: it points to an empty function before the start and after
 * the stop of the tracer.
 *
 * The view has no buffers: events are records of tickertape, new events are definitions, class
 * masks are the selection, and finalized buffers are a stream with policy FINALIZE or
 * FINALIZE_FREE. It requires TT_CONFIG_DEFINITIONS 64 for names and classes, and
 * TT_CONFIG_EVENT_MASKS 64 for single events (256 bytes). Threads of a domain use the kernel's
 * system call instead (kernel_domain_trace() of the reference kernel).
 *
 * `tickertape print --style xm` writes the listing; see docs/xmtrace.md.
 */
#ifndef XM_TRACE_H
#define XM_TRACE_H

#include <stdint.h>

#include "tickertape/api.h"

TT_API_BEGIN

/* The stream that all functions use. */
#ifndef XM_STREAM
#define XM_STREAM 0u
#endif

/*
 * Number n is event n of its class in tickertape: class USER for events of class USER, which
 * domains may record; otherwise XM_FIRST_CLASS (16 to 28) for DEFAULT and the three classes after
 * it for INTERRUPTS, SCHEDULER and REDD.
 */
#ifndef XM_FIRST_CLASS
#define XM_FIRST_CLASS 16u
#endif

/* Number of buffers of the tracer on each CPU. */
#define XM_NRBUFFERS TT_CONFIG_BUFFERS

/* Events. Numbers 21 to 61 are free for the user. */
enum xm_trace_event {
    XM_TRACE_HARD_CLI = 0,
    XM_TRACE_HARD_STI = 1,
    XM_TRACE_HARD_SAVE_FLAGS = 2,
    XM_TRACE_HARD_RESTORE_FLAGS = 3,
    XM_TRACE_HARD_SAVEF_AND_CLI = 4,
    XM_TRACE_INTERCEPT = 5,
    XM_TRACE_INTERCEPT_EXIT = 6,
    XM_TRACE_LOCAL_INTERCEPT = 7,
    XM_TRACE_LOCAL_INTERCEPT_EXIT = 8,
    XM_TRACE_SPIN_LOCK = 9,
    XM_TRACE_SPIN_UNLOCK = 10,
    XM_TRACE_SCHED_IN = 11,
    XM_TRACE_SCHED_OUT = 12,
    XM_TRACE_SCHED_CTX_SWITCH = 13,
    XM_TRACE_REDD_RX = 14,
    XM_TRACE_REDD_TX = 15,
    XM_TRACE_REDD_TX_ACK = 16,
    XM_TRACE_REDD_DEBUG = 17,
    XM_TRACE_FINALIZE = 18, /* never recorded: the trace in this buffer is finished */
    XM_TRACE_USER = 19,
    XM_TRACE_DOMAIN_USER = 20,
    XM_TRACE_FIRST_FREE = 21,
    XM_TRACE_SYSCALL_ENTRY = 62, /* of a domain; the xmtrace paper does not number these two */
    XM_TRACE_SYSCALL_EXIT = 63,
    XM_TRACE_MAX_EVENTS = 64,
};

/* Classes, one bit each. */
#define XM_CLASS_DEFAULT    1u
#define XM_CLASS_INTERRUPTS 2u
#define XM_CLASS_USER       4u
#define XM_CLASS_SCHEDULER  8u
#define XM_CLASS_REDD       16u
#define XM_CLASS_ALL        0xffffffffu

/* Largest length of a name in bytes; a longer name is cut. */
#define XM_NAME_BYTES 29u

/* Record an event with one word and a code address. Any context. */
#if TT_CONFIG_ENABLED
extern void (*xm_trace)(int event, long data, unsigned long eip);
#else
TT_API void xm_trace(int event, long data, unsigned long eip) TT_WITHOUT();
#endif

/* As xm_trace(), with the address of the call. */
TT_API void xm_trace2(int event, long data) TT_WITHOUT();

/*
 * Set the effect of XM_TRACE_FINALIZE, before xm_trace_start(). The event finishes the trace in the
 * current buffer, which the drain sends, and recording continues in the next buffer. If the next
 * buffer still waits to be sent, xmtrace discards the finished trace; RTLinux's tracer does so only
 * if no buffer is free. Without this call the stream keeps its policy and no trace is finalized.
 * Requires TT_CONFIG_FINALIZE 1.
 *
 * Returns 0. Returns -1 and changes nothing for another value of `behaviour`, without
 * TT_CONFIG_FINALIZE, while the tracer runs, and after xm_trace_stop() until the drain has sent
 * every record of the stream.
 */
enum xm_finalize {
    XM_FINALIZE_NEXT,     /* behaviour of xmtrace */
    XM_FINALIZE_ANY_FREE, /* behaviour of RTLinux */
};
TT_API int xm_set_finalize(enum xm_finalize behaviour) TT_WITHOUT(0);

/* Return the number of finished traces that were discarded, including those whose records found no
 * free buffer. The host gets the same number. Any context. */
TT_API unsigned int xm_lost_traces(void) TT_WITHOUT(0);

/*
 * Start and stop the tracer after tt_init(), like loading and removing the module of xmtrace. The
 * first start selects all events, unless a class mask was set or the stream already takes events of
 * xmtrace. From a thread, or before the kernel runs. Return 0, or -1 when tickertape refuses.
 */
TT_API int xm_trace_start(void) TT_WITHOUT(0);
TT_API int xm_trace_stop(void) TT_WITHOUT(0);

/* Record the events of these classes and no others, except those that are disabled. INTERRUPTS
 * includes the kernel's own interrupts (class INT). Any context. */
TT_API void xm_set_class_mask(unsigned int mask) TT_WITHOUT();

/*
 * Enable or disable a single event; initially all are enabled. An event is recorded if it is
 * enabled and its class is in the mask. A disabled event is not offered to the stream, so it is not
 * a loss; this includes events of the kernel and of domains. Return 0, or -1 for the errors of
 * xm_event_set_name() and when no event mask is free, because other callers use them; the event
 * then stays unchanged. Threads.
 */
TT_API int xm_event_enable(int event) TT_WITHOUT(0);
TT_API int xm_event_disable(int event) TT_WITHOUT(0);

/*
 * Set the name of an event, or its class (one bit). The first name defines a new event, which is in
 * class DEFAULT until its class is set. Return 0, or -1 for a number of 64 or more, for FINALIZE,
 * and for an invalid class.
 */
TT_API int xm_event_set_name(int event, const char *name) TT_WITHOUT(0);
TT_API int xm_event_set_class(int event, unsigned int event_class) TT_WITHOUT(0);

TT_API_END

#endif
