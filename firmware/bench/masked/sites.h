/* Shared by the sources of this program: the macro that defines a site, and functions that prepare
 * the state of the recorder. */
#ifndef MASKED_SITES_H
#define MASKED_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/tickertape.h"

#define RECORDS (TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS)
#define LAST    (TT_CONFIG_STREAMS - 1u)

/* Define a site as a separate function, so that tools/bench/masked.py sees its entry and return. */
#define SITE(name, ...)                                                                            \
    static __attribute__((noinline, noclone)) void site_##name(void)                               \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        __asm volatile("@ " #name); /* unique, so that sites are not merged */                     \
    }

/* Repeat a call more often than a buffer has records, so that some calls close and open a
 * buffer. */
#define TIMES(call)                                                                                \
    for (uint32_t i = 0; i < TT_CONFIG_BUFFER_RECORDS + 1u; i++) {                                 \
        call;                                                                                      \
    }

/* A text of 31 characters. */
extern const char some_text[32];

/* Whether the link has room. */
extern bool has_room;

/* Record `count` simple events. */
void fill(uint32_t count);

/* Execute steps of the drain until it has nothing left to do. */
void drain(void);

/* begin(): initialise the recorder so that stream 0 takes all events and the others none.
 * begin_and_start(): also start stream 0. */
void begin(tt_policy_t policy);
void begin_and_start(tt_policy_t policy);

/* Callback `get` of the link: the bytes of a command. */
uint32_t commands_get(void *context, uint8_t *bytes, uint32_t count);

/* Call the sites of the host's commands, and of the view of QNX. */
void commands(void);
void qnx(void);

#endif
