/*
 * kernel/port.h - both directions of the kernel's port boundary on one page.
 *
 * A port is a folder of kernel/ports. Its kernel_port.h, included by kernel.h, defines
 *
 *   kernel_word_t            an argument of a kernel call: an integer that holds a pointer
 *   kernel_port_context_t    saved state of a thread that does not run
 *   KERNEL_STACK_MIN_BYTES   smallest stack that a thread may have
 *   kernel_port_key_t        previous interrupt state
 *   kernel_port_lock/unlock  mask every interrupt that may call the kernel and return the
 *                            previous state, 0 for "not masked"; calls nest; compiler barriers
 *   kernel_port_here         approximate address of the code that uses it
 *   kernel_port_cpu          number of the calling CPU, below KERNEL_CPUS
 *   kernel_port_spin         executed in each turn of a loop that waits for another CPU
 *   kernel_port_code_address convert a return address to the address of an instruction
 *   kernel_port_call_place   address in the code at which a thread made its current kernel call
 *   kernel_port_in_thread    true in a thread, false in an interrupt and before kernel_start()
 *   kernel_port_trap         make a kernel call: execute kernel_call_handle() at the kernel's
 *                            level with these arguments, and return the result that was set last
 *   kernel_port_set_result   set the result of a thread's trap
 *   kernel_port_want_switch  request a switch: as soon as this CPU executes neither a kernel call
 *                            nor an interrupt, and before anything else at the kernel's level,
 *                            call kernel_switch() and run the thread that it returns
 *   kernel_port_pass_call    with simulated time: let the time of a kernel call pass, and serve
 *                            the device interrupts that are due; otherwise nothing
 *   kernel_port_pass_switch  with simulated time: let the time of a context switch pass;
 *                            otherwise nothing
 *
 * and its sources define the functions below. A missing one is a link error.
 */
#ifndef KERNEL_PORT_API_H
#define KERNEL_PORT_API_H

#include "kernel.h"

/* Defined by a port: ----------------------------------------------------------------------- */

/*
 * Return whether the port can restrict threads of a domain to their memory, which is also true for
 * a port that only simulates domains; and whether `bytes` at `memory` can be the memory of a domain
 * (size, alignment).
 */
bool kernel_port_can_protect(void);
bool kernel_port_memory_fits(uintptr_t memory, size_t bytes);

/*
 * Prepare `thread` so that the first switch to it executes kernel_thread_main(thread). A thread of
 * a domain starts at its entry with the domain's rights, and continues with kernel_domain_exit()
 * when the entry returns.
 */
void kernel_port_prepare(kernel_thread_t *thread);

/* Free the resources that kernel_port_prepare() allocated for a thread that never runs again. */
void kernel_port_forget(kernel_thread_t *thread);

/* Initialise the port, once, before any thread runs. */
void kernel_port_begin(void);

/* Continue as thread `idle` with interrupts enabled, and execute kernel_idle(). On each CPU. */
_Noreturn void kernel_port_start(kernel_thread_t *idle);

/* Enable device interrupt `irq`: the port calls kernel_irq_dispatch(irq) in it. */
void kernel_port_irq_enable(uint32_t irq, kernel_irq_level_t level);

/* Called by a port: ---------------------------------------------------------------------------- */

/* Execute kernel call `call` for the running thread. At the kernel's level. */
void kernel_call_handle(uint32_t call, const kernel_word_t *args);

/*
 * Choose the next thread, trace the switch, and return the thread. The caller saves the context of
 * the previous thread and restores that of the new one. At the kernel's level. The previous thread
 * never runs again when its state is KERNEL_STATE_DEAD.
 */
kernel_thread_t *kernel_switch(void);

/* Trace and serve a device interrupt. In the interrupt. */
void kernel_irq_dispatch(uint32_t irq);

/* Trace and run a handler as exception number `exception`. In the interrupt. */
void kernel_irq_run(uint32_t exception, kernel_irq_handler_t handler, void *argument);

/* Function that every thread of the core executes. */
_Noreturn void kernel_thread_main(kernel_thread_t *thread);

/* Record that the running thread, which belongs to a domain, accessed `address` from `place` in the
 * code (0: unknown), and set `faulted`. The port prevents the thread from executing any further
 * instruction, and calls kernel_domain_end() before the next kernel_switch(). Any context. */
void kernel_domain_fault(kernel_thread_t *thread, uint32_t address, uint32_t place);

/* End the running thread of a domain. At the kernel's level, not inside a kernel call; the caller
 * then calls kernel_switch(). */
void kernel_domain_end(void);

/* Return whether `bytes` at `place` lie in the memory of a domain. Any context. */
bool kernel_domain_holds(const kernel_domain_t *domain, uintptr_t place, size_t bytes);

/* Function that the idle threads execute. */
_Noreturn void kernel_idle(void);

#endif
