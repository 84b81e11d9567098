/* Virtual interrupts: raised by timers or by hand, served at checkpoints. */
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
static uint64_t enabled; /* bit n: interrupt n may come */
static uint64_t pending; /* bit n: interrupt n was raised by hand */
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
    (void)level; /* they do not nest */
    enabled |= UINT64_C(1) << irq;
}

/* The timer that is due first, of equal ones that of the lowest interrupt; NULL without any. */
static device_timer_t *next_timer(void)
{
    device_timer_t *next = NULL;
    for (uint32_t irq = 0; irq < KERNEL_MAX_IRQS; irq++) {
        if (timers[irq].running && (next == NULL || timers[irq].due < next->due)) {
            next = &timers[irq];
        }
    }
    return next;
}

uint64_t native_ticks_to_interrupt(void)
{
    if ((pending & enabled) != 0u) {
        return 0;
    }
    const device_timer_t *next = next_timer();
    uint64_t now = native_clock();
    if (next == NULL) {
        return UINT64_MAX;
    }
    return next->due > now ? next->due - now : 0u;
}

/* Find an interrupt that has to come now and note that it has come. */
static bool take_interrupt(uint32_t *irq)
{
    uint64_t raised = pending & enabled;
    if (raised != 0u) {
        *irq = (uint32_t)__builtin_ctzll(raised);
        pending &= ~(UINT64_C(1) << *irq);
        return true;
    }
    device_timer_t *timer = next_timer();
    if (timer == NULL || timer->due > native_clock()) {
        return false;
    }
    *irq = (uint32_t)(timer - timers);
    timer->running = timer->period != 0u;
    timer->due += timer->period;
    return true;
}

void native_serve_interrupts(void)
{
    uint32_t irq = 0;
    while (take_interrupt(&irq)) {
        serving = true;
        native_pass(NATIVE_INTERRUPT_TICKS);
        kernel_irq_dispatch(irq);
        serving = false;
    }
}
