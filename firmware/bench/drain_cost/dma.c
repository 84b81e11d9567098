/*
 * BOARD_TRACE_LINK_DMA on a board without such a controller: the STM32F4's driver accesses
 * registers in memory. dma_run() takes the part of the controller: it ends the current transfer and
 * calls the interrupt handler.
 */
#include "dma.h"

#include "../../boards/stm32f4/stm32f4.h"
#include "board_link.h"

#if BOARD_TRACE_LINK == BOARD_LINK_DMA

static stm32_dma_t dma1;
static stm32_usart_t usart2 = {.sr = STM32_USART_SR_TC};
static uint32_t other_register;

#undef STM32_DMA1
#undef STM32_USART2
#undef STM32_RCC_AHB1ENR
#define STM32_DMA1        (&dma1)
#define STM32_USART2      (&usart2)
#define STM32_RCC_AHB1ENR other_register

/* The driver's trace_uart_start() is renamed and not called, because the board defines its own. */
#define trace_uart_start dma_start
#include "../../boards/stm32f4/trace_dma.c"
#undef trace_uart_start

void trace_usart_start(uint32_t cr1)
{
    usart2.cr1 = cr1;
}

void dma_run(void)
{
    stm32_dma_stream_t *tx = &dma1.streams[STM32_DMA_USART2_TX];
    while ((tx->cr & STM32_DMA_CR_EN) != 0u) {
        tx->ndtr = 0;
        tx->cr &= ~STM32_DMA_CR_EN;
        dma1.hisr = STM32_DMA_STREAM6_DONE;
        trace_dma_handler();
    }
}

#endif
