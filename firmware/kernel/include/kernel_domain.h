/*
 * kernel_domain.h - domains: threads that can access only the memory of their domain.
 *
 * The kernel and every thread created by kernel_thread_create() belong to domain 0, the core. A
 * thread of another domain runs unprivileged: it may execute and read the program's code and
 * constants, and read and write the memory of its domain. Any other access, to the kernel, the
 * trace, a device or another domain, is a fault: DOMAIN FAULT is traced with the address and the
 * place in the code (0: unknown), the thread ends before it executes another instruction, and all
 * other threads continue. Faults are
 *
 *   - accesses, instructions and jumps that the processor refuses, including `bkpt`;
 *   - a stack pointer outside of the domain's memory: detected at the next exception;
 *   - a stack pointer that leads out of the thread's own stack, which is in the domain's memory: at
 *     its next kernel call or the next switch away from it. Until then an overflow overwrites
 *     memory of its own domain.
 *
 * Threads of one domain can change each other's memory and saved registers, and thereby end each
 * other. They cannot make the kernel read or write anything outside of the domain. A thread never
 * sees values of other threads in registers of the processor or the FPU.
 *
 * The priorities of its threads determine the processor time of a domain; the core can suspend the
 * threads. A domain can record as much as that time allows: the rings do not distinguish domains,
 * so a domain that floods the trace makes others lose records, which are counted. Code and
 * constants of the whole program are readable: keep no secrets there.
 *
 * A domain may make these kernel calls: kernel_sleep(), kernel_yield(), kernel_wait_period(),
 * kernel_domain_exit(), kernel_domain_trace() and kernel_domain_name_event(). Others return
 * KERNEL_ERROR_DENIED. Its calls are traced as DOMAIN SYSCALL_ENTER and SYSCALL_EXIT instead of
 * class KERCALL. Functions that read the kernel's memory, such as kernel_thread_self() and
 * kernel_ticks(), are faults.
 *
 * The native port checks domains, calls and classes in the same way, but protects no memory: all
 * threads run in one Linux process.
 *
 * Included by kernel.h, where results and contexts are explained.
 */
#ifndef KERNEL_DOMAIN_H
#define KERNEL_DOMAIN_H

#include "kernel_types.h"

KERNEL_C_BEGIN

/* Largest number of a domain, from 1; a record has six bits for it. */
#define KERNEL_DOMAIN_LAST 63u

/* A domain; all fields are private to the kernel. */
typedef struct kernel_domain {
    struct kernel_domain *next; /* next existing domain */
    const char *name;
    uintptr_t memory;
    size_t memory_bytes;
    uint8_t number; /* 0: not created */
} kernel_domain_t;

/* Define memory for a domain: `bytes`, a power of two of at least 256, aligned to its size. */
#define KERNEL_DOMAIN_MEMORY(name, bytes) static __attribute__((aligned(bytes))) uint8_t name[bytes]

/*
 * Create domain `number`, 1 to KERNEL_DOMAIN_LAST. Its memory (KERNEL_DOMAIN_MEMORY) contains the
 * stacks of its threads and all data that they write. `domain`, `name` and memory must exist until
 * kernel_domain_destroy(). Traced as THREAD PROCESS_CREATE. Not a kernel call. Threads of the core,
 * and before kernel_start(); from one thread at a time. Returns KERNEL_OK, KERNEL_ERROR_ARGUMENT
 * for an invalid number or memory, KERNEL_ERROR_STATE when the domain exists, another one has its
 * number, or the processor has no memory protection.
 */
int kernel_domain_create(kernel_domain_t *domain, uint32_t number, const char *name, void *memory,
                         size_t memory_bytes);

/*
 * Destroy a domain without threads; it may be created again. Traced as THREAD PROCESS_DESTROY. Not
 * a kernel call. Threads of the core; from one thread at a time. Returns KERNEL_OK,
 * KERNEL_ERROR_BUSY while one of its threads exists, KERNEL_ERROR_STATE when the domain does not
 * exist.
 */
int kernel_domain_destroy(kernel_domain_t *domain);

/* Return the name of domain `number`, NULL when it does not exist. Threads of the core. */
const char *kernel_domain_name(uint32_t number);

/*
 * As kernel_thread_create(), for a thread of a domain. The stack must lie in the domain's memory.
 * The argument may be any value; the thread accesses memory it points to with the domain's rights.
 * The thread ends when `entry` returns.
 */
int kernel_domain_thread_create(kernel_thread_t *thread, const kernel_domain_t *domain,
                                const char *name, kernel_entry_t entry, void *argument,
                                uint32_t priority, void *stack, size_t stack_bytes);

/* For threads of every domain, also the core: -------------------------------------------------- */

/*
 * Record an event with one word; the second word is the address of the call. Allowed are class 6
 * (USER) with any number, and class 11 (DOMAIN) with number 0 (USER). Returns KERNEL_OK, or
 * KERNEL_ERROR_DENIED for another event.
 */
int kernel_domain_trace(uint32_t event_class, uint32_t event, uint32_t data);

/* Numbers of class USER that a domain may name: those that are free for the user in xmtrace. */
#define KERNEL_DOMAIN_EVENT_FIRST 21u
#define KERNEL_DOMAIN_EVENT_LAST  61u

/*
 * Name event `event` of class USER, KERNEL_DOMAIN_EVENT_FIRST to KERNEL_DOMAIN_EVENT_LAST, for the
 * host. All domains share the numbers; the last name is valid. The name must lie in the domain's
 * memory; it is cut to 29 bytes. Requires TT_CONFIG_DEFINITIONS 64. Returns KERNEL_OK,
 * KERNEL_ERROR_ARGUMENT for another number or an empty name, KERNEL_ERROR_DENIED for a name outside
 * of the domain's memory, and KERNEL_ERROR_STATE when the core uses the number for an event of
 * another class, or the recorder has no room for definitions.
 */
int kernel_domain_name_event(uint32_t event, const char *name);

/* End the calling thread. */
__attribute__((noreturn)) void kernel_domain_exit(void);

KERNEL_C_END

#endif
