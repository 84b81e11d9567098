/*
 * Configuration of an Arm MPS2 board with image AN385 (Cortex-M3), AN386 (Cortex-M4F) or AN521 (two
 * Cortex-M33), and of an MPS3 board with image AN547 (Cortex-M55), for the recorder's port and
 * applications.
 */
#ifndef BOARD_CONFIG_H
#define BOARD_CONFIG_H

/* 1: the memory map of AN505 and AN521, with Secure addresses. */
#ifndef MPS2_M33
#define MPS2_M33 0
#endif

/* 1: AN521, the memory map of MPS2_M33 with a second processor. */
#ifndef MPS2_AN521
#define MPS2_AN521 0
#endif

/* 1: AN547, an MPS3 board: Secure addresses and interrupts like those of MPS2_M33. */
#ifndef MPS2_AN547
#define MPS2_AN547 0
#endif

/* Clock: a counter in the FPGA's I/O block. It has 32 bits, counts up and never stops. */
#if MPS2_AN547
#define TT_PORT_CLOCK_REGISTER 0x59302018u
#define BOARD_CLOCK_HZ         20000000u /* wraps after 214.7 s */
#elif MPS2_M33
#define TT_PORT_CLOCK_REGISTER 0x50302018u
#define BOARD_CLOCK_HZ         20000000u /* wraps after 214.7 s */
#else
#define TT_PORT_CLOCK_REGISTER 0x40028018u
#define BOARD_CLOCK_HZ         25000000u /* wraps after 171.8 s */
#endif

/* Processors. Each reads its own number at the same address. */
#if MPS2_AN521
#define BOARD_CPUS           2u
#define TT_PORT_CPU_REGISTER 0x5001f000u
#else
#define BOARD_CPUS 1u
#endif

/* 1: the kernel protects memory from domains that do not own it. */
#define BOARD_PROTECTS_MEMORY 1

/* 1: interrupts occur from application_main() on, even without kernel_start(). */
#define BOARD_BARE_METAL 1

/* The kernel's tick: a CMSDK timer, on AN547 one of the SSE-300. */
#if MPS2_M33 || MPS2_AN547
#define BOARD_TICK_IRQ 3u
#else
#define BOARD_TICK_IRQ 8u
#endif

/* The second timer simulates a sensor: an interrupt for each new sample, on every CPU. */
#define BOARD_SENSOR_IRQ (BOARD_TICK_IRQ + 1u)

/* The network: static addresses of QEMU's user networking, in which the host is 10.0.2.2. For a
 * real board define your own: DEFINES="BOARD_NET_ADDRESS={192,168,0,7} ...". */
#ifndef BOARD_NET_ADDRESS
#define BOARD_NET_ADDRESS {10, 0, 2, 15}
#endif
#ifndef BOARD_NET_PREFIX_BITS
#define BOARD_NET_PREFIX_BITS 24u
#endif
#ifndef BOARD_NET_GATEWAY
#define BOARD_NET_GATEWAY {10, 0, 2, 2}
#endif
#ifndef BOARD_NET_HOST
#define BOARD_NET_HOST {10, 0, 2, 2} /* the receiver of the trace */
#endif

/* Port of the host that receives the trace; 0: the trace goes over UART0. Option udp_port overrides
 * this. */
#ifndef BOARD_TRACE_UDP_PORT
#define BOARD_TRACE_UDP_PORT 0u
#endif

/* Interrupts without a device: one for applications, and one that the recorder raises when the
 * drain has work. */
#define BOARD_SPARE_IRQ 30u
#define BOARD_DRAIN_IRQ 31u

/* Stacks of an application's threads, and of the thread that drains the recorder. */
#define BOARD_STACK_BYTES       1024u
#define BOARD_DRAIN_STACK_BYTES 1024u

/* Constants are in memory region CODE of the linker script. The address of code_bytes is its
 * size. */
extern const unsigned char code_begin[];
extern const unsigned char code_bytes[];
#define TT_PORT_IS_READ_ONLY(address)                                                              \
    ((uintptr_t)(address) - (uintptr_t)code_begin < (uintptr_t)code_bytes)

#endif
