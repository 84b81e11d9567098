/* ports/cortex_m/domain.h - memory protection: what threads of a domain may touch. */
#ifndef KERNEL_PORT_DOMAIN_H
#define KERNEL_PORT_DOMAIN_H

#include "port.h"
#include "scs.h"

/* How a thread of a domain goes on. Where there is an FPU it has its registers from the start, so
 * they are stacked and taken back with every exception: it never sees what others left in them. */
#ifdef __ARM_FP
#define EXC_RETURN_DOMAIN (EXC_RETURN_THREAD & ~EXC_RETURN_BASIC)
#else
#define EXC_RETURN_DOMAIN EXC_RETURN_THREAD
#endif

/* Let unprivileged threads execute and read the code, and protect everything else. On each CPU. */
void kernel_domain_protect(void);

/* The rights of the thread that runs next, which it returns. In PendSV. */
const kernel_thread_t *kernel_domain_enter(const kernel_thread_t *next);

/* What the kernel stacks below the exception frame of a thread of a domain: r4-r11, s16-s31. */
#ifdef __ARM_FP
#define KERNEL_DOMAIN_SAVED_BYTES (24u * 4u)
#else
#define KERNEL_DOMAIN_SAVED_BYTES (8u * 4u)
#endif

/*
 * Whether a thread of a domain goes on: it has not faulted, and its own stack holds the exception
 * frame that was stacked at `frame`, with what the kernel stacks below. The processor has made sure
 * that the frame lies in the domain's memory; another part of that is no stack.
 */
static inline bool kernel_domain_goes_on(const kernel_thread_t *thread, const uint32_t *frame)
{
    uintptr_t begin = (uintptr_t)thread->stack + KERNEL_DOMAIN_SAVED_BYTES;
    uintptr_t end = (uintptr_t)thread->stack + thread->stack_bytes;
    return !thread->faulted && (uintptr_t)frame >= begin && (uintptr_t)frame < end;
}

/* It does not go on: record the fault, if that has not been done, and have it ended by PendSV. */
void kernel_domain_stop(kernel_thread_t *thread, const uint32_t *frame);

#endif
