/* What happened, as words of text. The threads of a test write it one at a time. */
#ifndef KERNEL_TEST_JOURNAL_H
#define KERNEL_TEST_JOURNAL_H

#include <stdint.h>

void journal_clear(void);
void journal_begin_word(char first);
void journal_add(char character);
void journal_add_number(uint32_t number);
const char *journal_text(void);

#endif
