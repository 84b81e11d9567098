/*
 * tickertape/qnx.h - the recorder under the names of the QNX instrumented kernel.
 *
 * Three parts. The emitters of kernel modules, add_trace_event() and its family, call tt_add_...()
 * and tt_combine_...(). TraceEvent() is the control interface of applications; its source is
 * facades/qnx (FACADES := qnx in an example.mk), and it works on stream 0. The functions
 * trace_log...() record events of class USER for applications. No part has events, buffers or masks
 * of its own.
 *
 *     TraceEvent(_NTO_TRACE_DELALLCLASSES);
 *     TraceEvent(_NTO_TRACE_ADDCLASS, _NTO_TRACE_THREAD);
 *     TraceEvent(_NTO_TRACE_SETEVENTWIDE, _NTO_TRACE_KERCALL, 80);
 *     TraceEvent(_NTO_TRACE_START);
 *
 * Emitters may be called from threads and interrupts of every priority, TraceEvent() from threads
 * and before the kernel runs; its INSERT commands, START without state, STOP and FLUSH also from
 * interrupts.
 */
#ifndef TICKERTAPE_QNX_H
#define TICKERTAPE_QNX_H

#include <errno.h>
#include <stdarg.h>
#include <stdint.h>

#include "tickertape/add.h"
#include "tickertape/api.h"
#include "tickertape/combine.h"

TT_API_BEGIN

/*
 * The header of an event for the emitters: its class (TT_CLASS_...) and its number, 0 to 1023. The
 * recorder sets all other bits.
 */
#define _TRACE_MAKE_CODE(event_class, event) TT_ADD_HEADER(event_class, event)
#define _NTO_TRACE_GETEVENT_C(header)        (((header) >> TT_RECORD_CLASS_FIRST_BIT) & 31u)
#define _NTO_TRACE_GETEVENT(header)          ((header) & TT_RECORD_EVENT_MASK)

/* The emitters. Each returns 0, also when no stream takes the event. */
static inline int add_trace_event(uint32_t header, uint32_t data0, uint32_t data1)
{
    tt_add_event(_NTO_TRACE_GETEVENT_C(header), _NTO_TRACE_GETEVENT(header), data0, data1);
    return 0;
}

static inline int add_trace_buffer(uint32_t header, const void *bytes, uint32_t byte_count)
{
    tt_add_buffer(_NTO_TRACE_GETEVENT_C(header), _NTO_TRACE_GETEVENT(header), bytes, byte_count);
    return 0;
}

/* Record one event in several calls: begin it, add bytes, end it. *combine is its state; keep it on
 * the stack of the caller. */
static inline int add_trace_b_init(tt_combine_t *combine, uint32_t header)
{
    tt_combine_begin(combine, _NTO_TRACE_GETEVENT_C(header), _NTO_TRACE_GETEVENT(header));
    return 0;
}

static inline int add_trace_b_add(tt_combine_t *combine, const void *bytes, uint32_t byte_count)
{
    tt_combine_add(combine, bytes, byte_count);
    return 0;
}

static inline int add_trace_b_end(tt_combine_t *combine)
{
    tt_combine_end(combine);
    return 0;
}

static inline int add_trace_string(uint32_t header, const char *text)
{
    tt_add_string(_NTO_TRACE_GETEVENT_C(header), _NTO_TRACE_GETEVENT(header), text);
    return 0;
}

static inline int add_trace_d1_string(uint32_t header, uint32_t data0, const char *text)
{
    tt_add_d1_string(_NTO_TRACE_GETEVENT_C(header), _NTO_TRACE_GETEVENT(header), data0, text);
    return 0;
}

static inline int add_trace_d2_string(uint32_t header, uint32_t data0, uint32_t data1,
                                      const char *text)
{
    tt_add_d2_string(_NTO_TRACE_GETEVENT_C(header), _NTO_TRACE_GETEVENT(header), data0, data1,
                     text);
    return 0;
}

/* The classes of TraceEvent(), which divide the recorded classes. */
typedef enum trace_class {
    _NTO_TRACE_EMPTY,
    _NTO_TRACE_CONTROL,
    _NTO_TRACE_KERCALL, /* event n: call n, entered, left and interrupted */
    _NTO_TRACE_KERCALLENTER,
    _NTO_TRACE_KERCALLEXIT,
    _NTO_TRACE_KERCALLINT,
    _NTO_TRACE_INT, /* the five classes of interrupts have no event numbers */
    _NTO_TRACE_INTENTER,
    _NTO_TRACE_INTEXIT,
    _NTO_TRACE_PROCESS, /* event 1 << n: the n-th of create, destroy, ... */
    _NTO_TRACE_THREAD,  /* event 1 << n: state n; 1 << 24 create, 1 << 25 destroy */
    _NTO_TRACE_VTHREAD, /* the same for remote threads */
    _NTO_TRACE_USER,
    _NTO_TRACE_SYSTEM,
    _NTO_TRACE_COMM,
    _NTO_TRACE_INT_HANDLER_ENTER,
    _NTO_TRACE_INT_HANDLER_EXIT,
} trace_class_t;

/* A command: the number of arguments, including the command, and the number of the command. */
#define TT_QNX_COMMAND(arguments, number) ((uint32_t)(arguments) << 28 | (number))

/* Masks. Arguments: (), (class) or (class, event). */
#define _NTO_TRACE_ADDALLCLASSES TT_QNX_COMMAND(1, 1u)
#define _NTO_TRACE_DELALLCLASSES TT_QNX_COMMAND(1, 2u)
#define _NTO_TRACE_ADDCLASS      TT_QNX_COMMAND(2, 3u)
#define _NTO_TRACE_DELCLASS      TT_QNX_COMMAND(2, 4u)
#define _NTO_TRACE_ADDEVENT      TT_QNX_COMMAND(3, 5u)
#define _NTO_TRACE_DELEVENT      TT_QNX_COMMAND(3, 6u)

/* Handlers. Arguments: (class, event, trace_handler_t, event_data_t *), without the event for a
 * class; the DEL commands take only (class [, event]). Handlers, and pid and tid filters, exist for
 * recorded classes (KERCALL, INT, THREAD with PROCESS, USER, SYSTEM, COMM, CONTROL), for each of
 * the four kinds of interrupt events, and for events of every class. */
#define _NTO_TRACE_ADDEVENTHANDLER   TT_QNX_COMMAND(5, 7u)
#define _NTO_TRACE_DELEVENTHANDLER   TT_QNX_COMMAND(3, 8u)
#define _NTO_TRACE_ADDCLASSEVHANDLER TT_QNX_COMMAND(4, 36u)
#define _NTO_TRACE_DELCLASSEVHANDLER TT_QNX_COMMAND(2, 37u)

/* STARTNOSTATE omits the state dump. FLUSHBUFFER closes the buffers being filled;
 * QUERYEVENTS returns how many records wait to be sent. Buffers are static: ALLOCBUFFER returns
 * EEXIST, DEALLOCBUFFER ENOTSUP. */
#define _NTO_TRACE_START         TT_QNX_COMMAND(1, 10u)
#define _NTO_TRACE_STOP          TT_QNX_COMMAND(1, 11u)
#define _NTO_TRACE_ALLOCBUFFER   TT_QNX_COMMAND(3, 12u)
#define _NTO_TRACE_DEALLOCBUFFER TT_QNX_COMMAND(1, 13u)
#define _NTO_TRACE_FLUSHBUFFER   TT_QNX_COMMAND(1, 14u)
#define _NTO_TRACE_QUERYEVENTS   TT_QNX_COMMAND(1, 15u)
#define _NTO_TRACE_STARTNOSTATE  TT_QNX_COMMAND(1, 33u)
#define _NTO_TRACE_QUERYVERSION  TT_QNX_COMMAND(1, 40u)
#define _NTO_TRACE_QUERYSUPPORT  TT_QNX_COMMAND(1, 41u)

/* Policy of a full ring; call before START. SETRINGMODE keeps the newest records; SETLINEARMODE
 * stops when the ring is full. For a stream that is sent while it records: when the drain is late,
 * SKIPBUFFER drops new records, OVERWRITEBUFFER overwrites old ones. */
#define _NTO_TRACE_SETRINGMODE     TT_QNX_COMMAND(1, 34u)
#define _NTO_TRACE_SETLINEARMODE   TT_QNX_COMMAND(1, 35u)
#define _NTO_TRACE_SKIPBUFFER      TT_QNX_COMMAND(1, 38u)
#define _NTO_TRACE_OVERWRITEBUFFER TT_QNX_COMMAND(1, 39u)

/* Forms. Arguments: (), (class) or (class, event). */
#define _NTO_TRACE_SETALLCLASSESFAST TT_QNX_COMMAND(1, 16u)
#define _NTO_TRACE_SETALLCLASSESWIDE TT_QNX_COMMAND(1, 17u)
#define _NTO_TRACE_SETCLASSFAST      TT_QNX_COMMAND(2, 18u)
#define _NTO_TRACE_SETCLASSWIDE      TT_QNX_COMMAND(2, 19u)
#define _NTO_TRACE_SETEVENTFAST      TT_QNX_COMMAND(3, 20u)
#define _NTO_TRACE_SETEVENTWIDE      TT_QNX_COMMAND(3, 21u)

/* Filters. Arguments: (class [, event], pid [, tid]); the CLR commands take only (class [, event]).
 * A class or event has one filter: a new one replaces it, and either CLR command removes it. */
#define _NTO_TRACE_SETCLASSPID TT_QNX_COMMAND(3, 22u)
#define _NTO_TRACE_SETCLASSTID TT_QNX_COMMAND(4, 23u)
#define _NTO_TRACE_SETEVENTPID TT_QNX_COMMAND(4, 24u)
#define _NTO_TRACE_SETEVENTTID TT_QNX_COMMAND(5, 25u)
#define _NTO_TRACE_CLRCLASSPID TT_QNX_COMMAND(2, 26u)
#define _NTO_TRACE_CLRCLASSTID TT_QNX_COMMAND(2, 27u)
#define _NTO_TRACE_CLREVENTPID TT_QNX_COMMAND(3, 28u)
#define _NTO_TRACE_CLREVENTTID TT_QNX_COMMAND(3, 29u)

/* Events. Arguments, in this order: (header, time, word, word), the time is ignored; (event, word,
 * word); (event, words, count); (event, text). The last two are the second and the third with a
 * class in front. */
#define _NTO_TRACE_INSERTEVENT       TT_QNX_COMMAND(5, 9u)
#define _NTO_TRACE_INSERTSUSEREVENT  TT_QNX_COMMAND(4, 30u)
#define _NTO_TRACE_INSERTCUSEREVENT  TT_QNX_COMMAND(4, 31u)
#define _NTO_TRACE_INSERTUSRSTREVENT TT_QNX_COMMAND(3, 32u)
#define _NTO_TRACE_INSERTSCLASSEVENT TT_QNX_COMMAND(5, 42u)
#define _NTO_TRACE_INSERTCCLASSEVENT TT_QNX_COMMAND(5, 43u)

#define _NTO_TRACE_FIPID 0
#define _NTO_TRACE_FITID 1

/* Argument of a handler. `area` belongs to the user, `handler` to the recorder. */
typedef struct event_data {
    uint32_t header;
    const uint32_t *data_array; /* until the handler returns */
    uint32_t el_num;            /* words at data_array */
    void *area;
    uint32_t feature_mask; /* bit n: feature[n] is valid; both are */
    uint32_t feature[2];   /* pid and tid of the emitter */
    int (*handler)(struct event_data *data);
} event_data_t;

/* A handler decides about an event: it returns 0 to suppress it. Each call gets its own copy of the
 * event_data_t that was registered, so a handler may run on several CPUs at a time. Rules:
 * tickertape/filter.h. */
typedef int (*trace_handler_t)(event_data_t *data);

/*
 * Execute one of the commands above. Returns 0 or the requested value, or one of these numbers of
 * errno.h, negated:
 *     ENOTSUP    no such command, class or event, or not for this class
 *     ECANCELED  not now: the recorder is not ready, or the mode changes while it records
 *     ENOMEM     no place for another filter or handler (TT_CONFIG_FILTERS)
 *     EINVAL     no such handler
 *     EFAULT     flush or query before the recorder is ready
 *     EEXIST     the buffers exist
 */
TT_API int TraceEvent(uint32_t command, ...)
    TT_WITHOUT(command == _NTO_TRACE_QUERYSUPPORT ? 0 : -ENOTSUP);

/* Length of the longest text of trace_logf() in bytes, without the terminating zero; a longer text
 * is cut. */
#ifndef TT_QNX_LOG_BYTES
#define TT_QNX_LOG_BYTES 127
#endif

/*
 * Record a formatted text as event `code` (0 to 1023) of class USER; trace_nlogf() and
 * trace_vnlogf() record at most `most` bytes. If a stream takes the event, vsnprintf() of the C
 * library formats the text on the stack of the caller, in TT_QNX_LOG_BYTES + 1 bytes and what
 * vsnprintf() needs. A text that was cut is marked as truncated. tt_logf() (tickertape/log.h) costs
 * a fraction and records event SYSTEM LOG.
 *
 * Context: that of vsnprintf(); newlib's version needs an _sbrk() of the application to link.
 * Returns the number of bytes recorded, 0 when no stream takes the event, or -1 when vsnprintf()
 * fails.
 */
__attribute__((format(printf, 2, 3))) TT_API int trace_logf(int code, const char *format, ...)
    TT_WITHOUT(0);
__attribute__((format(printf, 3, 4))) TT_API int trace_nlogf(int code, int most, const char *format,
                                                             ...) TT_WITHOUT(0);
__attribute__((format(printf, 3, 0))) TT_API int trace_vnlogf(int code, int most,
                                                              const char *format, va_list arguments)
    TT_WITHOUT(0);

/* Record two words as event `code` of class USER. Returns 0. */
static inline int trace_logi(int code, uint32_t data0, uint32_t data1)
{
    tt_add_event(TT_CLASS_USER, (uint32_t)code & TT_RECORD_EVENT_MASK, data0, data1);
    return 0;
}

/* Record bytes as event `code` of class USER, or of the class in `header` (_TRACE_MAKE_CODE).
 * Return 0. QNX rounds the length up to words; these functions record the exact length. */
static inline int trace_logb(int code, const void *bytes, uint32_t byte_count)
{
    tt_add_buffer(TT_CLASS_USER, (uint32_t)code & TT_RECORD_EVENT_MASK, bytes, byte_count);
    return 0;
}

static inline int trace_logbc(uint32_t header, int code, const void *bytes, uint32_t byte_count)
{
    tt_add_buffer(_NTO_TRACE_GETEVENT_C(header), (uint32_t)code & TT_RECORD_EVENT_MASK, bytes,
                  byte_count);
    return 0;
}

TT_API_END

#endif
