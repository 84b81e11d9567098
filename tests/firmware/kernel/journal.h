/* Journal of a test, as words of text. Only one thread at a time may write it. */
#ifndef KERNEL_TEST_JOURNAL_H
#define KERNEL_TEST_JOURNAL_H

#include <stdint.h>

void journal_clear(void);
void journal_begin_word(char first);
void journal_add(char character);
void journal_add_number(uint32_t number);
const char *journal_text(void);

#endif
