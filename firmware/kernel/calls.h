/*
 * kernel/calls.h - the table of kernel calls.
 *
 * A row is CALL(number, service, anywhere, domains): the call with number TT_KERCALL_<number>,
 * which is also the number in its trace events, executes kernel_service_<service>(). `anywhere` is
 * 1 if interrupts and code before kernel_start() may make the call, `domains` is 1 if threads of a
 * domain may. The functions of kernel.h that make these calls are in call.c.
 */
#ifndef KERNEL_CALLS_H
#define KERNEL_CALLS_H

#include "kernel_types.h"

#define KERNEL_CALLS(CALL)                                                                         \
    CALL(TRACE_EVENT, trace_event, 0, 1)                                                           \
    CALL(MSG_SENDV, message_send, 0, 0)                                                            \
    CALL(MSG_RECEIVEV, message_receive, 0, 0)                                                      \
    CALL(MSG_REPLYV, message_reply, 0, 0)                                                          \
    CALL(MSG_SEND_PULSE, pulse_send, 1, 0)                                                         \
    CALL(CHANNEL_DESTROY, channel_delete, 0, 0)                                                    \
    CALL(THREAD_CREATE, thread_create, 1, 0)                                                       \
    CALL(THREAD_DESTROY, thread_end, 0, 1)                                                         \
    CALL(THREAD_JOIN, thread_join, 0, 0)                                                           \
    CALL(TIMER_CREATE, timer_create, 1, 0)                                                         \
    CALL(TIMER_DESTROY, timer_delete, 1, 0)                                                        \
    CALL(TIMER_SETTIME, timer_start, 1, 0)                                                         \
    CALL(SYNC_DESTROY, delete, 0, 0)                                                               \
    CALL(SYNC_MUTEX_LOCK, mutex_lock, 0, 0)                                                        \
    CALL(SYNC_MUTEX_UNLOCK, mutex_unlock, 0, 0)                                                    \
    CALL(SYNC_CONDVAR_WAIT, cond_wait, 0, 0)                                                       \
    CALL(SYNC_CONDVAR_SIGNAL, cond_signal, 0, 0)                                                   \
    CALL(SYNC_SEM_POST, sem_post, 1, 0)                                                            \
    CALL(SYNC_SEM_WAIT, sem_wait, 0, 0)                                                            \
    CALL(SCHED_SET, set_priority, 0, 0)                                                            \
    CALL(SCHED_YIELD, yield, 0, 1)                                                                 \
    CALL(THREAD_SLEEP, sleep, 0, 1)                                                                \
    CALL(THREAD_WAIT_PERIOD, wait_period, 0, 1)                                                    \
    CALL(FLAGS_SET, flags_set, 1, 0)                                                               \
    CALL(FLAGS_CLEAR, flags_clear, 1, 0)                                                           \
    CALL(FLAGS_WAIT, flags_wait, 0, 0)                                                             \
    CALL(THREAD_SUSPEND, suspend, 0, 0)                                                            \
    CALL(THREAD_RESUME, resume, 1, 0)                                                              \
    CALL(SYNC_MUTEX_TRYLOCK, mutex_trylock, 0, 0)                                                  \
    CALL(SYNC_SEM_TRYWAIT, sem_trywait, 1, 0)                                                      \
    CALL(THREAD_SET_PERIOD, set_period, 1, 0)                                                      \
    CALL(THREAD_BIND, bind, 1, 0)

/* A service executes a call with the words in `args`. Returns the result of the call, or
 * KERNEL_BLOCKED. */
typedef int32_t kernel_service_t(const kernel_word_t *args);

#define KERNEL_DECLARE_SERVICE(number, service, anywhere, domains)                                 \
    kernel_service_t kernel_service_##service;
KERNEL_CALLS(KERNEL_DECLARE_SERVICE)
#undef KERNEL_DECLARE_SERVICE

/*
 * KERNEL_OBJECT_SERVICE(name, declaration of the object) { ... }: kernel_service_<name>() for a
 * call whose first word is the address of an object. It returns KERNEL_ERROR_ARGUMENT for NULL;
 * otherwise it executes the body under kernel_lock(), with the object and `args`, and returns its
 * result.
 */
#define KERNEL_OBJECT_SERVICE(name, object)                                                        \
    static int32_t name##_locked(object, const kernel_word_t *args);                               \
    int32_t kernel_service_##name(const kernel_word_t *args)                                       \
    {                                                                                              \
        if (args[0] == 0u) {                                                                       \
            return KERNEL_ERROR_ARGUMENT;                                                          \
        }                                                                                          \
        kernel_port_key_t key = kernel_lock();                                                     \
        int32_t result = name##_locked((void *)args[0], args);                                     \
        kernel_unlock(key);                                                                        \
        return result;                                                                             \
    }                                                                                              \
    static int32_t name##_locked(object, __attribute__((unused)) const kernel_word_t *args)

#endif
