/*
 * links/ipv4.c on a simulated network: requests, replies, ignored frames. Exit code: 0 if all
 * expectations hold; prints the failed one otherwise.
 */
#include "ipv4.h"

#include <string.h>

#include "plain_port.h"

#define RETRY_TICKS 100u
#define FRAMES_MAX  8u

static const uint8_t my_mac[6] = {2, 0, 0, 0, 0, 1};
static const uint8_t peer_mac[6] = {2, 0, 0, 0, 0, 2};
static const uint8_t my_address[4] = {192, 168, 7, 9};
static const uint8_t near_address[4] = {192, 168, 7, 200};
static const uint8_t far_address[4] = {8, 8, 8, 8};
static const uint8_t gateway[4] = {192, 168, 7, 1};

/* The simulated network. */
static struct {
    uint8_t sent[FRAMES_MAX][ETHERNET_ROOM_BYTES];
    uint32_t sent_bytes[FRAMES_MAX];
    uint32_t sent_count;
    uint8_t coming[ETHERNET_MOST_BYTES];
    uint32_t coming_bytes;
    uint32_t copies; /* number of further copies of the coming frame */
    uint32_t received_count;
    bool full;
    uint32_t now_ticks;
} net;

static bool send_frame(const uint8_t *frame, uint32_t count)
{
    EXPECT(net.sent_count < FRAMES_MAX && count <= ETHERNET_MOST_BYTES);
    memcpy(net.sent[net.sent_count], frame, (count + 3u) & ~3u); /* words, like a controller */
    net.sent_bytes[net.sent_count++] = count;
    return true;
}

static bool has_room(void)
{
    return !net.full;
}

static uint32_t receive_frame(uint8_t *frame)
{
    uint32_t count = net.coming_bytes;
    memcpy(frame, net.coming, count);
    net.received_count += count != 0u;
    if (net.copies == 0u) {
        net.coming_bytes = 0;
    } else {
        net.copies--;
    }
    return count;
}

static uint32_t ticks(void)
{
    return net.now_ticks;
}

static const ethernet_device_t device = {
    .mac = {2, 0, 0, 0, 0, 1},
    .send = send_frame,
    .has_room = has_room,
    .receive = receive_frame,
    .ticks = ticks,
    .retry_ticks = RETRY_TICKS,
};

static ipv4_host_t host;
static ipv4_socket_t peer_socket;
static uint8_t taken[ETHERNET_MOST_BYTES];
static uint32_t taken_count;
static uint32_t taken_times;

static void take(const uint8_t *bytes, uint32_t count)
{
    memcpy(taken, bytes, count);
    taken_count = count;
    taken_times++;
}

static void begin(const uint8_t *peer)
{
    memset(&net, 0, sizeof net);
    taken_times = 0;
    host = (ipv4_host_t){.device = &device, .prefix_bits = 24};
    memcpy(host.address, my_address, 4);
    memcpy(host.gateway, gateway, 4);
    peer_socket = (ipv4_socket_t){.peer_port = 20000, .local_port = 1000, .receive = take};
    memcpy(peer_socket.peer, peer, 4);
    ipv4_open(&host, &peer_socket);
}

/* Receive an ARP message: `operation` 1 is a request, 2 a reply. */
static void arp_comes_by(const uint8_t *mac, uint8_t operation, const uint8_t *from,
                         const uint8_t *to)
{
    const uint8_t head[] = {8, 6, 0, 1, 8, 0, 6, 4, 0, operation};
    memset(net.coming, 0, sizeof net.coming);
    memcpy(net.coming + 12, head, sizeof head);
    memcpy(net.coming + 22, mac, 6);
    memcpy(net.coming + 28, from, 4);
    memcpy(net.coming + 38, to, 4);
    net.coming_bytes = 60; /* padded like a frame on a wire */
    ipv4_poll(&host);
}

static void arp_comes(uint8_t operation, const uint8_t *from, const uint8_t *to)
{
    arp_comes_by(peer_mac, operation, from, to);
}

/* Return whether sent frame `index` is a broadcast request for an address. */
static bool asks_for(uint32_t index, const uint8_t *address)
{
    const uint8_t *frame = net.sent[index];
    static const uint8_t everybody[6] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    return net.sent_bytes[index] == 42u && memcmp(frame, everybody, 6) == 0 && frame[12] == 8 &&
           frame[13] == 6 && frame[21] == 1 && memcmp(frame + 22, my_mac, 6) == 0 &&
           memcmp(frame + 28, my_address, 4) == 0 && memcmp(frame + 38, address, 4) == 0;
}

static void case_asks_until_somebody_answers(void)
{
    begin(near_address);
    EXPECT(net.sent_count == 1u && asks_for(0, near_address));
    EXPECT(ipv4_payload(&peer_socket) == NULL);
    net.now_ticks = RETRY_TICKS - 1u;
    ipv4_poll(&host);
    EXPECT(net.sent_count == 1u);
    net.now_ticks = RETRY_TICKS;
    ipv4_poll(&host);
    EXPECT(net.sent_count == 2u && asks_for(1, near_address));
    arp_comes(2, gateway, my_address); /* reply of another host */
    EXPECT(ipv4_payload(&peer_socket) == NULL);
    arp_comes(2, near_address, my_address);
    EXPECT(ipv4_payload(&peer_socket) != NULL);
    net.full = true;
    EXPECT(ipv4_payload(&peer_socket) == NULL);
    net.now_ticks = 5u * RETRY_TICKS;
    ipv4_poll(&host);
    EXPECT(net.sent_count == 2u); /* no request: the address is known */
}

static void case_far_peers_are_behind_the_gateway(void)
{
    begin(far_address);
    EXPECT(net.sent_count == 1u && asks_for(0, gateway));
    arp_comes(2, gateway, my_address);
    uint8_t *payload = ipv4_payload(&peer_socket);
    EXPECT(payload != NULL);
    memcpy(payload, "odd", 3);
    ipv4_send(&peer_socket, 3);
    const uint8_t *frame = net.sent[1];
    EXPECT(net.sent_bytes[1] == 45u);
    EXPECT(memcmp(frame, peer_mac, 6) == 0 && memcmp(frame + 6, my_mac, 6) == 0);
    EXPECT(memcmp(frame + 30, far_address, 4) == 0 && memcmp(frame + 42, "odd", 3) == 0);
}

static void case_answers_who_asks_for_it(void)
{
    begin(near_address);
    arp_comes(1, gateway, near_address); /* not for us */
    EXPECT(net.sent_count == 1u);
    arp_comes(1, near_address, my_address);
    const uint8_t *frame = net.sent[1];
    EXPECT(net.sent_count == 2u && frame[21] == 2);
    EXPECT(memcmp(frame, peer_mac, 6) == 0 && memcmp(frame + 22, my_mac, 6) == 0);
    EXPECT(memcmp(frame + 28, my_address, 4) == 0 && memcmp(frame + 32, peer_mac, 6) == 0);
    EXPECT(memcmp(frame + 38, near_address, 4) == 0);
    EXPECT(ipv4_payload(&peer_socket) != NULL); /* a request contains its sender's address */
}

/* A datagram of five bytes from the peer to our port. */
static const uint8_t good_frame[47] = {
    2, 0,  0,    0,    0, 1,    2,  0,  0, 0, 0,   2,   8,   0,   0x45, 0,
    0, 33, 0,    1,    0, 0,    64, 17, 0, 0, 192, 168, 7,   200, 192,  168,
    7, 9,  0x4e, 0x20, 3, 0xe8, 0,  13, 0, 0, 'h', 'e', 'l', 'l', 'o',
};

static uint32_t ones_sum(const uint8_t *bytes, uint32_t count, uint32_t sum)
{
    for (uint32_t i = 0; i < count; i++) {
        sum += (uint32_t)bytes[i] << ((i & 1u) != 0u ? 0 : 8);
    }
    while (sum >> 16 != 0u) {
        sum = (sum & 0xffffu) + (sum >> 16);
    }
    return sum;
}

/* Store the checksum of the IP header, with `with_udp` also that of UDP, in the coming frame. */
static void sign(bool with_udp)
{
    net.coming[24] = net.coming[25] = 0;
    uint32_t sum = ~ones_sum(net.coming + 14, 20, 0) & 0xffffu;
    net.coming[24] = (uint8_t)(sum >> 8);
    net.coming[25] = (uint8_t)sum;
    if (with_udp) {
        net.coming[40] = net.coming[41] = 0;
        sum = ones_sum(net.coming + 26, 8, 17u + 13u);
        sum = ~ones_sum(net.coming + 34, 13, sum) & 0xffffu;
        net.coming[40] = (uint8_t)(sum >> 8);
        net.coming[41] = (uint8_t)sum;
    }
}

/* Receive `count` bytes of the datagram with one changed byte and a right IP header checksum. */
static void datagram_comes(uint32_t count, uint32_t at, uint8_t value)
{
    memcpy(net.coming, good_frame, sizeof good_frame);
    net.coming[at] = value;
    sign(false);
    net.coming_bytes = count;
    ipv4_poll(&host);
}

static void case_what_comes(void)
{
    begin(near_address);
    datagram_comes(47, 0, 2);
    EXPECT(taken_times == 1u && taken_count == 5u && memcmp(taken, "hello", 5) == 0);
    datagram_comes(60, 0, 2); /* padded */
    EXPECT(taken_times == 2u && taken_count == 5u);
    const struct {
        uint32_t count;
        uint32_t at;
        uint8_t value;
    } wrong[] = {
        {47, 13, 6},    /* another protocol than IPv4 */
        {47, 14, 0x46}, /* options */
        {47, 17, 34},   /* longer than the frame */
        {47, 20, 0x20}, /* more fragments */
        {47, 21, 1},    /* a later fragment */
        {47, 23, 6},    /* TCP */
        {47, 33, 8},    /* to another host */
        {47, 37, 0xe9}, /* to another port */
        {47, 39, 14},   /* longer than the packet */
        {47, 39, 7},    /* shorter than its own header */
        {47, 29, 201},  /* from another host */
        {47, 26, 10},   /* from another network */
        {47, 35, 0x21}, /* from another port of the peer */
        {46, 0, 2},     /* truncated */
        {13, 0, 2},     {1, 0, 2},
    };
    for (uint32_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        datagram_comes(wrong[i].count, wrong[i].at, wrong[i].value);
        EXPECT(taken_times == 2u);
    }
    ipv4_close(&peer_socket);
    datagram_comes(47, 0, 2);
    EXPECT(taken_times == 2u);
    ipv4_close(&peer_socket); /* a second call has no effect */
}

static void case_checksums(void)
{
    begin(near_address);
    for (uint32_t signed_udp = 0; signed_udp < 2u; signed_udp++) {
        for (uint32_t bit = 14u * 8u; bit < 47u * 8u; bit++) {
            bool in_udp = bit >= 34u * 8u;
            memcpy(net.coming, good_frame, sizeof good_frame);
            sign(signed_udp != 0u);
            net.coming[bit / 8u] ^= (uint8_t)(1u << (bit % 8u));
            net.coming_bytes = sizeof good_frame;
            if (signed_udp != 0u || !in_udp) {
                ipv4_poll(&host);
                EXPECT(taken_times == 0u); /* a bit is wrong */
            }
        }
    }
    memcpy(net.coming, good_frame, sizeof good_frame);
    sign(true);
    net.coming_bytes = sizeof good_frame;
    ipv4_poll(&host);
    EXPECT(taken_times == 1u);
}

static void case_a_flood_keeps_nobody(void)
{
    begin(near_address);
    memcpy(net.coming, good_frame, sizeof good_frame);
    net.coming[29] = 66; /* from another host */
    sign(false);
    net.coming_bytes = sizeof good_frame;
    net.copies = UINT32_MAX;
    net.received_count = 0;
    net.now_ticks = RETRY_TICKS;
    ipv4_poll(&host);
    EXPECT(net.received_count == IPV4_POLL_FRAMES);
    EXPECT(net.sent_count == 2u); /* the poll also sent a request */
}

static void case_what_is_known_of_the_peer_stays_true(void)
{
    static const uint8_t stranger_mac[6] = {2, 0, 0, 0, 0, 66};
    static const uint8_t group_mac[6] = {3, 0, 0, 0, 0, 2};
    begin(near_address);
    arp_comes_by(group_mac, 2, near_address, my_address);
    EXPECT(ipv4_payload(&peer_socket) == NULL);
    arp_comes(2, near_address, near_address); /* reply to another host */
    EXPECT(ipv4_payload(&peer_socket) == NULL);
    arp_comes(2, near_address, my_address);
    EXPECT(ipv4_payload(&peer_socket) != NULL);
    arp_comes_by(stranger_mac, 2, near_address, my_address); /* reply without a request */
    arp_comes_by(stranger_mac, 1, near_address, my_address);
    EXPECT(memcmp(peer_socket.hop.mac, peer_mac, 6) == 0);
    /* Another MAC address of the peer takes effect after a new request for the peer's address. */
    net.sent_count = 0;
    net.now_ticks = IPV4_REFRESH_RETRIES * RETRY_TICKS - 1u;
    ipv4_poll(&host);
    EXPECT(net.sent_count == 0u);
    net.now_ticks++;
    ipv4_poll(&host);
    EXPECT(net.sent_count == 1u && asks_for(0, near_address));
    EXPECT(ipv4_payload(&peer_socket) != NULL); /* the old address is used until the reply */
    arp_comes_by(stranger_mac, 1, near_address, my_address);
    EXPECT(memcmp(peer_socket.hop.mac, peer_mac, 6) == 0);
    arp_comes_by(stranger_mac, 2, near_address, my_address);
    EXPECT(memcmp(peer_socket.hop.mac, stranger_mac, 6) == 0);
}

/* Random frames cause no access outside of a frame; the sanitizers check this. */
static void case_noise(void)
{
    uint64_t state = 1;
    begin(near_address);
    for (uint32_t round = 0; round < 200000u; round++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        uint32_t count = 1u + (uint32_t)(state >> 33) % 80u;
        datagram_comes(count, (uint32_t)(state >> 40) % 47u, (uint8_t)(state >> 50));
        if (net.sent_count == FRAMES_MAX) {
            net.sent_count = 0;
        }
    }
    EXPECT(taken_times > 0u);
}

int main(void)
{
    case_asks_until_somebody_answers();
    case_far_peers_are_behind_the_gateway();
    case_answers_who_asks_for_it();
    case_what_comes();
    case_checksums();
    case_a_flood_keeps_nobody();
    case_what_is_known_of_the_peer_stays_true();
    case_noise();
    return plain_port.failures == 0 ? 0 : 1;
}
