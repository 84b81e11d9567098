/* SysTick as the source of the kernel's tick. */
#include "port.h"

#include <stddef.h>

#include "kernel_board.h"
#include "scs.h"

#define CSR_ENABLE    (1u << 0)
#define CSR_TICKINT   (1u << 1)
#define CSR_CLKSOURCE (1u << 2) /* the processor's clock */

void kernel_systick_start(uint32_t core_hz, uint32_t tick_hz)
{
    scb_set_priority(EXCEPTION_SYSTICK, PRIORITY_KERNEL);
    SYST_RVR = core_hz / tick_hz - 1u;
    SYST_CVR = 0;
    SYST_CSR = CSR_ENABLE | CSR_TICKINT | CSR_CLKSOURCE;
}

static void tick(void *argument)
{
    (void)argument;
    kernel_tick();
}

void SysTick_Handler(void)
{
    kernel_irq_run(EXCEPTION_SYSTICK, tick, NULL);
}
