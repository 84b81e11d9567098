/*
 * plain_port.h - the port of the recorder for drivers in which nothing interrupts, and what a
 * driver expects: the first line of output is the failed expectation.
 */
#ifndef PLAIN_PORT_H
#define PLAIN_PORT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "tickertape/link.h"

typedef struct plain_port {
    uint32_t lock_depth;
    uint32_t now_ticks;
    uint32_t step_ticks; /* the clock goes on by so much before it is read */
    uint32_t exception;  /* number of the interrupt that is being served */
    uint32_t notified;   /* how often the drain was woken */
    int failures;
} plain_port_t;

extern plain_port_t plain_port;

/* A link that takes nothing: what is recorded stays in its ring. */
extern const tt_link_t plain_port_closed_link;

/* End the program, with a line of the reason, when two numbers differ. */
void plain_port_equal(int64_t actual, int64_t expected, const char *what, int line);

#define EXPECT_EQUAL(actual, expected)                                                             \
    plain_port_equal((int64_t)(actual), (int64_t)(expected), #actual, __LINE__)

#define EXPECT(condition)                                                                          \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            plain_port.failures++;                                                                 \
            printf("%s:%d: expected %s\n", __func__, __LINE__, #condition);                        \
        }                                                                                          \
    } while (0)

#endif
