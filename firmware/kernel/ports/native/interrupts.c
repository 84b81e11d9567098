/* Virtual interrupts: raised by timers or native_raise(), served at checkpoints. */
#include <stddef.h>

#include "kernel_board.h"
#include "native.h"
#include "port.h"

typedef struct device_timer {
    bool running;
    uint64_t due;
    uint64_t period;
} device_timer_t;

_Static_assert(KERNEL_MAX_IRQS <= 64, "a bit for each interrupt");

static device_timer_t timers[KERNEL_MAX_IRQS];
static uint64_t enabled; /* bit n: interrupt n is enabled */
static uint64_t urgent;  /* bit n: interrupt n preempts kernel calls */
static uint64_t pending; /* bit n: native_raise() has raised interrupt n */
static bool serving;

void native_timer_start(uint32_t irq, uint64_t first, uint64_t period)
{
    timers[irq] = (device_timer_t){.running = true, .due = first, .period = period};
}

void native_raise(uint32_t irq)
{
    pending |= UINT64_C(1) << irq;
}

bool native_serves_interrupt(void)
{
    return serving;
}

void kernel_port_irq_enable(uint32_t irq, kernel_irq_level_t level)
{
    uint64_t bit = UINT64_C(1) << irq;
    enabled |= bit;
    urgent = level == KERNEL_IRQ_LEVEL_DEVICE ? urgent | bit : urgent & ~bit;
}

/* Return the running timer of `irqs` that is due first, the one with the lowest number if several
 * are; NULL if none runs. */
static device_timer_t *next_timer(uint64_t irqs)
{
    device_timer_t *next = NULL;
    for (uint32_t irq = 0; irq < KERNEL_MAX_IRQS; irq++) {
        if (((irqs >> irq) & 1u) != 0u && timers[irq].running &&
            (next == NULL || timers[irq].due < next->due)) {
            next = &timers[irq];
        }
    }
    return next;
}

uint64_t native_ticks_to_interrupt(void)
{
    if (native_lock_depth != 0u) {
        return UINT64_MAX;
    }
    if ((pending & enabled) != 0u) {
        return 0;
    }
    const device_timer_t *next = next_timer(UINT64_MAX);
    uint64_t now = native_clock();
    if (next == NULL) {
        return UINT64_MAX;
    }
    return next->due > now ? next->due - now : 0u;
}

/* Take a due interrupt of `irqs`. Returns false when there is none. */
static bool take_interrupt(uint64_t irqs, uint32_t *irq)
{
    uint64_t raised = pending & enabled & irqs;
    if (raised != 0u) {
        *irq = (uint32_t)__builtin_ctzll(raised);
        pending &= ~(UINT64_C(1) << *irq);
        return true;
    }
    device_timer_t *timer = next_timer(irqs);
    if (timer == NULL || timer->due > native_clock()) {
        return false;
    }
    *irq = (uint32_t)(timer - timers);
    timer->running = timer->period != 0u;
    timer->due += timer->period;
    return true;
}

static void serve(uint64_t irqs)
{
    uint32_t irq = 0;
    while (take_interrupt(irqs, &irq)) {
        serving = true;
        native_pass(NATIVE_INTERRUPT_TICKS);
        kernel_irq_dispatch(irq);
        serving = false;
    }
}

void native_serve_interrupts(void)
{
    serve(UINT64_MAX);
}

void native_serve_device_interrupts(void)
{
    serve(urgent);
}
