/*
 * Uses stack and heap, and records what the kernel reports, for comparison with the records of
 * the port. USER 1: thread, bytes of its stack never used. USER 2: free bytes of the heap.
 * USER 3: result of tt_zephyr_stacks().
 */
#include <tickertape/emitters.h>
#include <tickertape_status.h>
#include <zephyr/kernel.h>
#include <zephyr/sys/sys_heap.h>

#include "finish.h"

#define STACK_BYTES 1024
#define USED_BYTES  500

K_HEAP_DEFINE(pool, 1024);
static K_THREAD_STACK_DEFINE(deep_stack, STACK_BYTES);
static struct k_thread deep;

static void use_stack(void *a, void *b, void *c)
{
    ARG_UNUSED(a), ARG_UNUSED(b), ARG_UNUSED(c);
    volatile uint8_t used[USED_BYTES];
    for (uint32_t i = 0; i < sizeof used; i++) {
        used[i] = (uint8_t)i;
    }
    k_msleep(100);
}

static void record_heap(void)
{
    struct sys_memory_stats now;
    (void)sys_heap_runtime_stats_get(&pool.heap, &now);
    tt_emit_user_user(2, (uint32_t)now.free_bytes, 0);
}

int main(void)
{
    k_thread_create(&deep, deep_stack, STACK_BYTES, use_stack, NULL, NULL, NULL, 5, 0, K_NO_WAIT);
    k_msleep(20);
    tt_emit_user_user(3, (uint32_t)tt_zephyr_stacks(), 0);
    size_t unused_bytes;
    (void)k_thread_stack_space_get(&deep, &unused_bytes);
    tt_emit_user_user(1, (uint32_t)(uintptr_t)&deep, (uint32_t)unused_bytes);
    void *first = k_heap_alloc(&pool, 100, K_NO_WAIT);
    record_heap();
    void *second = k_heap_alloc(&pool, 300, K_NO_WAIT);
    record_heap();
    (void)k_heap_alloc(&pool, 5000, K_NO_WAIT);
    record_heap();
    k_heap_free(&pool, first);
    record_heap();
    k_heap_free(&pool, second);
    record_heap();
    k_msleep(200);
    finish();
    return 0;
}
