#include "semihosting.h"

#include <string.h>

#define SYS_OPEN                 0x01u
#define SYS_CLOSE                0x02u
#define SYS_WRITE0               0x04u
#define SYS_WRITE                0x05u
#define SYS_GET_CMDLINE          0x15u
#define SYS_EXIT_EXTENDED        0x20u
#define STOPPED_APPLICATION_EXIT 0x20026u
#define MODE_WRITE_BINARY        5u
#define FAILED                   0xffffffffu

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

uint32_t semihosting_open(const char *path)
{
    struct {
        const char *path;
        uint32_t mode;
        uint32_t path_bytes;
    } block = {path, MODE_WRITE_BINARY, (uint32_t)strlen(path)};
    uint32_t handle = call(SYS_OPEN, &block);
    return handle == FAILED ? 0u : handle;
}

bool semihosting_write(uint32_t handle, const void *bytes, uint32_t count)
{
    struct {
        uint32_t handle;
        const void *bytes;
        uint32_t count;
    } block = {handle, bytes, count};
    return call(SYS_WRITE, &block) == 0u; /* number of bytes not written */
}

void semihosting_close(uint32_t handle)
{
    (void)call(SYS_CLOSE, &handle);
}

void semihosting_write_text(const char *text)
{
    (void)call(SYS_WRITE0, (void *)(uintptr_t)text);
}

void semihosting_exit(uint32_t code)
{
    uint32_t block[] = {STOPPED_APPLICATION_EXIT, code};
    (void)call(SYS_EXIT_EXTENDED, block);
}
