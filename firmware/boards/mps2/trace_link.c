/*
 * Selects the link that carries the trace: UART0, or UDP if option udp_port (or
 * BOARD_TRACE_UDP_PORT) gives a port of the host. If built with TT_CONFIG_MEMORY_LINK: memory that
 * the host reads through the GDB server of a debug probe or of the emulator. BOARD_TRACE_LINK
 * overrides both.
 */
#include <stddef.h>
#include <string.h>

#include "board.h"
#include "board_link.h"
#include "byte_ring.h"
#include "handlers.h"
#include "memory_link.h"
#include "network.h"
#include "udp_link.h"

#if BOARD_TRACE_LINK == BOARD_LINK_OWN && TT_CONFIG_MEMORY_LINK

/* Header of the memory link. The user gives its address, which nm prints, to the host. */
extern tt_wire_memory_link_t trace_memory;
tt_wire_memory_link_t trace_memory;

/* Bytes that are recorded between two reads of the host. */
#define USUAL_BYTES 8192u

static _Alignas(4) uint8_t up_bytes[BYTE_RING_SIZE(
    TT_MEMORY_LINK_LEAST_BYTES > USUAL_BYTES ? TT_MEMORY_LINK_LEAST_BYTES : USUAL_BYTES)];
static uint8_t down_bytes[256];
static memory_link_t memory;

const tt_link_t *board_trace_link(void)
{
    return memory_link_open(&memory, &trace_memory, up_bytes, sizeof up_bytes, down_bytes,
                            sizeof down_bytes);
}

bool board_trace_sent(void)
{
    return memory_link_sent(&memory);
}

void trace_link_close(void)
{
}

#elif BOARD_TRACE_LINK == BOARD_LINK_OWN

#define LOCAL_PORT 20001u

static bool is_udp;

static const tt_link_t *open_udp(uint16_t port)
{
    static ipv4_socket_t socket = {.local_port = LOCAL_PORT, .peer = BOARD_NET_HOST};
    ipv4_host_t *host = network_host();
    if (host == NULL) {
        board_console_write("the trace cannot go over UDP: there is no Ethernet controller\n");
        board_exit(BOARD_EXIT_LINK);
    }
    socket.peer_port = port;
    is_udp = true;
    return udp_link_open(host, &socket);
}

const tt_link_t *board_trace_link(void)
{
    uint32_t port = board_option("udp_port", BOARD_TRACE_UDP_PORT);
    if (port > UINT16_MAX) {
        board_console_write("udp_port: a port from 1 to 65535, or 0 for the UART\n");
        board_exit(BOARD_EXIT_USAGE);
    }
    return port == 0u ? trace_uart_link() : open_udp((uint16_t)port);
}

bool board_trace_sent(void)
{
    return is_udp ? udp_link_sent() : trace_uart_sent();
}

void trace_link_close(void)
{
    if (is_udp) {
        udp_link_close();
    }
}

#endif
