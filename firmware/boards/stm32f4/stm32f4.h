/* boards/stm32f4/stm32f4.h - registers of the STM32F405 and F407 (reference manual RM0090). */
#ifndef STM32F4_H
#define STM32F4_H

#include <stdint.h>

#include "dwt_registers.h"

#define STM32_REGISTER(address) (*(volatile uint32_t *)(address))

#define STM32_RCC_CR       STM32_REGISTER(0x40023800u)
#define STM32_RCC_PLLCFGR  STM32_REGISTER(0x40023804u)
#define STM32_RCC_CFGR     STM32_REGISTER(0x40023808u)
#define STM32_RCC_AHB1ENR  STM32_REGISTER(0x40023830u)
#define STM32_RCC_APB1RSTR STM32_REGISTER(0x40023820u) /* bits as in APB1ENR */
#define STM32_RCC_APB1ENR  STM32_REGISTER(0x40023840u)

#define STM32_RCC_CR_HSEON       (1u << 16)
#define STM32_RCC_CR_HSERDY      (1u << 17)
#define STM32_RCC_CR_PLLON       (1u << 24)
#define STM32_RCC_CR_PLLRDY      (1u << 25)
#define STM32_RCC_CFGR_SW_PLL    2u
#define STM32_RCC_CFGR_SWS       (3u << 2)
#define STM32_RCC_CFGR_SWS_PLL   (2u << 2)
#define STM32_RCC_CFGR_PPRE1_4   (5u << 10)
#define STM32_RCC_CFGR_PPRE2_2   (4u << 13)
#define STM32_RCC_AHB1ENR_GPIOA  (1u << 0)
#define STM32_RCC_AHB1ENR_GPIOB  (1u << 1)
#define STM32_RCC_AHB1ENR_DMA1   (1u << 21)
#define STM32_RCC_APB1ENR_TIM2   (1u << 0)
#define STM32_RCC_APB1ENR_TIM5   (1u << 3)
#define STM32_RCC_APB1ENR_USART2 (1u << 17)

#define STM32_FLASH_ACR         STM32_REGISTER(0x40023c00u)
/* Five wait states at 168 MHz; prefetch, instruction and data cache. */
#define STM32_FLASH_ACR_168_MHZ (5u | (7u << 8))

/* The processor's trace unit. TRCENA enables it. */
#define DEMCR        STM32_REGISTER(0xe000edfcu)
#define DEMCR_TRCENA (1u << 24)
#define DWT          ((dwt_registers_t *)0xe0001000u)

/* TRACE_IOEN without the pins of the parallel port: the trace leaves by SWO. */
#define STM32_DBGMCU_CR            STM32_REGISTER(0xe0042004u)
#define STM32_DBGMCU_CR_SLEEP      (1u << 0) /* the processor's clock stays on in sleep */
#define STM32_DBGMCU_CR_TRACE      (7u << 5)
#define STM32_DBGMCU_CR_TRACE_IOEN (1u << 5)

#define STM32_GPIOB_MODER   STM32_REGISTER(0x40020400u)
#define STM32_GPIOB_OSPEEDR STM32_REGISTER(0x40020408u)
#define STM32_GPIOB_AFRL    STM32_REGISTER(0x40020420u)

#define STM32_GPIOA_MODER STM32_REGISTER(0x40020000u)
#define STM32_GPIOA_AFRL  STM32_REGISTER(0x40020020u)

typedef struct stm32_usart {
    volatile uint32_t sr;
    volatile uint32_t dr;
    volatile uint32_t brr;
    volatile uint32_t cr1;
    volatile uint32_t cr2;
    volatile uint32_t cr3;
} stm32_usart_t;

#define STM32_USART2     ((stm32_usart_t *)0x40004400u)
#define STM32_USART2_IRQ 38u

#define STM32_USART_SR_PE  (1u << 0)
#define STM32_USART_SR_FE  (1u << 1)
#define STM32_USART_SR_NE  (1u << 2)
#define STM32_USART_SR_ORE (1u << 3)
#define STM32_USART_SR_ERRORS                                                                      \
    (STM32_USART_SR_PE | STM32_USART_SR_FE | STM32_USART_SR_NE | STM32_USART_SR_ORE)
#define STM32_USART_SR_RXNE    (1u << 5)
#define STM32_USART_SR_TC      (1u << 6)
#define STM32_USART_SR_TXE     (1u << 7)
#define STM32_USART_CR1_RE     (1u << 2)
#define STM32_USART_CR1_TE     (1u << 3)
#define STM32_USART_CR1_RXNEIE (1u << 5)
#define STM32_USART_CR1_TXEIE  (1u << 7)
#define STM32_USART_CR1_UE     (1u << 13)
#define STM32_USART_CR3_DMAR   (1u << 6)
#define STM32_USART_CR3_DMAT   (1u << 7)

/* A stream of a DMA controller. */
typedef struct stm32_dma_stream {
    volatile uint32_t cr;
    volatile uint32_t ndtr; /* transfers left */
    volatile uint32_t par;  /* address of the peripheral's register */
    volatile uint32_t m0ar; /* address in memory */
    volatile uint32_t m1ar;
    volatile uint32_t fcr;
} stm32_dma_stream_t;

typedef struct stm32_dma {
    volatile uint32_t lisr; /* streams 0 to 3 */
    volatile uint32_t hisr; /* streams 4 to 7 */
    volatile uint32_t lifcr;
    volatile uint32_t hifcr; /* write 1 to clear */
    stm32_dma_stream_t streams[8];
} stm32_dma_t;

#define STM32_DMA1             ((stm32_dma_t *)0x40026000u)
#define STM32_DMA1_STREAM6_IRQ 17u

/* USART2 receives by stream 5 and sends by stream 6, each with channel 4. */
#define STM32_DMA_USART2_RX      5u
#define STM32_DMA_USART2_TX      6u
#define STM32_DMA_USART2_CHANNEL (4u << 25)

#define STM32_DMA_CR_EN        (1u << 0)
#define STM32_DMA_CR_TEIE      (1u << 2)
#define STM32_DMA_CR_TCIE      (1u << 4)
#define STM32_DMA_CR_TO_DEVICE (1u << 6)
#define STM32_DMA_CR_CIRCULAR  (1u << 8)
#define STM32_DMA_CR_MINC      (1u << 10)

/* Flags of stream 6 in `hisr` and `hifcr`. */
#define STM32_DMA_STREAM6_FLAGS (0x3du << 16)
#define STM32_DMA_STREAM6_ERROR (1u << 19)
#define STM32_DMA_STREAM6_DONE  (1u << 21)

typedef struct stm32_timer {
    volatile uint32_t cr1;
    volatile uint32_t cr2;
    volatile uint32_t smcr;
    volatile uint32_t dier;
    volatile uint32_t sr; /* write 0 to clear */
    volatile uint32_t egr;
    uint32_t reserved[3];
    volatile uint32_t cnt;
    volatile uint32_t psc;
    volatile uint32_t arr;
} stm32_timer_t;

#define STM32_TIM2 ((stm32_timer_t *)0x40000000u)
#define STM32_TIM5 ((stm32_timer_t *)0x40000c00u)

#define STM32_TIM_CR1_CEN  1u
#define STM32_TIM_DIER_UIE 1u

#endif
