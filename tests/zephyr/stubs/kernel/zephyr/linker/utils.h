/* Stub of Zephyr's linker/utils.h: what the log frontend uses. */
#ifndef STUB_LINKER_UTILS_H
#define STUB_LINKER_UTILS_H

#include <stdbool.h>

bool linker_is_in_rodata(const void *address);

#endif
