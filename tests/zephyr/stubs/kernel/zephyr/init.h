#ifndef STUB_INIT_H
#define STUB_INIT_H
#define SYS_INIT(function, level, priority) int (*const function##_at_init)(void) = (function)
#endif
