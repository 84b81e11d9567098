/* main.h - a stub: declarations of a CubeMX project for the HAL's UART. */
#ifndef MAIN_H
#define MAIN_H

#include <stdint.h>

typedef struct UART_HandleTypeDef UART_HandleTypeDef;
typedef enum {
    HAL_OK = 0
} HAL_StatusTypeDef;

HAL_StatusTypeDef HAL_UART_Transmit_IT(UART_HandleTypeDef *uart, const uint8_t *data,
                                       uint16_t count);
HAL_StatusTypeDef HAL_UART_Transmit_DMA(UART_HandleTypeDef *uart, const uint8_t *data,
                                        uint16_t count);
HAL_StatusTypeDef HAL_UART_Receive_IT(UART_HandleTypeDef *uart, uint8_t *data, uint16_t count);

#endif
