/*
 * ARMv6-M has no exclusive loads and stores: for atomic operations the compiler calls these
 * functions of the run-time library, which libraries for bare metal do not define. Masked
 * interrupts make them atomic on one CPU; a chip with two such cores (RP2040) needs a hardware lock
 * here. They are weak, so that definitions of the system take precedence.
 *
 * GCC's libatomic and clang use these names. Any context; masks interrupts for a few instructions.
 */
#include <stdbool.h>
#include <stdint.h>

#include "tickertape/config.h"
#include "tickertape/port.h"

#if __ARM_ARCH == 6

_Static_assert(TT_CONFIG_CPUS == 1, "ARMv6-M: atomic operations hold on one CPU only");

#define ATOMIC(name) __asm__("__atomic_" #name) __attribute__((weak, used))

uint32_t fetch_or(volatile uint32_t *word, uint32_t bits, int order) ATOMIC(fetch_or_4);
uint32_t fetch_and(volatile uint32_t *word, uint32_t bits, int order) ATOMIC(fetch_and_4);
uint32_t fetch_add(volatile uint32_t *word, uint32_t value, int order) ATOMIC(fetch_add_4);
uint32_t fetch_sub(volatile uint32_t *word, uint32_t value, int order) ATOMIC(fetch_sub_4);
uint32_t exchange(volatile uint32_t *word, uint32_t value, int order) ATOMIC(exchange_4);
uint8_t exchange_byte(volatile uint8_t *byte, uint8_t value, int order) ATOMIC(exchange_1);
bool compare_exchange(volatile uint32_t *word, uint32_t *expected, uint32_t desired, bool weak,
                      int success, int failure) ATOMIC(compare_exchange_4);

#define FETCH(name, result)                                                                        \
    uint32_t name(volatile uint32_t *word, uint32_t value, int order)                              \
    {                                                                                              \
        (void)order;                                                                               \
        tt_port_key_t key = tt_port_lock();                                                        \
        uint32_t before = *word;                                                                   \
        *word = (result);                                                                          \
        tt_port_unlock(key);                                                                       \
        return before;                                                                             \
    }

FETCH(fetch_or, before | value)
FETCH(fetch_and, before &value)
FETCH(fetch_add, before + value)
FETCH(fetch_sub, before - value)
FETCH(exchange, value)

uint8_t exchange_byte(volatile uint8_t *byte, uint8_t value, int order)
{
    (void)order;
    tt_port_key_t key = tt_port_lock();
    uint8_t before = *byte;
    *byte = value;
    tt_port_unlock(key);
    return before;
}

bool compare_exchange(volatile uint32_t *word, uint32_t *expected, uint32_t desired, bool weak,
                      int success, int failure)
{
    (void)weak;
    (void)success;
    (void)failure;
    tt_port_key_t key = tt_port_lock();
    uint32_t before = *word;
    bool is_equal = before == *expected;
    if (is_equal) {
        *word = desired;
    }
    tt_port_unlock(key);
    *expected = before;
    return is_equal;
}

#endif
