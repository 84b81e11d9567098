/*
 * Functions that compiled code calls at the begin and end of every function of a file built with
 * -finstrument-functions. Linked only if there is such a file.
 */
#include <stdint.h>

#include "tickertape/emitters.h"

#define NOT_INSTRUMENTED __attribute__((no_instrument_function))

/* The compiler defines these names. NOLINTBEGIN(bugprone-reserved-identifier) */
void __cyg_profile_func_enter(void *function, void *call_site) NOT_INSTRUMENTED;
void __cyg_profile_func_exit(void *function, void *call_site) NOT_INSTRUMENTED;

/* Return the address of a function. Bit 0 of a Thumb function pointer selects the instruction set
 * and is cleared. */
static NOT_INSTRUMENTED uint32_t place(const void *code)
{
#ifdef __thumb__
    return (uint32_t)(uintptr_t)code & ~1u;
#else
    return (uint32_t)(uintptr_t)code;
#endif
}

void __cyg_profile_func_enter(void *function, void *call_site)
{
    tt_emit_system_func_enter(place(function), place(call_site));
}

void __cyg_profile_func_exit(void *function, void *call_site)
{
    tt_emit_system_func_exit(place(function), place(call_site));
}
/* NOLINTEND(bugprone-reserved-identifier) */
