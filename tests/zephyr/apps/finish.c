#include "finish.h"

#include <stdint.h>
#include <tickertape/tickertape.h>
#include <tickertape_status.h>
#include <zephyr/kernel.h>

#ifdef CONFIG_ARCH_POSIX

#include <posix_board_if.h>

void leave(void)
{
    posix_exit(0);
}

#else

/* Semihosting: SYS_EXIT, ADP_Stopped_ApplicationExit. */
#define SEMIHOSTING_EXIT   0x18u
#define APPLICATION_EXITED 0x20026u
#define SEMIHOSTING_CALL   "bkpt 0xab"

void leave(void)
{
    register uint32_t operation __asm("r0") = SEMIHOSTING_EXIT;
    register uint32_t reason __asm("r1") = APPLICATION_EXITED;
    __asm volatile(SEMIHOSTING_CALL : "+r"(operation) : "r"(reason) : "memory");
}

#endif

void finish(void)
{
    (void)tt_stop(0);
    while (!tt_zephyr_sent()) {
        k_msleep(20);
    }
    leave();
}
