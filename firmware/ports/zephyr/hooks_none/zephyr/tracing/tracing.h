/*
 * Zephyr up to 4.4 without a tracing format. The include path finds this header before Zephyr's
 * own. Zephyr's header and kernel.h include each other; kernel.h is included first, so that ours
 * follow the macros of both.
 */
#ifndef TICKERTAPE_TRACING_H
#define TICKERTAPE_TRACING_H

#include <zephyr/kernel.h>

#include_next <zephyr/tracing/tracing.h>

#include "tickertape_hooks.h"

#endif
