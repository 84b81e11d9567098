/*
 * links/ipv4.h - a host with one static IPv4 address that sends and receives UDP, and no more:
 * no fragments, no options, no DHCP. It answers who asks for its Ethernet address (ARP) and asks
 * for those that it sends to. Everything runs in one context, which has to poll; nothing waits.
 *
 * Formats: RFC 826 (ARP), RFC 791 (IPv4), RFC 768 (UDP).
 */
#ifndef LINKS_IPV4_H
#define LINKS_IPV4_H

#include <stdbool.h>
#include <stdint.h>

/* Bytes of a frame without its check sequence, and of what UDP carries in one, at most. */
#define ETHERNET_MOST_BYTES  1514u
#define IPV4_UDP_MOST_BYTES  1472u
#define IPV4_UDP_HEADS_BYTES 42u

/* What a network controller owes. Neither function waits. */
typedef struct ethernet_device {
    uint8_t mac[6];
    /* Send a frame of `count` bytes, aligned to 4; false when there is no room for it now. */
    bool (*send)(const uint8_t *frame, uint32_t count);
    /* Whether there is room for a frame of any size. */
    bool (*has_room)(void);
    /* Copy the next frame that came, at most ETHERNET_MOST_BYTES; how many bytes, 0 for none. */
    uint32_t (*receive)(uint8_t *frame);
    /* A clock that goes round in 32 bits, and how much of it may pass until one asks again. */
    uint32_t (*ticks)(void);
    uint32_t retry_ticks;
} ethernet_device_t;

/* A peer on the same network, and what is known of it. */
typedef struct ipv4_neighbour {
    uint8_t address[4];
    uint8_t mac[6];
    bool known;
    bool asked;
    uint32_t asked_ticks;
} ipv4_neighbour_t;

typedef struct ipv4_socket ipv4_socket_t;

typedef struct ipv4_host {
    const ethernet_device_t *device;
    uint8_t address[4];
    uint8_t gateway[4];   /* takes what is not for the network of our own */
    uint32_t prefix_bits; /* of that network, 0 to 32 */
    ipv4_socket_t *sockets;
    uint16_t identification;
    _Alignas(4) uint8_t out[ETHERNET_MOST_BYTES];
    _Alignas(4) uint8_t in[ETHERNET_MOST_BYTES];
} ipv4_host_t;

/* One direction of talk: from a port of ours to one of a peer. */
struct ipv4_socket {
    ipv4_host_t *host;
    ipv4_socket_t *next;
    uint8_t peer[4];
    uint16_t peer_port;
    uint16_t local_port;
    ipv4_neighbour_t hop; /* who takes what is for the peer */
    /* Takes what comes for `local_port`, whoever sent it; may be NULL. */
    void (*receive)(const uint8_t *bytes, uint32_t count);
};

/* Add a socket, whose peer and ports are set, and ask for the way to its peer. It has to live
 * on. */
void ipv4_open(ipv4_host_t *host, ipv4_socket_t *socket);

/* Take it out again. */
void ipv4_close(ipv4_socket_t *socket);

/* Take what has come: ARP for the host, datagrams for its sockets. Ask again who has not
 * answered. */
void ipv4_poll(ipv4_host_t *host);

/* Where to put the bytes of a datagram, IPV4_UDP_MOST_BYTES at most, right before ipv4_send(); NULL
 * when it cannot be sent now. */
uint8_t *ipv4_payload(ipv4_socket_t *socket);

/* Send the datagram whose `count` bytes are there. */
void ipv4_send(ipv4_socket_t *socket, uint32_t count);

#endif
