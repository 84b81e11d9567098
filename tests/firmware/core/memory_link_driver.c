/*
 * The recorder and a link in memory that the test reads step by step: links/memory_link.c, or
 * links/rtt_link.c without TT_CONFIG_MEMORY_LINK.
 *
 *     memory_link_driver FILE BYTES POLICY
 *
 * maps FILE of BYTES, puts the head and the rings at its end, and prints the address of its first
 * byte. Then it executes the letters and numbers of its input and answers each with a line, the
 * number of records offered so far: `e N` records N events whose first word counts them, `d N`
 * takes N steps of the drain, `x` stops the stream, `r` clears everything, like a reset.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "plain_port.h"
#include "tickertape/emitters.h"
#include "tickertape/tickertape.h"

#if TT_CONFIG_MEMORY_LINK
#include "memory_link.h"
#define UP_BYTES   8192u
#define DOWN_BYTES 256u
typedef memory_link_t memory_t;
typedef tt_wire_memory_link_t head_t;
#define OPEN memory_link_open
_Static_assert(UP_BYTES >= TT_MEMORY_LINK_LEAST_BYTES, "a buffer fits");
#else
#include "rtt_link.h"
/* No powers of two: the rings of RTT may have any size. */
#define UP_BYTES   777u
#define DOWN_BYTES 99u
typedef rtt_link_t memory_t;
typedef rtt_control_t head_t;
#define OPEN       rtt_link_open
_Static_assert(UP_BYTES > TT_LINK_LEAST_BYTES, "a frame fits");
#endif

typedef struct shared {
    uint8_t up[UP_BYTES];
    uint8_t down[DOWN_BYTES];
    head_t head;
} shared_t;

static shared_t *shared;
static uint32_t recorded;

static void boot(int policy)
{
    static memory_t memory;
    static const tt_target_t target = {.name = "memory", .tick_hz = 1000000u};
    const tt_link_t *link =
        OPEN(&memory, &shared->head, shared->up, UP_BYTES, shared->down, DOWN_BYTES);
    EXPECT_EQUAL(tt_init(&target, link), TT_OK);
#if TT_CONFIG_MEMORY_LINK
    EXPECT_EQUAL(tt_set_packing(true), TT_ERROR_STATE);
#endif
    EXPECT_EQUAL(tt_set_policy(0, policy == 0 ? TT_POLICY_OVERWRITE : TT_POLICY_DROP), TT_OK);
    EXPECT_EQUAL(tt_select_class(0, TT_CLASS_USER, true), TT_OK);
    EXPECT_EQUAL(tt_start_without_state(0), TT_OK);
    recorded = 0;
}

static void follow(char letter, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (letter == 'e') {
            tt_emit_user_user(1, recorded++, 0);
        } else {
            (void)tt_drain_step();
        }
    }
}

int main(int argc, char **argv)
{
    EXPECT_EQUAL(argc, 4);
    size_t file_bytes = strtoul(argv[2], NULL, 10);
    int file = open(argv[1], O_RDWR);
    uint8_t *bytes = mmap(NULL, file_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    EXPECT(bytes != MAP_FAILED);
    shared = (shared_t *)(void *)(bytes + file_bytes - sizeof(shared_t));
    int policy = atoi(argv[3]);
    boot(policy);
    printf("%llu\n", (unsigned long long)(uintptr_t)bytes);
    (void)fflush(stdout);
    char letter = 0;
    unsigned count = 0;
    while (scanf(" %c %u", &letter, &count) == 2) {
        if (letter == 'r') {
            memset(shared, 0, sizeof *shared);
            boot(policy);
        } else if (letter == 'x') {
            EXPECT_EQUAL(tt_stop(0), TT_OK);
        } else {
            follow(letter, count);
        }
        tt_ring_status_t status;
        EXPECT_EQUAL(tt_ring_status(0, 0, &status), TT_OK);
        printf("%llu\n", (unsigned long long)status.offered);
        (void)fflush(stdout);
    }
    return plain_port.failures != 0;
}
