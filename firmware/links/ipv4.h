/*
 * links/ipv4.h - a host with one static IPv4 address that sends and receives UDP: no fragments, no
 * options, no DHCP. It answers ARP requests for its Ethernet address and requests the addresses
 * that it sends to. All functions run in one context, which has to poll; none waits.
 *
 * A socket receives only from its peer: address and port have to match, and the checksums of IP and
 * UDP have to be right. A UDP checksum of 0 means that the sender computed none, which RFC 768
 * allows. Such a datagram is accepted, because frames of the link have their own CRC. Sender
 * addresses are not authenticated; a host on the same network can forge them (docs/security.md).
 *
 * Formats: RFC 826 (ARP), RFC 791 (IPv4), RFC 768 (UDP).
 */
#ifndef LINKS_IPV4_H
#define LINKS_IPV4_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/language.h"

TT_C_BEGIN

/* Largest frame without its check sequence, largest UDP payload of a frame, and headers before it,
 * in bytes. */
#define ETHERNET_MOST_BYTES  1514u
#define IPV4_UDP_MOST_BYTES  1472u
#define IPV4_UDP_HEADS_BYTES 42u

/* Room for a frame: whole words, as network controllers copy them. */
#define ETHERNET_ROOM_BYTES 1516u

/* Largest number of frames that one ipv4_poll() receives, so that a flood does not hold its
 * caller. */
#define IPV4_POLL_FRAMES 16u

/* The address of a known neighbour is requested again after this many `retry_ticks`. */
#define IPV4_REFRESH_RETRIES 30u

/* Functions of a network controller. None waits. */
typedef struct ethernet_device {
    uint8_t mac[6];
    /* Send a frame of `count` bytes; its memory is aligned to 4 and readable up to a whole word.
     * Returns false when the controller has no room for it now. */
    bool (*send)(const uint8_t *frame, uint32_t count);
    /* Return whether the controller has room for a frame of any size. */
    bool (*has_room)(void);
    /* Copy the next received frame, at most ETHERNET_MOST_BYTES, to `frame`, which is aligned to 4
     * and has ETHERNET_ROOM_BYTES. Returns the number of bytes, 0 for none. The time is bounded:
     * returns 0 also while only broken frames arrive. */
    uint32_t (*receive)(uint8_t *frame);
    /* A clock modulo 2^32, and the time in its ticks after which an address is requested again,
     * less than 2^32 / IPV4_REFRESH_RETRIES. */
    uint32_t (*ticks)(void);
    uint32_t retry_ticks;
} ethernet_device_t;

/* A host on the same network, and its Ethernet address. While the address is unknown, any ARP
 * message of the host sets it; later only a reply to our request changes it. */
typedef struct ipv4_neighbour {
    uint8_t address[4];
    uint8_t mac[6];
    bool known;
    bool asked;   /* the address was requested, last at asked_ticks */
    bool expects; /* no reply was received since */
    uint32_t asked_ticks;
} ipv4_neighbour_t;

typedef struct ipv4_socket ipv4_socket_t;

typedef struct ipv4_host {
    const ethernet_device_t *device;
    uint8_t address[4];
    uint8_t gateway[4];   /* route for addresses outside our network */
    uint32_t prefix_bits; /* prefix length of our network, 0 to 32 */
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

/* Remove a socket from its host. */
void ipv4_close(ipv4_socket_t *socket);

/* Process received frames, at most IPV4_POLL_FRAMES: ARP for the host, datagrams for its sockets.
 * Repeat requests for addresses that are unknown or old. */
void ipv4_poll(ipv4_host_t *host);

/* Return the buffer for the payload of the next datagram, IPV4_UDP_MOST_BYTES; fill it just before
 * ipv4_send(). Returns NULL when no datagram can be sent now: the address of the next hop is
 * unknown or the controller has no room. */
uint8_t *ipv4_payload(ipv4_socket_t *socket);

/* Send a datagram with the `count` bytes that were stored at ipv4_payload(). */
void ipv4_send(ipv4_socket_t *socket, uint32_t count);

TT_C_END

#endif
