/* Trace interrupts without a change of their handlers, by entries of a vector table in RAM. */
#include <stddef.h>

#include "freertos_port.h"
#include "tickertape/port.h"

#ifndef TT_FREERTOS_VECTORS
#define TT_FREERTOS_VECTORS 0
#endif

#if TT_FREERTOS_VECTORS

#define EXCEPTIONS 16u /* exceptions of the processor, before the first IRQ */

/* Alignment of the table: its size, rounded up to a power of two (Armv7-M ARM, B3.2.5). */
#if TT_FREERTOS_VECTORS <= 32
#define ALIGNMENT 128
#elif TT_FREERTOS_VECTORS <= 64
#define ALIGNMENT 256
#elif TT_FREERTOS_VECTORS <= 128
#define ALIGNMENT 512
#elif TT_FREERTOS_VECTORS <= 256
#define ALIGNMENT 1024
#else
#define ALIGNMENT 2048
#endif

#define VTOR (*(volatile uint32_t *)0xe000ed08u)

_Static_assert(TT_FREERTOS_VECTORS > EXCEPTIONS, "tickertape: TT_FREERTOS_VECTORS counts them too");

typedef void (*vector_t)(void);

static vector_t table[TT_FREERTOS_VECTORS] __attribute__((aligned(ALIGNMENT)));
static const vector_t *original;

static void traced_handler(void)
{
    uint32_t exception = tt_port_exception();
    tt_freertos_isr_enter();
    original[exception]();
    tt_freertos_isr_exit();
}

/* Copy the table to RAM and use the copy. Interrupts may occur meanwhile, because both tables have
 * the same entries when VTOR changes. Returns false if the processor cannot move the table. */
static bool move_table(void)
{
    const vector_t *now = (const vector_t *)(uintptr_t)VTOR;
    for (uint32_t i = 0; i < TT_FREERTOS_VECTORS; i++) {
        table[i] = now[i];
    }
    __asm volatile("dsb" ::: "memory");
    VTOR = (uint32_t)(uintptr_t)table;
    __asm volatile("dsb\n\tisb" ::: "memory");
    if (VTOR != (uint32_t)(uintptr_t)table) {
        return false;
    }
    original = now;
    return true;
}

int tt_freertos_wrap_vectors(uint32_t first, uint32_t count)
{
    if (first > TT_FREERTOS_VECTORS - EXCEPTIONS ||
        count > TT_FREERTOS_VECTORS - EXCEPTIONS - first) {
        return TT_ERROR_ARGUMENT;
    }
    if (original == NULL && !move_table()) {
        return TT_ERROR_STATE;
    }
    for (uint32_t i = EXCEPTIONS + first; i < EXCEPTIONS + first + count; i++) {
        table[i] = traced_handler;
    }
    __asm volatile("dsb\n\tisb" ::: "memory");
    return TT_OK;
}

#endif
