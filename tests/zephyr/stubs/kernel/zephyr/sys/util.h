#ifndef STUB_UTIL_H
#define STUB_UTIL_H
#define BUILD_ASSERT(expression, ...) _Static_assert(expression, "" __VA_ARGS__)
#define ARG_UNUSED(argument)          (void)(argument)
#define ARRAY_SIZE(array)             (sizeof(array) / sizeof(array)[0])
#define MIN(a, b)                     ((a) < (b) ? (a) : (b))
#define MAX(a, b)                     ((a) > (b) ? (a) : (b))
/* 1 for an option that is defined as 1. */
#define IS_ENABLED(option)            STUB_IS_ENABLED(option)
#define STUB_IS_ENABLED(value)        STUB_PICK_SECOND(STUB_COMMA_##value 1, 0, 0)
#define STUB_COMMA_1                  0,
#define STUB_PICK_SECOND(...)         STUB_PICK_SECOND_(__VA_ARGS__)
#define STUB_PICK_SECOND_(a, b, ...)  b
#endif
