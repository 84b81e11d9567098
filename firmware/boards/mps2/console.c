/* Text for users on UART1, without interrupts, so that it works in a fault too. */
#include "board.h"
#include "handlers.h"
#include "mps2.h"

#define CONSOLE_BAUD 115200u

void console_start(void)
{
    MPS2_UART1->baud_divider = MPS2_SYSTEM_HZ / CONSOLE_BAUD;
    MPS2_UART1->ctrl = MPS2_UART_CTRL_TX_ENABLE;
}

static void put(char character)
{
    while ((MPS2_UART1->state & MPS2_UART_STATE_TX_FULL) != 0u) {
    }
    MPS2_UART1->data = (uint8_t)character;
}

void board_console_write(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '\n') {
            put('\r');
        }
        put(*text);
    }
}
