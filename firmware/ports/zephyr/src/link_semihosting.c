/*
 * Link that writes a file on the machine that debugs or emulates this one. The processor stops
 * while a piece is written: for no time in an emulator, for milliseconds with a probe.
 */
#include <errno.h>
#include <stdbool.h>
#include <zephyr/arch/common/semihost.h>

#include "links.h"

/* A file always has room. */
#define PIECE_BYTES 65536u

static long file = -1;
static uint8_t piece[1024];
static uint32_t piece_bytes;

static uint32_t room_bytes(void *context)
{
    (void)context;
    return file < 0 ? 0u : PIECE_BYTES;
}

/* If the disk is full, bytes are lost and the file has damaged frames. */
void tt_zephyr_link_flush(void)
{
    if (piece_bytes != 0u) {
        (void)semihost_write(file, (char *)piece, (long)piece_bytes);
        piece_bytes = 0;
    }
}

static void put(void *context, const uint8_t *bytes, uint32_t count)
{
    (void)context;
    for (uint32_t i = 0; i < count; i++) {
        piece[piece_bytes++] = bytes[i];
        if (piece_bytes == sizeof piece) {
            tt_zephyr_link_flush();
        }
    }
}

const tt_link_t *tt_zephyr_link(void)
{
    static const tt_link_t link = {.room_bytes = room_bytes, .put = put};
    return &link;
}

int tt_zephyr_link_open(void)
{
    file = semihost_open(CONFIG_TICKERTAPE_FILE, SEMIHOST_OPEN_WB);
    return file < 0 ? -ENOENT : 0;
}

bool tt_zephyr_link_sent(void)
{
    return piece_bytes == 0u;
}
