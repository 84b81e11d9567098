#include "control_lock.h"

#if TT_CONFIG_CPUS > 1
atomic_flag tt_control_taken = ATOMIC_FLAG_INIT;
#endif
