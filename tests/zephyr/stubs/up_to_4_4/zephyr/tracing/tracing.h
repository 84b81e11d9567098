/* Up to 4.4: all formats are in Zephyr's tree. kernel.h and this header include each other. */
#ifndef STUB_TRACING_H
#define STUB_TRACING_H
#include <zephyr/kernel.h>
#ifdef CONFIG_TRACING_USER
#include "tracing_user.h"
#else
#include "stub_empty_hooks.h"
#endif
#endif
