/* Hooks in which newer versions of Zephyr count CPU load; without sys_trace_isr_exit(). */
unsigned int zephyrs_own_calls;
void sys_trace_isr_enter(void);
void sys_trace_idle(void);

__attribute__((weak)) void sys_trace_isr_enter(void)
{
    zephyrs_own_calls++;
}

__attribute__((weak)) void sys_trace_idle(void)
{
    zephyrs_own_calls++;
}
