/*
 * Called by compiled code at the begin and end of every function of a file with
 * -finstrument-functions. Linked only when there is such a file.
 */
#include <stdint.h>

#include "tickertape/emitters.h"

#define NOT_INSTRUMENTED __attribute__((no_instrument_function))

/* Their names are the compiler's. NOLINTBEGIN(bugprone-reserved-identifier) */
void __cyg_profile_func_enter(void *function, void *call_site) NOT_INSTRUMENTED;
void __cyg_profile_func_exit(void *function, void *call_site) NOT_INSTRUMENTED;

/* The lowest bit of a Thumb address is the instruction set, not part of the address. */
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
