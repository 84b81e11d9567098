/* After 4.4: a format of the user's, by a name that never changes; gaps are filled. */
#ifndef STUB_TRACING_H
#define STUB_TRACING_H
#include "zephyr_custom_tracing.h"

#include "tracing_hooks.h"
#endif
