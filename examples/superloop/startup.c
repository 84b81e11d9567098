/* Start-up code like that of a vendor: vector table, weak handlers, copy .data, clear .bss. */
#include <stdint.h>

extern uint32_t _estack, _sidata, _sdata, _edata, _sbss, _ebss;
int main(void);

void Default_Handler(void)
{
    for (;;) {
    }
}

#define WEAK __attribute__((weak, alias("Default_Handler")))
void NMI_Handler(void) WEAK;
void HardFault_Handler(void) WEAK;
void SysTick_Handler(void) WEAK;
void TIMER0_Handler(void) WEAK;

void Reset_Handler(void)
{
    const uint32_t *from = &_sidata;
    for (uint32_t *to = &_sdata; to < &_edata; to++) {
        *to = *from++;
    }
    for (uint32_t *to = &_sbss; to < &_ebss; to++) {
        *to = 0;
    }
    (void)main();
    Default_Handler();
}

__attribute__((section(".isr_vector"), used)) static const uintptr_t vectors[16 + 9] = {
    [0] = (uintptr_t)&_estack,         [1] = (uintptr_t)Reset_Handler,
    [2] = (uintptr_t)NMI_Handler,      [3] = (uintptr_t)HardFault_Handler,
    [15] = (uintptr_t)SysTick_Handler, [16 + 8] = (uintptr_t)TIMER0_Handler,
};
