/* Start-up code, from reset to application_main(). */
#include <stdint.h>
#include <string.h>

#include "board.h"
#include "startup.h"

#define SCB_CPACR (*(volatile uint32_t *)0xe000ed88u)

/* Defined in the linker script. */
extern uint8_t data_begin[];
extern uint8_t data_end[];
extern const uint8_t data_load[];
extern uint8_t bss_begin[];
extern uint8_t bss_end[];

void Reset_Handler(void)
{
#ifdef __ARM_FP
    SCB_CPACR |= 0xfu << 20; /* full access to the FPU */
    __asm volatile("dsb\n\tisb" ::: "memory");
#endif
    memcpy(data_begin, data_load, (uintptr_t)data_end - (uintptr_t)data_begin);
    memset(bss_begin, 0, (uintptr_t)bss_end - (uintptr_t)bss_begin);
    options_read();
    board_start();
    application_main();
    board_exit(0);
}
