/* Domains: their events, names and faults. */
#include "internal.h"

/* Existing domains, and a bit for the number of each. Numbers are read without the lock, so that a
 * search for names records events of the lock only for existing names. */
static kernel_domain_t *domains;
static volatile uint32_t numbers[KERNEL_DOMAIN_LAST / 32u + 1u];

static bool has_number(uint32_t number)
{
    return ((numbers[number / 32u] >> number % 32u) & 1u) != 0u;
}

/* Return the link to a domain, or the last link, which is NULL. [locked] */
static kernel_domain_t **link_to(const kernel_domain_t *domain)
{
    kernel_domain_t **link = &domains;
    while (*link != NULL && *link != domain) {
        link = &(*link)->next;
    }
    return link;
}

int kernel_domain_create(kernel_domain_t *domain, uint32_t number, const char *name, void *memory,
                         size_t memory_bytes)
{
    if (domain == NULL || number == 0u || number > KERNEL_DOMAIN_LAST || name == NULL ||
        !kernel_port_memory_fits((uintptr_t)memory, memory_bytes)) {
        return KERNEL_ERROR_ARGUMENT;
    }
    if (!kernel_port_can_protect()) {
        return KERNEL_ERROR_STATE;
    }
    kernel_port_key_t key = kernel_lock();
    kernel_domain_t **link = link_to(domain);
    bool is_free = *link == NULL && !has_number(number);
    if (is_free) {
        *domain = (kernel_domain_t){
            .name = name,
            .memory = (uintptr_t)memory,
            .memory_bytes = memory_bytes,
            .number = (uint8_t)number,
        };
        *link = domain;
        numbers[number / 32u] |= 1u << number % 32u;
    }
    kernel_unlock(key);
    if (!is_free) {
        return KERNEL_ERROR_STATE;
    }
    tt_hook_process_create(KERNEL_DOMAIN, number, name);
    return KERNEL_OK;
}

/* Return whether a domain has threads. [locked] */
static bool has_threads(const kernel_domain_t *domain)
{
    bool has = false;
    for (uint32_t tid = 1; tid < KERNEL_MAX_THREADS && !has; tid++) {
        const kernel_thread_t *thread = kernel_thread_with_number(tid);
        has = thread != NULL && thread->domain == domain;
    }
    return has;
}

int kernel_domain_destroy(kernel_domain_t *domain)
{
    int result = KERNEL_ERROR_STATE;
    kernel_port_key_t key = kernel_lock();
    kernel_domain_t **link = link_to(domain);
    uint32_t number = *link != NULL ? domain->number : 0u;
    if (number != 0u && has_threads(domain)) {
        result = KERNEL_ERROR_BUSY;
    } else if (number != 0u) {
        *link = domain->next;
        numbers[number / 32u] &= ~(1u << number % 32u);
        domain->number = 0;
        result = KERNEL_OK;
    }
    kernel_unlock(key);
    if (result == KERNEL_OK) {
        tt_hook_process_destroy(KERNEL_DOMAIN, number);
    }
    return result;
}

const char *kernel_domain_name(uint32_t number)
{
    if (number > KERNEL_DOMAIN_LAST || !has_number(number)) {
        return NULL;
    }
    kernel_port_key_t key = kernel_lock();
    const kernel_domain_t *domain = domains;
    while (domain != NULL && domain->number != number) {
        domain = domain->next;
    }
    const char *name = domain != NULL ? domain->name : NULL;
    kernel_unlock(key);
    return name;
}

bool kernel_domain_holds(const kernel_domain_t *domain, uintptr_t place, size_t bytes)
{
    uintptr_t offset = place - domain->memory;
    return offset <= domain->memory_bytes && bytes <= domain->memory_bytes - offset;
}

/* Not inlined, so that the return address is the place of the trace point. */
int __attribute__((noinline)) kernel_domain_trace(uint32_t event_class, uint32_t event,
                                                  uint32_t data)
{
    kernel_word_t place = (kernel_word_t)__builtin_return_address(0);
    return kernel_call(TT_KERCALL_TRACE_EVENT, TT_HOOK_EVENT_TYPE(event_class, event), data,
                       kernel_port_code_address(place));
}

/* Bit in the first word of a call that names an event. */
#define NAMES_EVENT 0x80000000u

int kernel_domain_name_event(uint32_t event, const char *name)
{
    return kernel_call(TT_KERCALL_TRACE_EVENT, NAMES_EVENT | event, (kernel_word_t)(uintptr_t)name,
                       0);
}

/* Return whether a thread may pass a pointer to `place`: a thread of a domain only into its
 * memory. */
static bool may_read(const kernel_thread_t *thread, uintptr_t place)
{
    return thread->domain == NULL || kernel_domain_holds(thread->domain, place, 1);
}

static int32_t name_event(uint32_t event, uintptr_t place)
{
    char name[TT_CONFIG_DEFINITION_NAME_BYTES] = "";
    if (event < KERNEL_DOMAIN_EVENT_FIRST || event > KERNEL_DOMAIN_EVENT_LAST) {
        return KERNEL_ERROR_ARGUMENT;
    }
    for (size_t i = 0; i < sizeof name - 1u; i++) {
        if (!may_read(kernel_this_cpu()->current, place + i)) {
            return KERNEL_ERROR_DENIED;
        }
        name[i] = *(const char *)(place + i);
        if (name[i] == '\0') {
            break;
        }
    }
    if (name[0] == '\0') {
        return KERNEL_ERROR_ARGUMENT;
    }
    return tt_hook_domain_name_event(event, name) ? KERNEL_OK : KERNEL_ERROR_STATE;
}

int32_t kernel_service_trace_event(const kernel_word_t *args)
{
    uint32_t type = (uint32_t)args[0];
    if ((type & NAMES_EVENT) != 0u) {
        return name_event(type & ~NAMES_EVENT, (uintptr_t)args[1]);
    }
    if (!tt_hook_domain_may_record(type)) {
        return KERNEL_ERROR_DENIED;
    }
    tt_hook_domain_event(kernel_thread_domain(kernel_this_cpu()->current), type, (uint32_t)args[1],
                         (uint32_t)args[2]);
    return KERNEL_OK;
}

void kernel_domain_exit(void)
{
    (void)kernel_call(TT_KERCALL_THREAD_DESTROY, 0, 0, 0);
    for (;;) {
    }
}

void kernel_domain_fault(kernel_thread_t *thread, uint32_t address, uint32_t place)
{
    thread->faulted = true;
    tt_hook_domain_fault(thread->domain->number, address, place);
}

void kernel_domain_end(void)
{
    kernel_enter();
    (void)kernel_thread_end_running();
}

/* Return whether a call is traced. A trace point is an event itself, so its call is not. */
static bool is_traced(uint32_t call)
{
    return call != TT_KERCALL_TRACE_EVENT;
}

void kernel_domain_trace_enter(const kernel_thread_t *thread, uint32_t call)
{
    if (is_traced(call)) {
        tt_hook_domain_call_enter(thread->domain->number, call, kernel_port_call_place(thread));
    }
}

void kernel_domain_trace_exit(const kernel_thread_t *thread)
{
    if (is_traced(thread->call)) {
        tt_hook_domain_call_exit(thread->domain->number, thread->call_result,
                                 kernel_port_call_place(thread));
    }
}
