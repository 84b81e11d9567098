/*
 * Sends a datagram every 50 ms to the host's discard port and is traced over the same network. The
 * trace shows the work of the network stack's threads for each datagram and for the trace itself.
 */
#include <tickertape/emitters.h>
#include <zephyr/kernel.h>
#include <zephyr/net/socket.h>

#define PERIOD_MS    50
#define DISCARD_PORT 9

/* Events of this application: before a datagram is sent; after it, with the result. */
#define EVENT_SEND 0u
#define EVENT_SENT 1u

int main(void)
{
    struct sockaddr_in host = {.sin_family = AF_INET, .sin_port = htons(DISCARD_PORT)};
    static const uint8_t bytes[256];
    int sock = zsock_socket(AF_INET, SOCK_DGRAM, IPPROTO_UDP);
    (void)zsock_inet_pton(AF_INET, CONFIG_TICKERTAPE_UDP_HOST, &host.sin_addr);
    for (uint32_t number = 0;; number++) {
        tt_emit_user_user(EVENT_SEND, number, 0);
        ssize_t sent =
            zsock_sendto(sock, bytes, sizeof bytes, 0, (struct sockaddr *)&host, sizeof host);
        tt_emit_user_user(EVENT_SENT, number, (uint32_t)sent);
        k_msleep(PERIOD_MS);
    }
    return 0;
}
