/*
 * Interrupts. Zephyr calls real functions here, from assembler; which ones, CMakeLists.txt finds
 * out: those of the format "user" (TT_ZEPHYR_USER, with a number of nested interrupts up to 3.5:
 * TT_ZEPHYR_USER_NESTED), else the functions themselves, which the linker redirects. Those of
 * Zephyr's own that count CPU load are called as well (TT_ZEPHYR_CALL_REAL).
 *
 * The numbers are exception numbers. The link's own interrupts are left out: every byte sent would
 * otherwise make records that have to be sent.
 *
 * At the end of an interrupt this CPU holds no lock of the kernel: what hooks ask for is done
 * there.
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

static void enter(uint32_t exception)
{
    if (!tt_zephyr_own_interrupt(exception)) {
        tt_hook_irq_enter(exception, tt_zephyr_tid(tt_zephyr_running()));
    }
}

/* The drain is woken before the end is recorded: it is the interrupt that makes it ready, and not
 * the thread that goes on. */
static void leave(uint32_t exception)
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
/* Not there where Zephyr leaves these functions to the format. */
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

/* The switch to the idle thread has recorded it. */
void IDLE(void)
{
    CALL_REAL(__real_sys_trace_idle);
}

#ifdef TT_ZEPHYR_WRAP_SYSTICK

/* The tick goes past Zephyr's hooks: its vector leads to the driver at once. */
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
