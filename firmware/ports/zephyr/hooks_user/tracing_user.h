/* Zephyr up to 4.3, tracing format "user": found before Zephyr's own header, which comes first. */
#include_next <tracing_user.h>

#include "tickertape_hooks.h"
