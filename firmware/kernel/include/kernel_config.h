/*
 * kernel_config.h - every option of the reference kernel with unit, range and default.
 * Override an option on the compiler's command line (-DKERNEL_...=...).
 */
#ifndef KERNEL_CONFIG_H
#define KERNEL_CONFIG_H

/* Functions of the kernel have C linkage in C and C++. */
#ifdef __cplusplus
#define KERNEL_C_BEGIN extern "C" {
#define KERNEL_C_END   }
#else
#define KERNEL_C_BEGIN
#define KERNEL_C_END
#endif

/* Kernel ticks in a second, 10-10000. Timeouts and periods count them. */
#ifndef KERNEL_TICK_HZ
#define KERNEL_TICK_HZ 1000
#endif

/* Largest number of threads, 2-64; the idle threads of all CPUs count as one. */
#ifndef KERNEL_MAX_THREADS
#define KERNEL_MAX_THREADS 32
#endif

/* Number of CPUs that run threads, 1-4. */
#ifndef KERNEL_CPUS
#define KERNEL_CPUS 1
#endif

/* Number of device interrupts that the kernel can dispatch, 1-240: IRQ 0 to this number - 1. */
#ifndef KERNEL_MAX_IRQS
#define KERNEL_MAX_IRQS 32
#endif

/* Number of pulses that a channel stores until they are received, 1-255; 4 bytes each. */
#ifndef KERNEL_CHANNEL_PULSES
#define KERNEL_CHANNEL_PULSES 8
#endif

/* Stack of each idle thread, bytes, 128 or more and a multiple of 8. */
#ifndef KERNEL_IDLE_STACK_BYTES
#define KERNEL_IDLE_STACK_BYTES 512
#endif

#endif
