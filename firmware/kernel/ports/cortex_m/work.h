/* ports/cortex_m/work.h - how fast is the loop of kernel_work_us()? */
#ifndef KERNEL_PORT_WORK_H
#define KERNEL_PORT_WORK_H

/* Measure it. Interrupts are masked, the board's clock runs. */
void kernel_work_measure(void);

#endif
