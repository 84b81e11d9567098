/* Zephyr after 4.4 (CONFIG_TRACING_CUSTOM): Zephyr includes this header and then defines all other
 * hooks as empty. */
#include "tickertape_format.h"
