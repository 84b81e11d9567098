/* The board has no network. */
#include <stddef.h>

#include "board.h"

const uint8_t board_host_address[4];

void *board_udp_open(uint16_t local_port, const uint8_t address[4], uint16_t port)
{
    (void)local_port;
    (void)address;
    (void)port;
    return NULL;
}

void board_udp_send(void *socket, const void *bytes, uint32_t count)
{
    (void)socket;
    (void)bytes;
    (void)count;
}

void board_udp_close(void *socket)
{
    (void)socket;
}
