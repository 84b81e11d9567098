/*
 * links/ipv4.h - a host with one static IPv4 address that sends and receives UDP, and no more:
 * no fragments, no options, no DHCP. It answers requests for its Ethernet address (ARP) and asks
 * for the addresses that it sends to. Everything runs in one context, which has to poll; nothing
 * waits.
 *
 * A socket receives from its peer alone: address and port have to match, and the checksums of IP
 * and UDP have to be right. A UDP checksum of 0 means that the sender computed none, which RFC 768
 * allows, and is taken: what goes over the link has a CRC of its own. Sender addresses are not
 * authenticated; a host on the same network can forge them (docs/security.md).
 *
 * Formats: RFC 826 (ARP), RFC 791 (IPv4), RFC 768 (UDP).
 */
#ifndef LINKS_IPV4_H
#define LINKS_IPV4_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/language.h"

TT_C_BEGIN

/* Maximum bytes of a frame without its check sequence, and of the UDP payload of a frame. */
#define ETHERNET_MOST_BYTES  1514u
#define IPV4_UDP_MOST_BYTES  1472u
#define IPV4_UDP_HEADS_BYTES 42u

/* Room for a frame: whole words, as network controllers copy them. */
#define ETHERNET_ROOM_BYTES 1516u

/* Frames that one ipv4_poll() takes at most: a flood keeps its caller no longer than that. */
#define IPV4_POLL_FRAMES 16u

/* The address of a known neighbour is requested again after this many `retry_ticks`. */
#define IPV4_REFRESH_RETRIES 30u

/* Functions of a network controller. Neither waits. */
typedef struct ethernet_device {
    uint8_t mac[6];
    /* Send a frame of `count` bytes, aligned to 4, with room up to a whole word; false when the
     * controller has no room for it now. */
    bool (*send)(const uint8_t *frame, uint32_t count);
    /* Whether there is room for a frame of any size. */
    bool (*has_room)(void);
    /* Copy the next frame that came, aligned to 4, at most ETHERNET_MOST_BYTES in
     * ETHERNET_ROOM_BYTES; how many bytes, 0 for none. Returns after a bounded time, 0 also while
     * broken frames come without end. */
    uint32_t (*receive)(uint8_t *frame);
    /* A clock that wraps at 32 bits, and the time until an address is requested
     * again; less than 2^32 / IPV4_REFRESH_RETRIES. */
    uint32_t (*ticks)(void);
    uint32_t retry_ticks;
} ethernet_device_t;

/* A host on the same network, and its Ethernet address. While the address is unknown, any ARP
 * message of the host sets it; later only a reply to our request changes it. */
typedef struct ipv4_neighbour {
    uint8_t address[4];
    uint8_t mac[6];
    bool known;
    bool asked;   /* at least once, at asked_ticks */
    bool expects; /* no answer has come since */
    uint32_t asked_ticks;
} ipv4_neighbour_t;

typedef struct ipv4_socket ipv4_socket_t;

typedef struct ipv4_host {
    const ethernet_device_t *device;
    uint8_t address[4];
    uint8_t gateway[4];   /* route for addresses outside our network */
    uint32_t prefix_bits; /* of that network, 0 to 32 */
    ipv4_socket_t *sockets;
    uint16_t identification;
    TT_ALIGNAS(4) uint8_t out[ETHERNET_ROOM_BYTES];
    TT_ALIGNAS(4) uint8_t in[ETHERNET_ROOM_BYTES];
} ipv4_host_t;

/* A socket: from a local port to a port of a peer. */
struct ipv4_socket {
    ipv4_host_t *host;
    ipv4_socket_t *next;
    uint8_t peer[4];
    uint16_t peer_port;
    uint16_t local_port;
    ipv4_neighbour_t hop; /* next hop to the peer */
    /* Called for datagrams from the peer's address and port to `local_port`; may be NULL. */
    void (*receive)(const uint8_t *bytes, uint32_t count);
};

/* Add a socket with peer and ports set, and request the Ethernet address of its next hop. It must
 * stay valid. */
void ipv4_open(ipv4_host_t *host, ipv4_socket_t *socket);

/* Take it out again. */
void ipv4_close(ipv4_socket_t *socket);

/* Process received frames, at most IPV4_POLL_FRAMES: ARP for the host, datagrams for its sockets.
 * Repeat requests for addresses that are unknown or old. */
void ipv4_poll(ipv4_host_t *host);

/* Where to put the bytes of a datagram, IPV4_UDP_MOST_BYTES at most, right before ipv4_send(); NULL
 * when it cannot be sent now. */
uint8_t *ipv4_payload(ipv4_socket_t *socket);

/* Send the datagram of `count` bytes in the buffer. */
void ipv4_send(ipv4_socket_t *socket, uint32_t count);

TT_C_END

#endif
