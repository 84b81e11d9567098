/* Generated from protocol/events.yaml by make gen; do not edit. */
/*
 * tickertape/events.h - numbers of classes, events and kernel calls, and the route table.
 *
 * An event type is a class and a number. Each declared type has an entry of its own in tt_route[];
 * every class has one more entry, TT_ROUTE_<CLASS>_OTHER, for numbers that are not declared. The
 * entries of a class are contiguous; OTHER is the last one.
 */
#ifndef TICKERTAPE_EVENTS_H
#define TICKERTAPE_EVENTS_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/config.h"
#include "tickertape/language.h"

/* Hash of the meaning of all events; a host reports a target with another hash. */
#define TT_DICTIONARY_HASH UINT64_C(0x6ce69a3bd4898263)

/* Classes. */
#define TT_CLASS_EMPTY             0u
#define TT_CLASS_CONTROL           1u
#define TT_CLASS_KERCALL           2u
#define TT_CLASS_INT               3u
#define TT_CLASS_THREAD            4u
#define TT_CLASS_SYSTEM            5u
#define TT_CLASS_USER              6u
#define TT_CLASS_COMM              7u
#define TT_CLASS_SYNC              8u
#define TT_CLASS_SCHED             9u
#define TT_CLASS_IRQSTATE          10u
#define TT_CLASS_DOMAIN            11u
#define TT_CLASS_SIGNAL            12u
#define TT_CLASS_RUNNABLE          13u
#define TT_CLASS_TRACER            14u
#define TT_CLASS_TRC               15u
#define TT_CLASS_CONTAINER         TT_CLASS_SYSTEM
#define TT_CLASS_APPLICATION_FIRST 16u
#define TT_CLASS_APPLICATION_LAST  31u
#define TT_CLASS_COUNT             32u

/* Events of CONTROL: Events of the recorder about the stream that contains them. */
#define TT_CONTROL_TIME   1u
#define TT_CONTROL_BUFFER 2u

/*
 * Events of KERCALL: Kernel calls. Call n is event n on entry, event n + 128 on exit, and event n +
 * 256 when interrupted. Numbers up to 101 are those of QNX; 102-112 were added for the reference
 * kernel, those from 113 on for Zephyr.
 */
#define TT_KERCALL_NOP                 0u
#define TT_KERCALL_TRACE_EVENT         1u
#define TT_KERCALL_MSG_SENDV           11u
#define TT_KERCALL_MSG_RECEIVEV        14u
#define TT_KERCALL_MSG_REPLYV          15u
#define TT_KERCALL_MSG_SEND_PULSE      20u
#define TT_KERCALL_CHANNEL_DESTROY     36u
#define TT_KERCALL_THREAD_CREATE       46u
#define TT_KERCALL_THREAD_DESTROY      47u
#define TT_KERCALL_THREAD_JOIN         50u
#define TT_KERCALL_CLOCK_TIME          65u
#define TT_KERCALL_TIMER_CREATE        70u
#define TT_KERCALL_TIMER_DESTROY       71u
#define TT_KERCALL_TIMER_SETTIME       72u
#define TT_KERCALL_SYNC_DESTROY        79u
#define TT_KERCALL_SYNC_MUTEX_LOCK     80u
#define TT_KERCALL_SYNC_MUTEX_UNLOCK   81u
#define TT_KERCALL_SYNC_CONDVAR_WAIT   82u
#define TT_KERCALL_SYNC_CONDVAR_SIGNAL 83u
#define TT_KERCALL_SYNC_SEM_POST       84u
#define TT_KERCALL_SYNC_SEM_WAIT       85u
#define TT_KERCALL_SCHED_SET           89u
#define TT_KERCALL_SCHED_YIELD         90u
#define TT_KERCALL_THREAD_SLEEP        102u
#define TT_KERCALL_THREAD_WAIT_PERIOD  103u
#define TT_KERCALL_FLAGS_SET           104u
#define TT_KERCALL_FLAGS_CLEAR         105u
#define TT_KERCALL_FLAGS_WAIT          106u
#define TT_KERCALL_THREAD_SUSPEND      107u
#define TT_KERCALL_THREAD_RESUME       108u
#define TT_KERCALL_SYNC_MUTEX_TRYLOCK  109u
#define TT_KERCALL_SYNC_SEM_TRYWAIT    110u
#define TT_KERCALL_THREAD_SET_PERIOD   111u
#define TT_KERCALL_THREAD_BIND         112u
#define TT_KERCALL_QUEUE_PUT           113u
#define TT_KERCALL_QUEUE_GET           114u
#define TT_KERCALL_MEMORY_ALLOC        115u
#define TT_KERCALL_MEMORY_FREE         116u
#define TT_KERCALL_WORK                117u
#define TT_KERCALL_POLL                118u
#define TT_KERCALL_POWER               119u
#define TT_KERCALL_SYSTEM_CALL         120u
#define TT_KERCALL_ENTER_OFFSET        0u
#define TT_KERCALL_EXIT_OFFSET         128u
#define TT_KERCALL_INTERRUPTED_OFFSET  256u
#define TT_KERCALL_CALL_LIMIT          128u
#define TT_KERCALL_CALL_COUNT          42u

/* Events of INT: Interrupts. Numbers are exception numbers of the processor (IRQ n is n + 16). */
#define TT_INT_ENTRY         1u
#define TT_INT_EXIT          2u
#define TT_INT_HANDLER_ENTRY 3u
#define TT_INT_HANDLER_EXIT  4u
#define TT_INT_REQUEST       5u

/*
 * Events of THREAD: Life and states of threads. pid is the domain that owns the thread (0 = kernel
 * core). SCHED CONTEXT_SWITCH reports the running thread; the event RUNNING occurs only in the
 * state dump at a start.
 */
#define TT_THREAD_DEAD            0u
#define TT_THREAD_RUNNING         1u
#define TT_THREAD_READY           2u
#define TT_THREAD_STOPPED         3u
#define TT_THREAD_SEND            4u
#define TT_THREAD_RECEIVE         5u
#define TT_THREAD_REPLY           6u
#define TT_THREAD_STACK           7u
#define TT_THREAD_WAITTHREAD      8u
#define TT_THREAD_WAITPAGE        9u
#define TT_THREAD_SIGSUSPEND      10u
#define TT_THREAD_SIGWAITINFO     11u
#define TT_THREAD_NANOSLEEP       12u
#define TT_THREAD_MUTEX           13u
#define TT_THREAD_CONDVAR         14u
#define TT_THREAD_JOIN            15u
#define TT_THREAD_INTR            16u
#define TT_THREAD_SEM             17u
#define TT_THREAD_WAITCTX         18u
#define TT_THREAD_NET_SEND        19u
#define TT_THREAD_NET_REPLY       20u
#define TT_THREAD_CREATE          24u
#define TT_THREAD_DESTROY         25u
#define TT_THREAD_PROCESS_DESTROY 128u
#define TT_THREAD_PROCESS_CREATE  192u
#define TT_THREAD_NAME            320u
#define TT_THREAD_STATE_FIRST     0u
#define TT_THREAD_STATE_COUNT     21u

/*
 * Events of SYSTEM: Other events of the system. Events of QNX that can occur here have the names of
 * QNX.
 */
#define TT_SYSTEM_MAPNAME      8u
#define TT_SYSTEM_ADDRESS      9u
#define TT_SYSTEM_FUNC_ENTER   10u
#define TT_SYSTEM_FUNC_EXIT    11u
#define TT_SYSTEM_SLOG         12u
#define TT_SYSTEM_SUSPEND      13u
#define TT_SYSTEM_RESUME       14u
#define TT_SYSTEM_NAMED        15u
#define TT_SYSTEM_LOG          16u
#define TT_SYSTEM_STACK_SIZE   17u
#define TT_SYSTEM_STACK_UNUSED 18u

/*
 * Events of USER: Events of the application. Filters select events 0-31 one by one, and higher
 * numbers together. An event has two words, or any bytes as a combine event.
 */
#define TT_USER_USER       0u
#define TT_USER_USER_COUNT 32u

/* Events of COMM: Messages and pulses between threads. */
#define TT_COMM_SMSG   0u
#define TT_COMM_SPULSE 1u
#define TT_COMM_RMSG   2u
#define TT_COMM_RPULSE 3u
#define TT_COMM_REPLY  10u
#define TT_COMM_ERROR  11u

/* Events of SYNC: Mutexes, condition variables, semaphores and event flags. */
#define TT_SYNC_MUTEX_LOCK_GRANTED 0u
#define TT_SYNC_MUTEX_LOCK_DENIED  1u
#define TT_SYNC_MUTEX_TRY_REFUSED  2u
#define TT_SYNC_MUTEX_UNLOCK       3u
#define TT_SYNC_MUTEX_INHERIT      4u
#define TT_SYNC_MUTEX_RESTORE      5u
#define TT_SYNC_COND_WAIT          6u
#define TT_SYNC_COND_SIGNAL        7u
#define TT_SYNC_COND_BROADCAST     8u
#define TT_SYNC_SEM_WAIT_GRANTED   9u
#define TT_SYNC_SEM_WAIT_BLOCKED   10u
#define TT_SYNC_SEM_TRY_REFUSED    11u
#define TT_SYNC_SEM_SIGNAL         12u
#define TT_SYNC_FLAGS_SET          13u
#define TT_SYNC_FLAGS_CLEAR        14u
#define TT_SYNC_FLAGS_WAIT         15u
#define TT_SYNC_WAIT_TIMEOUT       16u
#define TT_SYNC_WAIT_DELETED       17u

/* Events of SCHED: Events of the scheduler. */
#define TT_SCHED_CONTEXT_SWITCH 0u
#define TT_SCHED_OVERHEAD_BEGIN 1u
#define TT_SCHED_OVERHEAD_END   2u
#define TT_SCHED_TICK           4u
#define TT_SCHED_PRIORITY       5u
#define TT_SCHED_ACTIVATION     6u
#define TT_SCHED_COMPLETION     7u
#define TT_SCHED_DEADLINE_MISS  8u
#define TT_SCHED_TIMER          10u
#define TT_SCHED_IN             11u
#define TT_SCHED_OUT            12u
#define TT_SCHED_SWITCH_TO      13u
#define TT_SCHED_CPUS           14u
#define TT_SCHED_STIMULUS       15u
#define TT_SCHED_REFUSAL        16u

/*
 * Events of IRQSTATE: Interrupt masking and spin locks, with the call site. The numbers are those
 * of xmtrace.
 */
#define TT_IRQSTATE_HARD_CLI             0u
#define TT_IRQSTATE_HARD_STI             1u
#define TT_IRQSTATE_HARD_SAVE_FLAGS      2u
#define TT_IRQSTATE_HARD_RESTORE_FLAGS   3u
#define TT_IRQSTATE_HARD_SAVEF_AND_CLI   4u
#define TT_IRQSTATE_INTERCEPT            5u
#define TT_IRQSTATE_INTERCEPT_EXIT       6u
#define TT_IRQSTATE_LOCAL_INTERCEPT      7u
#define TT_IRQSTATE_LOCAL_INTERCEPT_EXIT 8u
#define TT_IRQSTATE_SPIN_LOCK            9u
#define TT_IRQSTATE_SPIN_UNLOCK          10u
#define TT_IRQSTATE_SPIN_WAIT            11u
#define TT_IRQSTATE_SPIN_END             12u

/* Events of DOMAIN: Unprivileged domains under memory protection. */
#define TT_DOMAIN_USER          0u
#define TT_DOMAIN_SYSCALL_ENTER 1u
#define TT_DOMAIN_SYSCALL_EXIT  2u
#define TT_DOMAIN_FAULT         3u

/* Events of SIGNAL: Reads and writes of application variables. */
#define TT_SIGNAL_READ  0u
#define TT_SIGNAL_WRITE 1u

/* Events of RUNNABLE: Begin and end of runnables, the functions that a task consists of. */
#define TT_RUNNABLE_BEGIN   0u
#define TT_RUNNABLE_END     1u
#define TT_RUNNABLE_SUSPEND 2u
#define TT_RUNNABLE_RESUME  3u

/*
 * Events of TRACER: Events of the tracer itself: the predefined events of POSIX Trace, commands,
 * handlers.
 */
#define TT_TRACER_START       0u
#define TT_TRACER_STOP        1u
#define TT_TRACER_FILTER      2u
#define TT_TRACER_OVERFLOW    3u
#define TT_TRACER_RESUME      4u
#define TT_TRACER_FLUSH_START 5u
#define TT_TRACER_FLUSH_STOP  6u
#define TT_TRACER_ERROR       7u
#define TT_TRACER_HANDLER     8u
#define TT_TRACER_COMMAND     10u
#define TT_TRACER_FINALIZE    11u
#define TT_TRACER_MOVED       12u
#define TT_TRACER_COST        13u

/*
 * Events of TRC: Events that trc_logevent() of the S.Ha.R.K. tracer's API records, with the numbers
 * of that tracer. Numbers from 23 on belong to the application. Bits 16-31 are the unused bits of
 * the four bytes that the API takes.
 */
#define TT_TRC_RESERVED      0u
#define TT_TRC_HOOPS         1u
#define TT_TRC_CREATE        2u
#define TT_TRC_ACTIVATE      3u
#define TT_TRC_SCHEDULE      4u
#define TT_TRC_DELAY         5u
#define TT_TRC_SLEEP         6u
#define TT_TRC_ENDCYCLE      7u
#define TT_TRC_DESTROY       8u
#define TT_TRC_INTACTIVATION 9u
#define TT_TRC_DISABLE       10u
#define TT_TRC_INTR          19u
#define TT_TRC_SEM_WAIT      20u
#define TT_TRC_SEM_WAITNB    21u
#define TT_TRC_SEM_SIGNAL    22u
#define TT_TRC_USER          11u
#define TT_TRC_USER_COUNT    8u

/* Indices into tt_route[]. */
#define TT_ROUTE_EMPTY_OTHER                             0u
#define TT_ROUTE_CONTROL_TIME                            1u
#define TT_ROUTE_CONTROL_BUFFER                          2u
#define TT_ROUTE_CONTROL_OTHER                           3u
#define TT_ROUTE_KERCALL_NOP_ENTER                       4u
#define TT_ROUTE_KERCALL_TRACE_EVENT_ENTER               5u
#define TT_ROUTE_KERCALL_MSG_SENDV_ENTER                 6u
#define TT_ROUTE_KERCALL_MSG_RECEIVEV_ENTER              7u
#define TT_ROUTE_KERCALL_MSG_REPLYV_ENTER                8u
#define TT_ROUTE_KERCALL_MSG_SEND_PULSE_ENTER            9u
#define TT_ROUTE_KERCALL_CHANNEL_DESTROY_ENTER           10u
#define TT_ROUTE_KERCALL_THREAD_CREATE_ENTER             11u
#define TT_ROUTE_KERCALL_THREAD_DESTROY_ENTER            12u
#define TT_ROUTE_KERCALL_THREAD_JOIN_ENTER               13u
#define TT_ROUTE_KERCALL_CLOCK_TIME_ENTER                14u
#define TT_ROUTE_KERCALL_TIMER_CREATE_ENTER              15u
#define TT_ROUTE_KERCALL_TIMER_DESTROY_ENTER             16u
#define TT_ROUTE_KERCALL_TIMER_SETTIME_ENTER             17u
#define TT_ROUTE_KERCALL_SYNC_DESTROY_ENTER              18u
#define TT_ROUTE_KERCALL_SYNC_MUTEX_LOCK_ENTER           19u
#define TT_ROUTE_KERCALL_SYNC_MUTEX_UNLOCK_ENTER         20u
#define TT_ROUTE_KERCALL_SYNC_CONDVAR_WAIT_ENTER         21u
#define TT_ROUTE_KERCALL_SYNC_CONDVAR_SIGNAL_ENTER       22u
#define TT_ROUTE_KERCALL_SYNC_SEM_POST_ENTER             23u
#define TT_ROUTE_KERCALL_SYNC_SEM_WAIT_ENTER             24u
#define TT_ROUTE_KERCALL_SCHED_SET_ENTER                 25u
#define TT_ROUTE_KERCALL_SCHED_YIELD_ENTER               26u
#define TT_ROUTE_KERCALL_THREAD_SLEEP_ENTER              27u
#define TT_ROUTE_KERCALL_THREAD_WAIT_PERIOD_ENTER        28u
#define TT_ROUTE_KERCALL_FLAGS_SET_ENTER                 29u
#define TT_ROUTE_KERCALL_FLAGS_CLEAR_ENTER               30u
#define TT_ROUTE_KERCALL_FLAGS_WAIT_ENTER                31u
#define TT_ROUTE_KERCALL_THREAD_SUSPEND_ENTER            32u
#define TT_ROUTE_KERCALL_THREAD_RESUME_ENTER             33u
#define TT_ROUTE_KERCALL_SYNC_MUTEX_TRYLOCK_ENTER        34u
#define TT_ROUTE_KERCALL_SYNC_SEM_TRYWAIT_ENTER          35u
#define TT_ROUTE_KERCALL_THREAD_SET_PERIOD_ENTER         36u
#define TT_ROUTE_KERCALL_THREAD_BIND_ENTER               37u
#define TT_ROUTE_KERCALL_QUEUE_PUT_ENTER                 38u
#define TT_ROUTE_KERCALL_QUEUE_GET_ENTER                 39u
#define TT_ROUTE_KERCALL_MEMORY_ALLOC_ENTER              40u
#define TT_ROUTE_KERCALL_MEMORY_FREE_ENTER               41u
#define TT_ROUTE_KERCALL_WORK_ENTER                      42u
#define TT_ROUTE_KERCALL_POLL_ENTER                      43u
#define TT_ROUTE_KERCALL_POWER_ENTER                     44u
#define TT_ROUTE_KERCALL_SYSTEM_CALL_ENTER               45u
#define TT_ROUTE_KERCALL_NOP_EXIT                        46u
#define TT_ROUTE_KERCALL_TRACE_EVENT_EXIT                47u
#define TT_ROUTE_KERCALL_MSG_SENDV_EXIT                  48u
#define TT_ROUTE_KERCALL_MSG_RECEIVEV_EXIT               49u
#define TT_ROUTE_KERCALL_MSG_REPLYV_EXIT                 50u
#define TT_ROUTE_KERCALL_MSG_SEND_PULSE_EXIT             51u
#define TT_ROUTE_KERCALL_CHANNEL_DESTROY_EXIT            52u
#define TT_ROUTE_KERCALL_THREAD_CREATE_EXIT              53u
#define TT_ROUTE_KERCALL_THREAD_DESTROY_EXIT             54u
#define TT_ROUTE_KERCALL_THREAD_JOIN_EXIT                55u
#define TT_ROUTE_KERCALL_CLOCK_TIME_EXIT                 56u
#define TT_ROUTE_KERCALL_TIMER_CREATE_EXIT               57u
#define TT_ROUTE_KERCALL_TIMER_DESTROY_EXIT              58u
#define TT_ROUTE_KERCALL_TIMER_SETTIME_EXIT              59u
#define TT_ROUTE_KERCALL_SYNC_DESTROY_EXIT               60u
#define TT_ROUTE_KERCALL_SYNC_MUTEX_LOCK_EXIT            61u
#define TT_ROUTE_KERCALL_SYNC_MUTEX_UNLOCK_EXIT          62u
#define TT_ROUTE_KERCALL_SYNC_CONDVAR_WAIT_EXIT          63u
#define TT_ROUTE_KERCALL_SYNC_CONDVAR_SIGNAL_EXIT        64u
#define TT_ROUTE_KERCALL_SYNC_SEM_POST_EXIT              65u
#define TT_ROUTE_KERCALL_SYNC_SEM_WAIT_EXIT              66u
#define TT_ROUTE_KERCALL_SCHED_SET_EXIT                  67u
#define TT_ROUTE_KERCALL_SCHED_YIELD_EXIT                68u
#define TT_ROUTE_KERCALL_THREAD_SLEEP_EXIT               69u
#define TT_ROUTE_KERCALL_THREAD_WAIT_PERIOD_EXIT         70u
#define TT_ROUTE_KERCALL_FLAGS_SET_EXIT                  71u
#define TT_ROUTE_KERCALL_FLAGS_CLEAR_EXIT                72u
#define TT_ROUTE_KERCALL_FLAGS_WAIT_EXIT                 73u
#define TT_ROUTE_KERCALL_THREAD_SUSPEND_EXIT             74u
#define TT_ROUTE_KERCALL_THREAD_RESUME_EXIT              75u
#define TT_ROUTE_KERCALL_SYNC_MUTEX_TRYLOCK_EXIT         76u
#define TT_ROUTE_KERCALL_SYNC_SEM_TRYWAIT_EXIT           77u
#define TT_ROUTE_KERCALL_THREAD_SET_PERIOD_EXIT          78u
#define TT_ROUTE_KERCALL_THREAD_BIND_EXIT                79u
#define TT_ROUTE_KERCALL_QUEUE_PUT_EXIT                  80u
#define TT_ROUTE_KERCALL_QUEUE_GET_EXIT                  81u
#define TT_ROUTE_KERCALL_MEMORY_ALLOC_EXIT               82u
#define TT_ROUTE_KERCALL_MEMORY_FREE_EXIT                83u
#define TT_ROUTE_KERCALL_WORK_EXIT                       84u
#define TT_ROUTE_KERCALL_POLL_EXIT                       85u
#define TT_ROUTE_KERCALL_POWER_EXIT                      86u
#define TT_ROUTE_KERCALL_SYSTEM_CALL_EXIT                87u
#define TT_ROUTE_KERCALL_NOP_INTERRUPTED                 88u
#define TT_ROUTE_KERCALL_TRACE_EVENT_INTERRUPTED         89u
#define TT_ROUTE_KERCALL_MSG_SENDV_INTERRUPTED           90u
#define TT_ROUTE_KERCALL_MSG_RECEIVEV_INTERRUPTED        91u
#define TT_ROUTE_KERCALL_MSG_REPLYV_INTERRUPTED          92u
#define TT_ROUTE_KERCALL_MSG_SEND_PULSE_INTERRUPTED      93u
#define TT_ROUTE_KERCALL_CHANNEL_DESTROY_INTERRUPTED     94u
#define TT_ROUTE_KERCALL_THREAD_CREATE_INTERRUPTED       95u
#define TT_ROUTE_KERCALL_THREAD_DESTROY_INTERRUPTED      96u
#define TT_ROUTE_KERCALL_THREAD_JOIN_INTERRUPTED         97u
#define TT_ROUTE_KERCALL_CLOCK_TIME_INTERRUPTED          98u
#define TT_ROUTE_KERCALL_TIMER_CREATE_INTERRUPTED        99u
#define TT_ROUTE_KERCALL_TIMER_DESTROY_INTERRUPTED       100u
#define TT_ROUTE_KERCALL_TIMER_SETTIME_INTERRUPTED       101u
#define TT_ROUTE_KERCALL_SYNC_DESTROY_INTERRUPTED        102u
#define TT_ROUTE_KERCALL_SYNC_MUTEX_LOCK_INTERRUPTED     103u
#define TT_ROUTE_KERCALL_SYNC_MUTEX_UNLOCK_INTERRUPTED   104u
#define TT_ROUTE_KERCALL_SYNC_CONDVAR_WAIT_INTERRUPTED   105u
#define TT_ROUTE_KERCALL_SYNC_CONDVAR_SIGNAL_INTERRUPTED 106u
#define TT_ROUTE_KERCALL_SYNC_SEM_POST_INTERRUPTED       107u
#define TT_ROUTE_KERCALL_SYNC_SEM_WAIT_INTERRUPTED       108u
#define TT_ROUTE_KERCALL_SCHED_SET_INTERRUPTED           109u
#define TT_ROUTE_KERCALL_SCHED_YIELD_INTERRUPTED         110u
#define TT_ROUTE_KERCALL_THREAD_SLEEP_INTERRUPTED        111u
#define TT_ROUTE_KERCALL_THREAD_WAIT_PERIOD_INTERRUPTED  112u
#define TT_ROUTE_KERCALL_FLAGS_SET_INTERRUPTED           113u
#define TT_ROUTE_KERCALL_FLAGS_CLEAR_INTERRUPTED         114u
#define TT_ROUTE_KERCALL_FLAGS_WAIT_INTERRUPTED          115u
#define TT_ROUTE_KERCALL_THREAD_SUSPEND_INTERRUPTED      116u
#define TT_ROUTE_KERCALL_THREAD_RESUME_INTERRUPTED       117u
#define TT_ROUTE_KERCALL_SYNC_MUTEX_TRYLOCK_INTERRUPTED  118u
#define TT_ROUTE_KERCALL_SYNC_SEM_TRYWAIT_INTERRUPTED    119u
#define TT_ROUTE_KERCALL_THREAD_SET_PERIOD_INTERRUPTED   120u
#define TT_ROUTE_KERCALL_THREAD_BIND_INTERRUPTED         121u
#define TT_ROUTE_KERCALL_QUEUE_PUT_INTERRUPTED           122u
#define TT_ROUTE_KERCALL_QUEUE_GET_INTERRUPTED           123u
#define TT_ROUTE_KERCALL_MEMORY_ALLOC_INTERRUPTED        124u
#define TT_ROUTE_KERCALL_MEMORY_FREE_INTERRUPTED         125u
#define TT_ROUTE_KERCALL_WORK_INTERRUPTED                126u
#define TT_ROUTE_KERCALL_POLL_INTERRUPTED                127u
#define TT_ROUTE_KERCALL_POWER_INTERRUPTED               128u
#define TT_ROUTE_KERCALL_SYSTEM_CALL_INTERRUPTED         129u
#define TT_ROUTE_KERCALL_OTHER                           130u
#define TT_ROUTE_INT_ENTRY                               131u
#define TT_ROUTE_INT_EXIT                                132u
#define TT_ROUTE_INT_HANDLER_ENTRY                       133u
#define TT_ROUTE_INT_HANDLER_EXIT                        134u
#define TT_ROUTE_INT_REQUEST                             135u
#define TT_ROUTE_INT_OTHER                               136u
#define TT_ROUTE_THREAD_DEAD                             137u
#define TT_ROUTE_THREAD_RUNNING                          138u
#define TT_ROUTE_THREAD_READY                            139u
#define TT_ROUTE_THREAD_STOPPED                          140u
#define TT_ROUTE_THREAD_SEND                             141u
#define TT_ROUTE_THREAD_RECEIVE                          142u
#define TT_ROUTE_THREAD_REPLY                            143u
#define TT_ROUTE_THREAD_STACK                            144u
#define TT_ROUTE_THREAD_WAITTHREAD                       145u
#define TT_ROUTE_THREAD_WAITPAGE                         146u
#define TT_ROUTE_THREAD_SIGSUSPEND                       147u
#define TT_ROUTE_THREAD_SIGWAITINFO                      148u
#define TT_ROUTE_THREAD_NANOSLEEP                        149u
#define TT_ROUTE_THREAD_MUTEX                            150u
#define TT_ROUTE_THREAD_CONDVAR                          151u
#define TT_ROUTE_THREAD_JOIN                             152u
#define TT_ROUTE_THREAD_INTR                             153u
#define TT_ROUTE_THREAD_SEM                              154u
#define TT_ROUTE_THREAD_WAITCTX                          155u
#define TT_ROUTE_THREAD_NET_SEND                         156u
#define TT_ROUTE_THREAD_NET_REPLY                        157u
#define TT_ROUTE_THREAD_CREATE                           158u
#define TT_ROUTE_THREAD_DESTROY                          159u
#define TT_ROUTE_THREAD_PROCESS_DESTROY                  160u
#define TT_ROUTE_THREAD_PROCESS_CREATE                   161u
#define TT_ROUTE_THREAD_NAME                             162u
#define TT_ROUTE_THREAD_OTHER                            163u
#define TT_ROUTE_SYSTEM_MAPNAME                          164u
#define TT_ROUTE_SYSTEM_ADDRESS                          165u
#define TT_ROUTE_SYSTEM_FUNC_ENTER                       166u
#define TT_ROUTE_SYSTEM_FUNC_EXIT                        167u
#define TT_ROUTE_SYSTEM_SLOG                             168u
#define TT_ROUTE_SYSTEM_SUSPEND                          169u
#define TT_ROUTE_SYSTEM_RESUME                           170u
#define TT_ROUTE_SYSTEM_NAMED                            171u
#define TT_ROUTE_SYSTEM_LOG                              172u
#define TT_ROUTE_SYSTEM_STACK_SIZE                       173u
#define TT_ROUTE_SYSTEM_STACK_UNUSED                     174u
#define TT_ROUTE_SYSTEM_OTHER                            175u
#define TT_ROUTE_USER_USER                               176u
#define TT_ROUTE_USER_OTHER                              208u
#define TT_ROUTE_COMM_SMSG                               209u
#define TT_ROUTE_COMM_SPULSE                             210u
#define TT_ROUTE_COMM_RMSG                               211u
#define TT_ROUTE_COMM_RPULSE                             212u
#define TT_ROUTE_COMM_REPLY                              213u
#define TT_ROUTE_COMM_ERROR                              214u
#define TT_ROUTE_COMM_OTHER                              215u
#define TT_ROUTE_SYNC_MUTEX_LOCK_GRANTED                 216u
#define TT_ROUTE_SYNC_MUTEX_LOCK_DENIED                  217u
#define TT_ROUTE_SYNC_MUTEX_TRY_REFUSED                  218u
#define TT_ROUTE_SYNC_MUTEX_UNLOCK                       219u
#define TT_ROUTE_SYNC_MUTEX_INHERIT                      220u
#define TT_ROUTE_SYNC_MUTEX_RESTORE                      221u
#define TT_ROUTE_SYNC_COND_WAIT                          222u
#define TT_ROUTE_SYNC_COND_SIGNAL                        223u
#define TT_ROUTE_SYNC_COND_BROADCAST                     224u
#define TT_ROUTE_SYNC_SEM_WAIT_GRANTED                   225u
#define TT_ROUTE_SYNC_SEM_WAIT_BLOCKED                   226u
#define TT_ROUTE_SYNC_SEM_TRY_REFUSED                    227u
#define TT_ROUTE_SYNC_SEM_SIGNAL                         228u
#define TT_ROUTE_SYNC_FLAGS_SET                          229u
#define TT_ROUTE_SYNC_FLAGS_CLEAR                        230u
#define TT_ROUTE_SYNC_FLAGS_WAIT                         231u
#define TT_ROUTE_SYNC_WAIT_TIMEOUT                       232u
#define TT_ROUTE_SYNC_WAIT_DELETED                       233u
#define TT_ROUTE_SYNC_OTHER                              234u
#define TT_ROUTE_SCHED_CONTEXT_SWITCH                    235u
#define TT_ROUTE_SCHED_OVERHEAD_BEGIN                    236u
#define TT_ROUTE_SCHED_OVERHEAD_END                      237u
#define TT_ROUTE_SCHED_TICK                              238u
#define TT_ROUTE_SCHED_PRIORITY                          239u
#define TT_ROUTE_SCHED_ACTIVATION                        240u
#define TT_ROUTE_SCHED_COMPLETION                        241u
#define TT_ROUTE_SCHED_DEADLINE_MISS                     242u
#define TT_ROUTE_SCHED_TIMER                             243u
#define TT_ROUTE_SCHED_IN                                244u
#define TT_ROUTE_SCHED_OUT                               245u
#define TT_ROUTE_SCHED_SWITCH_TO                         246u
#define TT_ROUTE_SCHED_CPUS                              247u
#define TT_ROUTE_SCHED_STIMULUS                          248u
#define TT_ROUTE_SCHED_REFUSAL                           249u
#define TT_ROUTE_SCHED_OTHER                             250u
#define TT_ROUTE_IRQSTATE_HARD_CLI                       251u
#define TT_ROUTE_IRQSTATE_HARD_STI                       252u
#define TT_ROUTE_IRQSTATE_HARD_SAVE_FLAGS                253u
#define TT_ROUTE_IRQSTATE_HARD_RESTORE_FLAGS             254u
#define TT_ROUTE_IRQSTATE_HARD_SAVEF_AND_CLI             255u
#define TT_ROUTE_IRQSTATE_INTERCEPT                      256u
#define TT_ROUTE_IRQSTATE_INTERCEPT_EXIT                 257u
#define TT_ROUTE_IRQSTATE_LOCAL_INTERCEPT                258u
#define TT_ROUTE_IRQSTATE_LOCAL_INTERCEPT_EXIT           259u
#define TT_ROUTE_IRQSTATE_SPIN_LOCK                      260u
#define TT_ROUTE_IRQSTATE_SPIN_UNLOCK                    261u
#define TT_ROUTE_IRQSTATE_SPIN_WAIT                      262u
#define TT_ROUTE_IRQSTATE_SPIN_END                       263u
#define TT_ROUTE_IRQSTATE_OTHER                          264u
#define TT_ROUTE_DOMAIN_USER                             265u
#define TT_ROUTE_DOMAIN_SYSCALL_ENTER                    266u
#define TT_ROUTE_DOMAIN_SYSCALL_EXIT                     267u
#define TT_ROUTE_DOMAIN_FAULT                            268u
#define TT_ROUTE_DOMAIN_OTHER                            269u
#define TT_ROUTE_SIGNAL_READ                             270u
#define TT_ROUTE_SIGNAL_WRITE                            271u
#define TT_ROUTE_SIGNAL_OTHER                            272u
#define TT_ROUTE_RUNNABLE_BEGIN                          273u
#define TT_ROUTE_RUNNABLE_END                            274u
#define TT_ROUTE_RUNNABLE_SUSPEND                        275u
#define TT_ROUTE_RUNNABLE_RESUME                         276u
#define TT_ROUTE_RUNNABLE_OTHER                          277u
#define TT_ROUTE_TRACER_START                            278u
#define TT_ROUTE_TRACER_STOP                             279u
#define TT_ROUTE_TRACER_FILTER                           280u
#define TT_ROUTE_TRACER_OVERFLOW                         281u
#define TT_ROUTE_TRACER_RESUME                           282u
#define TT_ROUTE_TRACER_FLUSH_START                      283u
#define TT_ROUTE_TRACER_FLUSH_STOP                       284u
#define TT_ROUTE_TRACER_ERROR                            285u
#define TT_ROUTE_TRACER_HANDLER                          286u
#define TT_ROUTE_TRACER_COMMAND                          287u
#define TT_ROUTE_TRACER_FINALIZE                         288u
#define TT_ROUTE_TRACER_MOVED                            289u
#define TT_ROUTE_TRACER_COST                             290u
#define TT_ROUTE_TRACER_OTHER                            291u
#define TT_ROUTE_TRC_RESERVED                            292u
#define TT_ROUTE_TRC_HOOPS                               293u
#define TT_ROUTE_TRC_CREATE                              294u
#define TT_ROUTE_TRC_ACTIVATE                            295u
#define TT_ROUTE_TRC_SCHEDULE                            296u
#define TT_ROUTE_TRC_DELAY                               297u
#define TT_ROUTE_TRC_SLEEP                               298u
#define TT_ROUTE_TRC_ENDCYCLE                            299u
#define TT_ROUTE_TRC_DESTROY                             300u
#define TT_ROUTE_TRC_INTACTIVATION                       301u
#define TT_ROUTE_TRC_DISABLE                             302u
#define TT_ROUTE_TRC_USER                                303u
#define TT_ROUTE_TRC_INTR                                311u
#define TT_ROUTE_TRC_SEM_WAIT                            312u
#define TT_ROUTE_TRC_SEM_WAITNB                          313u
#define TT_ROUTE_TRC_SEM_SIGNAL                          314u
#define TT_ROUTE_TRC_OTHER                               315u
#define TT_ROUTE_CLASS16_OTHER                           316u
#define TT_ROUTE_CLASS17_OTHER                           317u
#define TT_ROUTE_CLASS18_OTHER                           318u
#define TT_ROUTE_CLASS19_OTHER                           319u
#define TT_ROUTE_CLASS20_OTHER                           320u
#define TT_ROUTE_CLASS21_OTHER                           321u
#define TT_ROUTE_CLASS22_OTHER                           322u
#define TT_ROUTE_CLASS23_OTHER                           323u
#define TT_ROUTE_CLASS24_OTHER                           324u
#define TT_ROUTE_CLASS25_OTHER                           325u
#define TT_ROUTE_CLASS26_OTHER                           326u
#define TT_ROUTE_CLASS27_OTHER                           327u
#define TT_ROUTE_CLASS28_OTHER                           328u
#define TT_ROUTE_CLASS29_OTHER                           329u
#define TT_ROUTE_CLASS30_OTHER                           330u
#define TT_ROUTE_CLASS31_OTHER                           331u
#define TT_ROUTE_COUNT                                   332u

TT_C_BEGIN

/*
 * The route of an event type: bit i is set when stream i takes it, 0 means no stream. Written by
 * the recorder's filters at any time, read by every emitter; reads and writes are single accesses.
 */
#if TT_CONFIG_STREAMS <= 6
typedef uint8_t tt_route_t;
#else
typedef uint16_t tt_route_t;
#endif
extern tt_route_t tt_route[TT_ROUTE_COUNT];

/* The bits of a route. SLOW: dynamic filters or handlers decide. WIDE: the wide form. */
#define TT_ROUTE_STREAMS_MASK (TT_CONFIG_STREAMS <= 6 ? 0x3fu : 0xffu)
#define TT_ROUTE_SLOW         (TT_ROUTE_STREAMS_MASK + 1u)
#define TT_ROUTE_WIDE         (TT_ROUTE_SLOW << 1)
/* With readers and more than six streams, for the user's events: a stream that stopped because it
 * was full would take the event. May be the only bit that is set. */
#define TT_ROUTE_REFUSED      (TT_CONFIG_READERS && TT_CONFIG_STREAMS > 6 ? TT_ROUTE_SLOW << 2 : 0u)

/* Class c owns the routes from tt_class_first_route(c) to tt_class_first_route(c + 1) - 1; c is at
 * most TT_CLASS_COUNT. */
uint32_t tt_class_first_route(uint32_t event_class);

/*
 * The event type of each route: class << 10 | event; for the OTHER entry of a class
 * class << 10 | TT_ROUTE_TYPE_OTHER.
 */
extern const uint16_t tt_route_types[TT_ROUTE_COUNT];
#define TT_ROUTE_TYPE_OTHER 0x8000u

/* The best predictors of the words of a simple event, for packing: byte r / 2 contains those of
 * route r, in its upper half if r is odd; bits 2n and 2n + 1 of the half are the tt_predictor_t of
 * word n. */
extern const uint8_t tt_route_predictors[(TT_ROUTE_COUNT + 1u) / 2u];

/* True when the event type has a wide form. */
bool tt_route_has_wide(uint32_t index);

/* tt_route_index() of a class and event that are not constants. */
uint32_t tt_route_find(uint32_t event_class, uint32_t event);

/* Position of each call among the declared ones; TT_KERCALL_CALL_COUNT for the others. */
extern const uint8_t tt_kercall_positions[TT_KERCALL_CALL_LIMIT];

/* The same for one call: constant if the call is constant, else one load. */
static inline uint32_t tt_kercall_position(uint32_t call)
{
    if (!__builtin_constant_p(call)) {
        return tt_kercall_positions[call % TT_KERCALL_CALL_LIMIT];
    }
    switch (call % TT_KERCALL_CALL_LIMIT) {
    case TT_KERCALL_NOP:
        return 0u;
    case TT_KERCALL_TRACE_EVENT:
        return 1u;
    case TT_KERCALL_MSG_SENDV:
        return 2u;
    case TT_KERCALL_MSG_RECEIVEV:
        return 3u;
    case TT_KERCALL_MSG_REPLYV:
        return 4u;
    case TT_KERCALL_MSG_SEND_PULSE:
        return 5u;
    case TT_KERCALL_CHANNEL_DESTROY:
        return 6u;
    case TT_KERCALL_THREAD_CREATE:
        return 7u;
    case TT_KERCALL_THREAD_DESTROY:
        return 8u;
    case TT_KERCALL_THREAD_JOIN:
        return 9u;
    case TT_KERCALL_CLOCK_TIME:
        return 10u;
    case TT_KERCALL_TIMER_CREATE:
        return 11u;
    case TT_KERCALL_TIMER_DESTROY:
        return 12u;
    case TT_KERCALL_TIMER_SETTIME:
        return 13u;
    case TT_KERCALL_SYNC_DESTROY:
        return 14u;
    case TT_KERCALL_SYNC_MUTEX_LOCK:
        return 15u;
    case TT_KERCALL_SYNC_MUTEX_UNLOCK:
        return 16u;
    case TT_KERCALL_SYNC_CONDVAR_WAIT:
        return 17u;
    case TT_KERCALL_SYNC_CONDVAR_SIGNAL:
        return 18u;
    case TT_KERCALL_SYNC_SEM_POST:
        return 19u;
    case TT_KERCALL_SYNC_SEM_WAIT:
        return 20u;
    case TT_KERCALL_SCHED_SET:
        return 21u;
    case TT_KERCALL_SCHED_YIELD:
        return 22u;
    case TT_KERCALL_THREAD_SLEEP:
        return 23u;
    case TT_KERCALL_THREAD_WAIT_PERIOD:
        return 24u;
    case TT_KERCALL_FLAGS_SET:
        return 25u;
    case TT_KERCALL_FLAGS_CLEAR:
        return 26u;
    case TT_KERCALL_FLAGS_WAIT:
        return 27u;
    case TT_KERCALL_THREAD_SUSPEND:
        return 28u;
    case TT_KERCALL_THREAD_RESUME:
        return 29u;
    case TT_KERCALL_SYNC_MUTEX_TRYLOCK:
        return 30u;
    case TT_KERCALL_SYNC_SEM_TRYWAIT:
        return 31u;
    case TT_KERCALL_THREAD_SET_PERIOD:
        return 32u;
    case TT_KERCALL_THREAD_BIND:
        return 33u;
    case TT_KERCALL_QUEUE_PUT:
        return 34u;
    case TT_KERCALL_QUEUE_GET:
        return 35u;
    case TT_KERCALL_MEMORY_ALLOC:
        return 36u;
    case TT_KERCALL_MEMORY_FREE:
        return 37u;
    case TT_KERCALL_WORK:
        return 38u;
    case TT_KERCALL_POLL:
        return 39u;
    case TT_KERCALL_POWER:
        return 40u;
    case TT_KERCALL_SYSTEM_CALL:
        return 41u;
    default:
        return TT_KERCALL_CALL_COUNT;
    }
}

/* Route index of one moment of a call; `first`: index of the call declared first. */
static inline uint32_t tt_kercall_route(uint32_t first, uint32_t call)
{
    uint32_t position = tt_kercall_position(call);
    if (position < TT_KERCALL_CALL_COUNT) {
        return first + position;
    }
    return TT_ROUTE_KERCALL_OTHER;
}

#define TT_ROUTE_KERCALL_FIRST_ENTER       TT_ROUTE_KERCALL_NOP_ENTER
#define TT_ROUTE_KERCALL_FIRST_EXIT        TT_ROUTE_KERCALL_NOP_EXIT
#define TT_ROUTE_KERCALL_FIRST_INTERRUPTED TT_ROUTE_KERCALL_NOP_INTERRUPTED

/* Route index of THREAD STATE by event number. */
static inline uint32_t tt_thread_state_route(uint32_t state)
{
    if (state < TT_THREAD_STATE_COUNT) {
        return TT_ROUTE_THREAD_DEAD + state;
    }
    return TT_ROUTE_THREAD_OTHER;
}

/* Route index of USER USER by event number. */
static inline uint32_t tt_user_user_route(uint32_t event)
{
    if (event < TT_USER_USER_COUNT) {
        return TT_ROUTE_USER_USER + event;
    }
    return TT_ROUTE_USER_OTHER;
}

/* Route index of TRC USER by event number. */
static inline uint32_t tt_trc_user_route(uint32_t event)
{
    if (event - 11u < TT_TRC_USER_COUNT) {
        return TT_ROUTE_TRC_USER + (event - 11u);
    }
    return TT_ROUTE_TRC_OTHER;
}

/* Definition of tt_route_index(), for constants, and once in event_table.c. */
static inline uint32_t tt_route_lookup(uint32_t event_class, uint32_t event)
{
    event &= 0x3ffu;
    switch (event_class & 0x1fu) {
    case TT_CLASS_EMPTY:
        return TT_ROUTE_EMPTY_OTHER;
    case TT_CLASS_CONTROL:
        if (event - 1u < 2u) {
            return TT_ROUTE_CONTROL_TIME + (event - 1u);
        }
        return TT_ROUTE_CONTROL_OTHER;
    case TT_CLASS_KERCALL:
        if (event < TT_KERCALL_CALL_LIMIT) {
            return tt_kercall_route(TT_ROUTE_KERCALL_FIRST_ENTER, event);
        }
        if (event - TT_KERCALL_EXIT_OFFSET < TT_KERCALL_CALL_LIMIT) {
            return tt_kercall_route(TT_ROUTE_KERCALL_FIRST_EXIT, event);
        }
        if (event - TT_KERCALL_INTERRUPTED_OFFSET < TT_KERCALL_CALL_LIMIT) {
            return tt_kercall_route(TT_ROUTE_KERCALL_FIRST_INTERRUPTED, event);
        }
        return TT_ROUTE_KERCALL_OTHER;
    case TT_CLASS_INT:
        if (event - 1u < 5u) {
            return TT_ROUTE_INT_ENTRY + (event - 1u);
        }
        return TT_ROUTE_INT_OTHER;
    case TT_CLASS_THREAD:
        if (event < 21u) {
            return TT_ROUTE_THREAD_DEAD + event;
        }
        if (event - 24u < 2u) {
            return TT_ROUTE_THREAD_CREATE + (event - 24u);
        }
        if (event - 128u < 1u) {
            return TT_ROUTE_THREAD_PROCESS_DESTROY + (event - 128u);
        }
        if (event - 192u < 1u) {
            return TT_ROUTE_THREAD_PROCESS_CREATE + (event - 192u);
        }
        if (event - 320u < 1u) {
            return TT_ROUTE_THREAD_NAME + (event - 320u);
        }
        return TT_ROUTE_THREAD_OTHER;
    case TT_CLASS_SYSTEM:
        if (event - 8u < 11u) {
            return TT_ROUTE_SYSTEM_MAPNAME + (event - 8u);
        }
        return TT_ROUTE_SYSTEM_OTHER;
    case TT_CLASS_USER:
        if (event < 32u) {
            return TT_ROUTE_USER_USER + event;
        }
        return TT_ROUTE_USER_OTHER;
    case TT_CLASS_COMM:
        if (event < 4u) {
            return TT_ROUTE_COMM_SMSG + event;
        }
        if (event - 10u < 2u) {
            return TT_ROUTE_COMM_REPLY + (event - 10u);
        }
        return TT_ROUTE_COMM_OTHER;
    case TT_CLASS_SYNC:
        if (event < 18u) {
            return TT_ROUTE_SYNC_MUTEX_LOCK_GRANTED + event;
        }
        return TT_ROUTE_SYNC_OTHER;
    case TT_CLASS_SCHED:
        if (event < 3u) {
            return TT_ROUTE_SCHED_CONTEXT_SWITCH + event;
        }
        if (event - 4u < 5u) {
            return TT_ROUTE_SCHED_TICK + (event - 4u);
        }
        if (event - 10u < 7u) {
            return TT_ROUTE_SCHED_TIMER + (event - 10u);
        }
        return TT_ROUTE_SCHED_OTHER;
    case TT_CLASS_IRQSTATE:
        if (event < 13u) {
            return TT_ROUTE_IRQSTATE_HARD_CLI + event;
        }
        return TT_ROUTE_IRQSTATE_OTHER;
    case TT_CLASS_DOMAIN:
        if (event < 4u) {
            return TT_ROUTE_DOMAIN_USER + event;
        }
        return TT_ROUTE_DOMAIN_OTHER;
    case TT_CLASS_SIGNAL:
        if (event < 2u) {
            return TT_ROUTE_SIGNAL_READ + event;
        }
        return TT_ROUTE_SIGNAL_OTHER;
    case TT_CLASS_RUNNABLE:
        if (event < 4u) {
            return TT_ROUTE_RUNNABLE_BEGIN + event;
        }
        return TT_ROUTE_RUNNABLE_OTHER;
    case TT_CLASS_TRACER:
        if (event < 9u) {
            return TT_ROUTE_TRACER_START + event;
        }
        if (event - 10u < 4u) {
            return TT_ROUTE_TRACER_COMMAND + (event - 10u);
        }
        return TT_ROUTE_TRACER_OTHER;
    case TT_CLASS_TRC:
        if (event < 23u) {
            return TT_ROUTE_TRC_RESERVED + event;
        }
        return TT_ROUTE_TRC_OTHER;
    default: /* the classes from 16 on have one entry each, one after another */
        return TT_ROUTE_CLASS16_OTHER + (event_class & 0x1fu) - 16u;
    }
}

/*
 * Index into tt_route[] of any event type; only the low 5 and 10 bits of the arguments count.
 * With constant arguments it is a constant, otherwise a call.
 */
static inline uint32_t tt_route_index(uint32_t event_class, uint32_t event)
{
    if (__builtin_constant_p(event_class) && __builtin_constant_p(event)) {
        return tt_route_lookup(event_class, event);
    }
    return tt_route_find(event_class, event);
}

/* Entry of tt_route_types[] of a route index, which must be in range. */
static inline uint32_t tt_route_event_type(uint32_t index)
{
    return tt_route_types[index];
}

TT_C_END

#endif
