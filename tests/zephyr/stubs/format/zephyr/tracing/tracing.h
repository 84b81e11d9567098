/* After 4.4: a format of the user's, by the name that Kconfig has; it fills the gaps itself. */
#ifndef STUB_TRACING_H
#define STUB_TRACING_H
#include CONFIG_TRACING_FORMAT_HEADER
#endif
