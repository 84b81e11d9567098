/* Shared by the sources of this program: the form of a site, and the states it is called in. */
#ifndef MASKED_SITES_H
#define MASKED_SITES_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/tickertape.h"

#define RECORDS (TT_CONFIG_BUFFERS * TT_CONFIG_BUFFER_RECORDS)
#define LAST    (TT_CONFIG_STREAMS - 1u)

/* A site is one function of its own, so that its begin and its return are seen. */
#define SITE(name, ...)                                                                            \
    static __attribute__((noinline, noclone)) void site_##name(void)                               \
    {                                                                                              \
        __VA_ARGS__;                                                                               \
        __asm volatile("@ " #name); /* no two are alike, else they are merged */                   \
    }

/* As many records as a buffer has and more, so that one is closed and opened among the calls. */
#define TIMES(call)                                                                                \
    for (uint32_t i = 0; i < TT_CONFIG_BUFFER_RECORDS + 1u; i++) {                                 \
        call;                                                                                      \
    }

/* Of 31 characters. */
extern const char some_text[32];

/* The link has room. */
extern bool has_room;

/* Record `count` simple events. */
void fill(uint32_t count);

/* Execute steps of the drain until it has nothing to do. */
void drain(void);

/* Initialise the recorder: one stream takes everything, the others nothing; and start it. */
void begin(tt_policy_t policy);
void begin_and_start(tt_policy_t policy);

/* The bytes of a command, for the link; see `tt_link_t`. */
uint32_t commands_get(void *context, uint8_t *bytes, uint32_t count);

/* Call every command of the host, and the view of QNX. */
void commands(void);
void qnx(void);

#endif
