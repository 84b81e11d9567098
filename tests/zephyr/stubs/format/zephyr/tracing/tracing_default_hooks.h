#ifndef STUB_TRACING_DEFAULT_HOOKS_H
#define STUB_TRACING_DEFAULT_HOOKS_H
void sys_trace_isr_enter(void);
void sys_trace_isr_exit(void);
void sys_trace_isr_exit_to_scheduler(void);
void sys_trace_idle(void);
void sys_trace_idle_exit(void);
#ifndef sys_trace_named_event
#define sys_trace_named_event(name, arg0, arg1)
#endif
#ifndef sys_trace_sys_init_enter
#define sys_trace_sys_init_enter(entry, level)
#endif
#ifndef sys_trace_sys_init_exit
#define sys_trace_sys_init_exit(entry, level, result)
#endif
#endif
