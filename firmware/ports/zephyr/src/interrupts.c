/*
 * Hooks of interrupts. Zephyr calls functions for them, from assembler. CMakeLists.txt finds out
 * which: those of the format "user" (TT_ZEPHYR_USER; up to 3.5 with the number of nested
 * interrupts, TT_ZEPHYR_USER_NESTED), else sys_trace_*() themselves, which the linker redirects
 * here. Zephyr's own versions, which count CPU load, are called too (TT_ZEPHYR_CALL_REAL).
 *
 * Interrupts are numbered by exception number. The link's own interrupts are not recorded:
 * otherwise every byte sent would make records that have to be sent.
 *
 * At the end of an interrupt this CPU holds no lock of the kernel, so requests from hooks are
 * served there.
 */
#include <stdbool.h>
#include <zephyr/kernel.h>

#include "own_interrupts.h"
#include "poll.h"
#include "threads.h"
#include "tickertape/hooks.h"
#include "tickertape/port.h"

atomic_bool tt_zephyr_drain_wanted;
atomic_bool tt_zephyr_poll_wanted[TT_CONFIG_CPUS];
void (*_Atomic tt_zephyr_wake_drain)(void);

static void wake_drain_if_wanted(void)
{
    void (*wake)(void) = atomic_load_explicit(&tt_zephyr_wake_drain, memory_order_acquire);
    if (wake != NULL && atomic_load_explicit(&tt_zephyr_drain_wanted, memory_order_relaxed)) {
        atomic_store(&tt_zephyr_drain_wanted, false); /* later requests are new */
        wake();
    }
}

static __attribute__((noinline)) void enter(uint32_t exception)
{
    if (!tt_zephyr_own_interrupt(exception)) {
        tt_hook_irq_enter(exception, tt_zephyr_tid(tt_zephyr_running()));
    }
}

/* The drain is woken before the end of the interrupt is recorded, so that the trace shows that the
 * interrupt made it ready, and not the interrupted thread. */
static __attribute__((noinline)) void leave(uint32_t exception)
{
    tt_zephyr_poll_if_wanted();
    wake_drain_if_wanted();
    if (!tt_zephyr_own_interrupt(exception)) {
        tt_hook_irq_exit(exception, 0u, tt_zephyr_tid(tt_zephyr_running()));
    }
}

#ifdef TT_ZEPHYR_USER
#ifdef TT_ZEPHYR_USER_NESTED
#define ARGUMENTS        int nested_count
#define UNUSED_ARGUMENTS (void)nested_count
#else
#define ARGUMENTS        void
#define UNUSED_ARGUMENTS (void)0
#endif
#define ISR_ENTER sys_trace_isr_enter_user
#define ISR_EXIT  sys_trace_isr_exit_user
#define IDLE      sys_trace_idle_user
#else
#define ARGUMENTS        void
#define UNUSED_ARGUMENTS (void)0
#define ISR_ENTER        __wrap_sys_trace_isr_enter
#define ISR_EXIT         __wrap_sys_trace_isr_exit
#define IDLE             __wrap_sys_trace_idle
#endif

#ifdef TT_ZEPHYR_CALL_REAL
/* Missing in configurations in which the format has to define these functions. */
__attribute__((weak)) void __real_sys_trace_isr_enter(void);
__attribute__((weak)) void __real_sys_trace_isr_exit(void);
__attribute__((weak)) void __real_sys_trace_idle(void);
#define CALL_REAL(name) ((name) != NULL ? (name)() : (void)0)
#else
#define CALL_REAL(name) (void)0
#endif

void ISR_ENTER(ARGUMENTS);
void ISR_EXIT(ARGUMENTS);
void IDLE(void);

void ISR_ENTER(ARGUMENTS)
{
    UNUSED_ARGUMENTS;
    CALL_REAL(__real_sys_trace_isr_enter);
    enter(tt_port_exception());
}

void ISR_EXIT(ARGUMENTS)
{
    UNUSED_ARGUMENTS;
    leave(tt_port_exception());
    CALL_REAL(__real_sys_trace_isr_exit);
}

/* Nothing to record: the switch to the idle thread already shows it. */
void IDLE(void)
{
    CALL_REAL(__real_sys_trace_idle);
}

#ifdef TT_ZEPHYR_WRAP_SYSTICK

/* The tick interrupt has no hooks, because its vector is the driver's function. */
void __real_sys_clock_isr(void);
void __wrap_sys_clock_isr(void);

void __wrap_sys_clock_isr(void)
{
    uint32_t exception = tt_port_exception();
    enter(exception);
    __real_sys_clock_isr();
    leave(exception);
}

#endif
