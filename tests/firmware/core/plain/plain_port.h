/*
 * plain_port.h - the recorder's port for drivers without interrupts, and expectations: the first
 * line of output is the failed expectation.
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
    uint32_t step_ticks; /* ticks by which the clock advances at each reading */
    uint32_t exception;  /* number of the current interrupt */
    uint32_t notified;   /* number of wake-ups of the drain */
    int failures;
} plain_port_t;

extern plain_port_t plain_port;

/* A link without room: records stay in their ring. */
extern const tt_link_t plain_port_closed_link;

/* Print a line and end the program if two numbers differ. */
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
