/* Stub of Zephyr's kernel.h: what the glue needs to compile and run without Zephyr. */
#ifndef STUB_KERNEL_H
#define STUB_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <zephyr/sys/util.h>

#ifdef __cplusplus
extern "C" {
#endif

#define K_USER                           1u
#define K_LOWEST_THREAD_PRIO             CONFIG_NUM_PREEMPT_PRIORITIES
#define K_LOWEST_APPLICATION_THREAD_PRIO (K_LOWEST_THREAD_PRIO - 1)
#define _THREAD_DUMMY                    1u
#define _THREAD_PENDING                  2u
#define _THREAD_PRESTART                 4u
#define _THREAD_DEAD                     8u
#define _THREAD_SUSPENDED                16u

typedef struct sys_dnode {
    struct sys_dnode *next;
} sys_dnode_t;

static inline bool sys_dnode_is_linked(const sys_dnode_t *node)
{
    return node->next != NULL;
}

typedef struct {
    struct k_thread *first;
} _wait_q_t;

typedef int64_t k_ticks_t;
typedef struct {
    k_ticks_t ticks;
} k_timeout_t;
#define K_MSEC(ms)     ((k_timeout_t){(ms)})
#define K_USEC(us)     ((k_timeout_t){(us)})
#define K_NO_WAIT      ((k_timeout_t){0})
#define K_FOREVER      ((k_timeout_t){-1})
#define SYS_FOREVER_US (-1)

struct k_mem_domain {
    int unused;
};

struct k_thread {
    struct {
        uint8_t user_options;
        uint8_t thread_state;
        int8_t prio;
        uint8_t cpu;
        struct {
            sys_dnode_t node;
        } timeout;
    } base;
    struct {
        void *pEntry;
    } entry;
    struct {
        struct k_mem_domain *mem_domain;
    } mem_domain_info;
#ifdef CONFIG_THREAD_STACK_INFO
    struct {
        uintptr_t start;
        size_t size;
    } stack_info;
#endif
    const char *name;
};
typedef struct k_thread *k_tid_t;
typedef void (*k_thread_user_cb_t)(const struct k_thread *thread, void *context);
void k_thread_foreach_unlocked(k_thread_user_cb_t call, void *context);
int k_thread_stack_space_get(const struct k_thread *thread, size_t *unused_bytes);

#ifdef CONFIG_SYS_HEAP_RUNTIME_STATS
#include "sys/sys_heap.h"
struct k_heap {
    struct sys_heap heap;
};
#endif

struct k_mutex {
    _wait_q_t wait_q;
    struct k_thread *owner;
    uint32_t lock_count;
};
struct k_sem {
    _wait_q_t wait_q;
    unsigned int count;
    unsigned int limit;
};
struct k_condvar {
    _wait_q_t wait_q;
};
struct k_event {
    uint32_t events;
};
struct _timeout {
    sys_dnode_t node;
};
struct k_timer {
    struct _timeout timeout;
    void (*expiry_fn)(struct k_timer *timer);
    uint32_t status;
};
typedef void (*_timeout_func_t)(struct _timeout *timeout);
void z_timer_expiration_handler(struct _timeout *timeout);
#define CONTAINER_OF(pointer, type, member)                                                        \
    ((type *)(void *)((char *)(pointer) - offsetof(type, member)))
struct k_stack {
    uintptr_t *next;
    uintptr_t *top;
};
struct k_msgq {
    uint32_t max_msgs;
    uint32_t used_msgs;
};
struct k_mbox {
    _wait_q_t rx_msg_queue;
};
struct k_pipe {
    size_t size;
    size_t bytes_used;
    struct {
        _wait_q_t readers;
    } wait_q;
};

struct _cpu {
    struct k_thread *current;
    uint8_t id;
};
struct z_kernel {
    struct _cpu cpus[1];
};
extern struct z_kernel _kernel;

const char *k_thread_name_get(k_tid_t thread);
bool k_is_in_isr(void);
bool k_is_user_context(void);
#define __syscall /* declared below */ static inline
unsigned int arch_irq_lock(void);
void arch_irq_unlock(unsigned int key);
bool arch_irq_unlocked(unsigned int key);
/* Tests fill this section with the values after a reset or a power loss. */
#define __noinit __attribute__((section("noinit")))

uint32_t k_cycle_get_32(void);
uint32_t sys_clock_hw_cycles_per_sec(void);
int64_t k_uptime_get(void);
uint32_t k_uptime_get_32(void);
int32_t k_sleep(k_timeout_t timeout);
int32_t k_msleep(int32_t ms);
int k_mutex_lock(struct k_mutex *mutex, k_timeout_t timeout);
int k_mutex_unlock(struct k_mutex *mutex);
int k_sem_init(struct k_sem *sem, unsigned int count, unsigned int limit);
int k_sem_take(struct k_sem *sem, k_timeout_t timeout);
void k_sem_give(struct k_sem *sem);
void k_timer_init(struct k_timer *timer, void (*expiry)(struct k_timer *),
                  void (*stop)(struct k_timer *));
void k_timer_start(struct k_timer *timer, k_timeout_t duration, k_timeout_t period);
uint32_t k_timer_status_sync(struct k_timer *timer);
typedef uint8_t k_thread_stack_t;
k_tid_t k_thread_create(struct k_thread *thread, k_thread_stack_t *stack, size_t bytes,
                        void (*entry)(void *, void *, void *), void *p1, void *p2, void *p3,
                        int priority, uint32_t options, k_timeout_t delay);
int k_thread_name_set(k_tid_t thread, const char *name);
int k_thread_cpu_pin(k_tid_t thread, int cpu);
void k_thread_start(k_tid_t thread);
struct _cpu *arch_curr_cpu(void);
void irq_enable(unsigned int irq);
void stub_irq_connect(unsigned int irq, unsigned int priority, void (*handler)(const void *));
#define IRQ_CONNECT(irq, priority, handler, argument, flags)                                       \
    stub_irq_connect((irq), (priority), (handler))
#ifdef CONFIG_NOCACHE_MEMORY
#define __nocache __attribute__((section(".nocache")))
#endif
#define K_THREAD_STACK_ARRAY_DEFINE(name, count, bytes) k_thread_stack_t name[count][bytes]
#define K_THREAD_STACK_DEFINE(name, bytes)              k_thread_stack_t name[bytes]
#define K_MUTEX_DEFINE(name)                            struct k_mutex name
#define K_SEM_DEFINE(name, count, limit)                struct k_sem name

static inline uint64_t k_ms_to_ticks_ceil64(uint64_t ms)
{
    return ms;
}

static inline uint64_t k_us_to_ticks_ceil64(uint64_t us)
{
    return us;
}

#define K_THREAD_DEFINE(name, bytes, entry, p1, p2, p3, prio, options, delay)                      \
    const int name##_priority = (prio);                                                            \
    void (*const name##_entry)(void *, void *, void *) = (entry)

#ifdef __cplusplus
}
#endif

#include <zephyr/tracing/tracing.h>

#endif
