#include "check.h"

#include <stdbool.h>
#include <string.h>

#include "board.h"

static const char *test_name = "";
static uint32_t failure_count;

void check_begin(const char *name)
{
    test_name = name;
}

static void write_number(int64_t number)
{
    char text[24];
    char *first = &text[sizeof text - 1];
    uint64_t rest = number < 0 ? (uint64_t)-number : (uint64_t)number;
    *first = '\0';
    do {
        *--first = (char)('0' + rest % 10u);
        rest /= 10u;
    } while (rest != 0u);
    board_console_write(number < 0 ? "-" : "");
    board_console_write(first);
}

static void fail(const char *what)
{
    failure_count++;
    board_console_write("FAIL ");
    board_console_write(test_name);
    board_console_write(": ");
    board_console_write(what);
}

void check_equal(const char *what, int64_t actual, int64_t expected)
{
    if (actual != expected) {
        fail(what);
        board_console_write(" is ");
        write_number(actual);
        board_console_write(", expected ");
        write_number(expected);
        board_console_write("\n");
    }
}

void check_text(const char *what, const char *actual, const char *expected)
{
    if (strcmp(actual, expected) != 0) {
        fail(what);
        board_console_write("\n  is       ");
        board_console_write(actual);
        board_console_write("\n  expected ");
        board_console_write(expected);
        board_console_write("\n");
    }
}

uint32_t check_failures(void)
{
    return failure_count;
}
