#include "version.h"

int tt_native_version(void)
{
    return 9;
}
