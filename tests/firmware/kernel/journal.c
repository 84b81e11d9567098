#include "journal.h"

#define JOURNAL_BYTES 1024u

static char text[JOURNAL_BYTES];
static uint32_t length;

void journal_clear(void)
{
    length = 0;
    text[0] = '\0';
}

void journal_add(char character)
{
    if (length < JOURNAL_BYTES - 1u) {
        text[length] = character;
        length++;
        text[length] = '\0';
    }
}

void journal_begin_word(char first)
{
    if (length > 0u) {
        journal_add(' ');
    }
    journal_add(first);
}

void journal_add_number(uint32_t number)
{
    if (number >= 10u) {
        journal_add_number(number / 10u);
    }
    journal_add((char)('0' + number % 10u));
}

const char *journal_text(void)
{
    return text;
}
