/*
 * Zephyr up to 4.4, no tracing format: found before Zephyr's own header. That one and kernel.h
 * include each other; kernel.h goes first, so that the macros of both are there before ours.
 */
#ifndef TICKERTAPE_TRACING_H
#define TICKERTAPE_TRACING_H

#include <zephyr/kernel.h>

#include_next <zephyr/tracing/tracing.h>

#include "tickertape_hooks.h"

#endif
