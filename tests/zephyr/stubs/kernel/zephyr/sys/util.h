#ifndef STUB_UTIL_H
#define STUB_UTIL_H
#define BUILD_ASSERT(expression, ...) _Static_assert(expression, "" __VA_ARGS__)
#define ARG_UNUSED(argument)          (void)(argument)
#define ARRAY_SIZE(array)             (sizeof(array) / sizeof(array)[0])
#define MIN(a, b)                     ((a) < (b) ? (a) : (b))
#endif
