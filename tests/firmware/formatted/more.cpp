/* Records messages from C++. */
#include "say.h"

#include "tickertape/log.h"

enum colour {
    RED,
    GREEN
};

void say_in_cpp(int n)
{
    static int calls;
    const char *text = "text";
    SAY("C++ %d", n);
    SAY("C++ %s %d", text, GREEN);
    SAY("C++ %.1f %lld %u", n / 2.0, static_cast<long long>(n), 7u);
    tt_logf("calls %d %s", ++calls, text);
#ifdef __linux__
    (void)printf("calls %d %s\n", calls, text);
#endif
}
