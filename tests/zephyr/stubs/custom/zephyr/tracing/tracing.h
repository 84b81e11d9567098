/* After 4.4: a user's format in a header of fixed name; Zephyr fills missing hooks. */
#ifndef STUB_TRACING_H
#define STUB_TRACING_H
#include "zephyr_custom_tracing.h"

#include "tracing_hooks.h"
#endif
