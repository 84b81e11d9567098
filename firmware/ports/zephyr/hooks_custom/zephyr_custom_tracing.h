/* Zephyr after 4.4 (CONFIG_TRACING_CUSTOM): Zephyr includes this and then makes nothing of the
 * rest. */
#include "tickertape_format.h"
