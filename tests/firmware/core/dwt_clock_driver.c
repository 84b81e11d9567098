/* Starts a model of the cycle counter: with a lock, without the counter, and one that is stopped.
 */
#include "dwt_clock.h"
#include "plain_port.h"

static dwt_registers_t dwt;
static uint32_t demcr;
static uint32_t now;

static uint32_t counting(void)
{
    return now++ / 1000u;
}

static uint32_t stopped(void)
{
    return 7;
}

int main(void)
{
    EXPECT(dwt_start(&dwt, &demcr));
    EXPECT_EQUAL(demcr, 1u << 24);
    EXPECT_EQUAL(dwt.lar, 0xc5acce55u);
    EXPECT_EQUAL(dwt.ctrl, 1u);
    dwt.ctrl = 1u << 25;
    EXPECT(!dwt_start(&dwt, &demcr));
    EXPECT_EQUAL(dwt.ctrl, 1u << 25);
    EXPECT(dwt_counts(counting));
    EXPECT(!dwt_counts(stopped));
    return plain_port.failures;
}
