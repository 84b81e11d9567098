/*
 * Zephyr up to 4.4, tracing format "user": found before Zephyr's own header. That one and kernel.h
 * include each other; kernel.h goes first, so that the macros of both are there before ours.
 */
#ifndef TICKERTAPE_TRACING_USER_H
#define TICKERTAPE_TRACING_USER_H

#include <zephyr/kernel.h>

#include_next <tracing_user.h>

#include "tickertape_hooks.h"

#endif
