#ifndef STUB_TRACING_USER_H
#define STUB_TRACING_USER_H
#include "stub_empty_hooks.h"
#include <zephyr/kernel.h>
#endif
