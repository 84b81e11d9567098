/*
 * The clock of the FreeRTOS port: the processor's cycle counter. To use another 32-bit counter that
 * counts up, define -DTT_PORT_CLOCK_REGISTER=0x...u, and TT_FREERTOS_CLOCK_HZ in FreeRTOSConfig.h.
 */
#ifndef BOARD_CONFIG_H
#define BOARD_CONFIG_H

#ifndef TT_PORT_CLOCK_REGISTER
#if defined(__ARM_ARCH) && __ARM_ARCH == 6
#error                                                                                             \
    "tickertape: ARMv6-M has no cycle counter; name a 32-bit timer, -DTT_PORT_CLOCK_REGISTER=0x...u"
#endif
#define TT_FREERTOS_CLOCK_IS_DWT 1
#define TT_PORT_CLOCK_REGISTER   0xe0001004u
#else
#define TT_FREERTOS_CLOCK_IS_DWT 0
#endif

#endif
