/*
 * tickertape/api.h - result codes, and declarations that compile to nothing without the recorder.
 *
 * Every function that an application calls is declared as
 *
 *     TT_API int tt_start(uint32_t stream) TT_WITHOUT(TT_OK);
 *
 * With the recorder (TT_CONFIG_ENABLED 1) this is the plain declaration. Without it, it is an
 * inline function that evaluates the argument of TT_WITHOUT, returns its value and leaves no code:
 * the program links without any source of the recorder. Functions that start, select or record
 * report success; queries report that nothing exists. The argument of TT_WITHOUT may use the
 * parameters.
 *
 * The declarations of a header lie between TT_API_BEGIN and TT_API_END.
 */
#ifndef TICKERTAPE_API_H
#define TICKERTAPE_API_H

#include <stddef.h>

#include "tickertape/config.h"
#include "tickertape/language.h"

/* Results of this library: 0, or one of these. */
typedef enum tt_result {
    TT_OK = 0,
    TT_ERROR_ARGUMENT = -1, /* a parameter is out of its range */
    TT_ERROR_STATE = -2,    /* not possible now, e.g. start before init */
    TT_ERROR_UNKNOWN = -3,  /* no such command, class or event */
    TT_ERROR_FULL = -4,     /* no buffer is free */
    TT_ERROR_LATE = -5,     /* TRACER ERROR only: the clock was polled too late */
    TT_ERROR_STOPPED = -6,  /* TRACER ERROR only: the clock fell behind another one */
} tt_result_t;

#if TT_CONFIG_ENABLED
#define TT_API
#define TT_WITHOUT(...)
#define TT_API_BEGIN TT_C_BEGIN
#define TT_API_END   TT_C_END
#else
#define TT_API static inline __attribute__((always_inline, unused))
/* The assertion takes the semicolon, which ISO C does not allow after a function. */
#define TT_WITHOUT(...)                                                                            \
    {                                                                                              \
        return __VA_ARGS__;                                                                        \
    }                                                                                              \
    TT_STATIC_ASSERT(1, "")
/* The inline functions leave most parameters unused. */
#define TT_API_BEGIN                                                                               \
    _Pragma("GCC diagnostic push") _Pragma("GCC diagnostic ignored \"-Wunused-parameter\"")        \
        TT_C_BEGIN
#define TT_API_END TT_C_END _Pragma("GCC diagnostic pop")
#endif

#endif
