/* After 4.4: a user's format; Kconfig names its header, which fills missing hooks itself. */
#ifndef STUB_TRACING_H
#define STUB_TRACING_H
#include CONFIG_TRACING_FORMAT_HEADER
#endif
