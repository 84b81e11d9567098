/* Every hook, unless the format has it: made by the test. */
#ifndef STUB_TRACING_HOOKS_H
#define STUB_TRACING_HOOKS_H
#include "stub_empty_hooks.h"
#endif
