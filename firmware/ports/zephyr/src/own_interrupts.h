/* own_interrupts.h - the recorder's own interrupts: those of the link's UART, selected in the
 * devicetree, and the one that wakes the drain. */
#ifndef TICKERTAPE_ZEPHYR_OWN_INTERRUPTS_H
#define TICKERTAPE_ZEPHYR_OWN_INTERRUPTS_H

#include <stdbool.h>
#include <stdint.h>
#include <zephyr/devicetree.h>

/* Exception number of interrupt 0. */
#define TT_ZEPHYR_FIRST_IRQ 16u

#if (defined(CONFIG_TICKERTAPE_LINK_UART) || defined(CONFIG_TICKERTAPE_LINK_UART_ASYNC)) &&        \
    defined(CONFIG_CPU_CORTEX_M)

/* A UART over USB has no interrupts itself: they belong to its USB controller. */
#ifdef CONFIG_TICKERTAPE_UART_IS_USB
#define TT_ZEPHYR_LINK_NODE DT_PARENT(DT_CHOSEN(tickertape_uart))
#else
#define TT_ZEPHYR_LINK_NODE DT_CHOSEN(tickertape_uart)
#endif

#define TT_ZEPHYR_IS_IRQ(index, node)                                                              \
    || exception == TT_ZEPHYR_FIRST_IRQ + DT_IRQ_BY_IDX(node, index, irq)

static inline bool tt_zephyr_link_interrupt(uint32_t exception)
{
    return false LISTIFY(DT_NUM_IRQS(TT_ZEPHYR_LINK_NODE), TT_ZEPHYR_IS_IRQ, (),
                         TT_ZEPHYR_LINK_NODE);
}

#else

static inline bool tt_zephyr_link_interrupt(uint32_t exception)
{
    (void)exception;
    return false;
}

#endif

static inline bool tt_zephyr_own_interrupt(uint32_t exception)
{
#ifdef CONFIG_TICKERTAPE_WAKE_BY_IRQ
    if (exception == TT_ZEPHYR_FIRST_IRQ + CONFIG_TICKERTAPE_WAKE_IRQ) {
        return true;
    }
#endif
    return tt_zephyr_link_interrupt(exception);
}

#endif
