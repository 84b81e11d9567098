/*
 * links/dwt_registers.h - registers of the data watchpoint and trace unit of an Armv7-M processor
 * (Architecture Reference Manual, DDI 0403E, C1.8). Tests replace it by a model.
 */
#ifndef LINKS_DWT_REGISTERS_H
#define LINKS_DWT_REGISTERS_H

#include <stdint.h>

#define DWT_COMPARATORS 4u

typedef struct dwt_comparator {
    volatile uint32_t comp;
    volatile uint32_t mask; /* number of low address bits that are not compared */
    volatile uint32_t function;
    uint32_t reserved;
} dwt_comparator_t;

/* At 0xe0001000. */
typedef struct dwt_registers {
    volatile uint32_t ctrl;
    volatile uint32_t cyccnt;
    uint32_t counters[6];
    dwt_comparator_t comparator[DWT_COMPARATORS]; /* 0x020 */
    uint32_t reserved[980];
    volatile uint32_t lar; /* 0xfb0: lock of the other registers, on a Cortex-M7 */
} dwt_registers_t;

#define DWT_UNLOCK 0xc5acce55u /* to `lar` */

#define DWT_CTRL_CYCCNT_ON        (1u << 0)
#define DWT_CTRL_POSTPRESET(n)    ((uint32_t)(n) << 1) /* a sample every n + 1 taps, 4 bits */
#define DWT_CTRL_POSTPRESET_MASK  (15u << 1)
#define DWT_CTRL_TAP_10           (1u << 9) /* a tap every 1024 cycles; without this bit every 64 */
#define DWT_CTRL_SYNC_24          (1u << 10) /* synchronization every 2^24 cycles */
#define DWT_CTRL_SYNC_MASK        (3u << 10)
#define DWT_CTRL_SAMPLES_ON       (1u << 12)
#define DWT_CTRL_EXCEPTIONS_ON    (1u << 16)
#define DWT_CTRL_NO_CYCCNT        (1u << 25)
#define DWT_CTRL_NO_TRACE         (1u << 27)
#define DWT_CTRL_COMPARATORS(reg) ((reg) >> 28)

#define DWT_FUNCTION_MASK        15u
#define DWT_FUNCTION_TRACE_WRITE 15u       /* packets: value, address of the writing code */
#define DWT_FUNCTION_OFFSET      (1u << 5) /* low half of the written address instead of the code */
#define DWT_MOST_MASK            15u

#endif
