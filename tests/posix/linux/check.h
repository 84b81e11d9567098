/* check.h - expectations of a test program, which exits with 1 if one fails. */
#ifndef POSIX_TESTS_CHECK_H
#define POSIX_TESTS_CHECK_H

#include <stdio.h>

static int failures;

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            failures++;                                                                            \
            (void)printf("%s:%d: expected %s\n", __func__, __LINE__, #condition);                  \
        }                                                                                          \
    } while (0)

#endif
