#include "ipv4.h"

#include <stddef.h>
#include <string.h>

/* Offsets of fields from the start of the frame. */
#define ETHERNET_TO   0u
#define ETHERNET_FROM 6u
#define ETHERNET_TYPE 12u
#define ETHERNET_HEAD 14u

#define TYPE_IPV4 0x0800u
#define TYPE_ARP  0x0806u

#define ARP_OPERATION 20u
#define ARP_FROM_MAC  22u
#define ARP_FROM      28u
#define ARP_TO_MAC    32u
#define ARP_TO        38u
#define ARP_BYTES     42u
#define ARP_ASKS      1u
#define ARP_ANSWERS   2u

#define IP_VERSION  14u
#define IP_LENGTH   16u
#define IP_ID       18u
#define IP_FRAGMENT 20u
#define IP_TTL      22u
#define IP_PROTOCOL 23u
#define IP_SUM      24u
#define IP_FROM     26u
#define IP_TO       30u
#define IP_HEAD     20u

#define IP_VERSION_4_HEAD_20 0x45u
#define IP_DO_NOT_FRAGMENT   0x4000u
#define IP_FRAGMENT_MASK     0x3fffu /* more fragments follow, or this is not the first one */
#define IP_HOPS              64u
#define IP_UDP               17u

#define UDP_FROM   34u
#define UDP_TO     36u
#define UDP_LENGTH 38u
#define UDP_SUM    40u
#define UDP_HEAD   8u

#define GROUP_BIT 1u /* set in the first byte of the MAC address of a group */

static const uint8_t everybody[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};

/* First bytes of every ARP message: Ethernet and IPv4, addresses of six and four bytes. */
static const uint8_t arp_kind[6] = {0, 1, 8, 0, 6, 4};

static void put_u16(uint8_t *at, uint32_t value)
{
    at[0] = (uint8_t)(value >> 8);
    at[1] = (uint8_t)value;
}

static uint32_t get_u16(const uint8_t *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

/* Add 16-bit words to a sum, a last odd byte as if a zero followed. `count` is less than 65536. */
static uint32_t sum_of(uint32_t sum, const uint8_t *bytes, uint32_t count)
{
    for (uint32_t i = 0; i + 1u < count; i += 2u) {
        sum += get_u16(bytes + i);
    }
    return (count & 1u) != 0u ? sum + ((uint32_t)bytes[count - 1u] << 8) : sum;
}

static uint32_t checksum(uint32_t sum)
{
    sum = (sum & 0xffffu) + (sum >> 16);
    sum = (sum & 0xffffu) + (sum >> 16);
    return ~sum & 0xffffu;
}

/* ARP. ----------------------------------------------------------------------------------------- */

/* Controllers read whole words: the frame has room up to one. */
#define ARP_ROOM_BYTES ((ARP_BYTES + 3u) & ~3u)

static void send_arp(const ipv4_host_t *host, uint32_t operation, const uint8_t *mac,
                     const uint8_t *address)
{
    _Alignas(4) uint8_t frame[ARP_ROOM_BYTES] = {0};
    memcpy(frame + ETHERNET_TO, operation == ARP_ASKS ? everybody : mac, 6);
    memcpy(frame + ETHERNET_FROM, host->device->mac, 6);
    put_u16(frame + ETHERNET_TYPE, TYPE_ARP);
    memcpy(frame + ETHERNET_HEAD, arp_kind, sizeof arp_kind);
    put_u16(frame + ARP_OPERATION, operation);
    memcpy(frame + ARP_FROM_MAC, host->device->mac, 6);
    memcpy(frame + ARP_FROM, host->address, 4);
    memcpy(frame + ARP_TO_MAC, mac, 6);
    memcpy(frame + ARP_TO, address, 4);
    (void)host->device->send(frame, ARP_BYTES);
}

static void ask(const ipv4_host_t *host, ipv4_neighbour_t *hop)
{
    static const uint8_t unknown_address[6];
    uint32_t now = host->device->ticks();
    uint32_t pause = host->device->retry_ticks * (hop->known ? IPV4_REFRESH_RETRIES : 1u);
    if (hop->asked && now - hop->asked_ticks < pause) {
        return;
    }
    hop->asked = true;
    hop->expects = true;
    hop->asked_ticks = now;
    send_arp(host, ARP_ASKS, unknown_address, hop->address);
}

static void take_arp(ipv4_host_t *host, const uint8_t *frame, uint32_t count)
{
    if (count < ARP_BYTES || memcmp(frame + ETHERNET_HEAD, arp_kind, sizeof arp_kind) != 0) {
        return;
    }
    const bool asks = get_u16(frame + ARP_OPERATION) == ARP_ASKS;
    if (memcmp(frame + ARP_TO, host->address, 4) != 0 || (frame[ARP_FROM_MAC] & GROUP_BIT) != 0u) {
        return;
    }
    for (ipv4_socket_t *socket = host->sockets; socket != NULL; socket = socket->next) {
        ipv4_neighbour_t *hop = &socket->hop;
        bool learns = !hop->known || (hop->expects && !asks);
        if (learns && memcmp(hop->address, frame + ARP_FROM, 4) == 0) {
            memcpy(hop->mac, frame + ARP_FROM_MAC, 6);
            hop->known = true;
            hop->expects = false;
        }
    }
    if (asks) {
        send_arp(host, ARP_ANSWERS, frame + ARP_FROM_MAC, frame + ARP_FROM);
    }
}

/* Sockets. ------------------------------------------------------------------------------------- */

static bool is_near(const ipv4_host_t *host, const uint8_t *address)
{
    for (uint32_t bit = 0; bit < host->prefix_bits; bit++) {
        uint32_t differ = host->address[bit / 8u] ^ (uint32_t)address[bit / 8u];
        if ((differ & (0x80u >> (bit % 8u))) != 0u) {
            return false;
        }
    }
    return true;
}

void ipv4_open(ipv4_host_t *host, ipv4_socket_t *socket)
{
    socket->host = host;
    socket->next = host->sockets;
    host->sockets = socket;
    socket->hop = (ipv4_neighbour_t){.known = false};
    memcpy(socket->hop.address, is_near(host, socket->peer) ? socket->peer : host->gateway, 4);
    ipv4_poll(host);
}

void ipv4_close(ipv4_socket_t *socket)
{
    ipv4_socket_t **place = &socket->host->sockets;
    while (*place != NULL && *place != socket) {
        place = &(*place)->next;
    }
    if (*place == socket) {
        *place = socket->next;
    }
}

/* Return whether the checksums of both headers are right; a UDP checksum of 0 was not computed. */
static bool sums_are_right(const uint8_t *frame, uint32_t udp_bytes)
{
    if (checksum(sum_of(0, frame + IP_VERSION, IP_HEAD)) != 0u) {
        return false;
    }
    uint32_t sum = sum_of(IP_UDP + udp_bytes, frame + IP_FROM, 8);
    return get_u16(frame + UDP_SUM) == 0u ||
           checksum(sum_of(sum, frame + UDP_FROM, udp_bytes)) == 0u;
}

/* Return whether a datagram is from the socket's peer to the socket. */
static bool is_for(const ipv4_socket_t *socket, const uint8_t *frame)
{
    return socket->receive != NULL && socket->local_port == get_u16(frame + UDP_TO) &&
           socket->peer_port == get_u16(frame + UDP_FROM) &&
           memcmp(socket->peer, frame + IP_FROM, 4) == 0;
}

/* Check a datagram and pass it to its socket. */
static void take_udp(const ipv4_host_t *host, const uint8_t *frame, uint32_t count)
{
    uint32_t ip_bytes = get_u16(frame + IP_LENGTH);
    uint32_t udp_bytes = get_u16(frame + UDP_LENGTH);
    bool whole = count >= ETHERNET_HEAD + ip_bytes && ip_bytes >= IP_HEAD + udp_bytes &&
                 udp_bytes >= UDP_HEAD && (get_u16(frame + IP_FRAGMENT) & IP_FRAGMENT_MASK) == 0u;
    if (!whole || memcmp(frame + IP_TO, host->address, 4) != 0 ||
        !sums_are_right(frame, udp_bytes)) {
        return;
    }
    for (ipv4_socket_t *socket = host->sockets; socket != NULL; socket = socket->next) {
        if (is_for(socket, frame)) {
            socket->receive(frame + IPV4_UDP_HEADS_BYTES, udp_bytes - UDP_HEAD);
            return;
        }
    }
}

void ipv4_poll(ipv4_host_t *host)
{
    for (uint32_t frames = 0; frames < IPV4_POLL_FRAMES; frames++) {
        uint32_t count = host->device->receive(host->in);
        if (count == 0u) {
            break;
        }
        uint32_t type = count < ETHERNET_HEAD ? 0u : get_u16(host->in + ETHERNET_TYPE);
        if (type == TYPE_ARP) {
            take_arp(host, host->in, count);
        } else if (type == TYPE_IPV4 && count >= IPV4_UDP_HEADS_BYTES &&
                   host->in[IP_VERSION] == IP_VERSION_4_HEAD_20 &&
                   host->in[IP_PROTOCOL] == IP_UDP) {
            take_udp(host, host->in, count);
        }
    }
    for (ipv4_socket_t *socket = host->sockets; socket != NULL; socket = socket->next) {
        ask(host, &socket->hop);
    }
}

uint8_t *ipv4_payload(ipv4_socket_t *socket)
{
    bool ready = socket->hop.known && socket->host->device->has_room();
    return ready ? socket->host->out + IPV4_UDP_HEADS_BYTES : NULL;
}

static void put_ip_head(ipv4_host_t *host, const ipv4_socket_t *socket, uint32_t udp_bytes)
{
    uint8_t *frame = host->out;
    memset(frame + IP_VERSION, 0, IP_HEAD);
    frame[IP_VERSION] = IP_VERSION_4_HEAD_20;
    put_u16(frame + IP_LENGTH, IP_HEAD + udp_bytes);
    put_u16(frame + IP_ID, host->identification++);
    put_u16(frame + IP_FRAGMENT, IP_DO_NOT_FRAGMENT);
    frame[IP_TTL] = IP_HOPS;
    frame[IP_PROTOCOL] = IP_UDP;
    memcpy(frame + IP_FROM, host->address, 4);
    memcpy(frame + IP_TO, socket->peer, 4);
    put_u16(frame + IP_SUM, checksum(sum_of(0, frame + IP_VERSION, IP_HEAD)));
}

static void put_udp_head(ipv4_host_t *host, const ipv4_socket_t *socket, uint32_t udp_bytes)
{
    uint8_t *frame = host->out;
    put_u16(frame + UDP_FROM, socket->local_port);
    put_u16(frame + UDP_TO, socket->peer_port);
    put_u16(frame + UDP_LENGTH, udp_bytes);
    put_u16(frame + UDP_SUM, 0);
    /* The checksum includes addresses, protocol and length. */
    uint32_t sum = sum_of(IP_UDP + udp_bytes, frame + IP_FROM, 8);
    sum = checksum(sum_of(sum, frame + UDP_FROM, udp_bytes));
    put_u16(frame + UDP_SUM, sum == 0u ? 0xffffu : sum); /* 0 would mean no checksum */
}

void ipv4_send(ipv4_socket_t *socket, uint32_t count)
{
    ipv4_host_t *host = socket->host;
    memcpy(host->out + ETHERNET_TO, socket->hop.mac, 6);
    memcpy(host->out + ETHERNET_FROM, host->device->mac, 6);
    put_u16(host->out + ETHERNET_TYPE, TYPE_IPV4);
    put_ip_head(host, socket, UDP_HEAD + count);
    put_udp_head(host, socket, UDP_HEAD + count);
    (void)host->device->send(host->out, IPV4_UDP_HEADS_BYTES + count);
}
