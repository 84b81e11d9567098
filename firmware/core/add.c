#include "tickertape/add.h"

#include <stddef.h>
#include <string.h>

static void add_text(uint32_t event_class, uint32_t event, const uint32_t *words,
                     uint32_t word_count, const char *text)
{
    uint32_t route = tt_add_route(event_class, event);
    if (route != 0u) {
        tt_record_payload(TT_ADD_HEADER(event_class, event), route, words, word_count, text,
                          text == NULL ? 0u : (uint32_t)strlen(text));
    }
}

void tt_add_string(uint32_t event_class, uint32_t event, const char *text)
{
    add_text(event_class, event, NULL, 0, text);
}

void tt_add_d1_string(uint32_t event_class, uint32_t event, uint32_t data0, const char *text)
{
    add_text(event_class, event, &data0, 1, text);
}

void tt_add_d2_string(uint32_t event_class, uint32_t event, uint32_t data0, uint32_t data1,
                      const char *text)
{
    const uint32_t words[2] = {data0, data1};
    add_text(event_class, event, words, 2, text);
}
