/*
 * Declarations for the bodies of guests. table.py makes each body, C code, a function of one
 * argument: the begin of its domain's memory. It runs unprivileged and must not access anything
 * else, except as an attack.
 */
#ifndef GUEST_H
#define GUEST_H

#include "board.h"
#include "kernel.h"
#include "kernel_board.h"
#include "mps2.h"
#include "tickertape/events.h"

#define MEMORY_BYTES 2048u
#define STACK_BEGIN  512u /* offset of a thread's stack in its domain's memory */
#define STACK_BYTES  1024u
#define MATE_BYTES   512u /* stack of the domain's other thread, at the top of the memory */

/* Events of class USER. */
#define EVENT_STEP    1u /* control: a step of its filter */
#define EVENT_READING 2u /* owner, a thread of the core: a reading */
#define EVENT_DONE    3u /* a guest reached its expected end */
#define EVENT_BREACH  4u /* a guest broke the protection; the word is its own code */
#define EVENT_GUEST   5u /* the supervisor starts a guest; the word is its number */

/* Values in registers of the core's threads and interrupts. */
#define SECRET       0x5ec2e700u
#define SECRET_WORDS 32u

/* Memories and a device of the board. */
#if MPS2_M33
#define CODE 0x10000000u
#define RAM  0x38000000u
#else
#define CODE 0u
#define RAM  0x20000000u
#endif
#define RAM_BYTES 0x400000u
#define DEVICE    MPS2_FPGA

#define ASM(...) __asm volatile(__VA_ARGS__)

/* Targets of the attacks. */
extern const uint32_t secrets[SECRET_WORDS];
extern uint32_t core_words[8];
extern uint8_t memories[3][MEMORY_BYTES]; /* guest, control, logger */
extern kernel_thread_t guest_threads[];
extern kernel_thread_t owner_thread;
extern kernel_mutex_t core_mutex;
extern kernel_sem_t core_sem;

typedef struct guest {
    const char *name;
    kernel_entry_t run;
    kernel_entry_t mate; /* the domain's other thread; NULL: none */
    bool low;            /* less urgent than all other threads */
    bool alone;          /* it floods the trace and therefore gets a separate run */
} guest_t;

/* Return a word in the guest's own memory. */
static inline volatile uint32_t *word(void *memory, uint32_t index)
{
    return (volatile uint32_t *)memory + index;
}

/* Report a breach of the protection. */
static inline void breach(uint32_t what)
{
    (void)kernel_domain_trace(TT_CLASS_USER, EVENT_BREACH, what);
}

static inline void expect(int32_t result, int32_t expected)
{
    if (result != expected) {
        breach((uint32_t)result);
    }
}

/* Make an arbitrary kernel call. */
static inline int32_t call(uint32_t number, uintptr_t arg0, uintptr_t arg1, uintptr_t arg2)
{
    return kernel_port_trap(number, arg0, arg1, arg2);
}

static inline void store(uintptr_t address, uint32_t value)
{
    __asm volatile("str %0, [%1]" ::"r"(value), "r"(address) : "memory");
}

static inline uint32_t load(uintptr_t address)
{
    uint32_t value; /* read by assembler: the compiler would reject some addresses */
    __asm volatile("ldr %0, [%1]" : "=r"(value) : "r"(address) : "memory");
    return value;
}

static inline void jump(uintptr_t address)
{
    __asm volatile("bx %0" ::"r"(address) : "memory");
}

/* Continue with another stack pointer: compute, or make kernel calls. */
static inline void spin_with_stack(uintptr_t sp)
{
    __asm volatile("mov sp, %0\n1: b 1b" ::"r"(sp) : "memory");
}

static inline void call_with_stack(uintptr_t sp)
{
    __asm volatile("mov r4, %0\n"
                   "1: mov sp, r4\n"
                   "mov r12, %1\n"
                   "movs r0, #1\n"
                   "svc 0\n"
                   "b 1b" ::"r"(sp),
                   "r"(TT_KERCALL_THREAD_SLEEP)
                   : "r0", "r4", "r12", "memory");
}

static inline void sleep_with_odd_stack(void)
{
    for (uint32_t i = 0; i < 3u; i++) {
        __asm volatile("mov r4, sp\n"
                       "subs r5, r4, #5\n"
                       "mov sp, r5\n"
                       "mov r12, %0\n"
                       "movs r0, #1\n"
                       "svc 0\n"
                       "mov sp, r4" ::"r"(TT_KERCALL_THREAD_SLEEP)
                       : "r0", "r4", "r5", "r12", "cc", "memory");
    }
}

static inline void call_in_it_block(void)
{
    __asm volatile("mov r12, %0\n"
                   "movs r0, #1\n"
                   "cmp r0, r0\n"
                   "ittt eq\n"
                   "moveq r2, r2\n"
                   "svceq #7\n"
                   "moveq r2, r2" ::"r"(TT_KERCALL_THREAD_SLEEP)
                   : "r0", "r2", "r12", "cc", "memory");
}

static inline void semihost(uint32_t operation, uintptr_t argument)
{
    register uint32_t r0 __asm("r0") = operation;
    register uintptr_t r1 __asm("r1") = argument;
    __asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
}

static inline void exclusive(uintptr_t address)
{
    __asm volatile("ldrex r1, [%0]\nstrex r2, r1, [%0]" ::"r"(address) : "r1", "r2", "memory");
}

static inline void unprivileged_store(uintptr_t address)
{
    __asm volatile("strt %0, [%0]" ::"r"(address) : "memory");
}

/* Copy word by word until a read faults. */
static inline void copy(void *memory, uintptr_t from)
{
    for (uint32_t i = 0;; i++) {
        *word(memory, i % 16u) = load(from + 4u * i);
    }
}

/* Functions of main.c for guests. */
void done(void);
void breach_of(uint32_t what);
void recurse(uint32_t depth);

/* FPU instructions. Without FPU, the first one causes a fault. */
#ifdef __ARM_FP
#define FPU(text) text
#else
#define FPU(text) ".inst.w 0xee000a10\n" /* vmov s0, r0 */
#endif

static inline void use_fpu(void)
{
    __asm volatile(FPU("vmov s0, r0")::: "memory");
}

/* Fill s0-s31 with `base` + 0 to 31. */
static inline void keep_in_fpu(uint32_t base)
{
    uint32_t words[32];
    for (uint32_t i = 0; i < 32u; i++) {
        words[i] = base + i;
    }
    __asm volatile(FPU("vldmia %0, {s0-s31}")::"r"(words) : "memory");
}

/* Store s0-s31 and FPSCR in the guest's memory. */
static inline volatile uint32_t *fpu_words(void *memory)
{
    __asm volatile(FPU("vstmia %0, {s0-s31}\nvmrs r1, fpscr\nstr r1, [%0, #128]")::"r"(memory)
                   : "r1", "memory");
    return word(memory, 0);
}

/* Report words other than `base` + 0, 1, 2, ...; with `base` 0, words other than 0. */
static inline void look_for(const volatile uint32_t *words, uint32_t count, uint32_t base)
{
    for (uint32_t i = 0; i < count; i++) {
        if (words[i] != (base == 0u ? 0u : base + i)) {
            breach(words[i]);
        }
    }
}

/* Report secrets of other threads in the registers of the FPU, if there is one. */
static inline void look_for_secrets(void *memory)
{
#ifdef __ARM_FP
    volatile uint32_t *words = fpu_words(memory);
    for (uint32_t i = 0; i < 32u; i++) {
        if (words[i] >= SECRET && words[i] < SECRET + SECRET_WORDS) {
            breach(words[i]);
        }
    }
#else
    (void)memory;
#endif
}

#endif
