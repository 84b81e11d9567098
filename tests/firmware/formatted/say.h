/* SAY records a message and, on Linux, also prints it by the C library. */
#ifndef SAY_H
#define SAY_H

#include "tickertape/language.h"

#ifdef __linux__
#include <stdio.h>
#define SAY(...)                                                                                   \
    do {                                                                                           \
        tt_logf(__VA_ARGS__);                                                                      \
        (void)printf(__VA_ARGS__);                                                                 \
        (void)putchar('\n');                                                                       \
    } while (0)
#else
#define SAY(...) tt_logf(__VA_ARGS__)
#endif

TT_C_BEGIN
void say_in_cpp(int n);
TT_C_END

#endif
