/*
 * Zephyr after 4.4 (CONFIG_TRACING_FORMAT_HEADER): our hooks, then Zephyr's empty ones for all
 * others.
 */
#ifndef TICKERTAPE_FORMAT_H
#define TICKERTAPE_FORMAT_H

#include "tickertape_hooks.h"

#if __has_include(<zephyr/tracing/tracing_default_hooks.h>)
#include <zephyr/tracing/tracing_default_hooks.h>
#else
#ifdef __cplusplus
extern "C" {
#endif
void sys_trace_isr_enter(void);
void sys_trace_isr_exit(void);
void sys_trace_isr_exit_to_scheduler(void);
void sys_trace_idle(void);
void sys_trace_idle_exit(void);
#ifdef __cplusplus
}
#endif
#endif

#if __has_include(<zephyr/tracing/tracing_hooks.h>)
#include <zephyr/tracing/tracing_hooks.h>
#endif

#endif
