#include "threads.h"

#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>

#include "tickertape/emitters.h"
#include "tickertape/events.h"
#include "tickertape/port.h"
#include "tickertape_status.h"

static struct k_thread *threads[CONFIG_TICKERTAPE_THREADS];
static uint32_t left_out_count;
const struct k_thread *tt_zephyr_drain_thread;

static atomic_flag is_taken = ATOMIC_FLAG_INIT;

/* Lock the table of threads with interrupts masked. Does not nest. */
static tt_port_key_t lock(void)
{
    tt_port_key_t key = tt_port_lock();
    while (atomic_flag_test_and_set_explicit(&is_taken, memory_order_acquire)) {
        tt_port_spin(); /* another CPU has the lock */
    }
    return key;
}

static void unlock(tt_port_key_t key)
{
    atomic_flag_clear_explicit(&is_taken, memory_order_release);
    tt_port_unlock(key);
}

uint32_t tt_zephyr_tid(const struct k_thread *thread)
{
    return thread == NULL ? 0u : tt_zephyr_number(thread);
}

#ifdef CONFIG_USERSPACE

#define DOMAIN_COUNT 63u

/* Memory domains in the order in which their first thread in user mode was seen. The last number
 * stands for all domains that find no place. */
static const struct k_mem_domain *_Atomic domains[DOMAIN_COUNT];

static uint32_t domain_number(const struct k_mem_domain *domain)
{
    for (uint32_t i = 0; i < DOMAIN_COUNT; i++) {
        const struct k_mem_domain *known = NULL;
        if (atomic_compare_exchange_strong(&domains[i], &known, domain) || known == domain) {
            return i + 1u;
        }
    }
    return DOMAIN_COUNT;
}

uint32_t tt_zephyr_pid(const struct k_thread *thread)
{
    bool user = thread != NULL && (thread->base.user_options & K_USER) != 0u;
    return user ? domain_number(thread->mem_domain_info.mem_domain) : 0u;
}

#endif

/* Return whether a thread sleeps. In older versions of Zephyr it is marked as suspended and has a
 * timeout; newer versions have a bit for it. */
static bool is_asleep(const struct k_thread *thread)
{
#ifdef _THREAD_SLEEPING
    return (thread->base.thread_state & _THREAD_SLEEPING) != 0u;
#elif defined(CONFIG_SYS_CLOCK_EXISTS)
    return (thread->base.thread_state & _THREAD_SUSPENDED) != 0u &&
           sys_dnode_is_linked(&thread->base.timeout.node);
#else
    return false;
#endif
}

uint32_t tt_zephyr_state(const struct k_thread *thread)
{
    uint32_t state = thread->base.thread_state;
    if ((state & _THREAD_DEAD) != 0u) {
        return TT_THREAD_DEAD;
    }
    if (is_asleep(thread)) {
        return TT_THREAD_NANOSLEEP;
    }
    if ((state & _THREAD_PENDING) != 0u) {
        return TT_THREAD_CONDVAR; /* the object is not known here */
    }
    return (state & TT_ZEPHYR_STOPPED) != 0u ? TT_THREAD_STOPPED : TT_THREAD_READY;
}

const char *tt_zephyr_name(struct k_thread *thread, char digits[TT_ZEPHYR_DIGITS])
{
    if (tt_zephyr_is_idle(thread)) {
        return "idle"; /* of any CPU: they share a number */
    }
    const char *name = k_thread_name_get(thread);
    if (name != NULL && name[0] != '\0') {
        return name;
    }
    uint32_t rest = (uint32_t)(uintptr_t)thread;
    digits[0] = '0';
    digits[1] = 'x';
    for (uint32_t place = 0; place < 8u; place++) {
        digits[9u - place] = "0123456789abcdef"[rest & 0xfu];
        rest >>= 4;
    }
    digits[10] = '\0';
    return digits;
}

/* Return the index of the thread in the table, else that of a free place, else
 * CONFIG_TICKERTAPE_THREADS. */
static uint32_t place_of(const struct k_thread *thread)
{
    uint32_t free = CONFIG_TICKERTAPE_THREADS;
    for (uint32_t i = CONFIG_TICKERTAPE_THREADS; i-- > 0u;) {
        if (threads[i] == thread) {
            return i;
        }
        free = threads[i] == NULL ? i : free;
    }
    return free;
}

void tt_zephyr_threads_add(struct k_thread *thread)
{
    tt_port_key_t key = lock();
    uint32_t place = place_of(thread);
    if (place < CONFIG_TICKERTAPE_THREADS) {
        threads[place] = thread;
    } else {
        left_out_count++;
    }
    unlock(key);
}

void tt_zephyr_threads_remove(const struct k_thread *thread)
{
    tt_port_key_t key = lock();
    uint32_t place = place_of(thread);
    if (place < CONFIG_TICKERTAPE_THREADS) { /* its place, or a free one */
        threads[place] = NULL;
    }
    unlock(key);
}

#if defined(CONFIG_INIT_STACKS) && defined(CONFIG_THREAD_STACK_INFO)

static void record_stack(const struct k_thread *thread, void *count)
{
    size_t unused_bytes;
    if (tt_zephyr_tid(thread) != 0u && k_thread_stack_space_get(thread, &unused_bytes) == 0) {
        tt_emit_system_stack_size(tt_zephyr_tid(thread), (uint32_t)thread->stack_info.size);
        tt_emit_system_stack_unused(tt_zephyr_tid(thread), (uint32_t)unused_bytes);
        ++*(int *)count;
    }
}

int tt_zephyr_stacks(void)
{
    int count = 0;
    k_thread_foreach_unlocked(record_stack, &count); /* no lock: reads whole stacks */
    return count;
}

#else

int tt_zephyr_stacks(void)
{
    return -ENOTSUP;
}

#endif

uint32_t tt_zephyr_threads_left_out(void)
{
    return left_out_count;
}

static void describe(uint32_t index, tt_name_t *name)
{
    struct k_thread *thread = threads[index];
    *name = (tt_name_t){.kind = TT_OBJECT_KIND_THREAD};
    if (thread == NULL) {
        return;
    }
    bool runs = thread == tt_zephyr_running();
    *name = (tt_name_t){
        .kind = TT_OBJECT_KIND_THREAD,
        .id = tt_zephyr_tid(thread),
        .parent = tt_zephyr_pid(thread),
        .state = (uint8_t)(runs ? TT_THREAD_RUNNING : tt_zephyr_state(thread)),
        .priority = (uint8_t)tt_zephyr_priority(thread),
#ifdef CONFIG_SMP
        .cpu = thread->base.cpu,
#endif
    };
    name->text = tt_zephyr_name(thread, ((tt_description_t *)name)->digits);
}

bool tt_zephyr_describe(uint32_t index, tt_name_t *name)
{
    if (index >= CONFIG_TICKERTAPE_THREADS) {
        return false;
    }
    if (tt_zephyr_running() != tt_zephyr_drain_thread) {
        /* Called because a stream is started: the drain may be waiting until something is
         * recorded. */
        tt_port_notify_drain();
    }
    tt_port_key_t key = lock(); /* keeps the thread from ending meanwhile */
    describe(index, name);
    unlock(key);
    return true;
}

void tt_zephyr_current_thread(uint32_t *pid, uint32_t *tid)
{
    const struct k_thread *self = tt_zephyr_running();
    *pid = tt_zephyr_pid(self);
    *tid = tt_zephyr_tid(self);
}
