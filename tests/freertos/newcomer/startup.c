/* Vector table and startup code, as in a vendor's template. */
#include <stdint.h>
#include <string.h>

extern uint32_t stack_top[];
extern uint8_t data_begin[];
extern uint8_t data_end[];
extern const uint8_t data_load[];
extern uint8_t bss_begin[];
extern uint8_t bss_end[];

int main(void);
void Reset_Handler(void);
void SVC_Handler(void);
void PendSV_Handler(void);
void SysTick_Handler(void);

static void stay(void)
{
    for (;;) {
    }
}

__attribute__((section(".vectors"), used)) static void (*const vectors[16])(void) = {
    (void (*)(void))(uintptr_t)stack_top,
    Reset_Handler,
    [2] = stay,
    [3] = stay,
    [4] = stay,
    [5] = stay,
    [6] = stay,
    [11] = SVC_Handler,
    [14] = PendSV_Handler,
    [15] = SysTick_Handler,
};

void Reset_Handler(void)
{
    memcpy(data_begin, data_load, (uintptr_t)data_end - (uintptr_t)data_begin);
    memset(bss_begin, 0, (uintptr_t)bss_end - (uintptr_t)bss_begin);
    (void)main();
}
