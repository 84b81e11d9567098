/* Empty versions of the hooks that the format lacks; the test generates them. */
#ifndef STUB_TRACING_HOOKS_H
#define STUB_TRACING_HOOKS_H
#include "stub_empty_hooks.h"
#endif
