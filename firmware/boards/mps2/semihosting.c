#include "semihosting.h"

#define SYS_GET_CMDLINE          0x15u
#define SYS_EXIT_EXTENDED        0x20u
#define STOPPED_APPLICATION_EXIT 0x20026u

static uint32_t call(uint32_t operation, void *block)
{
    register uint32_t r0 __asm("r0") = operation;
    register void *r1 __asm("r1") = block;
    __asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

bool semihosting_command_line(char *text, uint32_t size_bytes)
{
    struct {
        char *text;
        uint32_t size_bytes;
    } block = {text, size_bytes};
    return call(SYS_GET_CMDLINE, &block) == 0u;
}

void semihosting_exit(uint32_t code)
{
    uint32_t block[] = {STOPPED_APPLICATION_EXIT, code};
    (void)call(SYS_EXIT_EXTENDED, block);
}
