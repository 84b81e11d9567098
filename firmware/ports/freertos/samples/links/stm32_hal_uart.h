/* stm32_hal_uart.h - a link over a UART of STM32's HAL (stm32_hal_uart.c). */
#ifndef STM32_HAL_UART_H
#define STM32_HAL_UART_H

#include "FreeRTOS.h"

#include "main.h"

/* Begin to receive, and return the link for tt_freertos_start(). Call it once. */
const tt_freertos_link_t *trace_uart_open(UART_HandleTypeDef *which);

/* Call these from HAL_UART_TxCpltCallback(), HAL_UART_RxCpltCallback() and
 * HAL_UART_ErrorCallback(); they ignore other UARTs. */
void trace_uart_sent(UART_HandleTypeDef *which);
void trace_uart_received(UART_HandleTypeDef *which);
void trace_uart_failed(UART_HandleTypeDef *which);

#endif
