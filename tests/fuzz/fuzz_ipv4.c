/*
 * Frames from the network (links/ipv4.c, links/udp_link.c). An input consists of frames; marked
 * ones are from the peer, for us, with right checksums. Only bytes of the peer, in datagrams with
 * right checksums, reach the link.
 */
#include "fuzz.h"
#include "ipv4.h"
#include "udp_link.h"

#define FRAMES_MAX  32u
#define RETRY_TICKS 100u

static const uint8_t me[4] = {10, 0, 2, 15};
static const uint8_t peer[4] = {10, 0, 2, 2};

static uint8_t *coming; /* allocated with exactly the size of the frame */
static uint32_t coming_bytes;
static uint32_t now_ticks;
static bool is_full;
static uint32_t allowed_bytes; /* maximum number of bytes that the link may return */

static bool send_frame(const uint8_t *frame, uint32_t count)
{
    uint8_t copy[ETHERNET_ROOM_BYTES];
    FUZZ_CHECK(count <= ETHERNET_MOST_BYTES);
    memcpy(copy, frame, (count + 3u) & ~3u); /* whole words, like a controller */
    return copy[0] != 1u || !is_full;
}

static bool has_room(void)
{
    return !is_full;
}

static uint32_t receive_frame(uint8_t *frame)
{
    uint32_t count = coming_bytes;
    if (count > 0u) {
        memcpy(frame, coming, count);
    }
    coming_bytes = 0;
    return count;
}

static uint32_t ticks(void)
{
    return now_ticks;
}

static const ethernet_device_t device = {.mac = {2, 0, 0, 0, 0, 1},
                                         .send = send_frame,
                                         .has_room = has_room,
                                         .receive = receive_frame,
                                         .ticks = ticks,
                                         .retry_ticks = RETRY_TICKS};

static uint32_t sum_of(const uint8_t *bytes, uint32_t count, uint32_t sum)
{
    for (uint32_t i = 0; i < count; i++) {
        sum += (uint32_t)bytes[i] << ((i & 1u) != 0u ? 0 : 8);
    }
    while (sum >> 16 != 0u) {
        sum = (sum & 0xffffu) + (sum >> 16);
    }
    return sum;
}

static uint32_t word_at(uint32_t at)
{
    return (uint32_t)coming[at] << 8 | coming[at + 1u];
}

static void set_word(uint32_t at, uint32_t value)
{
    coming[at] = (uint8_t)(value >> 8);
    coming[at + 1u] = (uint8_t)value;
}

/* Correct parts of the frame to those of a frame from the peer; flags select the parts. */
static void mend(uint8_t flags)
{
    if ((flags & 1u) != 0u && coming_bytes >= IPV4_UDP_HEADS_BYTES) {
        set_word(12, 0x0800);
        coming[14] = 0x45;
        set_word(20, 0x4000);
        coming[23] = 17;
        memcpy(coming + 26, peer, 4);
        memcpy(coming + 30, me, 4);
        set_word(34, 20000);
        set_word(36, 49152);
        if ((flags & 2u) != 0u) {
            set_word(16, coming_bytes - 14u);
            set_word(38, coming_bytes - 34u);
        }
    }
    if ((flags & 4u) != 0u && coming_bytes >= IPV4_UDP_HEADS_BYTES) {
        set_word(24, 0);
        set_word(24, ~sum_of(coming + 14, 20, 0));
        uint32_t bytes = word_at(38);
        bool whole = bytes >= 8u && bytes <= coming_bytes - 34u;
        set_word(40, 0);
        if (whole && (flags & 8u) == 0u) {
            uint32_t sum = sum_of(coming + 34, bytes, sum_of(coming + 26, 8, 17u + bytes));
            set_word(40, sum == 0xffffu ? 0xffffu : ~sum);
        }
    }
    if ((flags & 16u) != 0u && coming_bytes >= 42u) {
        static const uint8_t kind[] = {8, 6, 0, 1, 8, 0, 6, 4};
        memcpy(coming + 12, kind, sizeof kind);
        memcpy(coming + 28, peer, 4);
        memcpy(coming + 38, me, 4);
    }
}

/* Return the number of bytes that the link may get from the frame, by independent rules. */
static uint32_t bytes_for_link(void)
{
    if (coming_bytes < IPV4_UDP_HEADS_BYTES || word_at(12) != 0x0800u || coming[14] != 0x45u ||
        coming[23] != 17u || memcmp(coming + 26, peer, 4) != 0 || memcmp(coming + 30, me, 4) != 0 ||
        word_at(34) != 20000u || word_at(36) != 49152u || sum_of(coming + 14, 20, 0) != 0xffffu) {
        return 0;
    }
    uint32_t bytes = word_at(38);
    if (bytes < 8u || bytes > coming_bytes - 34u) {
        return 0;
    }
    uint32_t sum = sum_of(coming + 34, bytes, sum_of(coming + 26, 8, 17u + bytes));
    return word_at(40) == 0u || sum == 0xffffu ? bytes - 8u : 0u;
}

static void frame_comes(fuzz_input_t *input)
{
    uint8_t flags = fuzz_u8(input);
    uint32_t size =
        1u + ((flags & 32u) != 0u ? fuzz_u16(input) % ETHERNET_MOST_BYTES : fuzz_u8(input) % 80u);
    coming = fuzz_memory(size, 1);
    coming_bytes = size;
    fuzz_copy(input, coming, size);
    mend(flags);
    allowed_bytes += bytes_for_link();
    now_ticks += (flags & 64u) != 0u ? RETRY_TICKS * 31u : 7u;
    is_full = (flags & 128u) != 0u;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_input_t input = fuzz_begin(data, size);
    ipv4_host_t host = {.device = &device, .prefix_bits = 24};
    ipv4_socket_t socket = {.peer_port = 20000, .local_port = 49152};
    memcpy(host.address, me, 4);
    memcpy(socket.peer, peer, 4);
    coming_bytes = allowed_bytes = now_ticks = 0;
    is_full = false;
    const tt_link_t *link = udp_link_open(&host, &socket);
    uint8_t bytes[64];
    while (link->get(link->context, bytes, sizeof bytes) > 0u) {
    }
    for (uint32_t i = 0; i < FRAMES_MAX && fuzz_left(&input) > 0u; i++) {
        frame_comes(&input);
        uint32_t came = 0;
        uint32_t count;
        if (link->room_bytes(link->context) >= sizeof bytes) {
            link->put(link->context, bytes, sizeof bytes);
        }
        while ((count = link->get(link->context, bytes, sizeof bytes)) > 0u) {
            came += count;
        }
        FUZZ_CHECK(came <= allowed_bytes);
        allowed_bytes = 0;
        free(coming);
        coming = NULL;
    }
    udp_link_close();
    return 0;
}
