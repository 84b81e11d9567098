/*
 * tickertape/language.h - macros for keywords that C and C++ spell differently.
 *
 * Every public header compiles as C11 and later, and as C++11 and later. Functions and objects
 * declared between TT_C_BEGIN and TT_C_END have C linkage. Templates lie between TT_CPP_BEGIN and
 * TT_CPP_END, because a header may be included inside of `extern "C"` (FreeRTOSConfig.h is).
 */
#ifndef TICKERTAPE_LANGUAGE_H
#define TICKERTAPE_LANGUAGE_H

#ifdef __cplusplus
#define TT_C_BEGIN                      extern "C" {
#define TT_C_END                        }
#define TT_CPP_BEGIN                    extern "C++" {
#define TT_CPP_END                      }
#define TT_STATIC_ASSERT(truth, reason) static_assert(truth, reason)
#define TT_ALIGNAS(bytes)               alignas(bytes)
#else
#define TT_C_BEGIN
#define TT_C_END
#define TT_STATIC_ASSERT(truth, reason) _Static_assert(truth, reason)
#define TT_ALIGNAS(bytes)               _Alignas(bytes)
#endif

#endif
