/* ports/cortex_m/domain.h - memory protection for threads of a domain. */
#ifndef KERNEL_PORT_DOMAIN_H
#define KERNEL_PORT_DOMAIN_H

#include "port.h"
#include "scs.h"

/* EXC_RETURN of a thread of a domain. With an FPU, its frame contains the FPU registers from the
 * start, so that every exception stores and restores them and the thread never sees values of other
 * threads. */
#ifdef __ARM_FP
#define EXC_RETURN_DOMAIN (EXC_RETURN_THREAD & ~EXC_RETURN_BASIC)
#else
#define EXC_RETURN_DOMAIN EXC_RETURN_THREAD
#endif

/* Set up the MPU: unprivileged threads may execute and read the code, and access nothing else. On
 * each CPU. */
void kernel_domain_protect(void);

/* Set the rights of the thread that runs next, and return that thread. In PendSV. */
const kernel_thread_t *kernel_domain_enter(const kernel_thread_t *next);

/* Bytes that the kernel stacks below the exception frame of a thread of a domain: r4-r11, s16-s31.
 */
#ifdef __ARM_FP
#define KERNEL_DOMAIN_SAVED_BYTES (24u * 4u)
#else
#define KERNEL_DOMAIN_SAVED_BYTES (8u * 4u)
#endif

/*
 * Return whether a thread of a domain may continue: it has not faulted, and its own stack has room
 * for the exception frame at `frame` and the registers that the kernel stacks below. The processor
 * has only checked that the frame lies in the domain's memory, which also contains other data.
 */
static inline bool kernel_domain_goes_on(const kernel_thread_t *thread, const uint32_t *frame)
{
    uintptr_t begin = (uintptr_t)thread->stack + KERNEL_DOMAIN_SAVED_BYTES;
    uintptr_t end = (uintptr_t)thread->stack + thread->stack_bytes;
    return !thread->faulted && (uintptr_t)frame >= begin && (uintptr_t)frame < end;
}

/* Record the fault, unless it was recorded, and request PendSV, which ends the thread. */
void kernel_domain_stop(kernel_thread_t *thread, const uint32_t *frame);

#endif
