/* sys_heap.h - a stub: the statistics of a heap. */
#ifndef ZEPHYR_INCLUDE_SYS_SYS_HEAP_H_
#define ZEPHYR_INCLUDE_SYS_SYS_HEAP_H_

#include <stddef.h>

struct sys_memory_stats {
    size_t free_bytes;
    size_t allocated_bytes;
    size_t max_allocated_bytes;
};

struct sys_heap {
    void *heap;
};

int sys_heap_runtime_stats_get(struct sys_heap *heap, struct sys_memory_stats *stats);

#endif
