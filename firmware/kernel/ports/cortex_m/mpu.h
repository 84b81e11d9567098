/*
 * ports/cortex_m/mpu.h - the memory protection unit: PMSAv7 of Cortex-M3 and M4, PMSAv8 of M33
 * (Armv7-M and Armv8-M Architecture Reference Manual). The port uses two regions; privileged code
 * uses the default memory map elsewhere.
 */
#ifndef KERNEL_PORT_MPU_H
#define KERNEL_PORT_MPU_H

#include <stddef.h>
#include <stdint.h>

#define MPU_TYPE (*(const volatile uint32_t *)0xe000ed90u)
#define MPU_CTRL (*(volatile uint32_t *)0xe000ed94u)
#define MPU_RNR  (*(volatile uint32_t *)0xe000ed98u)
#define MPU_RBAR (*(volatile uint32_t *)0xe000ed9cu)
#define MPU_RASR (*(volatile uint32_t *)0xe000eda0u) /* PMSAv7 */
#define MPU_RLAR (*(volatile uint32_t *)0xe000eda0u) /* PMSAv8, at the same address */
#define MPU_MAIR (*(volatile uint32_t *)0xe000edc0u) /* PMSAv8 */

#define MPU_TYPE_REGIONS(type) (((type) >> 8) & 0xffu)
#define MPU_CTRL_ENABLE        (1u << 0)
#define MPU_CTRL_PRIVDEFENA    (1u << 2)

#define MPU_REGION_CODE   0u
#define MPU_REGION_DOMAIN 1u
#define MPU_REGION_COUNT  2u

/* Rights of unprivileged threads. */
typedef enum mpu_rights {
    MPU_EXECUTE, /* and read */
    MPU_WRITE,   /* and read */
} mpu_rights_t;

static inline void mpu_barrier(void)
{
    __asm volatile("dsb\n\tisb" ::: "memory");
}

#if __ARM_ARCH == 8

/* Set a region of normal memory, write-back; the permissions apply to privileged code too. */
static inline void mpu_set(uint32_t region, uintptr_t begin, size_t bytes, mpu_rights_t rights)
{
    const uint32_t any_reads = 3u << 1;
    const uint32_t any_writes = 1u << 1;
    const uint32_t never_executed = 1u;
    MPU_MAIR = 0xffu;
    MPU_RNR = region;
    MPU_RBAR = (uint32_t)begin | (rights == MPU_EXECUTE ? any_reads : any_writes | never_executed);
    MPU_RLAR = ((uint32_t)(begin + bytes - 1u) & ~31u) | 1u; /* attributes 0; enabled */
}

#else

/* Set a region of normal memory, write-through; its size is a power of two, and it is aligned to
 * it. */
static inline void mpu_set(uint32_t region, uintptr_t begin, size_t bytes, mpu_rights_t rights)
{
    const uint32_t any_reads = 2u << 24; /* privileged code may write */
    const uint32_t any_writes = 3u << 24;
    const uint32_t never_executed = 1u << 28;
    const uint32_t cacheable = 1u << 17;
    const uint32_t size = (uint32_t)(__builtin_ctz((unsigned int)bytes) - 1) << 1;
    MPU_RNR = region;
    MPU_RBAR = (uint32_t)begin;
    MPU_RASR =
        (rights == MPU_EXECUTE ? any_reads : any_writes | never_executed) | cacheable | size | 1u;
}

#endif

#endif
