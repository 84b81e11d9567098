/*
 * kernel_domain.h - domains: threads that cannot touch what is not theirs.
 *
 * The kernel and every thread made by kernel_thread_create() are domain 0, the core. A thread of
 * another domain runs unprivileged: it executes and reads the program's code and constants, reads
 * and writes the memory of its domain, and nothing else: not the kernel, not the trace, not a
 * device, not another domain. Anything else is a fault: DOMAIN FAULT is traced with the address and
 * the place in the code, 0 where one is not known, the thread ends before it executes another
 * instruction, and all other threads go on. Faults are
 *
 *   - memory, instructions and jumps that the processor refuses, `bkpt` among them;
 *   - a stack pointer that leads out of the domain's memory: at the next exception;
 *   - a stack pointer that leads out of the thread's own stack, which is in the domain's memory: at
 *     its next kernel call or the next switch away from it. Until then an overflow overwrites
 * memory of its own domain.
 *
 * Threads of one domain can change each other's memory and saved registers, and so end each other.
 * They cannot make the kernel read or write anything outside of the domain. A thread never sees
 * what others left in the registers of the processor or of the FPU.
 *
 * A domain has the processor time that its priorities give it; the core can suspend its threads. It
 * can record as much as that time allows: the rings do not distinguish domains, so a domain that
 * floods the trace makes others lose records, which are counted. Code and constants of the whole
 * program are readable: keep no secret there.
 *
 * A domain reaches the kernel by kernel calls alone, and of those it may make the ones that take no
 * pointer: kernel_sleep(), kernel_yield(), kernel_wait_period(), kernel_domain_exit() and
 * kernel_domain_trace(). Others return KERNEL_ERROR_DENIED. Its calls are traced as DOMAIN
 * SYSCALL_ENTER and SYSCALL_EXIT instead of class KERCALL. Inline functions that look at the
 * kernel's memory, kernel_thread_self() and kernel_ticks() among them, are faults.
 *
 * The native port checks domains, calls and classes in the same way, but protects no memory: Linux
 * threads of one process share it.
 *
 * Included by kernel.h, where results and contexts are explained.
 */
#ifndef KERNEL_DOMAIN_H
#define KERNEL_DOMAIN_H

#include "kernel_types.h"

KERNEL_C_BEGIN

/* Domains are numbered 1 to this; the record has six bits for them. */
#define KERNEL_DOMAIN_LAST 63u

/* A domain; every field is private to the kernel. */
typedef struct kernel_domain {
    struct kernel_domain *next; /* of those that exist */
    const char *name;
    uintptr_t memory;
    size_t memory_bytes;
    uint8_t number; /* 0: not created */
} kernel_domain_t;

/* Memory for a domain: `bytes` is a power of two, 256 or more, and it is aligned to that. */
#define KERNEL_DOMAIN_MEMORY(name, bytes) static __attribute__((aligned(bytes))) uint8_t name[bytes]

/*
 * Make domain `number` of some memory, which holds the stacks of its threads and whatever else they
 * write; see KERNEL_DOMAIN_MEMORY. Domain, `name` and memory stay the caller's and have to live
 * until kernel_domain_destroy(). Traced as THREAD PROCESS_CREATE. No kernel call. Threads of the
 * core, and before kernel_start(); from one thread at a time.
 * Returns KERNEL_OK, KERNEL_ERROR_ARGUMENT for a number or memory that cannot be,
 * KERNEL_ERROR_STATE when the domain exists, another one has its number, or the processor has no
 * memory protection.
 */
int kernel_domain_create(kernel_domain_t *domain, uint32_t number, const char *name, void *memory,
                         size_t memory_bytes);

/*
 * End a domain whose threads have all ended; it may be created again. Traced as THREAD
 * PROCESS_DESTROY. No kernel call. Threads of the core; from one thread at a time.
 * Returns KERNEL_OK, KERNEL_ERROR_BUSY while one of its threads lives, KERNEL_ERROR_STATE when it
 * does not exist.
 */
int kernel_domain_destroy(kernel_domain_t *domain);

/* Name of domain `number`, NULL when none has it. Threads of the core. */
const char *kernel_domain_name(uint32_t number);

/*
 * kernel_thread_create() for a thread of a domain. The stack has to lie in the domain's memory; the
 * argument may be anything, but what it points to is touched with the domain's rights. The thread
 * ends when `entry` returns.
 */
int kernel_domain_thread_create(kernel_thread_t *thread, const kernel_domain_t *domain,
                                const char *name, kernel_entry_t entry, void *argument,
                                uint32_t priority, void *stack, size_t stack_bytes);

/* For threads of every domain, the core's as well: --------------------------------------------- */

/*
 * Record an event with one word; the second word is the place from which this is called. Event
 * class 6 (USER) with any number, or class 11 (DOMAIN) with number 0 (USER).
 * Returns KERNEL_OK, or KERNEL_ERROR_DENIED for another event.
 */
int kernel_domain_trace(uint32_t event_class, uint32_t event, uint32_t data);

/* Numbers of class USER that a domain may name: those that xmtrace leaves to the user. */
#define KERNEL_DOMAIN_EVENT_FIRST 21u
#define KERNEL_DOMAIN_EVENT_LAST  61u

/*
 * Name event `event` of class USER, KERNEL_DOMAIN_EVENT_FIRST to KERNEL_DOMAIN_EVENT_LAST, so that
 * the host knows it by that name. All domains share the numbers; the last name counts. The name
 * lies in the domain's own memory; 29 bytes of it are taken. Requires TT_CONFIG_DEFINITIONS 64.
 * Returns KERNEL_OK, KERNEL_ERROR_ARGUMENT for another number or an empty name, KERNEL_ERROR_DENIED
 * for a name elsewhere, and KERNEL_ERROR_STATE when the core uses the number for an event of
 * another class, or the recorder has no room for definitions.
 */
int kernel_domain_name_event(uint32_t event, const char *name);

/* End the calling thread. */
__attribute__((noreturn)) void kernel_domain_exit(void);

KERNEL_C_END

#endif
