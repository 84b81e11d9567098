/* Arguments that the public functions refuse or bound, and names that wake the drain. */
#include <stdlib.h>
#include <string.h>

#include "plain_port.h"
#include "ring.h"
#include "tickertape/add.h"
#include "tickertape/define.h"
#include "tickertape/log.h"
#include "tickertape/tickertape.h"

static const tt_target_t target = {.name = "arguments_driver", .tick_hz = 1000};

static uint32_t acquire(void *context, uint32_t ahead, uint8_t **bytes)
{
    (void)context;
    (void)ahead;
    (void)bytes;
    return 0;
}

static void refuse_incomplete_descriptions(void)
{
    tt_target_t unnamed = target;
    tt_target_t timeless = target;
    tt_link_t roomless = plain_port_closed_link;
    tt_link_t putless = plain_port_closed_link;
    tt_link_t half_lent = plain_port_closed_link;
    unnamed.name = NULL;
    timeless.tick_hz = 0;
    roomless.room_bytes = NULL;
    putless.put = NULL;
    half_lent.acquire = acquire;
    EXPECT_EQUAL(tt_init(NULL, &plain_port_closed_link), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_init(&target, NULL), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_init(&unnamed, &plain_port_closed_link), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_init(&timeless, &plain_port_closed_link), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_init(&target, &roomless), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_init(&target, &putless), TT_ERROR_ARGUMENT);
    EXPECT_EQUAL(tt_init(&target, &half_lent), TT_ERROR_ARGUMENT);
    EXPECT(!tt_drain_step());
}

static uint64_t offered(void)
{
    tt_ring_status_t status;
    EXPECT_EQUAL(tt_ring_status(0, 0, &status), TT_OK);
    return status.offered;
}

/* The compiler must not know the numbers. */
static void add(volatile uint32_t event_class, volatile uint32_t event)
{
    tt_add_event(event_class, event, 1, 2);
    tt_add_domain_event(1, event_class, event, 1, 2);
    tt_add_buffer(event_class, event, "text", 4);
}

static void ignore_unknown_types(void)
{
    uint64_t before = offered();
    add(TT_CLASS_COUNT, 0);
    add(TT_CLASS_COUNT + 8u, 1);
    add(UINT32_MAX, 0);
    add(TT_CLASS_USER, TT_RECORD_EVENT_MASK + 1u);
    EXPECT_EQUAL(offered(), before);
    add(TT_CLASS_COUNT - 1u, TT_RECORD_EVENT_MASK);
    EXPECT(offered() > before);
}

/* Return how many bytes of text the last message has copied. */
static uint32_t copied(uint64_t before)
{
    const tt_record_t *record = tt_rings[0][0].cursor - (offered() - before);
    uint32_t words[64];
    uint32_t count = 0;
    while (record < tt_rings[0][0].cursor) {
        words[count++] = record->data[0];
        words[count++] = record->data[1];
        record++;
    }
    for (uint32_t i = 2; i + 1u < count; i++) { /* the text follows its length */
        if (words[i + 1u] << 8 == 0x62617800u || words[i + 1u] == 0x78u) {
            return words[i];
        }
    }
    return 0;
}

/* Texts without an end mark, in memory that ends with them: a byte too many is a fault. */
static void bound_texts(void)
{
    char *bytes = malloc(5);
    uint64_t before = offered();
    EXPECT(bytes != NULL);
    memcpy(bytes, "xabcd", 5);
    tt_logf("%.*s", 5, bytes);
    EXPECT_EQUAL(copied(before), 5);
    before = offered();
    tt_logf("%% %5.3s|", bytes);
    EXPECT_EQUAL(copied(before), 3);
    before = offered();
    tt_logf("%u %-*.*s %u", 1u, 9, 4, bytes, 7u);
    EXPECT_EQUAL(copied(before), 4);
    before = offered();
    tt_logf("%lld %.1s %.5s", 1LL, bytes, bytes);
    EXPECT_EQUAL(copied(before), 1);
    before = offered();
    bytes[4] = '\0';
    tt_logf("%.*s", -1, bytes); /* a negative precision counts as none */
    EXPECT_EQUAL(copied(before), 4);
    before = offered();
    tt_logf("%s", bytes);
    EXPECT_EQUAL(copied(before), 4);
    free(bytes);
}

static void wake_the_drain_for_names(void)
{
    uint32_t before = plain_port.notified;
    EXPECT_EQUAL(tt_define(1, TT_CLASS_USER, 1, "late"), TT_OK);
    EXPECT_EQUAL(plain_port.notified, before + 1u);
    EXPECT(!tt_drain_done());
    EXPECT_EQUAL(tt_define_by_name("later", 5), (int)TT_EVENT_TYPE(TT_CLASS_USER, 2));
    EXPECT_EQUAL(plain_port.notified, before + 2u);
    EXPECT_EQUAL(tt_define_by_name("later", 5), (int)TT_EVENT_TYPE(TT_CLASS_USER, 2));
    EXPECT_EQUAL(plain_port.notified, before + 2u);
}

int main(void)
{
    refuse_incomplete_descriptions();
    EXPECT_EQUAL(tt_init(&target, &plain_port_closed_link), TT_OK);
    EXPECT_EQUAL(tt_select_all(0, true), TT_OK);
    EXPECT_EQUAL(tt_start_without_state(0), TT_OK);
    ignore_unknown_types();
    bound_texts();
    wake_the_drain_for_names();
    return 0;
}
