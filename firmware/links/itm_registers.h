/*
 * links/itm_registers.h - registers of a Cortex-M's trace unit: ITM and TPIU (Armv7-M Architecture
 * Reference Manual, DDI 0403E, C1.7 and C1.10), and all accesses of the links to a stimulus port.
 * Tests replace it by a model.
 */
#ifndef LINKS_ITM_REGISTERS_H
#define LINKS_ITM_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#include "tickertape/language.h"

TT_C_BEGIN

/* A stimulus port. It reads as 1 when it accepts a packet; a write sends a packet of the size of
 * the write. */
typedef union itm_stimulus {
    volatile uint32_t word;
    volatile uint16_t half;
    volatile uint8_t byte;
} itm_stimulus_t;

/* At 0xe0000000. */
typedef struct itm_registers {
    itm_stimulus_t port[32];
    uint32_t reserved0[864];
    volatile uint32_t ter; /* 0xe00: bit n enables port n */
    uint32_t reserved1[15];
    volatile uint32_t tpr; /* 0xe40: bit n: unprivileged code may not use ports 8 n to 8 n + 7 */
    uint32_t reserved2[15];
    volatile uint32_t tcr; /* 0xe80 */
    uint32_t reserved3[75];
    volatile uint32_t lar; /* 0xfb0: takes ITM_UNLOCK */
} itm_registers_t;

#define ITM_TCR_ENABLED    (1u << 0)
#define ITM_TCR_STAMPS     (1u << 1) /* local time stamps, at the processor's rate */
#define ITM_TCR_SYNC       (1u << 2) /* synchronization packets, at the rate set in the DWT */
#define ITM_TCR_DWT        (1u << 3) /* packets of the DWT */
#define ITM_TCR_TRACE_ID_1 (1u << 16)
#define ITM_UNLOCK         0xc5acce55u

/* At 0xe0040000. */
typedef struct tpiu_registers {
    uint32_t reserved0[1];
    volatile uint32_t cspsr; /* 0x004: width of the port; 1 for one bit */
    uint32_t reserved1[2];
    volatile uint32_t acpr; /* 0x010: prescaler of the pin, less one */
    uint32_t reserved2[55];
    volatile uint32_t sppr; /* 0x0f0: 2 for NRZ */
    uint32_t reserved3[132];
    volatile uint32_t ffcr; /* 0x304: formatter */
} tpiu_registers_t;

#define TPIU_SPPR_NRZ        2u
#define TPIU_FFCR_TRIGGER_IN (1u << 8) /* reads as 1; the formatter, bit 1, is off */
#define TPIU_MOST_PRESCALER  8192u

static inline bool itm_is_ready(const itm_registers_t *itm, uint32_t port)
{
    return (itm->port[port].word & 1u) != 0u;
}

static inline void itm_put_word(itm_registers_t *itm, uint32_t port, uint32_t value)
{
    itm->port[port].word = value;
}

static inline void itm_put_half(itm_registers_t *itm, uint32_t port, uint16_t value)
{
    itm->port[port].half = value;
}

static inline void itm_put_byte(itm_registers_t *itm, uint32_t port, uint8_t value)
{
    itm->port[port].byte = value;
}

TT_C_END

#endif
