#ifndef STUB_UTIL_H
#define STUB_UTIL_H
#define BUILD_ASSERT(expression, ...) _Static_assert(expression, "" __VA_ARGS__)
#define MIN(a, b)                     ((a) < (b) ? (a) : (b))
#endif
