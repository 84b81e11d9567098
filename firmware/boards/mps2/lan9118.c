#include "lan9118.h"

#include <stddef.h>

#include "board_config.h"
#include "kernel_board.h"

#if MPS2_AN547
#define LAN9118 0x41400000u
#elif MPS2_M33
#define LAN9118 0x42000000u
#else
#define LAN9118 0x40200000u
#endif

#define REGISTER(offset) (*(volatile uint32_t *)(LAN9118 + (offset)))

#define RX_DATA     REGISTER(0x00u)
#define TX_DATA     REGISTER(0x20u)
#define RX_STATUS   REGISTER(0x40u)
#define TX_STATUS   REGISTER(0x48u)
#define INT_ENABLE  REGISTER(0x5cu)
#define BYTE_TEST   REGISTER(0x64u)
#define TX_CFG      REGISTER(0x70u)
#define HW_CFG      REGISTER(0x74u)
#define RX_FIFO_INF REGISTER(0x7cu)
#define TX_FIFO_INF REGISTER(0x80u)
#define PMT_CTRL    REGISTER(0x84u)
#define MAC_CMD     REGISTER(0xa4u)
#define MAC_DATA    REGISTER(0xa8u)

#define BYTE_TEST_VALUE 0x87654321u
#define PMT_READY       (1u << 0)
#define HW_RESET        (1u << 0)
#define HW_MUST_BE_ONE  (1u << 20)
#define HW_TX_FIFO_5K   (5u << 16)
#define TX_ON           (1u << 1)

/* Registers of the MAC, accessed through MAC_CMD and MAC_DATA. */
#define MAC_CONTROL      1u
#define MAC_ADDRESS_HIGH 2u
#define MAC_ADDRESS_LOW  3u
#define MAC_BUSY         (1u << 31)
#define MAC_READ         (1u << 30)
#define MAC_RX           (1u << 2)
#define MAC_TX           (1u << 3)
#define MAC_FULL_DUPLEX  (1u << 20)

#define TX_FIRST (1u << 13)
#define TX_LAST  (1u << 12)

/* Broken frames discarded per call, so that many of them do not block the caller. */
#define RX_THROWN_MAX 16u

#define RX_BROKEN   (1u << 15)
#define CHECK_BYTES 4u

/* A frame with two words of command and the padding for alignment. */
#define TX_MOST_BYTES (ETHERNET_MOST_BYTES + 16u)

/* Poll limit of a reset, which takes less than a millisecond. */
#define LOOKS_MAX 1000000u

/* Without an answer the request is repeated each second. */
#define RETRY_TICKS BOARD_CLOCK_HZ

static ethernet_device_t device;

/* Poll a register until the bits of `mask` have a value. Return false if they do not within
 * LOOKS_MAX polls. */
static bool await(const volatile uint32_t *place, uint32_t mask, uint32_t value)
{
    for (uint32_t looks = 0; looks < LOOKS_MAX; looks++) {
        if ((*place & mask) == value) {
            return true;
        }
    }
    return false;
}

static uint32_t mac_read(uint32_t number)
{
    MAC_CMD = MAC_BUSY | MAC_READ | number;
    (void)await(&MAC_CMD, MAC_BUSY, 0);
    return MAC_DATA;
}

static void mac_write(uint32_t number, uint32_t value)
{
    MAC_DATA = value;
    MAC_CMD = MAC_BUSY | number;
    (void)await(&MAC_CMD, MAC_BUSY, 0);
}

static bool has_room(void)
{
    return (TX_FIFO_INF & 0xffffu) >= TX_MOST_BYTES;
}

static bool send(const uint8_t *frame, uint32_t count)
{
    const uint32_t *words = (const uint32_t *)(const void *)frame;
    while ((TX_FIFO_INF & 0x00ff0000u) != 0u) {
        (void)TX_STATUS; /* unused, but the transmitter stops if this FIFO is full */
    }
    if (!has_room()) {
        return false;
    }
    TX_DATA = TX_FIRST | TX_LAST | count;
    TX_DATA = count;
    for (uint32_t i = 0; i < (count + 3u) / 4u; i++) {
        TX_DATA = words[i];
    }
    return true;
}

/* Copy the next frame from the controller and return its length, or 0 if there is none. Frames that
 * are broken or too long are discarded. */
static uint32_t receive(uint8_t *frame)
{
    uint32_t *words = (uint32_t *)(void *)frame;
    for (uint32_t looks = 0; looks < RX_THROWN_MAX && (RX_FIFO_INF & 0x00ff0000u) != 0u; looks++) {
        uint32_t status = RX_STATUS;
        uint32_t count = (status >> 16) & 0x3fffu;
        bool good = (status & RX_BROKEN) == 0u && count > CHECK_BYTES &&
                    count - CHECK_BYTES <= ETHERNET_MOST_BYTES;
        for (uint32_t i = 0; i < (count + 3u) / 4u; i++) {
            uint32_t word = RX_DATA;
            if (good && i < ETHERNET_ROOM_BYTES / sizeof word) {
                words[i] = word;
            }
        }
        if (good) {
            return count - CHECK_BYTES;
        }
    }
    return 0;
}

const ethernet_device_t *lan9118_start(void)
{
    if (BYTE_TEST != BYTE_TEST_VALUE || !await(&PMT_CTRL, PMT_READY, PMT_READY)) {
        return NULL;
    }
    HW_CFG = HW_RESET;
    if (!await(&HW_CFG, HW_RESET, 0)) {
        return NULL;
    }
    HW_CFG = HW_MUST_BE_ONE | HW_TX_FIFO_5K;
    INT_ENABLE = 0;
    TX_CFG = TX_ON;
    mac_write(MAC_CONTROL, MAC_RX | MAC_TX | MAC_FULL_DUPLEX);
    uint32_t low = mac_read(MAC_ADDRESS_LOW);
    uint32_t high = mac_read(MAC_ADDRESS_HIGH);
    device = (ethernet_device_t){
        .mac = {(uint8_t)low, (uint8_t)(low >> 8), (uint8_t)(low >> 16), (uint8_t)(low >> 24),
                (uint8_t)high, (uint8_t)(high >> 8)},
        .send = send,
        .has_room = has_room,
        .receive = receive,
        .ticks = kernel_board_clock,
        .retry_ticks = RETRY_TICKS,
    };
    return &device;
}
