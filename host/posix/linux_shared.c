#include "linux_shared.h"

posix_shared_t posix_shared;
